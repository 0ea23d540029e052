import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { columnsIn, expectRows, rowsIn } from '../contract/tables.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { documentOf } from '../support/contract.ts'
import { plainOfferId } from '../support/offers.ts'
import { emptyPast } from '../support/past.ts'
import { PastWorld, type Tier } from '../support/past-world.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'
import { World } from '../support/world.ts'

let database: FreshDatabase
let world: PastWorld

beforeAll(async () => {
  database = await freshDatabase()
  const quoting = PROVIDERS.map((provider) =>
    provider.id === 'p2p-a' ? { ...provider, name: 'Quick, "safe" & sound' } : provider,
  )
  await createCatalogueStore(database).apply({ currencies: CURRENCIES, providers: quoting })
  world = await new PastWorld(database, { at: '2026-03-05T14:25:30.500Z' }).start()
  await say('retail-a', 129.35, '2026-03-05T13:00:00Z', { fee: 1.99 })
  await say('p2p-a', 128, '2026-03-05T13:30:00Z')
}, TEST_MS_MAX)
afterAll(() => database.close())

const say = (provider_id: string, rate: number, effective_from: string, more = {}) =>
  world.post([{ provider_id, rate, from: 'USD', to: 'KES', effective_from, ...more }])

const QUESTIONS = [
  '/rates/history?from=USD&to=KES',
  '/time-series?from=USD&to=KES&period=7d',
  '/historical?from=USD&to=KES&date=2026-03-05',
  '/change?from=USD&to=KES&period=1d',
]
const HISTORY = QUESTIONS[0]!
const accepting = (accept: string) => ({ headers: { accept } })
const holding = (etag: string) => ({ headers: { 'if-none-match': etag } })
const remaining = async (tier: Tier) =>
  Number((await world.get('/rates?from=USD', tier)).headers.get('x-ratelimit-remaining'))

describe('the format of a table', () => {
  test('CSV has a header line, quotes what needs it, and leaves null values empty', async () => {
    const { status, headers, text } = await world.get(HISTORY, 'hourly', accepting('text/csv'))
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('x-data-freshness')).toBe('hourly')
    expect(headers.get('x-as-of')).toBe('2026-03-05T14:00:00.000Z')
    const [head, ...rows] = text.split('\r\n')
    expect(head).toStartWith(
      'id,timestamp,provider_id,provider_name,rate,fee,fee_currency,spread_bps,rate_type,' +
        'rate_date,suspect,evidence,notes,recorded_at,recorded_via,recorded_by_account_id,' +
        'recorded_by_account_email,recorded_by_key_id,superseded,withdrawn_at,withdrawn_reason,' +
        'offer_id,',
    )
    expect(head).toEndWith(',unspecified,corridor,sample,data_freshness,as_of')
    const none = ','.repeat(13)
    const recorded = ',RECORDED,api,,,,,,'
    const whole = 'USD/KES,,hourly,2026-03-05T14:00:00.000Z'
    const lines = rows.map((row) =>
      row.replace(/^\d+,/, 'ID,').replace(/,[^,]*(?=,api,)/, ',RECORDED'),
    )
    expect(lines).toEqual([
      `ID,2026-03-05T13:00:00.000Z,retail-a,Provider retail-a,129.35,1.99,USD,0,retail,,,observed,${recorded},${plainOfferId('retail-a')}${none},${whole}`,
      `ID,2026-03-05T13:30:00.000Z,p2p-a,"Quick, ""safe"" & sound",128,,,0,p2p,,,observed,${recorded},${plainOfferId('p2p-a')}${none},${whole}`,
      '',
    ])
  })

  test('NDJSON has the fields of each object of the JSON response, one object per line', async () => {
    for (const question of QUESTIONS.slice(0, 2)) {
      const { body } = await world.get(question)
      const lines = await world.get(question, 'realtime', accepting('application/x-ndjson'))
      expect(lines.headers.get('content-type')).toBe('application/x-ndjson')
      const rows = lines.text.trimEnd().split('\n')
      expect(rows.map((line) => JSON.parse(line))).toMatchObject(body.data)
    }
  })

  test.each([
    [QUESTIONS[0]!, 'history-USD-KES-30d'],
    [`${QUESTIONS[0]}&provider=retail-a&target_country=KE`, 'history-USD-KES-30d'],
    [QUESTIONS[1]!, 'time-series-USD-KES-P1D'],
    [QUESTIONS[2]!, 'historical-USD-KES-2026-03-05'],
  ])('rows of %s have all of the JSON response', async (question, name) => {
    const path = question.split('?')[0]!
    const columns = columnsIn(await documentOf(world.app), path)
    for (const tier of ['hourly', 'realtime'] as const) {
      const { body, headers: own } = await world.get(question, tier)
      expect([own.get('vary'), own.get('content-disposition')]).toEqual(['Accept', null])
      for (const format of ['csv', 'ndjson'] as const) {
        const asked = await world.get(`${question}&format=${format}`, tier, accepting('*/*'))
        const rows = rowsIn(format, asked.text, columns)
        expect(rows.length).toBeGreaterThan(0)
        expectRows(path, { body, rows })
        const { headers } = asked
        expect(headers.get('content-disposition')).toBe(`attachment; filename="${name}.${format}"`)
        expect(headers.get('vary')).toBe('Accept, Accept-Encoding')
        const held = await world.get(`${question}&format=${format}`, tier, {
          headers: { 'if-none-match': headers.get('etag')! },
        })
        expect([held.status, held.headers.get('vary')]).toEqual([304, headers.get('vary')])
      }
    }
  })

  test('CSV by a parameter links to the next page in CSV', async () => {
    const first = await world.get(`${HISTORY}&limit=1&format=csv`)
    const [, next] = /^<(.*)>; rel="next"$/.exec(first.headers.get('link')!)!
    const { headers, text } = await world.get(`/rates/history${next}`)
    expect(headers.get('content-type')).toStartWith('text/csv')
    expect([first.text, text].map((page) => page.split('\r\n').length)).toEqual([3, 3])
    expect(headers.get('link')).toBeNull()
  })

  test.each(QUESTIONS.slice(0, 3))('returns 400 for %s as a workbook', async (question) => {
    const { status, body } = await world.get(`${question}&format=xlsx`, 'hourly')
    expect([status, body.parameter]).toEqual([400, 'format'])
  })

  test('returns 200 in CSV of a time series', async () => {
    const { text } = await world.get(QUESTIONS[1]!, 'realtime', accepting('text/csv'))
    const [head, ...rows] = text.trimEnd().split('\r\n')
    expect(head).toBe(
      't,mid,best,samples,mid_at,ohlc_mid_open,ohlc_mid_high,ohlc_mid_low,ohlc_mid_close,' +
        'ohlc_best_open,ohlc_best_high,ohlc_best_low,ohlc_best_close,' +
        'corridor,interval,tracked_corridor,note,timestamp,sample,data_freshness,as_of',
    )
    expect(rows).toHaveLength(8)
    expect(rows.at(-1)).toBe(
      '2026-03-05T00:00:00.000Z,,129.35,2,,,,,,,,,,USD/KES,P1D,true,,2026-03-05T14:25:30.500Z,,realtime,',
    )
  })

  test('returns 200 in CSV of a time series, with the note in a header', async () => {
    const question = '/time-series?from=USD&to=KES&start=2020-01-01T00:00:00Z'
    const { body, headers } = await world.get(question)
    expect(body.note).toContain('366')
    const { headers: bare } = await world.get(question, 'realtime', accepting('text/csv'))
    expect([headers.get('x-note'), bare.get('x-note')]).toEqual([body.note, body.note])
    expect((await world.get(QUESTIONS[1]!)).headers.get('x-note')).toBeNull()
  })

  test('CSV of no rows is the header line', async () => {
    const question = '/rates/history?from=GBP&to=UGX'
    const { text } = await world.get(question, 'realtime', accepting('text/csv'))
    expect(text.split('\r\n')).toHaveLength(2)
  })

  test.each([
    ['application/json', '*/*'],
    ['application/json', 'text/html,application/xhtml+xml,*/*;q=0.8'],
    ['application/json', 'image/png'],
    ['application/json', 'text/csv;q=0, */*'],
    ['application/json', 'text/csv;q=0.5, application/json'],
    ['text/csv', 'text/*'],
    ['text/csv', 'application/json;q=0.5, TEXT/CSV ; q=0.9'],
    ['application/x-ndjson', 'application/x-ndjson, application/json;q=0.1'],
    ['application/json', 'text/csv;q=nonsense'],
  ])('returns 200 in %s for %s', async (medium, accept) => {
    const { headers } = await world.get(HISTORY, 'realtime', accepting(accept))
    expect(headers.get('content-type')?.split(';')[0]).toBe(medium)
    expect(headers.get('vary')?.toLowerCase()).toContain('accept')
  })

  test('a response in many chunks is complete', async () => {
    for (let start = 0; start < 1300; start += 100)
      await world.post(
        Array.from({ length: 100 }, (_, i) => ({
          ...{ provider_id: 'retail-a', rate: 100 + start + i, from: 'EUR', to: 'KES' },
          effective_from: '2026-03-05T10:00:00Z',
        })),
      )
    const question = '/rates/history?from=EUR&to=KES&limit=1250'
    const { text, headers } = await world.get(question, 'realtime', accepting('text/csv'))
    const rates = text
      .split('\r\n')
      .slice(1, -1)
      .map((line) => Number(line.split(',')[4]))
    expect(rates).toEqual(Array.from({ length: 1250 }, (_, i) => 100 + i))
    expect(headers.get('link')).toContain('offset=1250')
  })
})

describe('entity tags', () => {
  test.each(QUESTIONS)(
    'return 304 for %s to a caller that has the response, at the cost of a unit',
    async (question) => {
      for (const tier of ['realtime', 'hourly'] as const) {
        const first = await world.get(question, tier)
        const etag = first.headers.get('etag')!
        expect(etag).toMatch(/^W\/"[0-9a-z]{8,13}"$/)
        world.clock.advance(1000)
        const before = await remaining(tier)
        const again = await world.get(question, tier, holding(`"other", ${etag}`))
        expect([again.status, again.text]).toEqual([304, ''])
        expect(again.headers.get('etag')).toBe(etag)
        expect(again.headers.get('x-data-freshness')).toBe(tier)
        expect(await remaining(tier)).toBe(before - 1)
        expect((await world.get(question, tier, holding('"other"'))).status).toBe(200)
        expect((await world.get(question, tier, holding('*'))).status).toBe(304)
      }
    },
  )

  test('return 200 after a correction of the same day and after a backfill', async () => {
    for (const [i, question] of QUESTIONS.slice(0, 3).entries()) {
      const tagNow = async () => (await world.get(question)).headers.get('etag')!
      let etag = await tagNow()
      const changes = [
        () => say('retail-a', 130 + i, '2026-03-05T14:24:00Z'),
        () => say('retail-b', 131 + i, '2026-03-05T09:00:00Z'),
      ]
      for (const change of changes) {
        await change()
        expect((await world.get(question, 'realtime', holding(etag))).status).toBe(200)
        etag = await tagNow()
      }
    }
  })

  test('differ between requests, tiers, cutoffs and formats', async () => {
    const tags: (string | null)[] = []
    const ask = async (question: string, tier: Tier, accept = '*/*') =>
      tags.push((await world.get(question, tier, accepting(accept))).headers.get('etag'))
    for (const tier of ['realtime', 'hourly'] as const) {
      for (const question of QUESTIONS) await ask(question, tier)
      await ask(`${HISTORY}&order=desc`, tier)
      await ask(`${HISTORY}&limit=4999`, tier)
      await ask(`${HISTORY}&period=90d`, tier)
      await ask(HISTORY, tier, 'text/csv')
      await ask(HISTORY, tier, 'application/x-ndjson')
    }
    world.clock.set('2026-03-05T15:00:00Z')
    await ask(HISTORY, 'hourly')
    world.clock.set('2026-03-05T14:26:00Z')
    expect(new Set(tags).size).toBe(tags.length)
  })
})

describe('HEAD', () => {
  test.each(QUESTIONS)(
    'returns 200 for %s with the headers of GET and no body',
    async (question) => {
      const get = await world.get(question, 'hourly')
      const head = await world.get(question, 'hourly', { method: 'HEAD' })
      expect([head.status, head.text]).toEqual([200, ''])
      for (const name of ['etag', 'content-type', 'x-data-freshness', 'x-as-of'])
        expect(head.headers.get(name)).toBe(get.headers.get(name))
      expect(Number(head.headers.get('content-length'))).toBe(Buffer.byteLength(get.text))
    },
  )

  test('returns 304 without a length', async () => {
    const init = { method: 'HEAD', headers: { 'if-none-match': '*' } }
    const { status, headers } = await world.get(HISTORY, 'hourly', init)
    expect([status, headers.get('content-length')]).toEqual([304, null])
  })
})

describe('the earliest dates', () => {
  test.each([
    ['date', '/historical?from=USD&to=KES&date=0000-01-01'],
    ['date', '/historical?from=USD&to=KES&date=1899-12-31'],
    ['end', '/time-series?from=USD&to=KES&end=0001-01-05T00:00:00Z'],
    ['start', '/time-series?from=USD&to=KES&start=0000-01-01T00:00:00Z'],
    ['until', '/rates/history?from=USD&to=KES&until=1899-12-31T23:59:59.999Z'],
  ])('returns 400 that names %s for %s', async (parameter, question) => {
    const { status, body } = await world.get(question)
    expect([status, body.parameter]).toEqual([400, parameter])
    expect(body.error).toContain('1900 or later')
  })

  test.each([
    '/historical?from=USD&to=KES&date=1900-01-01',
    '/time-series?from=USD&to=KES&end=1900-01-01T00:00:00Z',
    '/rates/history?from=USD&to=KES&until=1900-01-01T00:00:00Z',
  ])('returns 200 for %s, which finds nothing', async (question) => {
    const { status, body } = await world.get(question)
    expect(status).toBe(200)
    expect(JSON.stringify(body)).not.toContain('129.35')
  })
})

describe('the cost of an error', () => {
  test('is nothing for 400 and for 500, which hides its cause', async () => {
    const past = emptyPast()
    const refuse = () => Promise.reject(new Error('secret'))
    const broken = new World({
      past: {
        ...past,
        store: { ...past.store, page: refuse, standing: refuse, buckets: refuse },
      },
    })
    const key = broken.key('enterprise')
    for (const question of [...QUESTIONS, `${HISTORY}&limit=0`]) {
      const { status, headers, text } = await broken.get(question, key)
      expect(status).toBe(question.includes('limit=0') ? 400 : 500)
      expect(text).not.toContain('secret')
      expect(headers.get('x-ratelimit-remaining')).toBe('1000')
    }
  })
})
