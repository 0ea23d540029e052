import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DAY_MS } from '~/domain/duration.ts'
import type { Observation } from '~/domain/observation.ts'
import type { Database } from '~/store/database.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { CORRIDOR_OFFERS_MAX, PROVIDER_OFFERS_MAX } from '~/store/offer/made-offers.ts'
import { createQuoteStore } from '~/store/quote-store.ts'
import { FULL_OFFER, offer } from '../../support/offers.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { observation, otherHandle, stockedDatabase } from '../samples.ts'

const NOW_MS = Date.now()

let database: FreshDatabase
let other: Database
let store: ReturnType<typeof createObservationStore>
let otherStore: ReturnType<typeof createObservationStore>

beforeAll(async () => {
  database = await stockedDatabase()
  other = otherHandle(database)
  store = createObservationStore(database)
  otherStore = createObservationStore(other)
})
afterAll(async () => {
  await other.close()
  await database.close()
})

const said = (more: Partial<Observation>) => observation({ effectiveMs: NOW_MS - 1000, ...more })

const band = (n: number, more: Partial<Observation> = {}) =>
  said({ offer: offer({ amountMin: n + 1, amountMax: n + 1 }), ...more })

const bands = (count: number, more: Partial<Observation> = {}) =>
  Array.from({ length: count }, (_, n) => band(n, more))

const record = (observations: Observation[], into = store) =>
  into.record({ observations, idempotency: null })

async function recordAll(observations: Observation[]): Promise<void> {
  for (let start = 0; start < observations.length; start += 100)
    expect(await record(observations.slice(start, start + 100))).toMatchObject({ kind: 'recorded' })
}

async function offersIn(to: string): Promise<number> {
  const [row] = await database.sql`
    select count(*)::int as count from offers f
    join provider_corridors p on p.id = f.provider_corridor_id
    join corridors c on c.id = p.corridor_id where c.source = 'USD' and c.target = ${to}`
  return row!.count
}

async function rowsIn(to: string): Promise<number> {
  const [row] = await database.sql`
    select count(*)::int as count from observations o
    join corridors c on c.id = o.corridor_id where c.source = 'USD' and c.target = ${to}`
  return row!.count
}

describe('an observation with an offer', () => {
  test('is read back with every field', async () => {
    const offers = [
      offer(FULL_OFFER),
      offer({ payIn: ['cash'], service: 'Äußerst "schnell", \\ {x}' }),
      offer({ amountMin: 0, amountMax: 123456.789012, deliveryMinMs: 0 }),
      offer({ feePercent: 0.000001 }),
      offer({ deliveryMaxMs: 2 * DAY_MS, validUntilMs: NOW_MS + 12_345 }),
      null,
    ]
    const rows = offers.map((one) => said({ to: 'NGN', offer: one }))
    const recording = await record(rows)
    if (recording.kind !== 'recorded') throw new Error(recording.kind)
    const { ids } = recording
    const quotes = await createQuoteStore(database).byIds(ids, null)
    expect(quotes.map((quote) => quote.offer)).toEqual(offers)
    expect(await offersIn('NGN')).toBe(3)
  })

  test('is of one offer in any order of its ways, whatever its price and terms', async () => {
    const first = said({ to: 'UGX', offer: offer({ payOut: ['cash', 'mobile_money'] }) })
    const second = {
      ...first,
      rate: '2',
      fee: '1',
      offer: offer({ payOut: ['mobile_money', 'cash'], feePercent: 2 }),
    }
    await record([first, second])
    await record([second], otherStore)
    expect(await offersIn('UGX')).toBe(1)
    const [row] = await database.sql`select pay_out, source_country, amount_min from offers
      where pay_out = '{cash,mobile_money}'`
    expect(row).toEqual({
      pay_out: ['cash', 'mobile_money'],
      source_country: null,
      amount_min: null,
    })
    const quotes = await createQuoteStore(database).live(NOW_MS)
    const ugx = quotes.filter(({ to }) => to === 'UGX')
    expect(ugx.map(({ rate, offer }) => [rate, offer?.feePercent])).toEqual([[2, 2]])
  })

  test('shares one object with rows of the same offer', async () => {
    const quotes = await createQuoteStore(database).live(NOW_MS)
    const again = await createQuoteStore(other).live(NOW_MS)
    const of = (all: typeof quotes) =>
      all.find(({ offer }) => offer?.service === FULL_OFFER.service)
    expect(of(quotes)!.offer).toBe(of(again)!.offer)
  })

  test('cannot be recorded for another series, or without the offer', async () => {
    const [{ id }] = (await database.sql`select id from offers limit 1`) as unknown as [
      { id: number },
    ]
    const insert = (offerId: number) => database.sql`
      insert into observations (effective_from, corridor_id, provider_corridor_id, rate_type, rate, offer_id)
      select now(), corridor_id, id, 'retail', 1, ${offerId} from provider_corridors
      where id not in (select provider_corridor_id from offers where id = ${offerId}) limit 1`
    await record([said({ to: 'ZAR' })])
    await expect(insert(id)).rejects.toThrow('has no offer')
    await expect(insert(999_999)).rejects.toThrow('has no offer')
  })

  test('the offers themselves refuse UPDATE, DELETE and TRUNCATE', async () => {
    const { sql } = database
    await expect(sql`update offers set service = 'x'`).rejects.toThrow('append-only')
    await expect(sql`delete from offers`).rejects.toThrow('append-only')
    await expect(sql`truncate offers cascade`).rejects.toThrow('append-only')
  })

  test('is recorded again after the cached offer was lost, as by a failover', async () => {
    const row = said({ from: 'UGX', to: 'ZAR', offer: offer({ service: 'lost' }) })
    await record([row])
    const { sql } = database
    await sql`alter table observations disable trigger observations_kept`
    await sql`alter table offers disable trigger offers_append_only`
    await sql`delete from observations where offer_id in (select id from offers where service = 'lost')`
    await sql`delete from offers where service = 'lost'`
    await sql`alter table offers enable trigger offers_append_only`
    await sql`alter table observations enable trigger observations_kept`
    await expect(record([row])).rejects.toThrow('has no offer')
    expect(await record([row])).toMatchObject({ kind: 'recorded' })
  })
})

describe('the limits of offers', () => {
  test(`a provider has ${PROVIDER_OFFERS_MAX} offers in a corridor, and the next is refused by name`, async () => {
    const to = 'XOF'
    await recordAll(bands(PROVIDER_OFFERS_MAX - 1, { to }))
    const [last, over] = [band(PROVIDER_OFFERS_MAX - 1, { to }), band(PROVIDER_OFFERS_MAX, { to })]
    const before = await rowsIn(to)
    const refused = await record([said({ to }), last, over])
    expect(refused).toEqual({
      kind: 'refused',
      faults: [
        {
          index: 2,
          error: expect.stringContaining(`retail-a has ${PROVIDER_OFFERS_MAX} offers in USD/XOF`),
        },
      ],
    })
    expect([await rowsIn(to), await offersIn(to)]).toEqual([before, PROVIDER_OFFERS_MAX - 1])
    expect(await record([last])).toMatchObject({ kind: 'recorded' })
    expect(await record([over])).toMatchObject({ kind: 'refused' })
    expect(await record([over], otherStore)).toMatchObject({ kind: 'refused' })
    expect(await record([last, said({ to }), band(3, { to })])).toMatchObject({ kind: 'recorded' })
    expect(await record([{ ...over, providerId: 'retail-b' }])).toMatchObject({ kind: 'recorded' })
    expect(await record([{ ...over, to: 'USDT' }])).toMatchObject({ kind: 'recorded' })
  })

  test(`a corridor has ${CORRIDOR_OFFERS_MAX}, however many processes record at once`, async () => {
    const providers = ['retail-a', 'retail-b', 'p2p-a', 'p2p-b', 'official-a', 'official-b']
    const batches = providers.flatMap((providerId) =>
      Array.from({ length: 20 }, (_, n) =>
        bands(10, { to: 'USDC', providerId }).map((row, i) => ({
          ...row,
          offer: offer({ amountMin: 1 + n * 10 + i }),
        })),
      ),
    )
    const results = await Promise.all(
      batches.map((batch, i) => record(batch, i % 2 ? store : otherStore)),
    )
    const recorded = results.filter(({ kind }) => kind === 'recorded')
    expect([recorded.length, results.length]).toEqual([100, 120])
    expect(await offersIn('USDC')).toBe(CORRIDOR_OFFERS_MAX)
    expect(await rowsIn('USDC')).toBe(CORRIDOR_OFFERS_MAX)
    const refused = results.find((result) => result.kind === 'refused')!
    expect(refused.faults[0]!.error).toContain('USD/USDC has 1000 offers')
  })

  test(`two processes that fill the last of ${PROVIDER_OFFERS_MAX} places do not both succeed`, async () => {
    const more = { to: 'UGX', providerId: 'retail-b' }
    await recordAll(bands(PROVIDER_OFFERS_MAX - 1, more))
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        record([band(500 + n, more)], n % 2 ? store : otherStore),
      ),
    )
    expect(results.filter(({ kind }) => kind === 'recorded')).toHaveLength(1)
  })

  test('offers whose prices have all expired do not count, until they are quoted again', async () => {
    const more = { providerId: 'p2p-b', rateType: 'p2p' as const, to: 'ZAR' }
    const past = bands(PROVIDER_OFFERS_MAX, more).map((row) => ({
      ...row,
      effectiveMs: NOW_MS - DAY_MS,
      offer: { ...row.offer!, validUntilMs: NOW_MS - 1000 },
    }))
    await recordAll(past)
    const { sql } = database
    await sql`alter table offers disable trigger offers_append_only`
    await sql`update offers set made_at = now() - interval '1 day'`
    await sql`alter table offers enable trigger offers_append_only`
    const fresh = createObservationStore(other)
    const anew = bands(PROVIDER_OFFERS_MAX, more).map((row) => ({
      ...row,
      offer: { ...row.offer!, service: 'new' },
    }))
    for (let start = 0; start < PROVIDER_OFFERS_MAX; start += 100)
      expect(await record(anew.slice(start, start + 100), fresh)).toMatchObject({
        kind: 'recorded',
      })
    expect(await record([band(1, more)], fresh)).toMatchObject({ kind: 'refused' })
  })

  test('a retry gets the response of its batch, even if there is no room for it now', async () => {
    const [account] = await database.sql`
      insert into accounts (email, plan, role) values ('a@example.com', 'free', 'treasury') returning id`
    const once = (key: string) => ({
      accountId: account!.id,
      key,
      bodyHash: 'a'.repeat(64),
      nowMs: NOW_MS,
    })
    const over = band(700, { to: 'UGX', providerId: 'retail-b' })
    await store.record({ observations: [said({})], idempotency: once('first') })
    const retry = await store.record({ observations: [over], idempotency: once('first') })
    expect(retry).toMatchObject({ kind: 'replayed', inserted: 1 })
    const refused = await store.record({ observations: [over], idempotency: once('second') })
    expect(refused.kind).toBe('refused')
    expect(await store.answered(once('second'))).toBeNull()
  })
})
