import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { FeedError, type ReferenceAnswer } from '~/domain/feed/feed.ts'
import { ADAPTERS, createFeeds, type FeedName } from '~/feed/feeds.ts'
import { fixture, Pace, startUpstream } from './upstream.ts'

const upstream = startUpstream(() => new Response(null, { status: 500 }))
afterAll(() => upstream.stop())
beforeEach(() => void upstream.asked.splice(0))

const KEY = 'k3y-of-the-test'

/** A feed, or its older version. */
type Name = FeedName | 'frankfurter/v1'

function ask(name: Name, body: string, init: ResponseInit = {}): Promise<ReferenceAnswer> {
  const headers = { 'content-type': 'application/json' }
  upstream.answer = () => new Response(body, { headers, ...init })
  return feed(name).ask()
}

function feed(version: Name) {
  const [name, path = ''] = version.split('/') as [FeedName, string?]
  const url = `${upstream.origin}/${path}`
  return createFeeds([{ name, url, key: KEY }], new Pace())[0]!
}

const failure = (asked: Promise<unknown>): Promise<FeedError> =>
  asked.then(
    () => Promise.reject(new Error('it answered')),
    (error) => error as FeedError,
  )

type Expected = {
  name: Name
  file: string
  path: string
  at: string
  sample: Record<string, string>
  /** The place of the rates in the document. */
  rates?: string
}

const FEEDS: Expected[] = [
  {
    name: 'open-er-api',
    file: 'open-er-api.json',
    path: '/v6/latest/USD',
    at: '2024-07-29T00:02:32.000Z',
    sample: { USD: '1', NGN: '1604.551', XOF: '604.0147' },
    rates: 'rates',
  },
  {
    name: 'openexchangerates',
    file: 'openexchangerates.json',
    path: '/api/latest.json',
    at: '2024-07-29T13:00:00.000Z',
    sample: { USD: '1', NGN: '1609.4', BTC: '0.000014461219' },
    rates: 'rates',
  },
  {
    name: 'fastforex',
    file: 'fastforex.json',
    path: '/fetch-all?from=USD',
    at: '2024-07-29T13:25:11.000Z',
    sample: { USD: '1', NGN: '1601.01214' },
    rates: 'results',
  },
  {
    name: 'frankfurter',
    file: 'frankfurter-v2.json',
    path: '/v2/rates?base=USD',
    at: '2026-08-22T00:00:00.000Z',
    sample: { AOA: '913.78', XOF: '561.31', ZAR: '16.0698' },
    rates: 'list',
  },
  {
    name: 'frankfurter/v1',
    file: 'frankfurter.json',
    path: '/v1/latest',
    at: '2024-07-29T00:00:00.000Z',
    sample: {
      USD: '1',
      EUR: '0.924385283786282',
      ZAR: '18.2953410981697',
      GBP: '0.778424847476428',
    },
    rates: 'rates',
  },
  {
    name: 'currency-api',
    file: 'currency-api.json',
    path: '/v1/currencies/usd.min.json',
    at: '2024-07-29T00:00:00.000Z',
    sample: { USD: '1', NGN: '1605.23178806', ZWL: '322' },
    rates: 'usd',
  },
  {
    name: 'ecb',
    file: 'ecb.xml',
    path: '/stats/eurofxref/eurofxref-daily.xml',
    at: '2024-07-29T00:00:00.000Z',
    sample: {
      USD: '1',
      EUR: '0.924385283786282',
      ZAR: '18.2953410981697',
      THB: '36.0510260676650',
    },
  },
]

const digits = (text: string) => text.replace(/0+$/, '')

/** Text before a rate of the rand in quotation marks. */
const codeIn = (rates: Expected['rates']): string =>
  ({ usd: 'zar', list: 'ZAR","rate' })[rates ?? ''] ?? 'ZAR'

for (const { name, file, path, at, sample, rates } of FEEDS)
  describe(name, () => {
    test('is requested at its documented path and read as published, per USD', async () => {
      const answer = await ask(name, await fixture(file))
      expect(upstream.asked.map((asked) => asked.path)).toEqual([path])
      expect(answer.base).toBe('USD')
      expect(new Date(answer.upstreamMs).toISOString()).toBe(at)
      for (const [code, text] of Object.entries(sample))
        expect([code, answer.perUsd.get(code)]).toEqual([
          code,
          text.includes('.') ? digits(text) : text,
        ])
    })

    test('a response cut short anywhere is malformed', async () => {
      const text = (await fixture(file)).trimEnd()
      for (const length of [0, 1, 40, text.length >> 1, text.length - 1])
        expect((await failure(ask(name, text.slice(0, length)))).fault).toBe('malformed')
    })

    test('a web page with status 200 is malformed', async () => {
      const html = '<!DOCTYPE html><html><body>Back soon</body></html>'
      expect((await failure(ask(name, html))).fault).toBe('not_data')
      const typed = { headers: { 'content-type': 'text/html; charset=utf-8' } }
      expect((await failure(ask(name, 'Back soon', typed))).fault).toBe('not_data')
    })

    test('a currency that appears twice is malformed', async () => {
      const text = await fixture(file)
      const twice = text.replace(
        /({[^{}]*"quote":"ZAR"[^{}]*}|"usd": ?1|"USD": ?[\d.]+|<Cube currency='USD' rate='1.0818'\/>)/,
        (m) => (m.startsWith('<') ? m + m : `${m}, ${m}`),
      )
      expect(twice).not.toBe(text)
      const { fault, message } = await failure(ask(name, twice))
      expect(fault).toBe('malformed')
      expect(message).toMatch(/twice/)
    })

    test('a rate that is a string, null, or NaN is malformed', async () => {
      const text = await fixture(file)
      const code = codeIn(rates)
      for (const wrong of ['"18.3"', 'null', 'NaN', '[18.3]', '', 'Infinity', '+18.3', '018.3']) {
        const broken = rates
          ? text.replace(new RegExp(`"${code}": ?[\\d.]+`), `"${code}":${wrong}`)
          : text.replace(
              "rate='19.7919'",
              `rate='${wrong.replace(/"/g, ' ').replace('018.3', 'x')}'`,
            )
        expect(broken).not.toBe(text)
        expect((await failure(ask(name, broken))).fault).toBe('malformed')
      }
    })

    test('numbers that cannot be prices are passed on for the guard to refuse', async () => {
      const text = await fixture(file)
      if (!rates) return
      const code = codeIn(rates)
      for (const wrong of ['0', '-18.3', '1e400']) {
        const broken = text.replace(new RegExp(`"${code}": ?[\\d.]+`), `"${code}":${wrong}`)
        const value = Number((await ask(name, broken)).perUsd.get('ZAR'))
        expect(value > 0 && Number.isFinite(value)).toBe(false)
      }
    })

    test('a document of another kind is malformed', async () => {
      for (const text of ['[]', '{}', '"x"', '1', 'null', '<a/>', '{"rates":[]}', '{"usd":{}}'])
        expect((await failure(ask(name, text))).fault).toBe('malformed')
    })

    test('names its source, its licence and its credit line', () => {
      const { text, url, licence } = ADAPTERS[name.split('/')[0] as FeedName].attribution
      expect(text && licence).toBeTruthy()
      expect(url).toStartWith('https://')
    })
  })

describe('ecb', () => {
  test('a table of several days, or of none, is malformed', async () => {
    const text = await fixture('ecb.xml')
    const [day] = text.match(/<Cube time=[\s\S]*?<\/Cube>/)!
    const second = day.replace('07-29', '07-26').replace(/<Cube currency.*/g, '')
    for (const wrong of [text.replace(day, day + second), text.replace(" time='2024-07-29'", '')])
      expect((await failure(ask('ecb', wrong))).fault).toBe('malformed')
  })
})

describe('documented refusals', () => {
  const REFUSALS: [Name, number, string, string, RegExp][] = [
    [
      'open-er-api',
      404,
      '{"result":"error","error-type":"unsupported-code"}',
      'http_error',
      /404 \(unsupp/,
    ],
    [
      'open-er-api',
      200,
      '{"result":"error","error-type":"quota-reached"}',
      'upstream_error',
      /quota-r/,
    ],
    [
      'openexchangerates',
      401,
      '{"error":true,"status":401,"message":"invalid_app_id","description":"Invalid App ID - k3y"}',
      'unauthorized',
      /^returned 401 \(invalid_app_id\)$/,
    ],
    [
      'openexchangerates',
      200,
      '{"error":true,"message":"not_allowed"}',
      'upstream_error',
      /not_allowed/,
    ],
    ['fastforex', 401, '{"error":"k3y-of-the-test is no key"}', 'unauthorized', /^returned 401$/],
    [
      'fastforex',
      200,
      '{"error":"k3y-of-the-test is no key"}',
      'upstream_error',
      /^returned an error$/,
    ],
    ['frankfurter', 404, '{"message":"not found"}', 'http_error', /^returned 404$/],
    ['frankfurter', 200, '{"message":"not found"}', 'upstream_error', /^returned an error$/],
    ['currency-api', 404, "Couldn't find the requested file.", 'http_error', /^returned 404$/],
    ['ecb', 404, '<html>no</html>', 'http_error', /^returned 404$/],
  ]
  for (const [name, status, body, fault, message] of REFUSALS)
    test(`${status} of ${name} is ${fault}, in our own words only`, async () => {
      const error = await failure(ask(name, body, { status }))
      expect(error).toBeInstanceOf(FeedError)
      expect(error.fault).toBe(fault as FeedError['fault'])
      expect(error.message).toMatch(message)
      expect(error.message).not.toContain(KEY)
    })
})

describe('frankfurter', () => {
  const row = (quote: string, date: string, base = 'USD') =>
    `{"date":"${date}","base":"${base}","quote":"${quote}","rate":2.5}`
  const listed = (...rows: string[]) => ask('frankfurter', `[${rows.join()}]`)

  test('has the time of its newest rate, and skips those a week older', async () => {
    const { upstreamMs, perUsd } = await listed(
      row('KES', '2026-08-21'),
      row('NGN', '2026-08-22'),
      row('GHS', '2026-08-15'),
      row('SLL', '2026-08-14'),
    )
    expect(new Date(upstreamMs).toISOString()).toBe('2026-08-22T00:00:00.000Z')
    expect([...perUsd.keys()]).toEqual(['KES', 'NGN', 'GHS'])
  })

  test('rates of several bases are malformed, and those of another one are passed on', async () => {
    const mixed = listed(row('KES', '2026-08-21'), row('NGN', '2026-08-21', 'EUR'))
    expect((await failure(mixed)).fault).toBe('malformed')
    expect((await listed(row('NGN', '2026-08-21', 'EUR'))).base).toBe('EUR')
  })
})

describe('another base', () => {
  test('is passed on unchanged, for the guard to refuse', async () => {
    const text = await fixture('open-er-api.json')
    const answer = await ask(
      'open-er-api',
      text.replace('"base_code": "USD"', '"base_code": "EUR"'),
    )
    expect(answer.base).toBe('EUR')
  })

  test('rates of frankfurter per USD are taken as they are, and those per GBP are not converted', async () => {
    const body = (base: string) =>
      `{"amount":1,"base":"${base}","date":"2024-07-29","rates":{"ZAR":18.3}}`
    const usd = await ask('frankfurter/v1', body('USD'))
    expect([usd.base, usd.perUsd.get('ZAR')]).toEqual(['USD', '18.3'])
    expect((await ask('frankfurter/v1', body('GBP'))).base).toBe('GBP')
  })

  test('euro rates without a dollar, or with a dollar of zero, cannot be converted', async () => {
    for (const rates of [
      '{"ZAR":19.8}',
      '{"USD":0,"ZAR":19.8}',
      '{"USD":-1,"ZAR":19.8}',
      '{"USD":1e400}',
    ])
      expect(
        (
          await failure(
            ask('frankfurter/v1', `{"amount":1,"base":"EUR","date":"2024-07-29","rates":${rates}}`),
          )
        ).fault,
      ).toBe('malformed')
  })

  test('a euro that is not one euro is malformed', async () => {
    const body = (eur: string) =>
      `{"amount":1,"base":"EUR","date":"2024-07-29","rates":{"EUR":${eur},"USD":1.0818}}`
    expect((await ask('frankfurter/v1', body('1.0'))).perUsd.get('EUR')).toBe('0.924385283786282')
    expect((await failure(ask('frankfurter/v1', body('1.1')))).fault).toBe('malformed')
  })

  test('another amount than 1 is malformed', async () => {
    const body = '{"amount":10,"base":"USD","date":"2024-07-29","rates":{"ZAR":183}}'
    expect((await failure(ask('frankfurter/v1', body))).fault).toBe('malformed')
  })
})
