import type { Corridor } from '~/domain/corridor.ts'
import { notKept } from '~/domain/errors.ts'
import { boundariesMs } from '~/domain/freshness.ts'
import type { PageAsk, Standing } from '~/domain/history.ts'
import type { Probe } from '~/domain/price/day-mids.ts'
import type { Catalogue } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import type { BucketsAsk } from '~/domain/series.ts'
import { archivedMonths, remembersArchive } from '~/store/archive/archived.ts'
import { archivedSince } from '~/store/archive/rows.ts'
import { type Place, remembersCorridors, rowsOf } from '~/store/corridor-ids.ts'
import type { Database, Sql, TransactionSql } from '~/store/database.ts'
import { referencesAt } from '~/store/day-references.ts'
import { isDistributed, remembersDistribution } from '~/store/distributed/distribution.ts'
import { instantText } from '~/store/encoding.ts'
import { areManyMonths, remembersMonths } from '~/store/month/parts.ts'
import { createHeldStore } from '~/store/past/held-store.ts'
import { createHistoryStore } from '~/store/past/history-store.ts'
import { Reach } from '~/store/past/reach.ts'
import { createSeriesStore } from '~/store/past/series-store.ts'
import { createSnapshotStore } from '~/store/past/snapshot-store.ts'
import { createWorthPathStore } from '~/store/past/worth-path-store.ts'
import { eachLiveRow, quoteOf } from '~/store/quote-store.ts'
import { createReferenceStore, holdsSample } from '~/store/reference-store.ts'
import { isCountLost } from './known-rollups.ts'
import { catalogueIn, firstRecorded } from './known-tables.ts'

/** Puts the views of what was known before the current tables. */
const SEARCH_PATH = 'known, public'
const CATALOGUES_MAX = 16

/**
 * The tables as they were known at a time. Its transactions read the schema `known` first, so that
 * every statement about the present or the past is about what was known of them, and there is one
 * of each. `pool` is for it alone: a connection plans its statements for either tables. No
 * transaction waits for another connection of the pool, which others may hold for the same reason.
 *
 * A row is known from the time that it bears, `recorded_at`, on; one whose commit came more than a
 * second later, or before which a later one was committed, from its commit on.
 */
export function createKnownStore(pool: Database) {
  const catalogues = new Map<string, Required<Catalogue>>()
  const reaches: Reaches = { standing: new Reach(), held: new Reach() }
  let firstMs: number | null = null
  return {
    async at<T>(knownMs: number, work: (known: KnownTables) => Promise<T>): Promise<T> {
      const { sql: own } = pool
      const [isOnServers, areMany, archive] = await Promise.all([
        isDistributed(own),
        areManyMonths(own),
        archivedMonths(own),
      ])
      return pool.sql.begin('read only', async (tx) => {
        const state = await begun(tx, knownMs)
        // Citus passes this statement on to workers, but not the settings of set_config.
        if (isOnServers) await tx.unsafe(`set local corridor.known_at = '${instantText(knownMs)}'`)
        remembersDistribution(tx as unknown as Sql, isOnServers)
        remembersMonths(tx as unknown as Sql, areMany)
        remembersArchive(tx as unknown as Sql, archive)
        firstMs ??= await firstRecorded(tx as unknown as Sql)
        const known = { ...pool, sql: tx as unknown as Sql, knownMs }
        remembersCorridors(known, pool)
        const isBeforeAll = firstMs === null || knownMs < firstMs
        return work({
          ...pastOf(known, state, reaches),
          ...presentOf(known),
          isBeforeAll,
          async catalogue() {
            const kept = catalogues.get(state.version)
            if (kept) return kept
            const found = await catalogueIn(tx as unknown as Sql)
            if (isBeforeAll && found.currencies.length === 0) return catalogueOfNow(tx)
            if (catalogues.size >= CATALOGUES_MAX) catalogues.clear()
            catalogues.set(state.version, found)
            return found
          },
        })
      }) as Promise<T>
    },
  }
}

/** The corridors remembered from one query to the next. */
type Reaches = { readonly standing: Reach; readonly held: Reach }

type PastTables = ReturnType<typeof pastOf>
type PresentTables = ReturnType<typeof presentOf>

type KnownTables = PastTables &
  PresentTables & {
    /** Says whether nothing at all had been recorded by then. */
    readonly isBeforeAll: boolean
    /** The catalogue of then; today's if there was none yet, so that its codes are known. */
    catalogue(): Promise<Required<Catalogue>>
  }

type State = {
  /** Names the catalogue, which never changes again. */
  readonly version: string
  /** Observations from before this time may have been deleted since; -Infinity if none were. */
  readonly lostMs: number
  /** `lostMs` without regard to when they were deleted. */
  readonly prunedMs: number
}

/** The last commits may still be on their way for this long. */
const SETTLING_MS = 10_000
/** A commit that takes longer than this counts from its end on. */
const LATE_MS = 1000

/** The catalogue of now, in a transaction that reads the schema `known`. */
async function catalogueOfNow(tx: TransactionSql): Promise<Required<Catalogue>> {
  await tx`select set_config('search_path', 'public', true)`
  const found = await catalogueIn(tx as unknown as Sql)
  await tx`select set_config('search_path', ${SEARCH_PATH}, true)`
  return found
}

/**
 * Switches to a time, once everything that may count as known by then has been committed. Commits
 * of the last second are waited for, so that the response does not change later.
 */
async function begun(tx: TransactionSql, knownMs: number): Promise<State> {
  const known = tx`${instantText(knownMs)}::timestamptz`
  const [{ ageMs, ...state }] = await tx<[State & { readonly ageMs: number }]>`
    select set_config('search_path', ${SEARCH_PATH}, true),
      set_config('corridor.known_at', ${instantText(knownMs)}, true),
      concat_ws(' ', (
        select id from catalogue_history where since <= ${known} order by id desc limit 1
      ), (
        select count(*) from public.provider_activity where since <= ${known}
      )) as version,
      (select extract(epoch from coalesce(max(before) filter (where at > ${known}), '-infinity'))
        * 1000 from prunings where observations > 0)::float8 as "lostMs",
      (select extract(epoch from coalesce(max(before), '-infinity')) * 1000 from prunings
        where observations > 0)::float8 as "prunedMs",
      (extract(epoch from recording_time() - ${known}) * 1000)::float8 as "ageMs"`
  if (ageMs < SETTLING_MS) {
    await tx`select pg_sleep(${Math.min(LATE_MS, Math.max(0, LATE_MS - ageMs)) / 1000})`
    await tx`select pg_advisory_xact_lock_shared(hashtext('corridor changes'))`
  }
  if (knownMs < state.lostMs) throw notKept(state.lostMs)
  return state
}

/** The stores of the past. They refuse periods that deletions have left incomplete. */
function pastOf(known: Database, { lostMs, prunedMs }: State, reaches: Reaches) {
  const snapshots = createSnapshotStore(known, reaches.standing)
  const history = createHistoryStore(known)
  const series = createSeriesStore(known)
  const held = createHeldStore(known, reaches.held)
  const requireKept = (fromMs: number) => {
    if (fromMs < lostMs) throw notKept(lostMs)
  }
  return {
    past: {
      ...series,
      ...held,
      ...createWorthPathStore(known),
      ...snapshots,
      ...history,
      async page(ask: PageAsk) {
        requireKept(ask.fromMs)
        return history.page(ask)
      },
      async standing(corridor: Corridor, standing: Standing) {
        requireKept(standing.sinceMs)
        return snapshots.standing(corridor, standing)
      },
      async lastIn(...[corridor, stretches]: Parameters<typeof held.lastIn>) {
        for (const { fromMs, lastMs } of stretches)
          requireKept(Number.isFinite(fromMs) ? fromMs : lastMs)
        return held.lastIn(corridor, stretches)
      },
      async buckets(ask: BucketsAsk) {
        if (ask.isOhlc && ask.interval === 'PT1H') requireKept(ask.fromMs)
        if (ask.fromMs < prunedMs && (await isCountLost(known, ask))) throw notKept(prunedMs)
        return series.buckets(ask)
      },
      async believedBests(...[corridor, ask]: Parameters<typeof series.believedBests>) {
        requireKept(ask.stretches[0]!.fromMs)
        return series.believedBests(corridor, ask)
      },
    },
  }
}

/** Loads a view of memory. */
function presentOf(known: Database) {
  const { sql, knownMs: nowMs = 0 } = known
  const quotesOf = async (place: Place, sinceMs: number) => {
    const { from, to } = place.corridor
    const quotes = new Map<string, Quote>()
    await eachLiveRow(sql, sql as unknown as TransactionSql, {
      ...place,
      nowMs,
      archived: archivedSince(known, place, sinceMs),
      take: (row) => row.source === from && row.target === to && quotes.set(row.id, quoteOf(row)),
    })
    return [...quotes.values()]
  }
  return {
    references: () => createReferenceStore(known).live(nowMs),
    referencesAt: (probes: readonly Probe[]) => referencesAt(known, probes),
    holdsSample: () => holdsSample(sql),
    async quotes(corridors: readonly Corridor[]) {
      const quotes: Quote[] = []
      const sinceMs = Math.min(...boundariesMs(nowMs))
      for (const corridor of corridors)
        quotes.push(...(await rowsOf(known, corridor, (place) => quotesOf(place, sinceMs))))
      return quotes
    },
  }
}
