import type { Reference } from '~/domain/mid.ts'

/** A reference as statements select it. */
export type SelectedReference = {
  readonly id: string
  readonly currency: string
  readonly per_usd: string
  readonly source: string
  readonly at_ms: string
}

export const referenceOf = (row: SelectedReference): Reference => ({
  id: Number(row.id),
  atMs: Number(row.at_ms),
  currency: row.currency,
  perUsd: Number(row.per_usd),
  source: row.source,
})
