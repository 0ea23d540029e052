import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { AT, addAccount, Replica } from '../runtime/replica-scene.ts'
import { CURRENCIES, PROVIDERS, provider } from '../support/catalogue.ts'
import type { FreshDatabase } from '../support/postgres.ts'

const ROWS_OF_SERIES = 300

/** Two years of plain prices, as recorded by versions without offers. */
export async function fillPlain({ sql, ...others }: FreshDatabase): Promise<void> {
  const gone = provider('retail-gone', { isActive: false })
  await createCatalogueStore({ sql, ...others } as Database).apply({
    currencies: CURRENCIES.map((one) =>
      one.code === 'XOF' ? { ...one, peg: { to: 'EUR', rate: 655.957 } } : one,
    ),
    providers: [...PROVIDERS, gone],
  })
  await sql`insert into provider_activity (provider_id, is_active, since)
    values ('retail-gone', false, ${AT}::timestamptz - interval '40 days')`
  await sql`insert into corridors (source, target)
    values ('USD', 'KES'), ('GBP', 'NGN'), ('EUR', 'XOF'), ('KES', 'UGX')`
  await sql`insert into provider_corridors (corridor_id, provider_id)
    select c.id, p.id from corridors c, providers p where (length(p.id) + c.id) % 5 > 0
    order by c.id, p.id`
  await sql`
    insert into observations (effective_from, corridor_id, provider_corridor_id, rate_type, rate,
      fee, fee_currency, notes, evidence)
    select ${AT}::timestamptz - (n * n) * interval '11 minutes' - p.id * interval '7 seconds',
      p.corridor_id, p.id, providers.rate_type,
      (case c.target when 'KES' then 129 when 'NGN' then 2046 when 'XOF' then 655 else 27 end)
        + ((n * 7 + p.id * 3) % 50)::numeric / 10,
      case when (n + p.id) % 4 > 0 then ((n + p.id) % 9)::numeric / 2 end,
      case when (n + p.id) % 4 > 0 then
        case (n + p.id) % 3 when 0 then c.source when 1 then c.target else 'USD' end end,
      case when n % 10 = 0 then 'row ' || n end,
      case n % 7 when 0 then 'derived'::evidence when 1 then 'indicative'::evidence end
    from generate_series(0, ${ROWS_OF_SERIES}) n, provider_corridors p
    join corridors c on c.id = p.corridor_id join providers on providers.id = p.provider_id
    order by n, p.id`
  await sql`
    insert into rollups (corridor_id, hour, best_rate, counted_best, samples)
    select corridor_id, hour, best, case when counted is distinct from best
      then coalesce(counted, 0) end, samples
    from (
      select o.corridor_id, date_bin('1 hour', effective_from, 'epoch') as hour, count(*) as samples,
        max(rate) filter (where rate_type in ('interbank', 'retail', 'p2p')) as best,
        max(rate) filter (where rate_type in ('interbank', 'retail', 'p2p') and not (
          provider_id = 'retail-gone' and effective_from >= ${AT}::timestamptz - interval '40 days'
        )) as counted
      from observations o join provider_corridors p on p.id = o.provider_corridor_id group by 1, 2
    ) hours`
  await sql`insert into reference_snapshots (source, fetched_at)
    select 'feed', ${AT}::timestamptz - n * interval '1 day' from generate_series(0, 300) n order by n`
  await sql`insert into reference_rates (fetched_at, snapshot_id, currency, per_usd)
    select fetched_at, s.id, code, per * (1 + (s.id % 9)::numeric / 1000) from reference_snapshots s,
      (values ('KES', 129.1), ('GBP', 0.74), ('NGN', 1530), ('EUR', 0.86), ('UGX', 3520)) r (code, per)
    order by s.id, code`
}

const QUESTIONS = [
  ...['/currencies', '/providers', '/corridors', '/corridors?max_age=3d', '/status'],
  ...['USD&to=KES', 'GBP&to=NGN', 'EUR&to=XOF', 'NGN&to=GBP'].flatMap((pair) => [
    `/rates?from=${pair}`,
    `/rates?from=${pair}&max_age=12h`,
    `/convert?from=${pair}&amount=250`,
    `/convert?from=${pair}&recipient_gets=9000`,
    `/rates/history?from=${pair}&period=30d&limit=12`,
    `/rates/history?from=${pair}&period=90d&limit=8&offset=40&order=asc`,
    `/historical?from=${pair}&date=2026-01-20`,
    `/time-series?from=${pair}&interval=P1D&period=30d`,
    `/change?from=${pair}&period=7d`,
  ]),
  '/rates/history?from=USD&to=KES&provider=retail-a&period=90d&limit=15&offset=20',
  '/rates/provider?provider=retail-a',
  '/rates/provider?provider=p2p-b&max_age=1d',
  '/historical?from=USD&to=KES&date=2025-09-01',
  '/time-series?from=GBP&to=NGN&interval=PT1H&period=1d',
  '/fetch-one?from=USD&to=KES',
  '/fetch-multi?from=USD&to=KES,GBP,XOF',
  '/fetch-many-to-one?from=USD,GBP&to=KES',
  '/fetch-matrix?from=USD,EUR,KES&to=XOF,UGX',
]

/** A response without the fields that a later version added to those of `before`. */
export function withoutAdded(answer: string, before: string): string {
  const [status, body] = [before.slice(0, 4), before.slice(4)]
  if (!answer.startsWith(status)) return answer
  return status + JSON.stringify(common(JSON.parse(answer.slice(4)), JSON.parse(body)))
}

function common(value: unknown, before: unknown): unknown {
  if (!isObject(value) || !isObject(before)) return value
  if (Array.isArray(value))
    return value.map((one, i) => common(one, (before as unknown as unknown[])[i]))
  const names = Object.keys(value).filter((name) => name in before)
  return Object.fromEntries(names.map((name) => [name, common(value[name], before[name])]))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Responses of a service to a caller of each tier, by the request; all at the time `AT`. */
export async function plainAnswers(database: FreshDatabase): Promise<Record<string, string>> {
  const keys = {
    realtime: (await addAccount(database, { plan: 'enterprise' })).keys[0]!,
    hourly: (await addAccount(database, { plan: 'free' })).keys[0]!,
  }
  // Those versions believed every price.
  const settings = { QUOTA_FREE: '1000', QUOTE_SUSPECT_PCT: 'off' }
  const replica = await Replica.start(database, { settings })
  const answers: Record<string, string> = {}
  for (const [tier, key] of Object.entries(keys))
    for (const question of QUESTIONS) {
      const url = `${replica.service.origin}/api/v1${question}`
      const reply = await fetch(url, { headers: { 'x-api-key': key } })
      answers[`${tier} ${question}`] = `${reply.status} ${await reply.text()}`
    }
  await replica.service.stop()
  return answers
}
