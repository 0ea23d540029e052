import { DAY_MS } from '~/domain/duration.ts'
import { FeedError, type ReferenceAnswer, type ReferenceFeed } from '~/domain/feed/feed.ts'
import type { FeedState } from '~/domain/feed/state.ts'
import type { RunOutcome } from './feed-records.ts'
import { type FeedStore, type FetchReferencesDeps, fetchReferences } from './fetch-references.ts'

/** A feed whose responses were recorded, in any order. */
export type RecordedFeed = Omit<ReferenceFeed, 'ask' | 'id'> & {
  readonly answers: readonly ReferenceAnswer[]
}

type Rules = Pick<FetchReferencesDeps, 'rules' | 'mode' | 'known'>

/** Outcome of a run, and the values in force after it, in units per US dollar. */
export type ReplayedRun = {
  readonly outcome: RunOutcome
  readonly standing: ReadonlyMap<string, number>
}

/** Time of each day's run, in which a feed gives its newest response up to that day. */
const NOON_MS = DAY_MS / 2

/**
 * Replays the job on recorded responses: one run a day, from the day of the first response to that
 * of the last, oldest first. Nothing is stored.
 */
export async function replayReferences(
  feeds: readonly RecordedFeed[],
  rules: Rules,
): Promise<ReplayedRun[]> {
  const days = feeds.flatMap(({ answers }) =>
    answers.map(({ upstreamMs }) => Math.floor(upstreamMs / DAY_MS)),
  )
  if (days.length === 0) return []
  const [first, last] = [Math.min(...days), Math.max(...days)]
  const store = new ReplayStore()
  let nowMs = first * DAY_MS + NOON_MS
  const deps: FetchReferencesDeps = {
    ...rules,
    store,
    clock: { now: () => nowMs },
    log: SILENT,
    feeds: feeds.map((feed) => ({ ...feed, id: feed.source, ask: () => newest(feed, nowMs) })),
  }
  const runs: ReplayedRun[] = []
  for (let day = first; day <= last; day++) {
    nowMs = day * DAY_MS + NOON_MS
    const outcome = (await fetchReferences(deps))!
    runs.push({ outcome, standing: store.standing })
  }
  return runs
}

async function newest({ answers }: RecordedFeed, nowMs: number): Promise<ReferenceAnswer> {
  const [answer] = answers
    .filter(({ upstreamMs }) => upstreamMs <= nowMs)
    .sort((a, b) => b.upstreamMs - a.upstreamMs)
  if (!answer) throw new FeedError('unreachable', 'has no recorded response at this time')
  return answer
}

const quiet = () => {}
const SILENT = { debug: quiet, info: quiet, warn: quiet, error: quiet }

/** Holds the state that a run needs from earlier runs. */
class ReplayStore implements FeedStore {
  #state: FeedState | null = null
  readonly #values = new Map<string, { perUsd: number; atMs: number }>()

  get standing(): ReadonlyMap<string, number> {
    return new Map([...this.#values].map(([currency, { perUsd }]) => [currency, perUsd]))
  }

  once: FeedStore['once'] = (work) => work()

  live: FeedStore['live'] = async () =>
    [...this.#values].map(([currency, value]) => ({ currency, ...value }))

  append: FeedStore['append'] = async ({ fetchedMs: atMs, rates }) => {
    for (const { currency, perUsd } of rates)
      this.#values.set(currency, { perUsd: Number(perUsd), atMs })
  }

  loadState: FeedStore['loadState'] = async () => this.#state

  saveState: FeedStore['saveState'] = async (state) => {
    this.#state = state
  }
}
