import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { fetchReferences } from '~/jobs/fetch-references.ts'
import { feedStoreOf } from '~/runtime/upstream/feeds.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { dead, feedOf } from '../jobs/feed-world.ts'
import { CURRENCIES, PROVIDERS, provider } from '../support/catalogue.ts'
import { KeptLog } from '../support/log.ts'
import { PastWorld } from '../support/past-world.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'

const BANK = { rateType: 'official', providerType: 'central_bank', timeZone: 'UTC' } as const
const said = { KES: 130, NGN: 1500, GHS: 15, UGX: 3750, GBP: 0.8 }

let database: FreshDatabase
let world: PastWorld
const feeds = [feedOf('a', () => said), feedOf('b', () => said), feedOf('c', () => said)] as const

/** One run of the feeds with these responses, a day after the previous one. */
async function run(...says: (typeof feeds)[number]['say'][]) {
  const upstreamMs = world.clock.now()
  for (const [i, feed] of feeds.entries()) Object.assign(feed, { upstreamMs, say: says[i] })
  await fetchReferences({
    feeds,
    store: feedStoreOf(database, {
      publish: (news) => world.memory.publish(news, world.clock.now()),
      served: () => world.follower.caughtUp(),
    }),
    clock: world.clock,
    log: new KeptLog(),
    known: () => Object.keys(said),
    mode: 'consensus',
  })
}

beforeAll(async () => {
  database = await freshDatabase()
  const providers = [...PROVIDERS, provider('bank-a', BANK)]
  await createCatalogueStore(database).apply({ currencies: CURRENCIES, providers })
  world = await new PastWorld(database, { at: '2026-03-05T12:00:00.000Z' }).start()
  const official = { provider_id: 'bank-a', from: 'USD', to: 'KES', rate: 131.3 }
  await world.post([{ ...official, effective_from: '2026-03-05T08:00:00Z' }])
  const b = { ...said, KES: 130.26, NGN: 1600 }
  await run(
    () => said,
    () => b,
    () => ({ KES: 1.3, GHS: 15, UGX: 3750, GBP: 0.8 }),
  )
  world.clock.advance(86_400_000)
  await run(() => said, dead(), dead())
}, TEST_MS_MAX)
afterAll(() => database.close())

const references = async (asked: string) => (await world.get(`/references?${asked}`)).body
const fetched = async (to: string) =>
  (await world.get(`/fetch-one?from=USD&to=${to}`)).body as Record<string, unknown>

describe('GET /references', () => {
  test("names the feeds of a date's mid, and why others are unused", async () => {
    const at = '2026-03-05T12:00:00.000Z'
    const value = { upstream_at: at, fetched_at: at }
    expect(await references('currency=kes&date=2026-03-05')).toMatchObject({
      currency: 'KES',
      date: '2026-03-05',
      mid: {
        per_usd: 130.13,
        source: 'a,b',
        basis: 'consensus',
        dispersion_bps: 9.99,
        fetched_at: at,
      },
      feeds: [
        { feed: 'a', per_usd: 130, ...value, used: true, reason: null },
        { feed: 'b', per_usd: 130.26, ...value, used: true, reason: null },
        { feed: 'c', per_usd: 1.3, ...value, used: false, reason: 'too_far' },
      ],
      official: [{ provider_id: 'bank-a', rate: 131.3, gap_bps: 89.9101 }],
    })
  })

  test('has the times at which the mid and each response were recorded, if known', async () => {
    const recorded = await database.sql`
      select recorded_at from reference_answers order by id limit 3`
    const { mid, feeds } = await references('currency=KES&date=2026-03-05')
    const times = recorded.map(({ recorded_at }) => new Date(recorded_at).toISOString())
    expect(feeds.map(({ recorded_at }: { recorded_at: string }) => recorded_at)).toEqual(times)
    const [row] = await database.sql`
      select recorded_at from reference_snapshots s join reference_rates r on r.snapshot_id = s.id
      where r.id = ${mid.reference_id}`
    expect(mid.recorded_at).toBe(new Date(row!.recorded_at).toISOString())
    await database.sql`alter table reference_answers disable trigger user`
    await database.sql`update reference_answers set recorded_at = null where feed = 'c'`
    await database.sql`alter table reference_answers enable trigger user`
    const known = (await references('currency=KES&date=2026-03-05')).feeds
    expect(known.map(({ recorded_at }: { recorded_at: string }) => recorded_at)).toEqual([
      ...times.slice(0, 2),
      null,
    ])
  })

  test('returns 200 with the id by which the mid is proved', async () => {
    const { mid } = await references('currency=KES&date=2026-03-05')
    const row =
      await database.sql`select currency, per_usd from reference_rates where id = ${mid.reference_id}`
    expect(row).toMatchObject([{ currency: 'KES', per_usd: '130.13' }])
    const later = await references('currency=KES')
    expect(later.mid.reference_id).toBeGreaterThan(mid.reference_id)
  })

  test('returns a disputed currency with the preferred feed, and the rate of the other', async () => {
    expect(await references('currency=NGN&date=2026-03-05')).toMatchObject({
      mid: { per_usd: 1500, source: 'a', basis: 'disputed' },
      feeds: [
        { feed: 'a', used: true },
        { feed: 'b', per_usd: 1600, used: false, reason: 'disputed' },
      ],
    })
  })

  test('names for today the feeds without a response in the last run', async () => {
    expect(await references('currency=KES')).toMatchObject({
      date: '2026-03-06',
      mid: { per_usd: 130, source: 'a', basis: 'single' },
      feeds: [
        { feed: 'a', used: true, fetched_at: '2026-03-06T12:00:00.000Z' },
        { feed: 'b', used: false, reason: 'no_answer' },
        { feed: 'c', used: false, reason: 'no_answer' },
      ],
    })
  })

  test('notes that there is no response', async () => {
    const { feeds, mid, note } = await references('currency=KES&date=2026-03-04')
    expect([feeds, mid, note]).toEqual([
      [],
      null,
      'No response of a feed with KES is recorded for 2026-03-04.',
    ])
  })

  test.each([
    ['currency=USD', 'currency'],
    ['currency=KES&date=2026-03-08', 'date'],
    ['currency=KES&date=2026-02-30', 'date'],
  ])('returns 400 for %s', async (asked, name) => {
    const { status, body } = await world.get(`/references?${asked}`)
    expect([status, body.error]).toEqual([400, expect.stringContaining(name)])
  })
})

describe('the feeds behind a mid', () => {
  test('are the same from memory and after a restart', async () => {
    const live = await createReferenceStore(database).live(world.clock.now())
    const kes = live.find(({ currency }) => currency === 'KES')
    expect(kes).toMatchObject({ perUsd: 130, basis: 'single', dispersionBps: null })
    expect(await fetched('KES')).toMatchObject({ mid: 130, basis: 'single' })
  })

  test('stay unchanged if a run accepts nothing', async () => {
    const [row] = await createReferenceStore(database).referencesAt([
      { currency: 'KES', atMs: Date.parse('2026-03-05T23:00:00Z') },
    ])
    expect(row!.reference).toMatchObject({ perUsd: 130.13, basis: 'consensus' })
    expect(row!.reference!.dispersionBps).toBeCloseTo(9.99, 3)
  })
})
