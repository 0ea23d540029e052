import { describe, expect, test } from 'bun:test'
import { CURRENCIES } from '../../support/catalogue.ts'
import { World } from '../../support/world.ts'
import { answerable } from '../questions.ts'

const world = answerable()
const { key: full, id } = world.account('enterprise')
const readOnly = world.addKey(id, 'books', 1000).key

async function ask(path: string, headers: Record<string, string> = {}) {
  const request = new Request(`http://localhost/compat/${path}`, { headers })
  const reply = await world.app.handle(request)
  const text = await reply.text()
  const isJson = reply.headers.get('content-type')!.startsWith('application/json')
  return {
    status: reply.status,
    headers: reply.headers,
    text,
    body: isJson ? JSON.parse(text) : null,
  }
}
const read = (path: string) => ask(`${readOnly}/${path}`)
const mid = async (from: string, to: string) =>
  (await world.get(`/fetch-one?from=${from}&to=${to}`, full)).body.mid as number

/** Shape of a body: names of fields that are the same in every response, and types. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])]
  if (typeof value !== 'object' || value === null) return typeof value
  const entries = Object.entries(value)
  const isByCode =
    entries.length > 0 && entries.every(([name]) => /^([A-Za-z]{3}|[A-Z]{6}|[\d-]{10})$/.test(name))
  if (isByCode) return { some: shapeOf(entries[0]![1]) }
  return Object.fromEntries(entries.map(([name, one]) => [name, shapeOf(one)]))
}

const RATES = { some: 'number' }
const NAMES = { some: 'string' }
const FRANKFURTER = { amount: 'number', base: 'string', date: 'string', rates: RATES }
const FRANKFURTER_V2 = { date: 'string', base: 'string', quote: 'string', rate: 'number' }
const OWNER = { disclaimer: 'string', license: 'string' }
const FIXER = { success: 'boolean', date: 'string' }

/** Shapes of the recorded or documented responses of each API, by our path. */
const CASES: [path: string, shape: unknown][] = [
  ['frankfurter/v1/latest', FRANKFURTER],
  ['frankfurter/latest?from=USD&to=ZAR', FRANKFURTER],
  ['frankfurter/v1/latest?base=USD&symbols=EUR,ZAR&amount=100', FRANKFURTER],
  ['frankfurter/v1/currencies', NAMES],
  ['frankfurter/v2/rates?base=USD&quotes=KES,NGN', [FRANKFURTER_V2]],
  ['frankfurter/v2/rate/EUR/USD', FRANKFURTER_V2],
  [
    'openexchangerates/api/latest.json',
    { ...OWNER, timestamp: 'number', base: 'string', rates: RATES },
  ],
  [
    'openexchangerates/api/convert/100/USD/EUR',
    {
      ...OWNER,
      request: { query: 'string', amount: 'number', from: 'string', to: 'string' },
      meta: { timestamp: 'number', rate: 'number' },
      response: 'number',
    },
  ],
  ['openexchangerates/api/currencies.json', NAMES],
  [
    'fixer/api/latest?base=USD&symbols=EUR,GBP',
    { ...FIXER, timestamp: 'number', base: 'string', rates: RATES },
  ],
  [
    'fixer/convert?from=GBP&to=EUR&amount=25',
    {
      ...FIXER,
      query: { from: 'string', to: 'string', amount: 'number' },
      info: { timestamp: 'number', rate: 'number' },
      historical: 'boolean',
      result: 'number',
    },
  ],
  ['fixer/symbols', { success: 'boolean', symbols: NAMES }],
  ['currency-api/v1/currencies.json', NAMES],
  ['currency-api/v1/currencies/usd.json', { date: 'string', usd: RATES }],
]

describe('an API', () => {
  test.each(CASES)('serves %s in the shape of the original', async (path, shape) => {
    const { status, body } = await read(path)
    expect(status).toBe(200)
    expect(shapeOf(body)).toEqual(shape)
  })

  test('exchangerate-host is served as documented, without the addresses of its owner', async () => {
    expect((await read('exchangerate-host/live?currencies=KES')).body).toEqual({
      ...{ success: true, timestamp: expect.any(Number), source: 'USD' },
      quotes: { USDKES: await mid('USD', 'KES') },
    })
    const { body } = await read('exchangerate-host/convert?from=EUR&to=NGN&amount=2')
    const quote = await mid('EUR', 'NGN')
    expect(body).toMatchObject({ query: { from: 'EUR', to: 'NGN', amount: 2 }, info: { quote } })
    expect(body.result).toBeCloseTo(2 * quote, 6)
    expect((await read('exchangerate-host/list')).body.currencies.KES).toBeString()
  })

  test('every number is the mid of /fetch-one', async () => {
    const [usdKes, eurNgn] = [await mid('USD', 'KES'), await mid('EUR', 'NGN')]
    const bodies = await Promise.all(
      [
        'frankfurter/v1/latest?base=USD',
        'openexchangerates/latest.json',
        'fixer/latest?symbols=NGN',
        'currency-api/currencies/eur.min.json',
        'frankfurter/v2/rates?base=EUR',
      ].map(async (path) => (await read(path)).body),
    )
    expect(bodies[0].rates.KES).toBe(usdKes)
    expect(bodies[1].rates).toMatchObject({ KES: usdKes, USD: 1 })
    expect(bodies[2].rates).toEqual({ NGN: eurNgn })
    expect(bodies[3].eur.ngn).toBe(eurNgn)
    const row = bodies[4].find((one: { quote: string }) => one.quote === 'NGN')
    expect(row).toEqual({ date: '2026-03-05', base: 'EUR', quote: 'NGN', rate: eurNgn })
    expect((await read('plain/rate/USD/KES.txt')).text).toBe(String(usdKes))
    const csv = (await read('plain/rates/EUR.csv')).text
    expect(csv).toContain(`\nNGN,${eurNgn},2026-03-05\n`)
    const xml = (await read('ecb/stats/eurofxref/eurofxref-daily.xml')).text
    expect(xml).toContain(`<Cube time='2026-03-05'>`)
    expect(xml).toContain(`<Cube currency='NGN' rate='${eurNgn}'/>`)
  })

  test('Frankfurter 2 writes CSV by its path and one object a line by Accept', async () => {
    const path = `${readOnly}/frankfurter/v2/rates`
    const csv = await ask(`${path}.csv?base=USD&quotes=KES`)
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(csv.text).toBe(`date,base,quote,rate\n2026-03-05,USD,KES,${await mid('USD', 'KES')}\n`)
    const lines = await ask(`${path}?base=USD&quotes=KES,NGN`, { accept: 'application/x-ndjson' })
    expect(
      lines.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).quote),
    ).toEqual(['KES', 'NGN'])
  })

  test('Frankfurter 2 has the row of the base itself, alone too', async () => {
    const row = { date: '2026-03-05', base: 'USD', quote: 'USD', rate: 1 }
    expect((await read('frankfurter/v2/rates?base=USD&quotes=USD')).body).toEqual([row])
    const official = 'quotes=USD&kind=official&bank=retail-a'
    expect((await read(`frankfurter/v2/rates?base=USD&${official}`)).body).toEqual([])
  })

  test('Open Exchange Rates indents unless prettyprint says no', async () => {
    expect((await read('openexchangerates/latest.json')).text).toContain('\n  "base": "USD"')
    expect((await read('openexchangerates/latest.json?prettyprint=0')).text).not.toContain('\n')
  })
})

/** An invalid request, its status, and part of the body in the form of the API. */
const FAULTS: [path: string, status: number, body: object | string][] = [
  ['frankfurter/v1/latest?base=FOO', 404, { message: 'not found' }],
  ['frankfurter/v1/latest?symbols=FOO', 404, { message: 'not found' }],
  ['frankfurter/v1/latest?base=USD&symbols=USD', 422, { message: 'bad currency pair' }],
  ['frankfurter/v1/latest?amount=0', 422, { message: 'the amount must be a number above 0' }],
  ['frankfurter/v1/2010-31-01', 422, { message: 'a date is written as YYYY-MM-DD' }],
  ['frankfurter/v1/2026-03-02..2001-01-01', 422, { message: 'invalid date range' }],
  ['frankfurter/nonexistent', 404, { message: 'not found' }],
  ['frankfurter/v2/rates?symbols=USD', 422, { status: 422, message: 'unknown parameter: symbols' }],
  ['frankfurter/v2/rates?base=XXX', 422, { status: 422, message: 'invalid currency: XXX' }],
  ['frankfurter/v2/rates?quotes=XXX', 422, { status: 422, message: 'invalid currency: XXX' }],
  ['frankfurter/v2/rates?date=2026-02-30', 422, { status: 422 }],
  ['frankfurter/v2/rates?date=2026-01-01&from=2026-01-01', 422, { message: 'conflicting params' }],
  ['frankfurter/v2/rates?from=2026-01-01&group=day', 422, { message: 'invalid group' }],
  ['frankfurter/v2/rates?from=2006-01-01', 422, { status: 422 }],
  ['frankfurter/v2/foo', 404, { status: 404, message: 'not found' }],
  [
    'openexchangerates/latest.json?base=XXX',
    400,
    { error: true, status: 400, message: 'invalid_base' },
  ],
  ['openexchangerates/latest.json?symbols=XXX', 400, { error: true, message: 'invalid_currency' }],
  ['openexchangerates/historical/2026-02-30.json', 400, { error: true, message: 'invalid_date' }],
  ['openexchangerates/historical/2027-01-01.json', 400, { error: true, message: 'invalid_date' }],
  [
    'openexchangerates/time-series.json?start=2006-01-01&end=2026-01-01',
    400,
    { message: 'invalid_date_range' },
  ],
  ['openexchangerates/nope.json', 404, { error: true, status: 404, message: 'not_found' }],
  [
    'exchangerate-host/live?source=XXX',
    200,
    { success: false, error: { code: 201, type: 'invalid_source_currency' } },
  ],
  [
    'exchangerate-host/live?currencies=XXX',
    200,
    { success: false, error: { code: 202, type: 'invalid_currency_codes' } },
  ],
  [
    'exchangerate-host/historical?date=foo',
    200,
    { success: false, error: { code: 302, type: 'invalid_date' } },
  ],
  ['exchangerate-host/historical', 200, { success: false, error: { code: 302 } }],
  ['exchangerate-host/timeframe', 200, { error: { code: 501, type: 'no_timeframe_supplied' } }],
  [
    'exchangerate-host/change?end_date=2026-03-01',
    200,
    { error: { code: 501, type: 'no_timeframe_supplied' } },
  ],
  [
    'fixer/timeseries?start_date=2026-3-1&end_date=2026-03-02',
    200,
    { error: { code: 502, type: 'invalid_start_date' } },
  ],
  [
    'fixer/timeseries?start_date=2026-03-01&end_date=2027-03-02',
    200,
    { error: { code: 503, type: 'invalid_end_date' } },
  ],
  [
    'fixer/timeseries?start_date=2026-03-02&end_date=2026-03-01',
    200,
    { error: { code: 504, type: 'invalid_time_frame' } },
  ],
  ['exchangerate-host/convert?from=USD&to=KES&amount=-1', 200, { error: { code: 403 } }],
  [
    'exchangerate-host/timeframe?start_date=2006-01-01&end_date=2026-01-01',
    200,
    { error: { code: 505 } },
  ],
  ['exchangerate-host/nope', 200, { error: { code: 103 } }],
  [
    'fixer/latest?base=XXX',
    200,
    { success: false, error: { code: 201, type: 'invalid_base_currency' } },
  ],
  ['fixer/latest?symbols=XXX', 200, { success: false, error: { code: 202 } }],
  ['fixer/2013-13-24', 200, { success: false, error: { code: 302, type: 'invalid_date' } }],
  ['fixer/timeseries?start_date=2006-01-01&end_date=2026-01-01', 200, { error: { code: 505 } }],
  ['fixer/nope', 200, { error: { code: 103 } }],
  [
    'openexchangerates/latest.json?base=USD&symbols=USD&kind=official&bank=retail-a',
    400,
    { error: true, message: 'not_available' },
  ],
  [
    'openexchangerates/convert/5/USD/USD?kind=official&bank=retail-a',
    400,
    { error: true, message: 'not_available' },
  ],
  ['currency-api/v1/currencies/xxx.json', 404, 'invalid currency: XXX'],
  ['currency-api/nope.json', 404, 'there is no such file'],
  ['currency-api/2026-02-30/currencies/usd.json', 404, 'a date is written as YYYY-MM-DD'],
  ['currency-api/2026-02-30/currencies.json', 404, 'a date is written as YYYY-MM-DD'],
  ['ecb/nope.xml', 404, 'there is no such file'],
  ['plain/rate/USD/XXX.txt', 400, 'invalid currency: XXX'],
  ['plain/rate/USD/KES/2026-02-30.txt', 400, 'a date is written as YYYY-MM-DD'],
  ['plain/rate/USD/KES/0000-01-01.txt', 400, 'a date must lie in 1900 or later'],
  ['frankfurter/v2/rates?from=2026-01-01&group=constructor', 422, { message: 'invalid group' }],
  ['plain/rate/USD/KES.xml', 404, 'the path is rate/USD/KES.txt'],
  ['plain/rate/USD/KES.txt?kind=official', 400, 'kind is mid, or official together with bank'],
  [
    'plain/rate/USD/KES.txt?kind=official&bank=cbk',
    400,
    'bank names no provider of this service: cbk',
  ],
]

describe('an error', () => {
  test.each(FAULTS)(
    'of %s has the status %i and the form of its API',
    async (path, status, wanted) => {
      const reply = await read(path)
      expect(reply.status).toBe(status)
      if (typeof wanted === 'string') expect(reply.text).toContain(wanted)
      else expect(reply.body).toMatchObject(wanted)
    },
  )

  test('more than 400 currencies at once are refused, and 400 with a known one are not', async () => {
    const codes = (count: number) => Array.from({ length: count }, () => 'KES').join()
    expect((await read(`openexchangerates/latest.json?symbols=${codes(400)}`)).status).toBe(200)
    expect((await read(`openexchangerates/latest.json?symbols=${codes(401)}`)).status).toBe(400)
  })

  test('an unknown API name gets the list of APIs, whatever the key', async () => {
    const { status, body } = await ask('crr_x/nope/latest')
    expect([status, body.code]).toEqual([404, 'unknown_path'])
    expect(body.error).toContain('frankfurter, openexchangerates, exchangerate-host')
  })
})

describe('a key', () => {
  const ADVICE = 'create a read-only key for this, and revoke the key that you sent'
  const OWN: [api: string, path: string, name: string][] = [
    ['frankfurter', 'frankfurter/v1/latest', 'apikey'],
    ['frankfurter 2', 'frankfurter/v2/rates', 'apikey'],
    ['openexchangerates', 'openexchangerates/latest.json', 'app_id'],
    ['exchangerate-host', 'exchangerate-host/live', 'access_key'],
    ['fixer', 'fixer/latest', 'access_key'],
    ['currency-api', 'currency-api/currencies/usd.json', 'apikey'],
    ['ecb', 'ecb/eurofxref-daily.xml', 'apikey'],
    ['plain', 'plain/rate/USD/KES.txt', 'apikey'],
  ]

  test.each(OWN)('of %s may be in the query, if it is read-only', async (_, path, name) => {
    expect((await ask(`${path}?${name}=${readOnly}`)).status).toBe(200)
    for (const where of [`${path}?${name}=${full}`, `${full}/${path}`]) {
      const { status, text } = await ask(where)
      expect(status).toBe(401)
      expect(text).toContain(ADVICE)
    }
    expect((await ask(path)).status).toBe(401)
  })

  test('may be of any kind in a header', async () => {
    const path = 'fixer/latest'
    expect((await ask(path, { 'x-api-key': full })).status).toBe(200)
    expect((await ask(path, { authorization: `Bearer ${readOnly}` })).status).toBe(200)
    expect(
      (await ask('openexchangerates/latest.json', { authorization: `Token ${readOnly}` })).status,
    ).toBe(200)
  })

  test('is in no line of the log', async () => {
    await ask(`fixer/latest?access_key=${full}`)
    await read('plain/rate/USD/XXX.txt')
    const lines = JSON.stringify(world.logged)
    for (const key of [full, readOnly]) expect(lines).not.toContain(key.slice(4))
  })

  test('has its errors in the form of the API, and the usage as well', async () => {
    expect((await ask('openexchangerates/latest.json')).body).toMatchObject({
      ...{ error: true, status: 401, message: 'invalid_app_id' },
    })
    expect((await ask('fixer/latest')).body).toMatchObject({ success: false, error: { code: 101 } })
    const poor = world.addKey(id, 'poor', 1).key
    const { data } = (await ask(`${poor}/openexchangerates/usage.json`)).body
    expect(data.usage).toMatchObject({ requests: 1, requests_quota: 1, requests_remaining: 0 })
    const used = await ask(`${poor}/fixer/latest`)
    expect([used.status, used.body.error.code]).toEqual([429, 104])
    expect(used.headers.get('retry-after')).not.toBeNull()
  })
})

test('a list before the first mid is an error, not the currencies pegged to the dollar alone', async () => {
  const fresh = new World()
  const pegged = CURRENCIES.map((one) =>
    one.code === 'UGX' ? { ...one, peg: { to: 'USD', rate: 3.6725 } } : one,
  )
  const publish = (publication: Parameters<typeof fresh.memory.publish>[0]) =>
    fresh.memory.publish(publication, fresh.clock.now())
  publish({ catalogue: { currencies: pegged, providers: [] } })
  const { key } = fresh.account('enterprise')
  const asked = async (path: string) => {
    const request = new Request(`http://localhost/compat/${path}`, {
      headers: { 'x-api-key': key },
    })
    const reply = await fresh.app.handle(request)
    return { status: reply.status, text: await reply.text() }
  }
  const lists = ['fixer/latest?base=USD', 'frankfurter/v1/latest?base=USD']
  for (const path of [...lists, 'openexchangerates/api/latest.json'])
    expect([path, (await asked(path)).status]).toEqual([path, 503])
  const known = await asked('frankfurter/v1/latest?base=USD&symbols=UGX')
  expect([known.status, JSON.parse(known.text).rates]).toEqual([200, { UGX: 3.6725 }])
  fresh.reference({ KES: 130 })
  const { rates } = JSON.parse((await asked(lists[1]!)).text)
  expect(rates).toEqual({ KES: 130, UGX: 3.6725 })
  const before = 'openexchangerates/api/historical/1990-01-01.json'
  const list = await asked(before)
  expect([list.status, JSON.parse(list.text).message]).toEqual([400, 'not_available'])
  expect(JSON.parse((await asked(`${before}?symbols=UGX`)).text).rates).toEqual({ UGX: 3.6725 })
})

test('a response that the caller has is 304, and another request has another tag', async () => {
  const path = `${readOnly}/frankfurter/v1/latest`
  const etag = (await ask(path)).headers.get('etag')!
  const held = new Request(`http://localhost/compat/${path}`, {
    headers: { 'if-none-match': etag },
  })
  expect((await world.app.handle(held)).status).toBe(304)
  expect((await ask(`${path}?base=USD`)).headers.get('etag')).not.toBe(etag)
})

test('a response is cached until a mid changes, and only for one key, form and day', async () => {
  const other = answerable()
  const { key } = other.account('enterprise')
  const asked = async (path: string, accept = '*/*') => {
    const headers = { 'x-api-key': key, accept }
    const request = new Request(`http://localhost/compat/frankfurter/${path}`, { headers })
    return (await other.app.handle(request)).text()
  }
  const path = 'v2/rates?base=USD&quotes=KES'
  const first = await asked(path)
  expect(await asked(path)).toBe(first)
  expect(await asked(path, 'application/x-ndjson')).not.toBe(first)
  expect(await asked('v2/rates?base=USD&quotes=NGN')).not.toBe(first)
  other.reference({ KES: 131 }, { at: '2026-03-05T13:00:00.000Z' })
  expect(JSON.parse(await asked(path))[0].rate).toBe(131)
  const euro = async () => JSON.parse(await asked('v2/rates?base=EUR&quotes=EUR,KES'))[0].date
  expect(await euro()).toBe('2026-03-05')
  other.clock.set('2026-03-06T00:00:00.000Z')
  expect(await euro()).toBe('2026-03-06')
})
