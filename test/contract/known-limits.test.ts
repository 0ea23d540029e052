import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { keyHashOf, newApiKey } from '~/domain/api-key.ts'
import { COMMAND_LINE } from '~/domain/audit.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { otherHandle, stockedDatabase, untilWaiting } from '../store/samples.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'
import { API, replyOf } from '../support/world.ts'
import { KnownWorld } from './known-world.ts'

const PAIR = 'from=USD&to=KES'
const iso = (ms: number): string => new Date(ms).toISOString()

const SERIES = `/time-series?${PAIR}&interval=PT1H&period=7d`

/** A request for each path that takes known_at. */
const QUESTIONS = [
  `/rates?${PAIR}`,
  `/convert?${PAIR}&amount=200`,
  '/costs?source_country=US&target_country=KE&amount=200',
  `/fetch-one?${PAIR}`,
  '/fetch-multi?from=USD&to=KES,NGN',
  '/fetch-matrix?from=USD,GBP&to=KES,NGN',
  '/fetch-many-to-one?from=USD,GBP&to=KES',
  `/rates/history?${PAIR}&period=7d`,
  SERIES,
  `/change?${PAIR}&period=1d`,
]

let known: KnownWorld
/** The time when the feed and the first price of 120 were recorded, and the second one of 130. */
let firstMs: number
let secondMs: number

beforeAll(async () => {
  known = await KnownWorld.start(await stockedDatabase())
  firstMs = known.nowMs
  await known.feed({ KES: 125, GBP: 0.8, NGN: 1500 }, 0)
  await known.post([price(120)])
  await known.advance(5 * MINUTE_MS)
  secondMs = known.nowMs
  await known.post([price(130)])
  await known.advance(2 * HOUR_MS)
}, TEST_MS_MAX)
afterAll(() => known.world.database.close())

const price = (rate: number) => ({ provider_id: 'retail-a', from: 'USD', to: 'KES', rate })

const then = (path: string, ms: number, tier: 'hourly' | 'realtime' = 'realtime') =>
  known.world.get(`${path}&known_at=${iso(ms)}`, tier)

const ratesAt = async (ms: number, tier: 'hourly' | 'realtime' = 'realtime') => {
  const { body } = await then(`/rates?${PAIR}`, ms, tier)
  return body.providers.map(({ rate }: { rate: number }) => rate)
}

describe('a known_at', () => {
  test('goes together with an unknown parameter and with a repeated list, on every path', async () => {
    for (const path of [...QUESTIONS, '/fetch-multi?from=USD&to=KES&to=NGN'])
      expect([path, (await then(`${path}&colour=red`, secondMs)).status]).toEqual([path, 200])
  })

  test.each([
    'yesterday',
    '2026-13-01T00:00:00Z',
    '2026-03-05',
    '2026-03-05T14:00:00',
    '1772719200000',
    '1492-10-12T00:00:00Z',
    '',
  ])('%p is a 400 that names it, on every path', async (text) => {
    for (const path of QUESTIONS) {
      const { status, body } = await known.world.get(`${path}&known_at=${text}`)
      expect([path, status, body]).toMatchObject([
        path,
        400,
        { code: 'invalid_parameter', parameter: 'known_at' },
      ])
    }
  })

  test('given twice is a 400', async () => {
    const at = iso(firstMs)
    const { status, body } = await then(`/rates?${PAIR}&known_at=${at}`, firstMs)
    expect([status, body.code]).toEqual([400, 'repeated_parameter'])
  })

  test('is the same time in another time zone, and in any URL encoding', async () => {
    const there = iso(firstMs + 3 * HOUR_MS).replace('Z', '+03:00')
    const asked = encodeURIComponent(there)
    const plain = await then(`/rates?${PAIR}`, firstMs)
    expect(plain.body).toMatchObject({ known_at: iso(firstMs), count: 1 })
    for (const query of [`known_at=${asked}`, `known%5Fat=${asked}`])
      expect((await known.world.get(`/rates?${PAIR}&${query}`)).body).toEqual(plain.body)
  })

  test('in the future is a 400, and now is not', async () => {
    for (const path of QUESTIONS) {
      const late = await then(path, known.nowMs + 1)
      expect([path, late.status, late.body]).toMatchObject([
        path,
        400,
        { code: 'invalid_parameter', error: expect.stringContaining('in the future') },
      ])
    }
    for (const path of [`/rates?${PAIR}`, `/change?${PAIR}&period=1d`])
      expect([path, (await then(path, known.nowMs)).status]).toEqual([path, 200])
  })

  test('before the first record has an empty response with a note, on every path', async () => {
    for (const path of QUESTIONS) {
      const { status, body } = await then(path, firstMs - 1)
      expect([path, status]).toEqual([path, 200])
      expect([path, body.note, body.known_at]).toEqual([
        path,
        `Nothing had been recorded by ${iso(firstMs - 1)}.`,
        iso(firstMs - 1),
      ])
      expect([path, Object.values(body).flat().filter(isPrice)]).toEqual([path, []])
      const after = await then(path, firstMs)
      expect([path, after.body.note ?? '']).not.toEqual([path, body.note])
      const before = await then(path, Date.UTC(2020, 0, 1))
      expect([path, before.status, before.body.note]).toEqual([
        path,
        200,
        'Nothing had been recorded by 2020-01-01T00:00:00.000Z.',
      ])
    }
  })

  test('before the first record knows a currency that was switched off since', async () => {
    const kes = known.currencies.get('KES')!
    await known.catalogue({ currencies: [{ ...kes, isActive: false }] })
    const path = `/rates?${PAIR}`
    expect((await known.world.get(path)).status).toBe(400)
    expect((await then(path, firstMs - 1)).status).toBe(200)
    await known.catalogue({ currencies: [kes] })
  })

  test('counts what was committed at that very millisecond, and nothing one earlier', async () => {
    expect(await ratesAt(secondMs - 1)).toEqual([120])
    expect(await ratesAt(secondMs)).toEqual([130])
  })

  test('after the top of the hour becomes the top of the hour for an hourly key', async () => {
    await known.advance(HOUR_MS - (known.nowMs % HOUR_MS) + 10 * MINUTE_MS)
    const topMs = known.nowMs - 10 * MINUTE_MS
    await known.advance(MINUTE_MS)
    await known.post([price(140)])
    await known.advance(MINUTE_MS)
    expect(await ratesAt(known.nowMs)).toEqual([140])
    expect(await ratesAt(known.nowMs, 'hourly')).toEqual([130])
    const { body } = await then(`/rates?${PAIR}`, known.nowMs, 'hourly')
    expect(body).toMatchObject({ known_at: iso(topMs), data_freshness: 'hourly' })
    expect(await ratesAt(secondMs, 'hourly')).toEqual([130])
    expect(await ratesAt(secondMs - 1, 'hourly')).toEqual([120])
    const history = await then(`/rates/history?${PAIR}&period=7d`, known.nowMs, 'hourly')
    expect(history.body).toMatchObject({ count: 2, known_at: iso(topMs) })
  })

  test('tells an hourly key its cutoff on every path, and a realtime key none', async () => {
    const topMs = known.nowMs - (known.nowMs % HOUR_MS)
    for (const [askedMs, asOfMs] of [
      [known.nowMs, topMs],
      [secondMs, secondMs],
    ] as const)
      for (const path of QUESTIONS) {
        const { body } = await then(path, askedMs, 'hourly')
        expect([path, body.as_of]).toEqual([path, iso(asOfMs)])
      }
    for (const path of QUESTIONS)
      expect([path, (await then(path, secondMs)).body.as_of]).toEqual([path, undefined])
    for (const path of [`/rates?${PAIR}`, `/rates/history?${PAIR}&period=7d`, SERIES]) {
      const { headers } = await then(`${path}&format=csv`, known.nowMs, 'hourly')
      expect([path, headers.get('x-as-of')]).toEqual([path, iso(topMs)])
    }
    const day = iso(known.nowMs).slice(0, 10)
    const before = iso(known.nowMs - DAY_MS).slice(0, 10)
    const asOf = async (date: string) =>
      (await then(`/historical?${PAIR}&date=${date}`, known.nowMs, 'hourly')).body.as_of
    expect(await asOf(day)).toBe(iso(topMs))
    expect(await asOf(before)).toBe(`${day}T00:00:00.000Z`)
  })

  test('gives CSV of then, with known_at in a header', async () => {
    for (const path of [`/rates?${PAIR}`, `/rates/history?${PAIR}&period=7d`]) {
      const reply = await then(`${path}&format=csv`, firstMs)
      expect([path, reply.status, reply.headers.get('x-known-at')]).toEqual([
        path,
        200,
        iso(firstMs),
      ])
      expect(reply.headers.get('content-type')).toStartWith('text/csv')
      const rows = reply.text.trim().split('\r\n')
      expect(rows).toHaveLength(2)
      expect(rows[1]).toContain(',120,')
    }
  })

  test('gives a read-only key the mids of then and no price', async () => {
    const key = await readOnlyKey()
    const ask = async (path: string) => {
      const init = { headers: { 'x-api-key': key } }
      return replyOf(await known.world.app.handle(new Request(`${API}${path}`, init)))
    }
    await known.feed({ KES: 150 }, 0)
    const now = await ask(`/fetch-one?${PAIR}`)
    expect(now.body).toMatchObject({ mid: 150, provider_best: null })
    const { status, body } = await ask(`/fetch-one?${PAIR}&known_at=${iso(firstMs)}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ mid: 125, provider_best: null, known_at: iso(firstMs) })
    expect((await ask(`/rates?${PAIR}&known_at=${iso(firstMs)}`)).status).toBe(401)
  })

  test('spends one unit, and none if it is refused', async () => {
    const used = async () => (await known.world.get('/admin/usage')).body.used
    const before = await used()
    await then(`/rates?${PAIR}`, firstMs)
    expect(await used()).toBe(before + 1)
    await then(`/rates?${PAIR}`, known.nowMs + DAY_MS)
    expect(await used()).toBe(before + 1)
  })
})

test('what is recorded after the clock was set back counts from its commit on', async () => {
  const earlierMs = known.nowMs
  await known.post([price(160)])
  await known.advance(-HOUR_MS)
  await known.post([{ ...price(170), effective_from: iso(earlierMs - 2 * HOUR_MS) }])
  await known.advance(2 * HOUR_MS)
  const recordedBy = async (ms: number) => {
    const { body } = await then(`/rates/history?${PAIR}&period=7d`, ms)
    return body.data.map(({ rate }: { rate: number }) => rate)
  }
  expect(await recordedBy(earlierMs - HOUR_MS)).not.toContain(170)
  expect(await recordedBy(earlierMs - 1)).not.toContain(170)
  expect(await recordedBy(earlierMs + MINUTE_MS)).toEqual(expect.arrayContaining([160, 170]))
})

test('a withdrawal that takes longer than a second counts from its commit on', async () => {
  const { database } = known.world
  await known.post([price(122)])
  const atMs = known.nowMs
  const now = async () =>
    (await known.world.get(`/rates?${PAIR}`)).body.providers.map(
      (one: { rate: number }) => one.rate,
    )
  const before = await now()
  expect(before).toEqual([122])
  const own = otherHandle(database as FreshDatabase)
  let withdrawal: Promise<void> | null = null
  await own.sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtext('corridor withdrawals'))`
    withdrawal = known.withdraw(known.ids.slice(-1))
    await untilWaiting(database, 1)
    await tx`select pg_sleep(1.1)`
  })
  await withdrawal
  await own.close()
  expect(await now()).not.toEqual(before)
  await known.advance(MINUTE_MS)
  expect(await ratesAt(atMs)).toEqual(before)
  expect(await ratesAt(known.nowMs)).toEqual(await now())
})

/** Reports whether a value of a body is a list of prices. */
const isPrice = (value: unknown): boolean =>
  value !== null && typeof value === 'object' && 'rate' in value && value.rate !== null

/** A read-only key of a new account. */
async function readOnlyKey(): Promise<string> {
  const random = (count: number) => crypto.getRandomValues(new Uint8Array(count))
  const store = createAccountStore(known.world.database)
  const { account } = await store.create({
    email: `${crypto.randomUUID()}@example.com`,
    ...{ plan: 'enterprise', role: 'member', keyName: 'first' },
    keyHash: keyHashOf(newApiKey(random)),
  })
  const key = newApiKey(random, true)
  const name = 'read-only'
  const asked = { accountId: account.id, name, hash: keyHashOf(key), dailyBudget: 100 }
  await store.createKey({ ...asked, actor: COMMAND_LINE })
  await known.world.refresher.reload()
  return key
}
