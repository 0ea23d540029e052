import type { Catalogue } from '~/domain/provider.ts'
import { catalogueOf, type LoggedCatalogue } from '~/store/catalogue-store.ts'
import type { Sql } from '~/store/database.ts'

/** The time when the first row was recorded that is still there; null before there is one. */
export async function firstRecorded(sql: Sql): Promise<number | null> {
  const [row] = await sql<[{ firstMs: number | null }]>`
    select (extract(epoch from least(
      (select recorded_at from public.observations order by id limit 1),
      (select min(recorded_at) from public.withdrawals),
      (select recorded_at from public.reference_snapshots order by id limit 1)
    )) * 1000)::float8 as "firstMs"`
  return row.firstMs
}

/** The catalogue as it was known, in a transaction that reads the schema `known`. */
export async function catalogueIn(sql: Sql): Promise<Required<Catalogue>> {
  const [row] = await sql<[LoggedCatalogue]>`
    select (select coalesce(jsonb_agg(c), '[]') from currencies c) as currencies,
      (select coalesce(jsonb_agg(p), '[]') from providers p) as providers,
      (select coalesce(jsonb_agg(a order by a.since, a.id), '[]') from (
        select id, provider_id, is_active, extract(epoch from since) * 1000 as since
        from provider_activity
      ) a) as activity`
  return catalogueOf(row)
}
