import { beforeAll, describe, expect, test } from 'bun:test'
import { columnsIn, expectRows, rowsIn } from '../../contract/tables.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import { documentOf } from '../../support/contract.ts'
import { FULL_OFFER, offer } from '../../support/offers.ts'
import { API, World } from '../../support/world.ts'

/**
 * A name that a spreadsheet would calculate, that needs quotes, and that no header can hold as is.
 */
const NAME = '=1+1, "É" 5 %\nto €'

let world: World
let key: string

beforeAll(() => {
  world = new World()
  const providers = PROVIDERS.map((one) =>
    one.id === 'p2p-b' ? { ...one, name: NAME, region: '@home' } : one,
  )
  world.memory.publish({ catalogue: { currencies: CURRENCIES, providers } }, world.clock.now())
  const rates = { KES: 130, GBP: 0.8, NGN: 1500 }
  world.reference(rates, { source: 'Bänk', at: '2026-03-05T12:00:00.000Z' })
  const price = { rate: 128, fee: 2, feeCurrency: 'USD' }
  world.quote({ providerId: 'retail-a', ...price, offer: FULL_OFFER })
  world.quote({ providerId: 'retail-b', ...price, rate: 1e-7, fee: null, feeCurrency: null })
  world.quote({ providerId: 'p2p-b', ...price })
  world.quote({ providerId: 'official-a', rate: 129 })
  for (const service of ['-2', 'Express', '+3', 'slow'])
    world.quote({
      ...{ providerId: 'retail-a', rate: 160, fee: 1, feeCurrency: 'GBP', from: 'GBP' },
      offer: offer({ sourceCountry: 'GB', targetCountry: 'KE', service }),
    })
  key = world.key()
})

const LISTS: readonly [path: string, fileName: string][] = [
  ['/rates?from=usd&to=kes', 'rates-USD-KES'],
  ['/rates?from=usd&to=kes&offers=all&target_country=GB', 'rates-USD-KES'],
  ['/convert?from=USD&to=KES&amount=200.5', 'convert-USD-KES-200.5'],
  ['/convert?from=USD&to=KES&recipient_gets=20000', 'convert-USD-KES-20000'],
  ['/corridors', 'corridors'],
  ['/corridors?by=country', 'corridors'],
  ['/costs?source_country=GB&target_country=KE&amount=200', 'costs-GB-KE-200'],
  ['/costs?source_country=GB&target_country=KE&amount_usd=200', 'costs-GB-KE-160'],
  ['/rates/provider?provider=p2p-b', 'rates-p2p-b'],
]

const with_ = (path: string, more: string) => `${path}${path.includes('?') ? '&' : '?'}${more}`
const accepting = (accept: string) => ({ headers: { accept } })
const TYPES = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' }

describe('a list as a file', () => {
  test.each(LISTS)(
    'returns 200 for %s with all of the JSON response in flat rows',
    async (path) => {
      const document = await documentOf(world.app)
      const { body } = await world.get(path, key)
      const columns = columnsIn(document, path.split('?')[0]!)
      for (const format of ['csv', 'ndjson'] as const) {
        const { text } = await world.get(with_(path, `format=${format}`), key)
        const rows = rowsIn(format, text, columns)
        expect(rows.length).toBeGreaterThan(0)
        expectRows(path.split('?')[0]!, { body, rows })
      }
    },
  )

  test.each(LISTS)(
    'returns 200 for %s with the headers of a file, of its quota and tier',
    async (path, name) => {
      for (const format of ['csv', 'ndjson'] as const) {
        const [asked, accepted] = [
          await world.get(with_(path, `format=${format}`), key, accepting('application/json')),
          await world.get(path, world.key('free'), accepting(TYPES[format])),
        ]
        for (const { status, headers } of [asked, accepted]) {
          expect([status, headers.get('content-type')]).toEqual([200, TYPES[format]])
          const disposition = `attachment; filename="${name}.${format}"`
          expect(headers.get('content-disposition')).toBe(disposition)
          expect(headers.get('vary')).toBe('Accept, Accept-Encoding')
          expect(headers.has('x-ratelimit-remaining')).toBe(true)
        }
        expect(asked.headers.get('x-as-of')).toBeNull()
        expect(accepted.headers.get('x-as-of')).toBe('2026-03-05T14:00:00.000Z')
        expect(accepted.headers.get('x-ratelimit-remaining')).toBe('49')
      }
    },
  )

  test('marks the best entries, and the three of a corridor in the SmaRT average', async () => {
    const convert = await world.get(`${LISTS[2]![0]}&format=ndjson`, key)
    const rows = convert.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const { body } = await world.get(LISTS[2]![0], key)
    const marked = (name: string) => rows.filter((row) => row[name]).map((row) => row.provider_id)
    expect(marked('is_best')).toEqual([body.best.provider_id])
    expect(marked('is_best_current')).toEqual([body.best_current.provider_id])
    const offers = '/convert?from=GBP&to=KES&amount=200&offers=all&format=ndjson'
    const { text } = await world.get(offers, key)
    expect(text.match(/"is_best":true/g)).toHaveLength(1)
    const costs = await world.get(`${LISTS[6]![0]}&format=csv`, key)
    expect(costs.text.match(/,true,GB,KE,/g)).toHaveLength(3)
  })

  test('puts an apostrophe before what a sheet would read as a formula, in CSV alone', async () => {
    const csv = await world.get(`${LISTS[0]![0]}&format=csv`, key)
    expect(csv.text).toContain(`,"'=1+1, ""É"" 5 %\nto €",128,2,`)
    expect(csv.text).toContain(',1e-7,')
    const costs = await world.get(`${LISTS[6]![0]}&format=csv`, key)
    for (const service of ["'-2", 'Express', "'+3"]) expect(costs.text).toContain(`,${service},`)
    const ndjson = await world.get(`${LISTS[0]![0]}&format=ndjson`, key)
    expect(ndjson.text).toContain(JSON.stringify(NAME))
  })

  test('returns the header line without entries, and the notes in headers', async () => {
    const { text, headers } = await world.get('/rates?from=USD&to=NGN&format=csv', key)
    expect(text.split('\r\n')).toHaveLength(2)
    expect(headers.get('x-note')).toBe('No provider quotes USD/NGN at present.')
    expect(headers.get('x-mid-rate')).toBe('1500')
    expect(headers.get('x-mid-source')).toBe('B%C3%A4nk')
    expect(headers.get('x-mid-fetched-at')).toBe('2026-03-05T12:00:00.000Z')
    const lines = await world.get('/rates?from=USD&to=NGN&format=ndjson', key)
    expect([lines.status, lines.text]).toEqual([200, ''])
    const named = await world.get('/rates/provider?provider=p2p-b&max_age=1m&format=csv', key)
    expect(named.text.split('\r\n').length).toBeGreaterThan(2)
    world.clock.advance(120_000)
    const old = await world.get('/rates/provider?provider=p2p-b&max_age=1m&format=csv', key)
    expect(decodeURIComponent(old.headers.get('x-note')!)).toStartWith(`Every price of ${NAME} is`)
    world.clock.advance(-120_000)
  })
})

describe('the form of a response', () => {
  test.each([
    ['json', '', ''],
    ['json', '', '*/*'],
    ['json', '', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    ['json', '', 'text/html,application/xhtml+xml,*/*;q=0.8'],
    ['json', 'format=json', 'text/csv'],
    ['csv', '', 'text/csv'],
    ['csv', 'format=csv', 'application/json'],
    ['csv', 'f%6Frmat=csv', 'application/x-ndjson'],
    ['csv', 'format=csv', 'image/png'],
    ['ndjson', 'format=ndjson', 'text/csv'],
    ['ndjson', '', 'application/x-ndjson;q=0.9, application/json;q=0.1'],
  ])(
    'returns 200 in %s for %p with Accept %p, whatever was requested before',
    async (form, more, accept) => {
      const types: Record<string, string> = { ...TYPES, json: 'application/json' }
      for (const [path] of LISTS)
        for (let times = 0; times < 3; times++) {
          const asked = more === '' ? path : with_(path, more)
          const reply = await world.get(asked, key, accepting(accept))
          expect([reply.status, reply.headers.get('content-type')]).toEqual([200, types[form]!])
          const plain = await world.get(path, key)
          expect(plain.headers.get('content-type')).toBe('application/json')
          expect(plain.headers.get('vary')).toBe('Accept')
        }
    },
  )

  test('caches neither the form nor the amount of a request', async () => {
    const asked = (format: string, amount: number) =>
      world.get(`/convert?format=${format}&from=USD&to=KES&amount=${amount}`, key)
    for (const amount of [100, 200, 300, 100, 200])
      for (const format of ['csv', 'json', 'ndjson', 'csv']) {
        const { headers, text } = await asked(format, amount)
        expect(headers.get('content-type')).toStartWith(
          { csv: 'text/csv', json: 'application/json', ndjson: 'application/x-ndjson' }[format]!,
        )
        expect(text).toContain(String(amount * 128))
      }
  })

  test.each(['xlsx', 'CSV', 'text/csv', 'csv,json', '%00', 'csv%20x'])(
    'returns 400 in JSON for format=%s with the valid formats, and costs nothing',
    async (format) => {
      for (const [path] of LISTS)
        for (const accept of ['*/*', 'text/csv', 'image/png']) {
          const reply = await world.get(with_(path, `format=${format}`), key, accepting(accept))
          expect([reply.status, reply.headers.get('content-type')]).toEqual([
            400,
            'application/json',
          ])
          expect(reply.body).toEqual({
            error: 'format cannot be used: it must be one of json, csv, ndjson',
            code: 'invalid_parameter',
            parameter: 'format',
          })
        }
      const fresh = world.key('free')
      await world.get(`/rates?from=USD&to=KES&format=${format}`, fresh)
      const { headers } = await world.get('/rates?from=USD&to=KES', fresh)
      expect(headers.get('x-ratelimit-remaining')).toBe('49')
    },
  )

  test.each([
    ['repeated_parameter', 'format=csv&format=csv'],
    ['invalid_parameter', 'format='],
    ['invalid_parameter', 'format'],
  ])('returns 400 %s for %s', async (code, more) => {
    const { status, body } = await world.get(`/rates?from=USD&to=KES&${more}`, key)
    expect([status, body.code, body.parameter]).toEqual([400, code, 'format'])
  })

  test('returns an error in JSON whatever the form', async () => {
    const csv = accepting('text/csv')
    for (const [status, path, caller] of [
      [400, '/rates?from=USD&to=XXX&format=csv', key],
      [401, '/rates?from=USD&to=KES&format=csv', undefined],
      [404, '/rates/provider?provider=nobody&format=csv', key],
      [405, '/corridors?format=csv', key],
    ] as const) {
      const init = status === 405 ? { ...csv, method: 'DELETE' } : csv
      const reply = await world.get(path, caller, init)
      expect([reply.status, reply.headers.get('content-type')]).toEqual([
        status,
        'application/json',
      ])
      expect(reply.headers.get('content-disposition')).toBeNull()
    }
  })

  test('returns 200 in JSON on a path that is not a list', async () => {
    for (const path of ['/fetch-one?from=USD&to=KES', '/currencies', '/providers']) {
      const { status, headers } = await world.get(with_(path, 'format=csv'), key)
      expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
      expect(headers.get('vary')).toBeNull()
    }
  })
})

describe('the transfer of a file', () => {
  const ask = (path: string, init: RequestInit = {}) =>
    world.app.handle(
      new Request(API + path, {
        ...init,
        headers: { 'x-api-key': key, 'accept-encoding': 'gzip, br', ...init.headers },
      }),
    )

  test('HEAD has the headers and the length of GET', async () => {
    for (const [path] of LISTS) {
      const [get, head] = [
        await ask(with_(path, 'format=csv')),
        await ask(with_(path, 'format=csv'), { method: 'HEAD' }),
      ]
      for (const name of ['content-type', 'content-disposition', 'vary', 'content-encoding'])
        expect(head.headers.get(name)).toBe(get.headers.get(name))
      expect(Number(head.headers.get('content-length'))).toBe((await get.bytes()).length)
      expect(await head.text()).toBe('')
    }
  })

  test('is gzipped for callers that accept it, if that saves bytes', async () => {
    const path = '/rates?from=USD&to=KES&format=csv'
    const zipped = await ask(path)
    expect(zipped.headers.get('content-encoding')).toBe('gzip')
    const text = new TextDecoder().decode(Bun.gunzipSync(await zipped.bytes()))
    const plain = await ask(path, { headers: { 'accept-encoding': 'identity' } })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(text).toBe(await plain.text())
    const empty = await ask('/corridors?format=csv&source_country=ZW')
    expect(empty.headers.get('content-encoding')).toBeNull()
    expect((await ask('/rates?from=USD&to=KES')).headers.get('content-encoding')).toBeNull()
  })

  test('is written piece by piece if it is long, and gzipped the same way', async () => {
    const many = Array.from({ length: 1201 }, (_, i) => ({
      ...{ providerId: 'retail-a', rate: 100 + i, from: 'EUR', fee: 0, feeCurrency: 'EUR' },
      offer: offer({ service: `s${i}` }),
    }))
    world.quote(...many)
    for (const format of ['csv', 'ndjson']) {
      const path = `/rates?from=EUR&to=KES&offers=all&format=${format}`
      const plain = await ask(path, { headers: { 'accept-encoding': '' } })
      const chunks = await Array.fromAsync(plain.body!)
      expect(chunks.length).toBe(3)
      const text = Buffer.concat(chunks).toString()
      expect(text.trimEnd().split('\n')).toHaveLength(format === 'csv' ? 1202 : 1201)
      const zipped = await ask(path)
      expect(zipped.headers.get('content-encoding')).toBe('gzip')
      expect(new TextDecoder().decode(Bun.gunzipSync(await zipped.bytes()))).toBe(text)
    }
  })
})
