import type { Backing, Reference } from '~/domain/mid.ts'
import type { Sql } from './database.ts'

export type SelectedReference = {
  readonly id: string
  readonly currency: string
  readonly per_usd: string
  readonly source: string
  readonly at_ms: string
  readonly basis: Backing['basis'] | null
  readonly dispersion_bps: string | number | null
}

export const referenceOf = (row: SelectedReference): Reference => ({
  id: Number(row.id),
  atMs: Number(row.at_ms),
  currency: row.currency,
  perUsd: Number(row.per_usd),
  source: row.source,
  basis: row.basis ?? 'single',
  dispersionBps: row.dispersion_bps === null ? null : Number(row.dispersion_bps),
})

/**
 * The table `codes` for a `with recursive`: each currency that ever had a reference, and a null.
 * Hops along the index from one to the next, so the length of their history does not matter.
 */
export const referenceCodes = (sql: Sql) => sql`codes (currency) as (
    (select currency from reference_rates order by currency limit 1)
    union all
    select (
      select r.currency from reference_rates r
      where r.currency > codes.currency order by r.currency limit 1
    ) from codes where codes.currency is not null
  )`
