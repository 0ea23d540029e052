import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { keyHashOf, newApiKey } from '~/domain/api-key.ts'
import { HOUR_MS } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import { dayOf } from '~/domain/quota.ts'
import { migrate } from '~/store/migrate.ts'
import { PeopleWorld } from '../portal/people-world.ts'
import { corridor, documentOf } from '../support/command.ts'
import { folderBefore } from '../support/migrations.ts'
import { emptyDatabase, type FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'
import { otherHandle } from './samples.ts'

const KEY = newApiKey((count) => crypto.getRandomValues(new Uint8Array(count)))
const HOURS = 48

let database: FreshDatabase
let world: PeopleWorld
let nowMs: number

/** Writes the data of an old installation, before there were rollups. */
async function fillFirst({ sql }: FreshDatabase): Promise<void> {
  await sql`insert into currencies (code, name, type, kind, is_active, sort_order)
    values ('USD', 'US Dollar', 'source', 'fiat', true, 1),
      ('KES', 'Kenyan Shilling', 'target', 'fiat', true, 2)`
  await sql`insert into providers (id, name, rate_type, is_active)
    values ('wise', 'Wise', 'retail', true), ('bank', 'Bank', 'official', true)`
  await sql`insert into corridors (source, target) values ('USD', 'KES')`
  await sql`insert into provider_corridors (corridor_id, provider_id)
    select id, unnest(array['wise', 'bank']) from corridors`
  const accountId = crypto.randomUUID()
  await sql`insert into accounts (id, email, plan, role)
    values (${accountId}, 'old@example.com', 'enterprise', 'treasury')`
  await sql`insert into keys (account_id, name, hash)
    values (${accountId}, 'old', ${keyHashOf(KEY)})`
  const day = new Date(dayOf(nowMs) * 24 * HOUR_MS).toISOString().slice(0, 10)
  // on the next day as well, in case midnight comes before the request
  await sql`insert into usage (day, account_id, key_id, requests)
    select ${day}::date + n, account_id, id, 7 from keys, unnest(array[0, 1]) n`
  await observed({ from: 1, to: HOURS - 1 })
  const [snapshot] = await sql`insert into reference_snapshots (source, fetched_at)
    values ('old feed', ${new Date(nowMs - HOUR_MS).toISOString()}) returning id`
  await sql`insert into reference_rates (fetched_at, snapshot_id, currency, per_usd)
    values (${new Date(nowMs - HOUR_MS).toISOString()}, ${snapshot!.id}, 'KES', 199)`
}

/** An observation of each provider in each of some hours, cheaper the older it is. */
async function observed({ from, to }: { from: number; to: number }): Promise<void> {
  const hour = new Date(hourStartMs(nowMs)).toISOString()
  await database.sql`
    insert into observations (effective_from, corridor_id, provider_corridor_id, rate_type, rate)
    select ${hour}::timestamptz - n * interval '1 hour', p.corridor_id, p.id,
      case p.provider_id when 'bank' then 'official' else 'retail' end::rate_type, 200 - n
    from generate_series(${from}::int, ${to}::int) n, provider_corridors p`
}

beforeAll(async () => {
  nowMs = Date.now()
  database = await emptyDatabase()
  expect(await migrate(database, await folderBefore('0002_history'))).toBe(2)
  await fillFirst(database)
  expect(await migrate(database, await folderBefore('0003_reference_feeds'))).toBe(1)
  await observed({ from: 0, to: 0 })
  await database.sql`
    insert into rollups (corridor_id, hour, best_rate, samples)
    select corridor_id, max(effective_from), max(rate), 2 from observations
    where rate = 200 group by 1`
  expect(await migrate(database)).toBeGreaterThan(2)
  world = await PeopleWorld.on({ ...database, ...otherHandle(database) })
}, TEST_MS_MAX)
afterAll(async () => {
  await world.service.stop()
  await database.close()
})

async function answer(path: string) {
  const reply = await fetch(`${world.origin}/api/v1${path}`, { headers: { 'x-api-key': KEY } })
  return { status: reply.status, body: await reply.json() }
}

describe('an installation of the first version, upgraded with its data', () => {
  test('serves the same quotes, mid and key as before', async () => {
    const { status, body } = await answer('/rates?from=USD&to=KES')
    expect([status, body.count, body.mid_rate, body.mid_source]).toEqual([200, 2, 199, 'old feed'])
    expect(body.providers.map((quote: { rate: number }) => quote.rate)).toEqual([200, 200])
  })

  test('has all of its history, with roll-ups for older observations', async () => {
    const { body } = await answer('/rates/history?from=USD&to=KES&period=90d&limit=500')
    expect(body.data).toHaveLength(2 * HOURS)
    const later = await answer('/rates/history?from=USD&to=KES&period=90d&limit=500&offset=90')
    expect(later.body.data).toEqual(body.data.slice(90))
    const series = await answer('/time-series?from=USD&to=KES&interval=PT1H&period=7d')
    type Point = { best: number | null; samples: number }
    const points: Point[] = series.body.data
    const seen = points.filter(({ samples }) => samples > 0)
    expect(seen).toHaveLength(HOURS)
    expect(seen.every(({ samples }) => samples === 2)).toBe(true)
    expect(seen.map(({ best }) => best)).toEqual(seen.map((_, i) => 200 - HOURS + 1 + i))
    expect(documentOf(await corridor(['rollups', 'verify', '--json'], database.url))).toEqual({
      corridors: 1,
      differences: 0,
    })
  })

  test('still counts, records and refuses to delete', async () => {
    const usage = await answer('/admin/usage')
    expect(usage.body.used).toBeGreaterThanOrEqual(7)
    const body = JSON.stringify({ provider_id: 'wise', from: 'USD', to: 'KES', rate: 201 })
    const headers = { 'x-api-key': KEY, 'content-type': 'application/json' }
    const url = `${world.origin}/api/v1/rates`
    expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(201)
    expect((await answer('/rates?from=USD&to=KES')).body.providers[0].rate).toBe(201)
    await expect(database.sql`delete from observations`).rejects.toThrow('append-only')
  })

  test('lets the person behind an old account sign up and see it', async () => {
    const { visitor } = await world.member('old@example.com')
    const { html } = await visitor.get('/developer')
    expect(html).toContain('enterprise')
    expect(html).toContain('crd_…</td>')
    expect(html).toContain('before their last four characters were kept')
  })
})
