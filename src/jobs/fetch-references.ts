import { USD } from '~/domain/currency.ts'
import { DAY_MS } from '~/domain/duration.ts'
import { ranBefore, refuseWaiting } from '~/domain/feed/attempts.ts'
import type { Support } from '~/domain/feed/consensus.ts'
import {
  FeedError,
  type FeedSnapshot,
  type ReferenceAnswer,
  type ReferenceFeed,
} from '~/domain/feed/feed.ts'
import { answerFault, GUARD_RULES, type GuardRules } from '~/domain/feed/guard.ts'
import { repeatedMs } from '~/domain/feed/repetition.ts'
import { type FeedState, noState } from '~/domain/feed/state.ts'
import { type EvaluatedAnswer, evaluatedAnswer } from '~/domain/feed/unused.ts'
import {
  type FeedAnswer,
  type ReferenceMode,
  type Verdict,
  verdictOf,
} from '~/domain/feed/verdict.ts'
import type { Log } from '~/log.ts'
import { type FeedReport, type RunOutcome, recordsAfter, tell } from './feed-records.ts'

type Standing = { readonly currency: string; readonly perUsd: number; readonly atMs: number }

/** Store of references and of the state of their feeds, shared by all replicas. */
export type FeedStore = {
  /** Runs the work, or returns null at once if another replica does; death releases the turn. */
  once<T>(work: () => Promise<T>): Promise<T | null>
  /** At least the last accepted value of every currency; among several the newest counts. */
  live(nowMs: number): Promise<readonly Standing[]>
  /** Records a snapshot whole, which makes it the mid; rejects if nothing was recorded. */
  append(snapshot: FeedSnapshot): Promise<unknown>
  /** The saved state, plain JSON; null before the first `saveState`. */
  loadState(): Promise<FeedState | null>
  /** Replaces the saved state, and records the responses of feeds in a run. */
  saveState(state: FeedState, answers: readonly EvaluatedAnswer[]): Promise<void>
}

export type FetchReferencesDeps = {
  /** The feeds in order of preference. */
  readonly feeds: readonly ReferenceFeed[]
  readonly store: FeedStore
  readonly clock: { now(): number }
  readonly log: Log
  known(): readonly string[]
  readonly rules?: GuardRules
  /** Says whether all feeds are queried and combined; `order` if absent. */
  readonly mode?: ReferenceMode
}

/**
 * Runs once and records what was accepted. In the mode `consensus` it asks every feed; in `order`
 * it asks them until one gives a snapshot that is believed, and further ones for currencies that
 * are missing or need a second opinion.
 *
 * Returns null if there was nothing to do: another replica is running, or has begun a run at or
 * after `slotMs` (the scheduled time of this one; null runs in any case). A feed that asked us to
 * wait is not asked before its time. If no feed served, that is an outcome; only a failure of the
 * store rejects, and then the snapshots appended so far stay in force and the next run does the
 * rest.
 */
export function fetchReferences(
  deps: FetchReferencesDeps,
  slotMs: number | null = null,
): Promise<RunOutcome | null> {
  return deps.store.once(async () => {
    const { store, clock, log } = deps
    const startedMs = clock.now()
    const before = (await store.loadState()) ?? noState
    const ranMs = ranBefore(before.ranMs, startedMs)
    if (slotMs !== null && ranMs !== null && ranMs >= slotMs) return null
    const known = [...new Set(deps.known())].filter((currency) => currency !== USD)
    const standing = standingOf(await store.live(startedMs))
    const inquiry = new Inquiry({ deps, before, known, standing })
    await inquiry.askInTurn()
    const outcome = outcomeOf(inquiry, startedMs)
    for (const snapshot of outcome.snapshots) await store.append(snapshot)
    const records = recordsAfter(before.feeds, outcome, clock.now())
    const served = outcome.feeds.find(({ result }) => result === 'served')?.id ?? before.served
    const { held } = outcome
    const support = deps.mode === 'consensus' ? supportAfter(before, outcome, standing) : []
    const state = { ranMs: startedMs, served, held, support, feeds: records }
    await store.saveState(state, outcome.answers)
    tell(outcome, { before, records, log })
    return outcome
  })
}

/** The scheduled form of `fetchReferences`, which rejects with one sentence when no feed served. */
export async function runFetchReferences(
  deps: FetchReferencesDeps,
  slotMs: number | null = null,
): Promise<void> {
  const outcome = await fetchReferences(deps, slotMs)
  if (outcome && outcome.source === null && outcome.feeds.some(({ message }) => message))
    throw new Error(`no reference feed returned usable rates: ${failuresOf(outcome)}`)
}

/** The feeds that were asked in vain, each with the reason. */
export const failuresOf = ({ feeds }: RunOutcome): string =>
  feeds.map(({ id, message }) => `${id} ${message ?? 'gave nothing'}`).join('; ')

function standingOf(references: readonly Standing[]): Map<string, number> {
  const newest = new Map<string, Standing>()
  for (const reference of references) {
    const held = newest.get(reference.currency)
    if (!held || reference.atMs >= held.atMs) newest.set(reference.currency, reference)
  }
  return new Map([...newest].map(([currency, { perUsd }]) => [currency, perUsd]))
}

type InquiryContext = {
  readonly deps: FetchReferencesDeps
  readonly before: FeedState
  readonly known: readonly string[]
  readonly standing: ReadonlyMap<string, number>
}

/** The course of one run: the feeds asked, their responses, and the verdict so far. */
class Inquiry {
  readonly answers: FeedAnswer[] = []
  readonly failures = new Map<string, FeedError>()
  verdict: Verdict

  constructor(readonly context: InquiryContext) {
    this.verdict = this.#evaluated()
  }

  async askInTurn(): Promise<void> {
    for (const feed of this.context.deps.feeds) {
      if (this.context.deps.mode !== 'consensus' && this.verdict.open.length === 0) return
      try {
        this.answers.push(await this.#ask(feed))
        this.verdict = this.#evaluated()
      } catch (error) {
        this.failures.set(feed.id, this.#feedErrorOf(error, feed))
      }
    }
  }

  async #ask(feed: ReferenceFeed): Promise<FeedAnswer> {
    const { deps, before: state, known } = this.context
    const record = state.feeds.find(({ id }) => id === feed.id)
    if (record) refuseWaiting(record, deps.clock.now())
    const answer = await feed.ask()
    const fetchedMs = deps.clock.now()
    const fault = answerFault({
      answer,
      known,
      published: feed.currencies,
      isFiller: this.verdict.accepted.length > 0,
      nowMs: fetchedMs,
      rules: deps.rules ?? GUARD_RULES,
    })
    if (fault) throw new FeedError('implausible', fault)
    const said = feedAnswerOf(feed, { answer, fetchedMs, known })
    const beforeMs = repeatedMs(said, record?.said ?? [])
    if (beforeMs === null) return said
    const before = new Date(beforeMs).toISOString()
    throw new FeedError('implausible', `repeats its rates of ${before} under a newer date`)
  }

  #feedErrorOf(error: unknown, feed: ReferenceFeed): FeedError {
    if (error instanceof FeedError) return error
    this.context.deps.log.error(
      { feed: feed.id, err: error },
      'a reference feed failed because of a bug',
    )
    return new FeedError('unexpected', 'failed for an unexpected reason')
  }

  #evaluated(): Verdict {
    const { deps, before, known, standing } = this.context
    const { rules = GUARD_RULES, mode = 'order' } = deps
    return verdictOf({ answers: this.answers, known, standing, held: before.held, rules, mode })
  }
}

type Said = {
  readonly answer: ReferenceAnswer
  readonly fetchedMs: number
  readonly known: readonly string[]
}

function feedAnswerOf(feed: ReferenceFeed, { answer, fetchedMs, known }: Said): FeedAnswer {
  const perUsd = new Map(
    known.flatMap((currency) => {
      const text = answer.perUsd.get(currency)
      return text === undefined ? [] : [[currency, text] as const]
    }),
  )
  const { id, source, origin } = feed
  return { feedId: id, source, origin, fetchedMs, upstreamMs: answer.upstreamMs, perUsd }
}

/** The move that one feed makes alone above which it is shown for a day, as a share. */
const LONE_MOVE_MIN = 0.05

/** The support of every currency: of this run, or of the last one in which a feed had it. */
function supportAfter(
  { support = [] }: FeedState,
  { support: found, snapshots, startedMs }: RunOutcome,
  standing: ReadonlyMap<string, number>,
): Support[] {
  const earlier = new Map(support.map((one) => [one.currency, one]))
  const rates = new Map(
    snapshots.flatMap((snapshot) =>
      snapshot.rates.map(({ currency, perUsd }) => [currency, perUsd]),
    ),
  )
  for (const one of found) {
    const { currency, basis } = one
    const before = standing.get(currency)
    const pct = (Number(rates.get(currency) ?? before) / (before ?? Number.NaN) - 1) * 100
    const last = earlier.get(currency)?.moved ?? null
    const isLast = last !== null && startedMs - last.atMs < DAY_MS
    const moved =
      Math.abs(pct) > LONE_MOVE_MIN * 100 ? { pct, atMs: startedMs } : isLast ? last : null
    earlier.set(currency, basis === 'single' && moved ? { ...one, moved } : one)
  }
  return [...earlier.values()]
}

function outcomeOf(inquiry: Inquiry, startedMs: number): RunOutcome {
  const { answers, verdict, context } = inquiry
  const { deps, before, known } = context
  const given = new Set(answers.flatMap(({ perUsd }) => [...perUsd.keys()]))
  const wasHeld = new Set(before.held.map(({ currency }) => currency))
  const feeds = deps.feeds.map((feed) => reportOf(feed, inquiry))
  return {
    startedMs,
    source: feeds.find(({ result }) => result === 'served')?.source ?? null,
    snapshots: snapshotsOf(verdict),
    answers: answers.map((answer) => evaluatedAnswer(answer, verdict)),
    feeds,
    held: verdict.held,
    support: verdict.support,
    released: verdict.accepted.filter(
      ({ currency, ground }) => wasHeld.has(currency) && ground.startsWith('second'),
    ),
    missing: known.filter((currency) => !given.has(currency)),
  }
}

/** One snapshot for each set of feeds, as of its oldest response. */
function snapshotsOf({ accepted, support }: Verdict): FeedSnapshot[] {
  const backing = new Map(support.map((one) => [one.currency, one]))
  const bySet = Map.groupBy(accepted, ({ used }) => used.map(({ feedId }) => feedId).join())
  return [...bySet.values()].map((values) => {
    const { used } = values[0]!
    return {
      source: used.map(({ source }) => source).join(),
      fetchedMs: Math.max(...used.map(({ fetchedMs }) => fetchedMs)),
      upstreamMs: Math.min(...used.map(({ upstreamMs }) => upstreamMs)),
      rates: values.map(({ currency, perUsd }) => {
        const { basis = null, dispersionBps = null } = backing.get(currency) ?? {}
        return { currency, perUsd, basis, dispersionBps }
      }),
    }
  })
}

function reportOf({ id, source }: ReferenceFeed, inquiry: Inquiry): FeedReport {
  const { answers, failures, verdict } = inquiry
  const failure = failures.get(id)
  const said = answers.find(({ feedId }) => feedId === id)
  const base = { id, source, currencies: 0, fetchedMs: null, upstreamMs: null, retryAfterMs: null }
  if (failure) {
    const { fault, message, retryAfterMs } = failure
    return { ...base, result: 'failed', fault, message, retryAfterMs }
  }
  if (!said) return { ...base, result: 'not_asked', fault: null, message: null }
  const times = { fetchedMs: said.fetchedMs, upstreamMs: said.upstreamMs }
  const currencies = verdict.accepted.filter(({ used }) => used.includes(said)).length
  const disbelief = verdict.doubted.find((doubted) => doubted.answer === said)
  if (disbelief && currencies === 0) {
    const message = doubtOf(disbelief)
    return { ...base, ...times, result: 'failed', fault: 'implausible', message }
  }
  const first = verdict.accepted.length > 0 ? answers.find((one) => isUsed(one, verdict)) : said
  const result = said === first ? 'served' : 'filled'
  return { ...base, ...times, currencies, result, fault: null, message: null }
}

const doubtOf = ({ moved, rounded, compared }: Verdict['doubted'][number]): string =>
  rounded > 0
    ? `rounded ${rounded} of ${compared} currencies to two digits; other feeds have more`
    : `moved ${moved} of ${compared} currencies at once; not believed`

const isUsed = (said: FeedAnswer, { accepted }: Verdict): boolean =>
  accepted.some(({ used }) => used.includes(said))
