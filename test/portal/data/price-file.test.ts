import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { ServiceError } from '~/domain/errors.ts'
import { FirstObservation, settledDays } from '~/portal/data/observed.ts'
import { LANGUAGES, prefixOf } from '~/portal/words/language.ts'
import { Words } from '~/portal/words/words.ts'
import { fileJob } from '~/runtime/file/files.ts'
import { monthWriter } from '~/runtime/file/month-writer.ts'
import { dayText, quarterAt, quarterName } from '~/service/file/period.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { KnownWorld } from '../../contract/known-world.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import { PastWorld } from '../../support/past-world.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX } from '../../support/until.ts'
import { ORIGIN, replyOf } from '../../support/world.ts'
import { textOf } from '../portal-world.ts'

const NOW = '2026-05-10T14:25:30.500Z'
const PATH = '/data/prices.csv'

let database: FreshDatabase
let world: PastWorld

beforeAll(async () => {
  database = await freshDatabase()
  const providers = PROVIDERS.map((one) =>
    one.id === 'retail-b' ? { ...one, name: '=1+1, "B"\r\nand sons' } : one,
  )
  await createCatalogueStore(database).apply({ currencies: CURRENCIES, providers })
  world = await new PastWorld(database, { at: NOW }).start()
  await say('retail-a', 121, '2025-12-31T23:59:59.999Z')
  await say('retail-b', 122, '2026-01-01T00:00:00.000Z')
  await say('retail-a', 123, '2026-03-01T12:00:00Z', { source_country: 'US', target_country: 'KE' })
  await say('retail-a', 124, '2026-03-31T23:59:59.999Z', { to: 'NGN' })
  await say('retail-a', 125, '2026-04-01T00:00:00.000Z', { to: 'NGN' })
  await say('retail-a', 126, '2026-05-09T23:00:00Z', { from: 'EUR' })
  await say('retail-a', 127, '2026-05-10T01:00:00Z', { from: 'EUR' })
}, TEST_MS_MAX)
afterAll(() => database.close())

const say = (provider_id: string, rate: number, effective_from: string, more = {}) =>
  world.post([{ provider_id, rate, from: 'USD', to: 'KES', effective_from, ...more }])

const ask = (path: string, headers: Record<string, string> = {}) =>
  world.app.handle(new Request(ORIGIN + path, { headers }))

/** The rates of a file, in ascending order. */
async function ratesOf(query: string): Promise<number[]> {
  const response = await ask(PATH + query)
  const text = await response.text()
  expect([query, response.status]).toEqual([query, 200])
  expect(text).toStartWith('provider_id,provider_name,rate,')
  expect(text).toEndWith('\r\n')
  return [...text.matchAll(/,(12\d),/g)].map(([, rate]) => Number(rate)).sort()
}

async function errorOf(query: string) {
  const response = await ask(PATH + query)
  const { code, error } = (await response.json()) as { code: string; error: string }
  return { status: response.status, code, error }
}

describe('GET /data/prices.csv', () => {
  test('returns 200 without a key with every price of the last day that has ended', async () => {
    expect(await ratesOf('')).toEqual([121, 122, 123, 125, 126])
    const { headers } = await ask(PATH)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toBe(
      'attachment; filename="corridor-prices-2026-05-09.csv"',
    )
    expect(headers.get('cache-control')).toBe('no-cache')
  })

  test('returns 200 with the newest price of each offer that was observed in a quarter', async () => {
    expect(await ratesOf('?quarter=2025-Q4')).toEqual([121])
    expect(await ratesOf('?quarter=2026-Q1')).toEqual([122, 123, 124])
    expect(await ratesOf('?quarter=2026-Q2')).toEqual([125, 126])
    expect(await ratesOf('?quarter=2026-Q2&until=2026-04-30')).toEqual([125])
    const { headers } = await ask(`${PATH}?quarter=2026-Q1`)
    expect(headers.get('content-disposition')).toContain('corridor-prices-2026-Q1-2026-03-31.csv')
  })

  test('returns no formula, and each price in a record of its own', async () => {
    for (const query of ['', '?quarter=2026-Q1'])
      expect(await (await ask(PATH + query)).text()).toContain('"\'=1+1, ""B""\r\nand sons"')
  })

  test('returns the same content compressed', async () => {
    for (const query of ['', '?quarter=2026-Q1']) {
      const plain = await (await ask(PATH + query)).text()
      const response = await ask(PATH + query, { 'accept-encoding': 'gzip' })
      expect(response.headers.get('content-encoding')).toBe('gzip')
      const bytes = await response.bytes()
      expect(new TextDecoder().decode(Bun.gunzipSync(bytes))).toBe(plain)
    }
  })

  test('returns 304 to a reader that has it, and a quarter has another tag than the whole', async () => {
    const tags = new Set<string>()
    for (const query of ['', '?quarter=2026-Q1', '?quarter=2026-Q2']) {
      const etag = (await ask(PATH + query)).headers.get('etag')!
      tags.add(etag)
      const held = await ask(PATH + query, { 'if-none-match': etag })
      expect([held.status, await held.text()]).toEqual([304, ''])
    }
    expect(tags.size).toBe(3)
  })

  test('stays the same at an address with its day and edition, whatever is recorded later', async () => {
    const query = '?until=2026-04-30&edition=1'
    const before = await ratesOf(query)
    await say('retail-a', 129, '2026-04-29T12:00:00Z')
    expect(await ratesOf(query)).toEqual(before)
    const { headers } = await ask(PATH + query)
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  })

  test('returns 404 for a day that is neither recent nor the end of a quarter, until a key has it created', async () => {
    for (const query of ['?until=2026-02-14', '?until=2026-02-14&quarter=2026-Q1'])
      expect(await errorOf(query)).toEqual({
        ...{ status: 404, code: 'unknown_file' },
        error:
          '2026-02-14 has no file; request one of the last 31 days or the last day of a ' +
          'quarter, or with a key for /api/v1/files/2026-02-14.csv.gz',
      })
    expect((await world.ask('/files/2026-02-14.csv.gz')).status).toBe(200)
    expect(await ratesOf('?until=2026-02-14')).toEqual([121, 122])
    expect(await ratesOf('?until=2026-04-09')).toEqual([121, 122, 123, 125])
    expect((await errorOf('?until=2026-04-08')).status).toBe(404)
    expect(await ratesOf('?until=2025-12-31')).toEqual([121])
  })

  test.each([
    ['?quarter=2026-Q5', 'quarter'],
    ['?quarter=1899-Q4', 'quarter'],
    ['?quarter=2026', 'quarter'],
    ['?quarter=', 'quarter'],
    ['?quarter==1%2B1', 'quarter'],
    ['?until=yesterday', 'until'],
    ['?until=2026-02-30', 'until'],
    ['?until=1899-12-31', 'until'],
    ['?until=2026-04-01&quarter=2026-Q1', 'until'],
    ['?until=2025-12-31&quarter=2026-Q1', 'until'],
    ['?edition=0', 'edition'],
    ['?edition=1.5', 'edition'],
    ['?known_at=2026-01-01T00:00:00Z', 'known_at'],
  ])('returns 400 for %s with the name %s', async (query, name) => {
    const { status, error } = await errorOf(query)
    expect([status, error]).toEqual([400, expect.stringContaining(name)])
  })

  test.each([
    ['?quarter=2026-Q3', 'no day of 2026-Q3 has ended yet'],
    ['?quarter=2025-Q3', 'nothing had been observed by the end of 2025-09-30'],
    ['?until=2026-05-10', 'retry after 2026-05-11T01:00:00.000Z'],
    ['?until=2026-05-09&edition=2', 'has one edition'],
  ])('returns 404 for %s with the reason', async (query, why) => {
    const { status, code, error } = await errorOf(query)
    expect([status, code, error]).toEqual([404, 'unknown_file', expect.stringContaining(why)])
  })
})

test(
  'prices of a quarter that were recorded after it are in the newest edition',
  async () => {
    const later = await freshDatabase()
    try {
      const known = await KnownWorld.start(later)
      await known.catalogue({ currencies: [...CURRENCIES], providers: [...PROVIDERS] })
      const startMs = Math.floor(known.nowMs / DAY_MS) * DAY_MS
      const price = (rate: number, to: string) => ({
        ...{ provider_id: 'retail-a', from: 'USD', to, rate },
        effective_from: new Date(startMs).toISOString(),
      })
      const { app, memory, clock } = known.world
      const query = `?quarter=${quarterName(quarterAt(startMs))}&until=${dayText(startMs)}`
      const visit = async (more = '') =>
        replyOf(await app.handle(new Request(ORIGIN + PATH + query + more)))
      await known.post([price(121, 'KES')])
      await known.advance(startMs + DAY_MS + 2 * HOUR_MS - known.nowMs)
      const first = await visit()
      expect(first.text).toContain(',121,')
      await known.post([price(122, 'NGN')])
      await known.advance(DAY_MS)
      const ageLimits = { midMaxAgeMs: 1, quoteMaxAgeMs: null, staleAfterMs: null }
      const deps = { memory, clock, ageLimits, database: later, log: { error() {} }, monthWriter }
      await fileJob(deps).run()
      const { text, headers } = await visit()
      expect([text.includes(',121,'), text.includes(',122,')]).toEqual([true, true])
      expect(headers.get('content-disposition')).toContain('-edition-2.csv')
      expect((await visit('&edition=1')).text).toBe(first.text)
    } finally {
      await later.close()
    }
  },
  TEST_MS_MAX,
)

describe('GET /data', () => {
  test.each(LANGUAGES)('offers the files and an address to cite in %s', async (language) => {
    const text = await (await ask(`${prefixOf(language)}/data`)).text()
    expect(text).toContain(`href="${PATH}"`)
    expect(text).toContain(`action="${PATH}"`)
    const values = [...text.matchAll(/<option value="(\d{4}-Q\d)"/g)].map(([, value]) => value)
    expect(values).toEqual(['2026-Q2', '2026-Q1', '2025-Q4'])
    expect(textOf(text)).toContain(`${ORIGIN}${PATH}?until=2026-05-09&edition=1`)
    const [, citation] = /<pre id="citation"[^>]*><code>(.*?)<\/code>/.exec(text)!
    expect(citation).toContain(`${ORIGIN}${PATH}?until=2026-05-09&amp;edition=1`)
    expect(citation).toContain(Words.in(language).dayText(Date.parse('2026-05-09')))
    const first = /<option value="2026-Q2"[^>]*>([^<]+)</.exec(text)![1]
    const [, json] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(text)!
    const urls = JSON.parse(json!).distribution.map((one: { contentUrl: string }) => one.contentUrl)
    expect(urls).toContain(ORIGIN + PATH)
    expect(first).toMatch({ en: /^Q2 2026$/, fr: /^T2 2026$/ }[language as string] ?? /2.*2026/)
  })
})

describe('the quarters that the page lists', () => {
  const DAY = Date.parse('2026-04-02T00:30:00Z')
  const namesFrom = (first: string | null) =>
    settledDays(first === null ? null : Date.parse(first), DAY)?.quarters.map(quarterName)

  test('are those from the first observation to the last complete day', () => {
    expect(namesFrom('2026-03-31T23:59:59Z')).toEqual(['2026-Q1'])
    expect(namesFrom('2026-01-01T00:00:00Z')).toEqual(['2026-Q1'])
    expect(namesFrom('2025-12-31T23:59:59Z')).toEqual(['2026-Q1', '2025-Q4'])
  })

  test('are none before a day with prices is complete', () => {
    expect(namesFrom(null)).toBeUndefined()
    expect(namesFrom('2026-04-01T00:00:00Z')).toBeUndefined()
  })

  test('are at most forty', () => {
    expect(namesFrom('1950-01-01T00:00:00Z')).toHaveLength(40)
  })

  test('are queried once an hour, and stay while the database is unreachable', async () => {
    let [reads, isAway] = [0, false]
    const first = new FirstObservation({
      async firstMs() {
        reads += 1
        if (isAway) throw new ServiceError('database_unavailable', 'away')
        return 7
      },
    })
    expect(await first.at(0)).toBe(7)
    expect(await first.at(3_599_999)).toBe(7)
    expect(reads).toBe(1)
    isAway = true
    expect(await first.at(3_600_000)).toBe(7)
    expect(reads).toBe(2)
  })
})
