import { USD } from '~/domain/currency.ts'
import type { Reference } from '~/domain/mid.ts'
import type { Probe, ProbeAnswer } from '~/domain/price/day-mids.ts'
import type { Database, Sql } from './database.ts'
import { arrayLiteral, instantText } from './encoding.ts'
import { referenceCodes, referenceOf, type SelectedReference } from './reference-row.ts'

/** The most probes in one statement. */
const PROBES_MAX = 20_000

/** The maximum number of probes read singly; beyond that, first one of each group is. */
const SINGLE_MAX = 1000
/** The probes of one currency in a group. */
const GROUP_SIZE = 16

/**
 * Returns the result of each probe, in no particular order.
 *
 * A reference in force at a group's latest time holds at all its times from the reference on. Most
 * quotes took effect close to others, so far fewer references than times are in force.
 */
export async function referencesAt(
  database: Database,
  probes: readonly Probe[],
): Promise<ProbeAnswer[]> {
  if (probes.length <= SINGLE_MAX) return answersTo(database, probes)
  const groups = [...Map.groupBy(probes, ({ currency }) => currency).values()].flatMap(grouped)
  const latest = await answersTo(
    database,
    groups.map(([first]) => first!),
  )
  const answers: ProbeAnswer[] = []
  const left: Probe[] = []
  for (const [i, group] of groups.entries()) {
    const { reference } = latest[i]!
    for (const probe of group)
      if (reference && reference.atMs > probe.atMs) left.push(probe)
      else answers.push({ ...probe, reference })
  }
  return answers.concat(await answersTo(database, left))
}

/** Probes of one currency in groups, each from its latest to its earliest. */
function grouped(probes: readonly Probe[]): Probe[][] {
  const sorted = probes.toSorted((a, b) => b.atMs - a.atMs)
  return Array.from({ length: Math.ceil(sorted.length / GROUP_SIZE) }, (_, i) =>
    sorted.slice(i * GROUP_SIZE, (i + 1) * GROUP_SIZE),
  )
}

/** Returns the results of the probes, in their order, from one statement for so many of them. */
async function answersTo(database: Database, probes: readonly Probe[]): Promise<ProbeAnswer[]> {
  const found = new Map<string, Reference>()
  const answers: ProbeAnswer[] = []
  for (let start = 0; start < probes.length; start += PROBES_MAX) {
    const asked = probes.slice(start, start + PROBES_MAX)
    const references: (Reference | null)[] = Array(asked.length).fill(null)
    for (const row of await foundRows(database, asked)) {
      const reference = found.getOrInsertComputed(row.id, () => referenceOf(row))
      references[Number(row.nth) - 1] = reference
    }
    for (const [i, { currency, atMs }] of asked.entries())
      answers.push({ currency, atMs, reference: inDollars(currency, references[i]!) })
  }
  return answers
}

function inDollars(currency: string, reference: Reference | null): Reference | null {
  return reference && currency === USD ? { ...reference, currency, perUsd: 1 } : reference
}

type FoundRow = SelectedReference & { readonly nth: string }

/**
 * One index probe for each currency and time. The dollar has two: for the last fetch of any feed,
 * and for the reference that was recorded last in it.
 */
export function foundRows({ sql }: Database, probes: readonly Probe[]) {
  const hasDollar = probes.some(({ currency }) => currency === USD)
  return sql<FoundRow[]>`
    with recursive asked as materialized (
      select * from unnest(
        ${arrayLiteral(probes.map(({ currency }) => currency))}::text[],
        ${arrayLiteral(probes.map(({ atMs }) => instantText(atMs)))}::timestamptz[]
      ) with ordinality as asked (currency, at, nth)
    )${hasDollar ? dollarTables(sql) : sql``}, found as (
      select asked.nth, r.* from asked
      cross join lateral (
        select id, currency, per_usd, fetched_at, snapshot_id, basis, dispersion_bps
        from reference_rates
        where currency = asked.currency and fetched_at <= asked.at
        order by fetched_at desc, id desc limit 1
      ) r
      where asked.currency <> ${USD}
      ${hasDollar ? sql`union all select * from dollars` : sql``}
    )
    select nth, found.id, currency, per_usd, basis, dispersion_bps, s.source,
      extract(epoch from found.fetched_at) * 1000 as at_ms
    from found
    cross join lateral (
      select source from reference_snapshots where id = found.snapshot_id limit 1
    ) s`
}

const dollarTables = (sql: Sql) => sql`, ${referenceCodes(sql)}, fetches as materialized (
    select asked.nth, last.fetched_at from asked
    cross join lateral (
      select fetched_at from reference_snapshots
      where fetched_at <= asked.at order by fetched_at desc, id desc limit 1
    ) last
    where asked.currency = ${USD}
  ), newest as materialized (
    select moments.fetched_at, max(r.id) as id
    from (select distinct fetched_at from fetches) moments
    cross join codes
    cross join lateral (
      select id from reference_rates
      where currency = codes.currency and fetched_at = moments.fetched_at
      order by id desc limit 1
    ) r
    group by moments.fetched_at
  ), dollars as (
    select fetches.nth, r.id, r.currency, r.per_usd, r.fetched_at, r.snapshot_id,
      r.basis, r.dispersion_bps
    from fetches join newest using (fetched_at) join reference_rates r on r.id = newest.id
  )`
