import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { differenceText } from '~/domain/decimal.ts'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { roundAmount } from '~/domain/round.ts'
import { dateOf } from '~/http/compat/asked.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { stockedDatabase } from '../store/samples.ts'
import { PastWorld } from '../support/past-world.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'

const NOW = '2026-03-05T14:25:00.000Z'
const TODAY_MS = Date.parse('2026-03-05')
const FIRST_MS = Date.parse('2025-12-01')
const LAST_HOUR = 24 * 94
const CARRIED_MS = 14 * DAY_MS
const RUNS = Number(process.env.COMPAT_RUNS ?? 300)
const FLOATING = ['EUR', 'GBP', 'KES', 'NGN', 'ZAR']
const CODES = ['USD', ...FLOATING]

let database: FreshDatabase
let world: PastWorld
let key: string

beforeAll(async () => {
  database = await stockedDatabase()
  const store = createReferenceStore(database)
  const [draw] = fc.sample(
    fc.array(
      fc.record({
        hour: fc.nat(LAST_HOUR),
        code: fc.constantFrom(...FLOATING),
        rate: fc.integer({ min: 1, max: 9e8 }),
      }),
      { minLength: 120, maxLength: 160 },
    ),
    1,
  )
  // The requests of programs are for pairs that have a mid.
  const last = FLOATING.map((code, i) => ({ hour: LAST_HOUR - i, code, rate: 1_000 + i }))
  const mondays = ['2025-12-29', '2026-03-02'].flatMap((monday) => {
    const hour = (Date.parse(monday) - FIRST_MS) / HOUR_MS
    return FLOATING.map((code, i) => ({ hour, code, rate: 2_000 + i }))
  })
  for (const { hour, code, rate } of [...draw!, ...mondays, ...last])
    await store.append({
      ...{ source: 'feed', fetchedMs: FIRST_MS + hour * HOUR_MS },
      rates: [{ currency: code, perUsd: String(rate / 1000) }],
    })
  world = await new PastWorld(database, { at: NOW, midMaxAgeMs: 365 * DAY_MS }).start()
  key = world.key
}, TEST_MS_MAX)
afterAll(() => database.close())

async function ask(path: string) {
  const request = new Request(`http://localhost/compat/${path}`, { headers: { 'x-api-key': key } })
  const reply = await world.app.handle(request)
  const text = await reply.text()
  return {
    status: reply.status,
    text,
    body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : null,
  }
}

type Mid = { readonly rate: number; readonly date: string } | null

/** The last mid of a day by `/historical`, if it is at most two weeks older than its start. */
async function midOf(from: string, to: string, dayMs: number): Promise<Mid> {
  const { body } = await world.get(
    `/historical?from=${from}&to=${to}&date=${dateOf(dayMs)}`,
    'realtime',
  )
  const { mid_rate: rate, mid_fetched_at: at } = body
  if (!rate || Date.parse(at) < dayMs - CARRIED_MS) return null
  return { rate, date: at.slice(0, 10) }
}

type Pair = { readonly from: string; readonly to: string; readonly date: string }

/** The rate that an API gives for a pair and a day; null if it has none. */
const APIS: Record<string, (pair: Pair) => Promise<number | null>> = {
  async 'frankfurter 1'({ from, to, date }) {
    const { body } = await ask(`frankfurter/v1/${date}?base=${from}&symbols=${to}`)
    return body.rates?.[to] ?? null
  },
  async 'frankfurter 2'({ from, to, date }) {
    const { body } = await ask(`frankfurter/v2/rates?base=${from}&quotes=${to}&date=${date}`)
    return body[0]?.rate ?? null
  },
  async 'open exchange rates'({ from, to, date }) {
    const { body } = await ask(`openexchangerates/api/historical/${date}.json?base=${from}`)
    return body.rates?.[to] ?? null
  },
  async 'exchangerate.host'({ from, to, date }) {
    const path = `exchangerate-host/historical?source=${from}&currencies=${to}&date=${date}`
    return (await ask(path)).body.quotes?.[from + to] ?? null
  },
  async 'exchangerate.host, converted'({ from, to, date }) {
    const path = `exchangerate-host/convert?from=${from}&to=${to}&amount=1&date=${date}`
    return (await ask(path)).body.result ?? null
  },
  async fixer({ from, to, date }) {
    return (await ask(`fixer/${date}?base=${from}&symbols=${to}`)).body.rates?.[to] ?? null
  },
  async 'fixer, a series'({ from, to, date }) {
    const path = `fixer/timeseries?base=${from}&symbols=${to}&start_date=${date}&end_date=${date}`
    return (await ask(path)).body.rates?.[date]?.[to] ?? null
  },
  async 'currency-api'({ from, to, date }) {
    const { body } = await ask(`currency-api/${date}/v1/currencies/${from.toLowerCase()}.json`)
    return body?.[from.toLowerCase()]?.[to.toLowerCase()] ?? null
  },
  async plain({ from, to, date }) {
    const { status, text } = await ask(`plain/rate/${from}/${to}/${date}.txt`)
    return status === 200 ? Number(text) : null
  },
}

const pair = fc.uniqueArray(fc.constantFrom(...CODES), { minLength: 2, maxLength: 2 })
const day = fc.nat((TODAY_MS - FIRST_MS) / DAY_MS + 20).map((back) => TODAY_MS - back * DAY_MS)

test(
  'of a day, every API has the mid of /historical, or none',
  async () => {
    let found = 0
    await fc.assert(
      fc.asyncProperty(
        pair,
        day,
        fc.constantFrom(...Object.keys(APIS)),
        async ([from, to], dayMs, api) => {
          const mid = await midOf(from!, to!, dayMs)
          const rate = await APIS[api]!({ from: from!, to: to!, date: dateOf(dayMs) })
          expect(rate).toBe(mid?.rate ?? null)
          if (mid) found += 1
        },
      ),
      { numRuns: RUNS },
    )
    expect(found).toBeGreaterThan(RUNS / 2)
  },
  TEST_MS_MAX,
)

test(
  'a range has the mid of each of its days that has one of its own, with its date',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        pair,
        day,
        fc.integer({ min: 1, max: 20 }),
        async ([from, to], dayMs, length) => {
          const days = Array.from({ length }, (_, i) => dayMs + i * DAY_MS).filter(
            (ms) => ms <= TODAY_MS,
          )
          const mids = await Promise.all(days.map((ms) => midOf(from!, to!, ms)))
          const own = mids.flatMap((mid, i) => (mid && mid.date === dateOf(days[i]!) ? [mid] : []))
          const ends = `from=${dateOf(dayMs)}&to=${dateOf(days.at(-1)!)}`
          const { body } = await ask(`frankfurter/v2/rates?base=${from}&quotes=${to}&${ends}`)
          expect(body).toEqual(
            own.map(({ date, rate }) => ({ date, base: from!, quote: to!, rate })),
          )
        },
      ),
      { numRuns: Math.ceil(RUNS / 10) },
    )
  },
  TEST_MS_MAX,
)

test(
  'a change has the mids of both its days and their difference as shown, or is an error',
  async () => {
    await fc.assert(
      fc.asyncProperty(pair, day, day, async ([from, to], ...days) => {
        const ends = days.toSorted((a, b) => a - b)
        const [start, end] = await Promise.all(ends.map((ms) => midOf(from!, to!, ms)))
        const [first, last] = ends.map(dateOf)
        const { body } = await ask(
          `exchangerate-host/change?start_date=${first}&end_date=${last}` +
            `&source=${from}&currencies=${to}`,
        )
        if (!start || !end) {
          expect(body).toMatchObject({ success: false })
          return
        }
        expect(body.quotes[from! + to!]).toMatchObject({
          start_rate: start.rate,
          end_rate: end.rate,
          change: roundAmount(Number(differenceText(String(end.rate), String(start.rate)))),
        })
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    )
  },
  TEST_MS_MAX,
)

test(
  'converted amounts are right in every digit of the rate as shown',
  async () => {
    await fc.assert(
      fc.asyncProperty(pair, fc.integer({ min: 1, max: 40 }), async ([from, to], quarters) => {
        const { body } = await world.get(`/fetch-one?from=${from}&to=${to}`, 'realtime')
        const amount = quarters / 4
        const pairOf = `from=${from}&to=${to}&amount=${amount}`
        const results = [
          (await ask(`openexchangerates/api/convert/${amount}/${from}/${to}`)).body.response,
          (await ask(`exchangerate-host/convert?${pairOf}`)).body.result,
          (await ask(`fixer/convert?${pairOf}`)).body.result,
          (await ask(`frankfurter/latest?${pairOf}`)).body.rates[to!],
        ]
        const expected = productOf(body.mid, amount)
        expect(results).toEqual([expected, expected, expected, expected])
      }),
      { numRuns: RUNS },
    )
  },
  TEST_MS_MAX,
)

/** Product of two decimals, rounded half up to 12 digits by whole numbers alone. */
function productOf(...factors: readonly [number, number]): number {
  const parts = factors.map((factor) => {
    const [digits, exponent] = factor.toExponential().split('e') as [string, string]
    const [whole, decimals = ''] = digits.split('.') as [string, string?]
    return { digits: BigInt(whole + decimals), exponent: Number(exponent) - decimals.length }
  })
  const digits = parts[0]!.digits * parts[1]!.digits
  const over = Math.max(String(digits).length - 12, 0)
  const unit = 10n ** BigInt(over)
  const kept = over === 0 ? digits : (digits + unit / 2n) / unit
  return Number(`${kept}e${parts[0]!.exponent + parts[1]!.exponent + over}`)
}

/** The rate that an API gives for a pair now; null if it has none. */
const APIS_NOW: Record<string, (from: string, to: string) => Promise<number | null>> = {
  async 'frankfurter 1'(from, to) {
    return (await ask(`frankfurter/latest?from=${from}&to=${to}`)).body.rates?.[to] ?? null
  },
  async 'frankfurter 2'(from, to) {
    return (await ask(`frankfurter/v2/rate/${from}/${to}`)).body.rate ?? null
  },
  async 'open exchange rates'(from, to) {
    const { body } = await ask(`openexchangerates/api/latest.json?base=${from}&symbols=${to}`)
    return body.rates?.[to] ?? null
  },
  async 'open exchange rates, converted'(from, to) {
    const { body } = await ask(`openexchangerates/api/convert/1/${from}/${to}`)
    return body.response ?? null
  },
  async 'exchangerate.host'(from, to) {
    const { body } = await ask(`exchangerate-host/live?source=${from}&currencies=${to}`)
    return body.quotes?.[from + to] ?? null
  },
  async fixer(from, to) {
    return (await ask(`fixer/latest?base=${from}&symbols=${to}`)).body.rates?.[to] ?? null
  },
  async 'currency-api'(from, to) {
    const { body } = await ask(`currency-api/v1/currencies/${from.toLowerCase()}.min.json`)
    return body?.[from.toLowerCase()]?.[to.toLowerCase()] ?? null
  },
  async ecb(from, to) {
    const rates = ratesOf((await ask('ecb/eurofxref-daily.xml')).text).set('EUR', 1)
    const [base, quote] = [rates.get(from), rates.get(to)]
    if (from === 'EUR') return quote ?? null
    const mid = (await world.get(`/fetch-one?from=${from}&to=${to}`, 'realtime')).body.mid as number
    return Math.abs(quote! / base! / mid - 1) < 1e-9 ? mid : null
  },
  async plain(from, to) {
    const { status, text } = await ask(`plain/rate/${from}/${to}.txt`)
    return status === 200 ? Number(text) : null
  },
  async 'plain, a table'(from, to) {
    const { text } = await ask(`plain/rates/${from}.csv`)
    return Number(text.match(new RegExp(`^${to},([^,]+),`, 'm'))?.[1] ?? Number.NaN) || null
  },
}

/** The attributes that readers of the ECB's files use. */
const ratesOf = (xml: string) =>
  new Map(
    [...xml.matchAll(/<Cube currency='([A-Z]{3})' rate='([\d.]+)'\/>/g)].map(([, code, rate]) => [
      code!,
      Number(rate),
    ]),
  )

test(
  'now, every API has the mid of /fetch-one',
  async () => {
    await fc.assert(
      fc.asyncProperty(pair, fc.constantFrom(...Object.keys(APIS_NOW)), async ([from, to], api) => {
        const { body } = await world.get(`/fetch-one?from=${from}&to=${to}`, 'realtime')
        expect(await APIS_NOW[api]!(from!, to!)).toBe(body.mid)
      }),
      { numRuns: RUNS },
    )
  },
  TEST_MS_MAX,
)

describe('a program gets its numbers from the requests that it makes:', () => {
  test('ERPNext, by each of its providers and by its own settings', async () => {
    const date = '2026-03-05'
    const { rate } = (await midOf('EUR', 'NGN', Date.parse(date)))!
    const custom = await ask(`frankfurter/v1/${date}?base=EUR&symbols=NGN`)
    const old = await ask(`frankfurter/${date}?base=EUR&symbols=NGN`)
    const v2 = await ask(`frankfurter/v2/rate/EUR/NGN?date=${date}`)
    const host = await ask(`exchangerate-host/convert?amount=1&date=${date}&from=EUR&to=NGN`)
    const numbers = [custom.body.rates.NGN, old.body.rates.NGN, v2.body.rate, host.body.result]
    expect(numbers).toEqual([rate, rate, rate, rate])
  })

  test('Firefly III, a file for each ISO week', async () => {
    for (const [week, monday] of [
      ['2026/10', '2026-03-02'],
      ['2026/1', '2025-12-29'],
    ] as const) {
      const { status, body } = await ask(`firefly/${week}/EUR.json`)
      expect([status, body.date, body.rates.EUR]).toEqual([200, monday, undefined])
      for (const to of FLOATING.slice(1))
        expect(body.rates[to]).toBe((await midOf('EUR', to, Date.parse(monday)))?.rate)
    }
    for (const path of ['2026/11/EUR', '2026/0/EUR', '2026/54/EUR', '2026/10/XXX', '2026/10'])
      expect([path, (await ask(`firefly/${path}.json`)).status]).toEqual([path, 404])
  })

  test("Odoo's community module, the bank's files of ninety days and of a year", async () => {
    for (const [name, days] of Object.entries({ 'hist-90d': 90, hist: 366 })) {
      const { status, text } = await ask(`ecb/stats/eurofxref/eurofxref-${name}.xml`)
      const cubes = text.split("<Cube time='").slice(1)
      expect([name, status, cubes.length > 0]).toEqual([name, 200, true])
      for (const cube of cubes) {
        const atMs = Date.parse(cube.slice(0, 10))
        expect(atMs).toBeGreaterThan(TODAY_MS - days * DAY_MS)
        for (const [code, rate] of ratesOf(cube))
          expect([name, code, rate]).toEqual([name, code, (await midOf('EUR', code, atMs))!.rate])
      }
    }
  }, 120_000)
})
