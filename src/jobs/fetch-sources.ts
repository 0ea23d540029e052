import { isWaiting, ranBefore } from '~/domain/feed/attempts.ts'
import type { QuoteSource } from '~/domain/source/source.ts'
import type { SourceRecord } from '~/domain/source/state.ts'
import { isDue } from '~/domain/source/turn.ts'
import type { Log } from '~/log.ts'
import type { Memory } from '~/memory/memory.ts'
import { type FetchSourceDeps, fetchSource, type SourceReport, type Wish } from './fetch-source.ts'
import { inTurn } from './in-turn.ts'
import { lastInstantMs } from './schedule.ts'

type FetchSourcesDeps = FetchSourceDeps & { readonly sources: readonly QuoteSource[] }

const AT_ONCE_MAX = 5

const NOTHING_WISHED: Wish = { since: null, until: null, isDry: false }

/**
 * Queries due banks, a few at a time, and records new prices; null while another replica does so.
 * `pattern` says when to query all of them; without it each is queried when it publishes.
 */
export function fetchDueSources(
  deps: FetchSourcesDeps,
  pattern: string | null,
): Promise<readonly SourceReport[] | null> {
  const { store, clock } = deps
  return store.once(async () => {
    const records = recordsById(await store.loadStates())
    const isTurn = (source: QuoteSource): boolean => {
      const record = records.get(source.id)
      if (!record) return true
      const nowMs = clock.now()
      if (pattern === null) return isDue(record, source, nowMs)
      const lastMs = lastInstantMs(pattern, nowMs)
      const triedMs = ranBefore(record.triedMs, nowMs) ?? 0
      return !isWaiting(record, nowMs) && lastMs !== null && triedMs < lastMs
    }
    return fetchEach(deps, deps.sources.filter(isTurn), { records, wish: NOTHING_WISHED })
  })
}

type SourceTurnsDeps = FetchSourcesDeps & {
  readonly memory: Memory
  /** The time when to ask all banks, in UTC; null for each when it publishes. */
  readonly pattern: string | null
  /** Says whether mids come from feeds, which a first run lets go first. */
  readonly hasFeeds: boolean
}

/**
 * The time when a service asks its banks: each when it should have published, or all at the times
 * of a pattern.
 *
 * The first turn waits for another while there is no mid yet that rates could be held against.
 */
export class SourceTurns {
  #isFirst = true

  constructor(private readonly deps: SourceTurnsDeps) {}

  async run(): Promise<void> {
    const { memory, hasFeeds, pattern } = this.deps
    const isBlind = memory.current.references.newest(Number.POSITIVE_INFINITY) === undefined
    const isDeferred = this.#isFirst && hasFeeds && isBlind
    this.#isFirst = false
    if (!isDeferred) await fetchDueSources(this.deps, pattern)
  }
}

/** Asks every bank now, as wished; null while another process is asking. */
export function fetchSources(
  deps: FetchSourcesDeps,
  wish: Wish,
): Promise<readonly SourceReport[] | null> {
  const { store, sources } = deps
  return store.once(async () => {
    const records = recordsById(await store.loadStates())
    return fetchEach(deps, sources, { records, wish })
  })
}

type Beginning = { readonly records: ReadonlyMap<string, SourceRecord>; readonly wish: Wish }

/** A report on each bank, in their order. Rejects if the store fails, after all queries. */
async function fetchEach(
  deps: FetchSourcesDeps,
  sources: readonly QuoteSource[],
  { records, wish }: Beginning,
): Promise<SourceReport[]> {
  const reports = new Map<string, SourceReport>()
  await inTurn(sources, AT_ONCE_MAX, async (source) => {
    const before = records.get(source.id) ?? null
    const report = await fetchSource(deps, source, { wish, before })
    reports.set(source.id, report)
    if (wish.isDry) return
    await deps.store.saveState(report.record)
    tell(report, before, deps.log)
  })
  return sources.map(({ id }) => reports.get(id)!)
}

const recordsById = (records: readonly SourceRecord[]) =>
  new Map(records.map((record) => [record.id, record]))

/** Logs only the changes since the last query to the bank. */
function tell({ id, record, excerpt }: SourceReport, before: SourceRecord | null, log: Log): void {
  const { isFailing, fault, message, refused } = record
  const wasFailing = before?.isFailing ?? false
  if (isFailing && !wasFailing)
    log.warn({ source: id, fault, ...(excerpt && { excerpt }) }, `quote source ${id} ${message}`)
  else if (wasFailing && !isFailing) log.info({ source: id }, `quote source ${id} works again`)
  const isRefusing = refused.length > 0
  if (isRefusing === (before?.refused ?? []).length > 0) return
  if (isRefusing) log.warn({ source: id, refused }, `quote source ${id} ${refused[0]}; refused`)
  else log.info({ source: id }, `quote source ${id} states nothing any more that is refused`)
}
