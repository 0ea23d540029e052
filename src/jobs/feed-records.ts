import { type Failure, failed, isWaiting, NO_ATTEMPTS, succeeded } from '~/domain/feed/attempts.ts'
import type { Support } from '~/domain/feed/consensus.ts'
import type { FeedSnapshot } from '~/domain/feed/feed.ts'
import { saidAfter } from '~/domain/feed/repetition.ts'
import type { FeedRecord, FeedState } from '~/domain/feed/state.ts'
import type { EvaluatedAnswer } from '~/domain/feed/unused.ts'
import type { Acceptance, HeldBack } from '~/domain/feed/verdict.ts'
import type { Log } from '~/log.ts'

/** The result of one feed in one run. */
export type FeedReport = Failure & {
  readonly id: string
  readonly source: string
  /** `served` is the first feed that is used; `filled`: believed, but a further one or unused. */
  readonly result: 'served' | 'filled' | 'failed' | 'not_asked'
  readonly currencies: number
  readonly fetchedMs: number | null
  readonly upstreamMs: number | null
}

export type RunOutcome = {
  readonly startedMs: number
  /** The feed whose response was taken, the most preferred of several; null if there was none. */
  readonly source: string | null
  /** The recorded snapshots: one for each feed, or set of feeds that agree; none empty. */
  readonly snapshots: readonly FeedSnapshot[]
  /** Valid responses of feeds, with the reasons for unused values. */
  readonly answers: readonly EvaluatedAnswer[]
  /** A report on each configured feed, in order. */
  readonly feeds: readonly FeedReport[]
  readonly held: readonly HeldBack[]
  readonly support: readonly Support[]
  /** Currencies that had been held back until this run. */
  readonly released: readonly Acceptance[]
  /** Known currencies that no feed gave. */
  readonly missing: readonly string[]
}

/** The records after a run's reports are entered. */
export function recordsAfter(
  before: readonly FeedRecord[],
  { feeds, answers }: Pick<RunOutcome, 'feeds' | 'answers'>,
  nowMs: number,
): FeedRecord[] {
  return feeds.map((report) => {
    const { id, source } = report
    const record = before.find((known) => known.id === id) ?? { ...UNTRIED, id, source }
    if (report.result === 'not_asked') return record
    const { fetchedMs, upstreamMs, currencies } = report
    const answer = answers.find(({ feedId }) => feedId === id)
    const said = answer && saidAfter(answer, record.said ?? [])
    if (report.result !== 'failed')
      return { ...record, ...succeeded(fetchedMs!), upstreamMs, currencies, ...(said && { said }) }
    return isWaiting(record, nowMs) ? record : { ...record, ...failed(report, nowMs) }
  })
}

const UNTRIED = { ...NO_ATTEMPTS, upstreamMs: null, currencies: 0 }

type Reporting = {
  readonly before: FeedState
  readonly records: readonly FeedRecord[]
  readonly log: Log
}

/** Logs what changed since the last run: feeds that fail or recover, values held or released. */
export function tell(outcome: RunOutcome, { before, records, log }: Reporting): void {
  const { held, released } = outcome
  tellDissent(outcome.support, before.support ?? [], log)
  for (const { id, source, isFailing, fault, message } of records) {
    const wasFailing = before.feeds.find((known) => known.id === id)?.isFailing ?? false
    if (isFailing === wasFailing) continue
    if (isFailing) log.warn({ feed: id, source, fault }, `reference feed ${id} ${message}`)
    else log.info({ feed: id, source }, `reference feed ${id} works again`)
  }
  for (const value of held) {
    const isKnown = before.held.some(
      ({ currency, sinceMs }) => currency === value.currency && sinceMs === value.sinceMs,
    )
    if (!isKnown)
      log.warn({ ...value }, `reference ${value.currency} is held back: it moved too far`)
  }
  for (const { currency } of before.held) {
    const isOpen = [...held, ...released].some((value) => value.currency === currency)
    if (!isOpen) log.info({ currency }, `reference ${currency} is no longer held back`)
  }
  for (const { currency, perUsd, ground, answer } of released)
    log.info(
      { currency, perUsd, ground, source: answer.source },
      `reference ${currency} is accepted: it was confirmed`,
    )
}

/** Logs the feeds whose value of a currency is not used from now on, and those that agree again. */
function tellDissent(now: readonly Support[], before: readonly Support[], log: Log): void {
  const earlier = new Map(before.map((support) => [support.currency, support]))
  for (const support of now) {
    const { currency, basis, left } = support
    const known = earlier.get(currency)?.left ?? []
    for (const { source, perUsd } of left)
      if (!known.some((one) => one.source === source))
        log.warn({ currency, source, perUsd, basis }, dissentOf(currency, source))
    if (left.length === 0 && known.length > 0)
      log.info({ currency, basis }, `reference ${currency} is no longer disputed by a feed`)
  }
}

const dissentOf = (currency: string, source: string): string =>
  `reference ${currency} of ${source} is not used: it disagrees with other feeds`

/** Summarizes a run in one line: the feeds' responses with times, the failures with reasons. */
export function summaryOf({ feeds, held, support, missing }: RunOutcome): string {
  const parts = feeds
    .filter(({ result }) => result !== 'not_asked')
    .map(({ id, result, message, currencies, upstreamMs }) =>
      result === 'failed'
        ? `${id} ${message}`
        : `${id} ${result} ${currencies} currencies of ${new Date(upstreamMs!).toISOString()}`,
    )
  if (held.length > 0) parts.push(`held back: ${held.map(moveOf).join(', ')}`)
  const dissent = support.flatMap(({ currency, left }) =>
    left.map(({ source, perUsd }) => `${currency} ${perUsd} of ${source}`),
  )
  if (dissent.length > 0) parts.push(`not used, as feeds disagree: ${dissent.join(', ')}`)
  if (missing.length > 0) parts.push(`missing from every feed: ${missing.join(' ')}`)
  return parts.join('; ') || 'nothing to fetch'
}

const moveOf = ({ currency, perUsd, standing }: HeldBack): string =>
  `${currency} ${standing} to ${perUsd}`
