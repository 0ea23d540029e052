import type { FeedSnapshot } from '~/domain/feed/feed.ts'
import { boundariesMs } from '~/domain/freshness.ts'
import type { Reference } from '~/domain/mid.ts'
import type { Probe } from '~/domain/price/day-mids.ts'
import { SAMPLE_MARK } from '~/domain/sample.ts'
import type { Database, Sql } from './database.ts'
import { referencesAt } from './day-references.ts'
import { arrayLiteral, instantText } from './encoding.ts'
import { announcedIds } from './notification-channel.ts'
import { referenceCodes, referenceOf, type SelectedReference } from './reference-row.ts'

/** The store of references; without a clock they bear the time of the server's. */
export function createReferenceStore(database: Database, clock?: { now(): number }) {
  const { sql } = database
  return {
    async live(nowMs: number) {
      const rows = await liveReferences(database, nowMs)
      return [...new Map(rows.map((row) => [row.id, referenceOf(row)])).values()]
    },
    /** Returns the references in the order of the snapshot; an empty one records nothing. */
    async append(snapshot: FeedSnapshot): Promise<Reference[]> {
      if (snapshot.rates.length === 0) return []
      const [{ ids }] = await insert(database, snapshot, clock?.now() ?? null)
      const { source, fetchedMs, rates } = snapshot
      return ids.split(',').map((id, i) => {
        const { currency, perUsd, basis = null, dispersionBps = null } = rates[i]!
        const value = { currency, perUsd: Number(perUsd), source }
        return {
          ...{ id: Number(id), atMs: fetchedMs, ...value },
          ...{ basis: basis ?? 'single', dispersionBps },
        }
      })
    },
    between: (firstId: number, lastId: number) =>
      referencesWhere(sql`r.id between ${firstId} and ${lastId}`),
    byIds: (ids: readonly number[]) =>
      referencesWhere(sql`r.id = any(${arrayLiteral(ids)}::bigint[])`),
    referencesAt: (probes: readonly Probe[]) => referencesAt(database, probes),
  }

  async function referencesWhere(condition: ReturnType<typeof liveReferences>) {
    const rows = await sql<SelectedReference[]>`
      select r.id, r.currency, r.per_usd, r.basis, r.dispersion_bps, s.source,
        extract(epoch from r.fetched_at) * 1000 as at_ms
      from reference_rates r join reference_snapshots s on s.id = r.snapshot_id
      where ${condition}
      order by r.id`
    return rows.map(referenceOf)
  }
}

function insert(database: Database, snapshot: FeedSnapshot, nowMs: number | null) {
  const { source, fetchedMs, upstreamMs, rates } = snapshot
  const fetchedText = instantText(fetchedMs)
  const upstreamText = upstreamMs === undefined ? null : instantText(upstreamMs)
  const added = database.sql`added`
  return database.sql<[{ ids: string }]>`
    with snapshot as (
      insert into reference_snapshots (source, fetched_at, upstream_at, recorded_at)
      values (${source}, ${fetchedText}::timestamptz, ${upstreamText}::timestamptz,
        coalesce(${nowMs === null ? null : instantText(nowMs)}::timestamptz, now())) returning id
    ), added as (
      insert into reference_rates
        (fetched_at, snapshot_id, currency, per_usd, basis, dispersion_bps)
      select ${fetchedText}::timestamptz, (select id from snapshot), rate.* from unnest(
        ${arrayLiteral(rates.map(({ currency }) => currency))}::text[],
        ${arrayLiteral(rates.map(({ perUsd }) => perUsd))}::numeric[],
        ${arrayLiteral(rates.map(({ basis = null }) => basis))}::reference_basis[],
        ${arrayLiteral(rates.map(({ dispersionBps = null }) => dispersionBps))}::float8[]
      ) rate
      returning id
    )
    ${announcedIds(database, 'references', { added, atMs: nowMs ?? fetchedMs })}`
}

/**
 * The statement behind `live`: probes like `liveQuotes` for each currency. The cost follows their
 * number, not the length of their history.
 */
export function liveReferences({ sql }: Database, nowMs: number) {
  const earlier = boundariesMs(nowMs).filter(Number.isFinite)
  return sql<SelectedReference[]>`
    with recursive ${referenceCodes(sql)}
    select r.id, r.currency, r.per_usd, r.basis, r.dispersion_bps, s.source,
      extract(epoch from r.fetched_at) * 1000 as at_ms
    from codes
    cross join lateral (
      select * from reference_rates
      where currency = codes.currency
      order by fetched_at desc, id desc limit 1
    ) newest
    cross join lateral (
      select newest.*
      union all
      select held.* from unnest(${arrayLiteral(earlier.map(instantText))}::timestamptz[]) cutoff
      cross join lateral (
        select * from reference_rates
        where currency = codes.currency and fetched_at <= cutoff
        order by fetched_at desc, id desc limit 1
      ) held
      where newest.fetched_at > cutoff
    ) r
    cross join lateral (
      select source from reference_snapshots where id = r.snapshot_id limit 1
    ) s`
}

/** Reports whether the sample was ever loaded into a database; nothing takes it out again. */
export async function holdsSample(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ held: boolean }[]>`
    select exists (
      select from reference_snapshots where strpos(source, ${SAMPLE_MARK}) > 0) as held`
  return row!.held
}
