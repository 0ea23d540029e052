import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { currencyCode } from '~/domain/currency.ts'
import { isOneLine } from '~/domain/naming/one-line.ts'
import { EVIDENCE } from '~/domain/price/evidence.ts'
import { PROVIDER_TYPES, RATE_TYPES } from '~/domain/provider.ts'
import { PLANS } from '~/domain/quota.ts'
import { MemoryStore } from '../http/memory-store.ts'
import { answerable, METERED } from '../http/questions.ts'
import { currency, provider } from '../support/catalogue.ts'
import { documentOf } from '../support/contract.ts'
import { type Reply, World } from '../support/world.ts'
import { ANSWERS, type Answer, breaches } from './schemas.ts'
import { columnsIn, ENTRIES, expectRows, rowsIn } from './tables.ts'

const NOW = Date.parse('2026-03-05T14:25:30.500Z')
const HOUR_MS = 3_600_000
const CODES = ['USD', 'KES', 'NGN', 'USDT', 'USDC', 'SLL']
const PROVIDER_IDS = ['a', 'b', 'c', 'd']

const oneOf = <T>(values: readonly T[]) => fc.constantFrom(...values)
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const url = orNull(fc.webUrl())
const word = fc
  .string({ minLength: 1, maxLength: 20, unit: 'grapheme' })
  .filter((text) => isOneLine(text) && !/^\s|\s\s|\s$/.test(text))

const currencies = fc.tuple(
  ...CODES.map((code) =>
    fc.record({
      code: fc.constant(code),
      type: oneOf(['source', 'target', 'both'] as const),
      kind: fc.constant(code.length === 4 ? ('stablecoin' as const) : ('fiat' as const)),
      flagUrl: url,
      minorUnits: orNull(fc.nat(4)),
      name: word,
      sortOrder: fc.integer({ min: -5, max: 5 }),
      isActive: fc.boolean(),
    }),
  ),
)

const providers = fc.tuple(
  ...PROVIDER_IDS.map((id) =>
    fc.record({
      id: fc.constant(id),
      name: word,
      logoUrl: url,
      websiteUrl: url,
      providerType: orNull(oneOf(PROVIDER_TYPES)),
      rateType: oneOf(RATE_TYPES),
      region: orNull(word),
      transferTime: orNull(word),
      paymentMethods: orNull(fc.array(word, { maxLength: 3 })),
      isActive: fc.boolean(),
    }),
  ),
)

const positive = (min: number, max: number) => fc.double({ min, max, noNaN: true })

/** From days ago to now, often just around the top of the hour. */
const time = fc.oneof(
  fc.integer({ min: NOW - 100 * HOUR_MS, max: NOW }),
  oneOf([NOW, NOW - 1, NOW - 1_530_500, NOW - 1_530_499, NOW - 72 * HOUR_MS]),
)

const COUNTRIES = ['US', 'KE', 'NG', 'LR']
const ways = fc.subarray(['cash', 'mobile_money'] as const, { minLength: 1 })
const duration = orNull(oneOf([0, HOUR_MS, 26 * HOUR_MS]))

const offer = fc.record({
  sourceCountry: orNull(oneOf(COUNTRIES)),
  targetCountry: orNull(oneOf(COUNTRIES)),
  payIn: orNull(ways),
  payOut: orNull(ways),
  channel: orNull(oneOf(['internet', 'agent'] as const)),
  amountMin: orNull(oneOf([0, 50])),
  amountMax: orNull(oneOf([50, 1e15])),
  service: orNull(word),
  feePercent: orNull(oneOf([0, 1.5, 100])),
  deliveryMinMs: duration,
  deliveryMaxMs: duration,
  validUntilMs: orNull(oneOf([NOW - 1, NOW, NOW + HOUR_MS])),
})

const quote = fc.record({
  providerId: oneOf(PROVIDER_IDS),
  rate: fc.oneof(positive(1e-12, 1e12), positive(0.5, 2)),
  from: oneOf(CODES),
  to: oneOf(CODES),
  fee: orNull(fc.oneof(fc.constant(0), positive(0, 1e15), positive(0, 10))),
  feeCurrency: orNull(oneOf(CODES)),
  rateType: oneOf(RATE_TYPES),
  atMs: time,
  offer: orNull(offer),
})

const reference = fc.record({
  atMs: time,
  source: oneOf(['feed-a', 'feed-b']),
  perUsd: fc.dictionary(oneOf(CODES), positive(1e-6, 1e6), { maxKeys: 4 }),
})

const history = fc.record({
  currencies,
  providers,
  quotes: fc.array(quote, { maxLength: 30 }),
  references: fc.array(reference, { maxLength: 4 }),
})

const code = fc.oneof({ weight: 9, arbitrary: oneOf(CODES) }, { weight: 1, arbitrary: fc.string() })
const list = fc.array(code, { maxLength: 8 }).map((codes) => codes.join(','))
const pair = fc.record({ from: code, to: code })
const country = fc.oneof(
  { weight: 9, arbitrary: oneOf([...COUNTRIES, 'ke', 'GB']) },
  { weight: 1, arbitrary: fc.string() },
)
const filters = {
  source_country: country,
  target_country: country,
  pay_in: ways.map((all) => all.join()),
  pay_out: oneOf(['cash', 'Mobile_Money,cash', 'card']),
  channel: oneOf(['internet', 'agent,internet']),
  delivery_max: oneOf(['1h', 'P2D', 'PT0S']),
  max_age: oneOf(['1h', '7d']),
}
const selection = { ...filters, offers: oneOf(['all', 'best']) }
/** The required parameters and some of the others. */
const withSome = <T extends object, U extends object>(
  needed: fc.Arbitrary<T>,
  others: { [K in keyof U]: fc.Arbitrary<U[K]> },
) =>
  fc
    .tuple(needed, fc.record(others, { requiredKeys: [] }))
    .map(([own, more]) => ({ ...own, ...more }))

const question = fc.oneof(
  asks('/rates', withSome(pair, selection)),
  asks(
    '/convert',
    withSome(fc.record({ from: code, to: code, amount: positive(1e-6, 1e15) }), selection),
  ),
  asks(
    '/convert',
    withSome(fc.record({ from: code, to: code, recipient_gets: positive(1, 1e6) }), selection),
  ),
  asks(
    '/costs',
    withSome(
      fc.record({
        source_country: country,
        target_country: country,
        amount: positive(1e-6, 1e15),
      }),
      { from: code, to: code },
    ),
  ),
  asks(
    '/costs',
    fc.record({ source_country: country, target_country: country, amount_usd: positive(1, 1e6) }),
  ),
  asks('/countries', fc.constant({})),
  asks('/currencies', fc.constant({})),
  asks('/corridors', withSome(fc.constant({}), { ...filters, by: oneOf(['country', 'currency']) })),
  asks('/providers', fc.constant({})),
  asks('/fetch-one', pair),
  asks('/fetch-multi', fc.record({ from: code, to: list })),
  asks('/fetch-matrix', fc.record({ from: list, to: list })),
  asks('/fetch-many-to-one', fc.record({ from: list, to: code })),
  asks(
    '/rates/provider',
    withSome(fc.record({ provider: oneOf([...PROVIDER_IDS, 'nobody']) }), selection),
  ),
  asks('/admin/usage', fc.constant({})),
  asks('/status', fc.constant({})),
)

/** A request with random parameters, numbers in plain decimal notation. */
function asks<T extends object>(path: Answer, parameters: fc.Arbitrary<T>) {
  return parameters.map((values) => {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(values))
      query.set(name, typeof value === 'number' ? value.toFixed(6) : value)
    return { path, query }
  })
}

function worldOf(past: typeof history extends fc.Arbitrary<infer T> ? T : never): World {
  const world = new World({ at: new Date(NOW).toISOString(), store: new MemoryStore() })
  const catalogue = {
    currencies: past.currencies.map(({ code, ...more }) => currency(code, more)),
    providers: past.providers.map(({ id, ...more }) => provider(id, more)),
  }
  const quotes = past.quotes
    .filter(({ from, to }) => from !== to)
    .map((row, i) => ({
      ...row,
      id: i + 1,
      feeCurrency: row.fee === null ? null : row.feeCurrency,
      evidence: EVIDENCE[i % EVIDENCE.length]!,
    }))
  const references = past.references.flatMap(({ atMs, source, perUsd }, i) =>
    Object.entries(perUsd).map(([code, rate], j) => ({
      id: i * 100 + j + 1,
      atMs,
      source,
      currency: code,
      perUsd: rate,
    })),
  )
  world.memory.publish({ catalogue, quotes, references }, NOW)
  return world
}

/** Asserts that a response agrees with itself: its counts, its tier, its mid. */
function expectCoherent({ body, headers }: Reply, isHourly: boolean) {
  for (const name of ['providers', 'corridors', 'offers'])
    if (Array.isArray(body[name]) && 'count' in body) expect(body.count).toBe(body[name].length)
  if (body.results && 'count' in body) expect(body.count).toBe(Object.keys(body.results).length)
  expect(headers.get('x-data-freshness')).toBe(body.data_freshness ?? null)
  expect('as_of' in body).toBe(body.data_freshness === 'hourly')
  if ('data_freshness' in body) expect(body.data_freshness).toBe(isHourly ? 'hourly' : 'realtime')
  expect('mid_rate' in body).toBe('mid_source' in body && 'mid_fetched_at' in body)
  expect('mid_source' in body).toBe('mid_fetched_at' in body)
  expect('source' in body).toBe('fetched_at' in body)
  if ('mid_rate' in body)
    for (const entry of body.providers) expect(entry).toHaveProperty('vs_mid_bps')
}

type Asked = { world: World; key: string; path: Answer; query: URLSearchParams }

const document = await documentOf(new World().app)

/** Expects the same entries as rows, in a format that depends on the request. */
async function expectSameRows({ body }: Reply, { world, key, path, query }: Asked) {
  if (!Object.hasOwn(ENTRIES, path)) return
  const format = query.size % 2 === 0 ? 'csv' : 'ndjson'
  const { text, status } = await world.get(`${path}?${query}&format=${format}`, key)
  expect([status, path]).toEqual([200, path])
  expectRows(path, { body, rows: rowsIn(format, text, columnsIn(document, path)) })
}

const ROUNDED = /^(rate|fee|converted|net_converted|mid|mid_rate|best_rate)$/

/** The prices and amounts of a body that have more than 12 significant digits. */
function noisy(value: unknown, name = ''): number[] {
  if (typeof value === 'number')
    return ROUNDED.test(name) && Number(value.toPrecision(12)) !== value ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([member, inner]) => noisy(inner, member))
}

describe('every 200', () => {
  test('fits its schema, and every other response fits that of an error, for any data', async () => {
    await fc.assert(
      fc.asyncProperty(
        history,
        oneOf(PLANS),
        fc.array(question, { minLength: 12, maxLength: 24 }),
        async (past, plan, questions) => {
          const world = worldOf(past)
          const key = world.key(plan)
          for (const { path, query } of questions) {
            const reply = await world.get(`${path}?${query}`, key)
            expect(reply.headers.get('content-type')).toBe('application/json')
            expect([200, 400, 404, 503]).toContain(reply.status)
            if (reply.status !== 200) {
              expect(breaches('error', reply.body)).toEqual([])
              continue
            }
            expect({ path, breaches: breaches(path, reply.body) }).toEqual({ path, breaches: [] })
            expectCoherent(reply, plan !== 'enterprise')
            await expectSameRows(reply, { world, key, path, query })
            expect(noisy(reply.body)).toEqual([])
          }
          expect(world.logged.filter(({ message }) => message !== 'request not served')).toEqual([])
        },
      ),
      { numRuns: 80 },
    )
  }, 120_000)

  test('of a service with the requested data fits its schema', async () => {
    const world = answerable()
    const key = world.key()
    const seen = new Set<Answer>()
    const paths = [...METERED.map(({ path }) => path), '/admin/usage', '/status']
    for (const path of paths) {
      const { status, body } = await world.get(path, key)
      const answer = path.split('?')[0] as Answer
      expect([path, status, breaches(answer, body)]).toEqual([path, 200, []])
      seen.add(answer)
    }
    const others: Answer[] = ['POST /rates', 'POST /rates/bulk', 'error']
    expect(ANSWERS.filter((answer) => !seen.has(answer))).toEqual(others)
  })

  test('of an empty service fits its schema', async () => {
    const world = new World()
    world.memory.publish({ catalogue: { currencies: [], providers: [] } }, NOW)
    const key = world.key('free')
    for (const path of [
      '/status' as const,
      ...(['/currencies', '/corridors', '/countries', '/providers', '/admin/usage'] as const),
    ]) {
      const { status, body } = await world.get(path, key)
      expect([path, status, breaches(path, body)]).toEqual([path, 200, []])
    }
  })

  test('names only currencies that a request could name too', async () => {
    const world = new World()
    const { body } = await world.get('/currencies', world.key())
    for (const { code } of body.currencies) expect(currencyCode(code)).toBe(code)
  })
})

describe('every 201', () => {
  const row = fc.record({
    provider_id: oneOf(PROVIDER_IDS.slice(0, 2)),
    rate: fc.oneof(positive(1e-12, 1e12), fc.anything()),
    from: oneOf(['USD', 'KES']),
    to: oneOf(['NGN', 'USDT']),
    fee: fc.oneof(fc.constant(null), fc.nat(10), fc.anything()),
    notes: fc.oneof(fc.string(), fc.anything()),
  })

  test('fits its schema, and any other body gets a 400 or 422 in the schema of errors', async () => {
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.array(row, { maxLength: 5 }), row, fc.json(), fc.string()),
        async (body) => {
          const store = new MemoryStore()
          const world = new World({ store })
          const providers = PROVIDER_IDS.map((id) => provider(id))
          const currencies = CODES.map((code) => currency(code))
          world.memory.publish({ catalogue: { currencies, providers } }, NOW)
          const text = typeof body === 'string' ? body : jsonOf(body)
          const reply = await world.post(text, world.key('free', 'admin'))
          statuses.add(reply.status)
          expect([201, 400, 422]).toContain(reply.status)
          const answer = reply.status === 201 ? 'POST /rates' : 'error'
          expect(breaches(answer, reply.body)).toEqual([])
          expect(store.recorded).toHaveLength(reply.body.inserted ?? 0)
          expect(world.logged.filter(({ message }) => message !== 'request not served')).toEqual([])
        },
      ),
      { numRuns: 200 },
    )
    expect([...statuses].sort()).toEqual([201, 400, 422])
  })

  /** Any JSON; values that JSON cannot express become null. */
  function jsonOf(value: unknown): string {
    try {
      return JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? null : part)) ?? ''
    } catch {
      return ''
    }
  }
})
