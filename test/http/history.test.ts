import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { keyHashOf } from '~/domain/api-key.ts'
import type { Role } from '~/domain/quota.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { observation, stockedDatabase } from '../store/samples.ts'
import { provider } from '../support/catalogue.ts'
import { plainOfferId } from '../support/offers.ts'
import { PastWorld, type Tier } from '../support/past-world.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'

let database: FreshDatabase
let world: PastWorld

beforeAll(async () => {
  database = await stockedDatabase()
  world = await new PastWorld(database, { at: '2026-03-05T14:25:30.500Z' }).start()
}, TEST_MS_MAX)
afterAll(() => database.close())

const say = (provider_id: string, rate: number, effective_from: string, more = {}) =>
  world.post([{ provider_id, rate, from: 'USD', to: 'KES', effective_from, ...more }])

const page = (question: string, tier: Tier = 'realtime', init?: RequestInit) =>
  world.get(`/rates/history?from=USD&to=KES${question}`, tier, init)

/** Recording of a row through the API without notes. */
const RECORDED = {
  id: expect.any(Number),
  notes: null,
  recorded_at: expect.any(String),
  recorded_via: 'api',
}

const timesOf = (body: { data: { timestamp: string }[] }) =>
  body.data.map(({ timestamp }) => timestamp)

describe('GET /rates/history', () => {
  test('returns 200 with every field of the page and of each observation', async () => {
    await say('retail-a', 129.35, '2026-03-05T13:00:00Z', { fee: 1.99 })
    await say('retail-b', 128, '2026-03-05T13:00:00.001Z')
    await say('official-a', 131, '2026-03-05T14:20:00Z')
    const { status, body, headers } = await page('&period=1d')
    expect(status).toBe(200)
    expect(body).toEqual({
      corridor: 'USD/KES',
      period: '1d',
      from_date: '2026-03-04T14:00:00.000Z',
      to_date: '2026-03-05T14:25:30.500Z',
      order: 'asc',
      limit: 500,
      offset: 0,
      has_more: false,
      data: [
        {
          ...RECORDED,
          timestamp: '2026-03-05T13:00:00.000Z',
          provider_id: 'retail-a',
          provider_name: 'Provider retail-a',
          rate: 129.35,
          fee: 1.99,
          fee_currency: 'USD',
          spread_bps: 0,
          rate_type: 'retail',
          evidence: 'observed',
          offer_id: plainOfferId('retail-a'),
        },
        {
          ...RECORDED,
          timestamp: '2026-03-05T13:00:00.001Z',
          provider_id: 'retail-b',
          provider_name: 'Provider retail-b',
          rate: 128,
          fee: null,
          fee_currency: null,
          spread_bps: 104.368,
          rate_type: 'retail',
          evidence: 'observed',
          offer_id: plainOfferId('retail-b'),
        },
        {
          ...RECORDED,
          timestamp: '2026-03-05T14:20:00.000Z',
          provider_id: 'official-a',
          provider_name: 'Provider official-a',
          rate: 131,
          fee: null,
          fee_currency: null,
          spread_bps: 0,
          rate_type: 'official',
          evidence: 'observed',
          offer_id: plainOfferId('official-a'),
        },
      ],
      count: 3,
      data_freshness: 'realtime',
    })
    expect(headers.get('x-data-freshness')).toBe('realtime')
  })

  test('shows its cutoff and nothing after it at the hourly tier', async () => {
    await say('p2p-a', 127, '2026-03-05T14:00:00.000Z')
    await say('p2p-a', 126, '2026-03-05T14:00:00.001Z')
    const { body } = await page('&period=1d&provider=p2p-a', 'hourly')
    expect(timesOf(body)).toEqual(['2026-03-05T14:00:00.000Z'])
    expect(body).toMatchObject({
      to_date: '2026-03-05T14:00:00.000Z',
      as_of: '2026-03-05T14:00:00.000Z',
      data_freshness: 'hourly',
      has_more: false,
    })
  })

  test('lists the observations of a provider before it was switched off', async () => {
    await world.apply({ currencies: [], providers: [provider('gone', { name: 'Gone' })] })
    await say('gone', 125, '2026-03-05T12:00:00Z')
    await world.apply({ currencies: [], providers: [provider('gone', { isActive: false })] })
    const { body } = await page('&provider=gone')
    expect(body).toMatchObject({ count: 1, data: [{ provider_name: 'Provider gone' }] })
    await world.apply({ currencies: [], providers: [provider('gone')] })
  })

  test('compares observations of one time with each other, on whatever page they are', async () => {
    const at = '2026-03-01T00:00:00.000Z'
    const rates = { gone: 32, 'retail-a': 40, 'retail-b': 50 }
    for (const [id, rate] of Object.entries(rates)) {
      await say(id, rate, at, { to: 'UGX' })
      await say(id, 2 * rate, '2026-03-02T00:00:00Z', { to: 'UGX' })
    }
    const ask = (more: string) => world.get(`/rates/history?from=USD&to=UGX&period=30d${more}`)
    const spreads = { 'retail-b': 0, 'retail-a': 2000, gone: 3600 }
    type Point = { provider_id: keyof typeof spreads; spread_bps: number }
    const isRight = ({ provider_id, spread_bps }: Point) => spread_bps === spreads[provider_id]
    for (const limit of [1, 2, 3, 4, 6])
      for (const order of ['asc', 'desc'])
        for (let offset = 0; offset < 6; offset++)
          for (const until of ['', '&until=2026-03-02T00:00:00Z']) {
            const more = `&limit=${limit}&order=${order}&offset=${offset}${until}`
            const { body } = await ask(more)
            expect([more, body.data.length > 0, body.data.every(isRight)]).toEqual([
              more,
              true,
              true,
            ])
          }
    for (const id of Object.keys(rates)) {
      const { body } = await ask(`&provider=${id}`)
      expect([id, body.count, body.data.every(isRight)]).toEqual([id, 2, true])
    }
  })

  test('compares with the providers active then, and has null for one that was not', async () => {
    const say_ = (id: string, rate: number, at: string) => say(id, rate, at, { to: 'XOF' })
    await say_('retail-a', 500, '2026-03-01T10:00:00Z')
    await say_('retail-b', 400, '2026-03-01T11:00:00Z')
    const question = '/rates/history?from=USD&to=XOF&until=2026-03-04T00:00:00Z'
    const spreads = async () =>
      (await world.get(question)).body.data.map(
        ({ spread_bps }: { spread_bps: number }) => spread_bps,
      )
    expect(await spreads()).toEqual([0, 2000])
    await world.switch('retail-a', false, '2026-03-02T00:00:00Z')
    await world.switch('retail-a', true, '2026-03-03T00:00:00Z')
    await say_('retail-b', 400, '2026-03-01T23:59:59.999Z')
    await say_('retail-b', 400, '2026-03-02T00:00:00Z')
    await say_('retail-a', 600, '2026-03-02T01:00:00Z')
    await say_('retail-b', 300, '2026-03-03T00:00:00Z')
    expect(await spreads()).toEqual([0, 2000, 2000, 0, null, 5000])
  })

  test('returns an empty list for a corridor without quotes, and after the last page', async () => {
    const none = await world.get('/rates/history?from=gbp&to=ugx')
    expect(none.body).toMatchObject({ corridor: 'GBP/UGX', data: [], count: 0, has_more: false })
    expect((await page('&offset=999999')).body).toMatchObject({ data: [], has_more: false })
    expect((await page('&offset=999999999999&order=desc')).body.data).toEqual([])
  })

  test('skips and repeats nothing between pages while observations arrive at the end', async () => {
    for (let i = 0; i < 40; i++)
      await say('retail-a', 100 + i, new Date(Date.UTC(2026, 1, 20, 0, i % 7)).toISOString(), {
        to: 'ZAR',
      })
    world.clock.set('2026-03-05T14:30:00Z')
    const seen: number[] = []
    for (let offset = 0, more = true; more; offset += 3) {
      const { body } = await world.get(`/rates/history?from=USD&to=ZAR&limit=3&offset=${offset}`)
      seen.push(...body.data.map(({ rate }: { rate: number }) => rate))
      more = body.has_more
      world.clock.advance(1000)
      if (offset < 30)
        await say('retail-b', 999, new Date(world.clock.now()).toISOString(), { to: 'ZAR' })
    }
    const old = seen.filter((rate) => rate < 999)
    expect(old.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => 100 + i))
    expect(seen.filter((rate) => rate === 999)).toHaveLength(10)
  })

  test('links through all pages, newest first too, unaffected by new observations', async () => {
    world.clock.set('2026-03-05T14:45:00Z')
    const seen: number[] = []
    let question: string | undefined = '?from=USD&to=ZAR&limit=7&order=desc'
    while (question) {
      const reply = await world.get(`/rates/history${question}`)
      seen.push(...reply.body.data.map(({ rate }: { rate: number }) => rate))
      question = /^<(.*)>; rel="next"$/.exec(reply.headers.get('link') ?? '')?.[1]
      expect(Boolean(question)).toBe(reply.body.has_more)
      world.clock.advance(1000)
      await say('retail-b', 998, new Date(world.clock.now()).toISOString(), { to: 'ZAR' })
    }
    expect(seen).toHaveLength(50)
    expect(seen.filter((rate) => rate === 998)).toEqual([])
  })

  test.each([
    ['period', '&period=2d'],
    ['order', '&order=up'],
    ['limit', '&limit=0'],
    ['limit', '&limit=5001'],
    ['limit', '&limit=2.5'],
    ['offset', '&offset=-1'],
    ['provider', '&provider=nobody'],
    ['provider', '&provider='],
    ['until', '&until=yesterday'],
    ['until', '&until=2026-02-30T00:00:00Z'],
    ['until', '&until=2026-03-05T23:00:00Z'],
  ])('returns 400 with the name %s in %s', async (parameter, question) => {
    const { status, body } = await page(question)
    expect([status, body.code, body.parameter]).toEqual([400, 'invalid_parameter', parameter])
    expect(body.error).toStartWith(parameter)
  })

  test('returns 200 at the limits of limit', async () => {
    expect((await page('&limit=1')).body).toMatchObject({ limit: 1, count: 1, has_more: true })
    expect((await page('&limit=5000')).body).toMatchObject({ limit: 5000, has_more: false })
  })
})

describe('what was recorded by mistake', () => {
  const at = '2026-03-02T10:00:00.000Z'
  const listed = async (question: string) =>
    (await world.get(`/rates/history?from=GBP&to=NGN&period=30d${question}`)).body.data

  test('marks an observation that another of its offer and time superseded', async () => {
    const row = { provider_id: 'interbank-a', from: 'GBP', to: 'NGN', effective_from: at }
    const rows = [
      { ...row, rate: 2000, notes: 'misread' },
      { ...row, rate: 1900 },
      { ...row, rate: 1950, channel: 'internet' },
    ]
    const { body } = await world.post(rows)
    const data = await listed('')
    expect(data.map(({ id }: { id: number }) => id)).toEqual(body.ids)
    expect(data.map(({ superseded = false }) => superseded)).toEqual([true, false, false])
    expect(data[0].notes).toBe('misread')
    const one = await listed('&limit=1')
    expect(one[0].superseded).toBe(true)
    const later = await listed('&order=desc&offset=2&limit=1')
    expect([later[0].id, later[0].superseded]).toEqual([body.ids[0], true])
    const { body: series } = await world.get(
      `/time-series?from=GBP&to=NGN&interval=P1D&start=${at}&end=2026-03-03T00:00:00Z`,
    )
    expect(series.data.map(({ best }: { best: number }) => best)).toEqual([1950])
  })

  test('lists withdrawn observations on request, with time and reason', async () => {
    const before = await listed('')
    const ids = before.slice(1).map(({ id }: { id: number }) => id)
    const wish = { observations: ids, reason: 'a test price' }
    expect((await world.send('/rates/withdrawals', wish)).body).toEqual({
      withdrawn: ids,
      already_withdrawn: [],
    })
    expect((await world.send('/rates/withdrawals', wish)).body).toEqual({
      withdrawn: [],
      already_withdrawn: ids,
    })
    const { superseded: _, ...first } = before[0]
    expect(await listed('')).toEqual([{ ...first, spread_bps: 0 }])
    const at = new Date(world.clock.now()).toISOString()
    const withdrawn = { at, reason: 'a test price' }
    expect(await listed('&withdrawn=true')).toEqual([
      { ...first, spread_bps: 0 },
      ...before.slice(1).map((point: object) => ({ ...point, spread_bps: null, withdrawn })),
    ])
    expect(await listed('&withdrawn=true&provider=interbank-a&offset=1')).toHaveLength(2)
  })
})

describe('an account that is limited to providers', () => {
  test('returns 403 for a row recorded by another, even without a limit, and an admin withdraws it', async () => {
    const { accountId } = world.memory.current.keys.keyByHash(keyHashOf(world.key))!
    const wish = { observations: [await recordedByAnother()], reason: 'x' }
    const refused = await world.send('/rates/withdrawals', wish)
    expect([refused.status, refused.body.observations]).toEqual([403, wish.observations])
    const withRole = async (role: Role) => {
      await createAccountStore(database).update(accountId, { role })
      await world.refresher.reload()
    }
    await withRole('admin')
    const { status, body } = await world.send('/rates/withdrawals', wish)
    expect([status, body.withdrawn]).toEqual([200, wish.observations])
    await withRole('treasury')
  })

  test('shows the account and the key that recorded a row to an operator alone', async () => {
    const { id: keyId, accountId } = world.memory.current.keys.keyByHash(keyHashOf(world.key))!
    await world.post([{ provider_id: 'p2p-a', from: 'XOF', to: 'UGX', rate: 6 }])
    const seen = async (accept: string) =>
      (await world.get('/rates/history?from=XOF&to=UGX', 'realtime', { headers: { accept } })).text
    for (const accept of ['application/json', 'text/csv', 'application/x-ndjson'])
      expect(await seen(accept)).not.toContain(accountId)
    await createAccountStore(database).update(accountId, { role: 'admin' })
    await world.refresher.reload()
    for (const accept of ['application/json', 'text/csv', 'application/x-ndjson'])
      for (const id of [accountId, keyId]) expect(await seen(accept)).toContain(id)
    await createAccountStore(database).update(accountId, { role: 'treasury' })
    await world.refresher.reload()
  })

  test('returns 403 with the names for prices of another provider, and withdraws only its own', async () => {
    const accounts = createAccountStore(database)
    const { accountId } = world.memory.current.keys.keyByHash(keyHashOf(world.key))!
    const limited = async (providers: string[]) => {
      await accounts.update(accountId, { providers })
      await world.refresher.reload()
    }
    const row = { from: 'EUR', to: 'XOF', rate: 650 }
    const { body } = await world.post([{ ...row, provider_id: 'p2p-b' }])
    await limited(['p2p-a'])
    const refused = await world.post([{ ...row, provider_id: 'p2p-b' }])
    expect([refused.status, refused.body.allowed_providers]).toEqual([403, ['p2p-a']])
    expect((await world.post([{ ...row, provider_id: 'p2p-a' }])).status).toBe(201)
    const unknown = { observations: [body.ids[0], 9_999_999], reason: 'x' }
    const missing = await world.send('/rates/withdrawals', unknown)
    expect([missing.status, missing.body.observations]).toEqual([404, [9_999_999]])
    const other = await recordedByAnother()
    const theirs = await world.send('/rates/withdrawals', { observations: [other], reason: 'x' })
    expect([theirs.status, theirs.body.observations]).toEqual([403, [other]])
    const own = await world.send('/rates/withdrawals', { observations: body.ids, reason: 'x' })
    expect([own.status, own.body.withdrawn]).toEqual([200, body.ids])
    await limited(['p2p-b'])
    const bound = await world.send('/rates/withdrawals', { observations: [other], reason: 'x' })
    expect([bound.status, bound.body.withdrawn]).toEqual([200, [other]])
    await limited([])
    expect((await world.post([{ ...row, provider_id: 'p2p-b' }])).status).toBe(201)
  })

  test('returns 400 for 101 ids, for a reason that is too long, and for none', async () => {
    const ids = (count: number) => Array.from({ length: count }, (_, i) => i + 1)
    const codes = []
    for (const wish of [
      { observations: ids(101), reason: 'x' },
      { observations: ids(1), reason: 'x'.repeat(501) },
      { observations: ids(1), reason: 'x'.repeat(1_048_576) },
      { observations: ids(1), reason: ' ' },
      { observations: [], reason: 'x' },
    ]) {
      const { status, body } = await world.send('/rates/withdrawals', wish)
      codes.push([status, body.code])
    }
    const malformed = [400, 'malformed_body']
    expect(codes).toEqual([malformed, malformed, [400, 'body_too_large'], malformed, malformed])
  })
})

/** A price of p2p-b that no account recorded. */
async function recordedByAnother(): Promise<number> {
  const row = { from: 'EUR', to: 'XOF', rate: '651', rateType: 'p2p' as const }
  const rows = [observation({ ...row, providerId: 'p2p-b', effectiveMs: world.clock.now() - 1 })]
  const recording = await createObservationStore(database).record({
    observations: rows,
    idempotency: null,
  })
  return recording.kind === 'recorded' ? recording.ids[0]! : 0
}
