import type { Database } from '~/store/database.ts'

/** A live quote's mids of its own day, as found by plain statements over everything recorded. */
export type Found = {
  /** Provider and corridor. */
  readonly of: string
  readonly mid: { readonly rate: number; readonly atMs: number } | null
  readonly feeMid: number | null
}

type Leg = { perUsd: number; atMs: number | null } | null

type Row = {
  id: string
  provider_id: string
  source: string
  target: string
  fee_currency: string | null
  has_fee: boolean
  at_ms: number
  legs: Record<string, Leg>
}

/**
 * Mids of every live quote when it took effect, by the pegs that the catalogue has now: no index is
 * trusted, nothing is cached.
 */
export async function foundBySql(
  { sql }: Database,
  { cutoffMs, maxAgeMs }: { cutoffMs: number; maxAgeMs: number },
): Promise<Found[]> {
  const cutoff = Number.isFinite(cutoffMs) ? new Date(cutoffMs).toISOString() : 'infinity'
  const rows = await sql<Row[]>`
    with recursive paths (code, anchor, rate) as (
      select code, code, 1::float8 from currencies where kind = 'fiat'
      union all
      select p.code, c.peg_to, p.rate * c.peg_rate::float8
      from paths p join currencies c on c.code = p.anchor where c.peg_to is not null
    ), pricing as (
      select p.* from paths p join currencies c on c.code = p.anchor where c.peg_to is null
    ), live as (
      select distinct on (o.provider_corridor_id) o.*, s.provider_id, k.source, k.target
      from observations o
      join provider_corridors s on s.id = o.provider_corridor_id
      join corridors k on k.id = o.corridor_id
      join providers p on p.id = s.provider_id and p.is_active
      where o.effective_from <= ${cutoff}::timestamptz
      order by o.provider_corridor_id, o.effective_from desc, o.id desc
    )
    select live.id, provider_id, source, target, fee_currency, coalesce(fee <> 0, false) as has_fee,
      (extract(epoch from effective_from) * 1000)::float8 as at_ms,
      (
        select jsonb_object_agg(p.code, case when p.anchor = 'USD'
          then jsonb_build_object('perUsd', p.rate) else (
            select jsonb_build_object(
              'perUsd', p.rate * r.per_usd::float8,
              'atMs', extract(epoch from r.fetched_at) * 1000)
            from reference_rates r
            where r.currency = p.anchor and r.fetched_at <= live.effective_from
            order by r.fetched_at desc, r.id desc limit 1
          ) end)
        from pricing p where p.code in (source, target, fee_currency)
      ) as legs
    from live`
  return rows.map((row) => {
    const cross = (from: string, to: string) => {
      const [a, b] = [row.legs?.[from], row.legs?.[to]]
      if (!a || !b) return null
      const atMs = Math.min(a.atMs ?? row.at_ms, b.atMs ?? row.at_ms)
      return row.at_ms - atMs > maxAgeMs ? null : { rate: b.perUsd / a.perUsd, atMs }
    }
    const fee = row.has_fee ? row.fee_currency : null
    const isThird = fee !== null && fee !== row.source && fee !== row.target
    return {
      of: `${row.provider_id} ${row.source}/${row.target}`,
      mid: cross(row.source, row.target),
      feeMid: isThird ? (cross(fee, row.source)?.rate ?? null) : null,
    }
  })
}
