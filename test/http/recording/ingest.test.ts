import { afterEach, describe, expect, jest, test } from 'bun:test'
import { PLANS, ROLES } from '~/domain/quota.ts'
import { ANSWER_MS_MAX } from '~/service/deadline.ts'
import { CURRENCIES, PROVIDERS, provider } from '../../support/catalogue.ts'
import { API, replyOf, World } from '../../support/world.ts'
import { FIRST_ID, MemoryStore } from '../memory-store.ts'
import { QUOTA_HEADERS } from '../questions.ts'

const ROW = { provider_id: 'retail-a', rate: 129.5, from: 'USD', to: 'KES' }
const NOW = '2026-03-05T14:25:30.500Z'

function open() {
  const store = new MemoryStore()
  const world = new World({ store })
  return { store, world, key: world.key('enterprise', 'treasury') }
}

/** The ids of `count` observations that are recorded after `before` others. */
const idsAfter = (before: number, count: number) =>
  Array.from({ length: count }, (_, index) => FIRST_ID + before + index)

/** The errors of a request with one row. */
async function faultsOf(row: unknown): Promise<string[]> {
  const { world, store, key } = open()
  const { status, body } = await world.post(row, key)
  expect([status, body.code]).toEqual([422, 'invalid_rows'])
  expect(store.recorded).toEqual([])
  expect(body.errors.map(({ index }: { index: number }) => index)).toEqual(body.errors.map(() => 0))
  return body.errors.map(({ error }: { error: string }) => error)
}

/** Returns the record of a request with one row. */
async function recordedOf(row: unknown) {
  const { world, store, key } = open()
  const { status, body } = await world.post(row, key)
  expect([status, body]).toEqual([201, { inserted: 1, ids: idsAfter(0, 1) }])
  return store.recorded[0]!
}

describe('POST /rates', () => {
  for (const plan of PLANS)
    for (const role of ROLES) {
      const status = role === 'member' ? 403 : 201
      test(`returns ${status} for a ${plan} account with the role ${role}`, async () => {
        const { world, store } = open()
        const reply = await world.post(ROW, world.key(plan, role))
        expect(reply.status).toBe(status)
        expect(store.recorded).toHaveLength(status === 201 ? 1 : 0)
        if (status === 403)
          expect(reply.body).toEqual({
            error: expect.stringContaining('treasury'),
            code: 'forbidden',
          })
      })
    }

  test('returns 201 with the number of rows and their ids in order, without budget or tier', async () => {
    const { world, key } = open()
    const { status, body, headers } = await world.post([ROW, { ...ROW, to: 'NGN' }], key)
    expect([status, body]).toEqual([201, { inserted: 2, ids: idsAfter(0, 2) }])
    expect((await world.post(ROW, key)).body).toEqual({ inserted: 1, ids: idsAfter(2, 1) })
    expect(headers.get('content-type')).toBe('application/json')
    for (const name of [...QUOTA_HEADERS, 'x-data-freshness']) expect(headers.get(name)).toBeNull()
    expect((await world.get('/admin/usage', key)).body.used).toBe(0)
  })

  test('follows a change of role at once', async () => {
    const { world } = open()
    const { id, key } = world.account('free', 'admin')
    expect((await world.post(ROW, key)).status).toBe(201)
    const account = { id, email: 'a@example.com', plan: 'free', role: 'member' } as const
    world.memory.publish({ access: { accounts: [account], keys: [] } }, world.clock.now())
    expect((await world.post(ROW, key)).status).toBe(403)
  })

  test('returns 201 for one object, as for a list of one', async () => {
    expect(await recordedOf(ROW)).toEqual(await recordedOf([ROW]))
  })

  test('returns 201 for 100 rows, and 400 for 101 and for none', async () => {
    const { world, store, key } = open()
    const rows = Array(100).fill(ROW)
    expect((await world.post(rows, key)).body).toEqual({
      inserted: 100,
      ids: idsAfter(0, 100),
    })
    expect(store.recorded).toHaveLength(100)
    for (const batch of [[...rows, ROW], []]) {
      const { status, body } = await world.post(batch, key)
      expect([status, body.code]).toEqual([400, 'malformed_body'])
      expect(body.error).toContain('100')
    }
    expect(store.recorded).toHaveLength(100)
  })

  test('returns 201 for a body of exactly 1 MiB, 400 for one byte more', async () => {
    const { world, store, key } = open()
    const body = JSON.stringify(ROW).padEnd(1_048_576)
    expect((await world.post(body, key)).status).toBe(201)
    const { status, body: refusal } = await world.post(`${body} `, key)
    expect([status, refusal.code]).toEqual([400, 'body_too_large'])
    expect(store.recorded).toHaveLength(1)
  })

  test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json ;x=y'])(
    'returns 201 for Content-Type: %s',
    async (type) => {
      const { world, key } = open()
      expect((await world.post(ROW, key, { 'content-type': type })).status).toBe(201)
    },
  )

  const CSV = { 'content-type': 'text/csv; charset=utf-8' }
  const NDJSON = { 'content-type': 'application/x-ndjson' }

  test('returns 201 for a CSV and for JSON lines, as for the same rows in a list', async () => {
    const rows = [
      { ...ROW, fee: 1.5, notes: 'a, b', pay_out: ['cash', 'mobile_money'] },
      { ...ROW, rate: 130 },
    ]
    const csv =
      'provider_id;rate;from;to;fee;notes;pay_out;\r\nretail-a;129.5;USD;KES;1.5;"a, b";' +
      'cash|mobile_money;\r\n\r\nretail-a;130;USD;KES;;;;\r\n'
    const expected = await recordedRows(JSON.stringify(rows), {})
    expect(await recordedRows(csv, CSV)).toEqual(expected)
    const lines = `${rows.map((row) => JSON.stringify(row)).join('\n\n')}\n`
    expect(await recordedRows(lines, NDJSON)).toEqual(expected)
  })

  async function recordedRows(body: string, headers: Record<string, string>) {
    const { world, store, key } = open()
    const reply = await world.post(body, key, headers)
    expect([reply.status, reply.body]).toEqual([201, { inserted: 2, ids: idsAfter(0, 2) }])
    return store.recorded
  }

  test('returns 422 with the errors of the rows of a CSV and of JSON lines by their index', async () => {
    const { world, store, key } = open()
    const csv = 'provider_id,from,to,rate,extra\nretail-a,USD,KES,"129,5",1\nretail-a,USD\n'
    const { status, body } = await world.post(csv, key, CSV)
    expect([status, body.errors]).toEqual([
      422,
      [
        { index: 0, error: expect.stringContaining('rate must be a number with a decimal point') },
        { index: 1, error: 'has 2 fields where the header has 5' },
      ],
    ])
    const lines = await world.post(`${JSON.stringify(ROW)}\n{"rate"\n`, key, NDJSON)
    expect([lines.status, lines.body.errors]).toEqual([
      422,
      [{ index: 1, error: 'is not valid JSON' }],
    ])
    expect(store.recorded).toEqual([])
  })

  test('returns 400 with the name of the format for a workbook that is sent as a CSV', async () => {
    const { world, key } = open()
    const workbook = new Blob([Buffer.from('504b0304140006000800ff', 'hex')])
    const request = new Request(`${API}/rates`, {
      method: 'POST',
      headers: { 'x-api-key': key, ...CSV },
      body: workbook,
    })
    const { status, body } = await replyOf(await world.app.fetch(request))
    expect([status, body.code]).toEqual([400, 'malformed_body'])
    expect(body.error).toContain('save its sheet as CSV')
  })

  test('returns 400 that says how to save a CSV in another charset', async () => {
    const { world, key } = open()
    const text = 'provider_id,from,to,rate,notes\nretail-a,USD,KES,1,caf\xe9\n'
    const request = new Request(`${API}/rates`, {
      method: 'POST',
      headers: { 'x-api-key': key, ...CSV },
      body: new Blob([Buffer.from(text, 'latin1')]),
    })
    const { status, body } = await replyOf(await world.app.fetch(request))
    expect([status, body.code]).toEqual([400, 'malformed_body'])
    expect(body.error).toBe('the body is not UTF-8 text; save it as UTF-8 and send that')
  })

  test('returns 400 for a CSV without a header or rows, and 201 with a warning for its other columns', async () => {
    const { world, key } = open()
    for (const [text, error] of [
      ['retail-a,USD,KES,1\n', 'line 1, the header, lacks provider_id'],
      ['', 'the file is empty'],
      ['provider_id,from,to,rate\n', 'the list of rates is empty'],
      [`provider_id,from,to,rate\n${'retail-a,USD,KES,1\n'.repeat(101)}`, '101 rows'],
    ]) {
      const { status, body } = await world.post(text, key, CSV)
      expect([status, body.code]).toEqual([400, 'malformed_body'])
      expect(body.error).toContain(error)
    }
    const text = 'provider_id,from,to,rate,comment\nretail-a,USD,KES,1,x\n'
    expect((await world.post(text, key, CSV)).body.warnings).toEqual([
      { index: 0, warning: 'ignored, as unknown: "comment"' },
    ])
  })

  test.each([
    ['gzip', 400],
    ['br, gzip', 400],
    ['Identity', 201],
  ])('Content-Encoding: %s gets %i', async (coding, status) => {
    const { world, key } = open()
    const reply = await world.post(ROW, key, { 'content-encoding': coding })
    expect(reply.status).toBe(status)
    if (status === 400) expect(reply.body.error).toContain('without Content-Encoding')
  })

  test('returns 201 for a body that begins with a byte order mark', async () => {
    const { world, key } = open()
    expect((await world.post(`\ufeff${JSON.stringify(ROW)}`, key)).status).toBe(201)
  })

  test('returns 500 for an internal error, reveals nothing and logs it', async () => {
    const store = { record: () => Promise.reject(new Error('secret of the store')) }
    const world = new World({ store })
    const { status, text, body } = await world.post(ROW, world.key('free', 'admin'))
    expect([status, body.code]).toEqual([500, 'internal_error'])
    expect(text).not.toContain('secret')
    expect(world.logged.map(({ level }) => level)).toEqual(['error'])
  })
})

describe('omitted fields of a row', () => {
  test('the time, the fee, its currency and the kind of price have defaults', async () => {
    expect(await recordedOf(ROW)).toEqual({
      providerId: 'retail-a',
      from: 'USD',
      to: 'KES',
      rate: '129.5',
      fee: null,
      feeCurrency: null,
      rateType: 'retail',
      effectiveMs: Date.parse(NOW),
      evidence: 'observed',
      offer: null,
      notes: null,
    })
    const { rateType } = await recordedOf({ ...ROW, provider_id: 'official-a' })
    expect(rateType).toBe('official')
  })

  test('every field that is given is stored', async () => {
    const row = {
      provider_id: 'p2p-a',
      rate: 0.0012,
      source_currency: 'KES',
      target_currency: 'USDT',
      fee: 0,
      fee_currency: 'GBP',
      notes: 'seen at the counter',
      evidence: 'indicative',
      effective_from: '2026-03-05T15:25:30.123+01:00',
    }
    expect(await recordedOf(row)).toEqual({
      providerId: 'p2p-a',
      from: 'KES',
      to: 'USDT',
      rate: '0.0012',
      fee: '0',
      feeCurrency: 'GBP',
      rateType: 'p2p',
      effectiveMs: Date.parse('2026-03-05T14:25:30.123Z'),
      offer: null,
      notes: 'seen at the counter',
      evidence: 'indicative',
    })
  })

  test('every field of an offer is stored', async () => {
    const row = {
      ...ROW,
      source_country: 'us',
      target_country: 'KE',
      pay_in: ['debit_card', 'cash'],
      pay_out: ['mobile_money'],
      channel: 'internet',
      amount_min: 100,
      amount_max: 100,
      service: 'Express',
      fee_percent: 1.5,
      delivery_min: 'PT0S',
      delivery_max: 'PT1H',
      valid_until: '2026-03-06T00:00:00Z',
    }
    expect(await recordedOf(row)).toMatchObject({
      fee: null,
      feeCurrency: 'USD',
      offer: {
        sourceCountry: 'US',
        targetCountry: 'KE',
        payIn: ['cash', 'debit_card'],
        payOut: ['mobile_money'],
        channel: 'internet',
        amountMin: 100,
        amountMax: 100,
        service: 'Express',
        feePercent: 1.5,
        deliveryMinMs: 0,
        deliveryMaxMs: 3_600_000,
        validUntilMs: Date.parse('2026-03-06T00:00:00Z'),
      },
    })
  })

  test('returns 201 for dollars that arrive as dollars in another country', async () => {
    const row = { ...ROW, to: 'USD', rate: 1, source_country: 'US', target_country: 'LR' }
    expect(await recordedOf(row)).toMatchObject({ from: 'USD', to: 'USD' })
  })

  test('returns 422 with every error of every offer, and records nothing', async () => {
    const { world, store, key } = open()
    const { status, body } = await world.post(
      [
        { ...ROW, source_country: 'UK', pay_in: ['cheque'], amount_min: 2, amount_max: 1 },
        ROW,
        { ...ROW, delivery_max: 'P1Y', fee_percent: 101, valid_until: NOW, chanel: 'agent' },
      ],
      key,
    )
    expect([status, body.code, store.recorded]).toEqual([422, 'invalid_rows', []])
    const said = body.errors.map((fault: { index: number; error: string }) => [
      fault.index,
      fault.error.split(' ')[0],
    ])
    expect(said).toEqual([
      [0, 'source_country'],
      [0, 'pay_in'],
      [0, 'amount_min'],
      [2, '"chanel"'],
      [2, 'delivery_max'],
      [2, 'fee_percent'],
      [2, 'valid_until'],
    ])
  })

  test('warns about unknown fields, and records the row without them', async () => {
    const { world, store, key } = open()
    const named = { ...ROW, rate_type: 'official', unknown: { deep: [1] } }
    const { status, body } = await world.post([ROW, named], key)
    const warning = 'ignored, as unknown: "rate_type", "unknown"'
    expect([status, body]).toEqual([
      201,
      { inserted: 2, ids: idsAfter(0, 2), warnings: [{ index: 1, warning }] },
    ])
    expect(store.recorded[1]).toEqual(store.recorded[0]!)
  })

  test('returns 422 for a misspelt field, and records nothing', async () => {
    expect(await faultsOf({ ...ROW, efective_from: '2026-03-01T00:00:00Z', fees: 1 })).toEqual([
      '"efective_from" is not read: did you mean effective_from?',
      '"fees" is not read: did you mean fee?',
    ])
  })

  test('the source currency is the default for the currency of a fee', async () => {
    expect(await recordedOf({ ...ROW, fee: 2 })).toMatchObject({ fee: '2', feeCurrency: 'USD' })
  })

  test('null counts as an omitted field', async () => {
    const nothing = { fee: null, fee_currency: null, notes: null, effective_from: null }
    const row = { ...ROW, ...nothing, source_currency: null, target_currency: null }
    expect(await recordedOf(row)).toEqual(await recordedOf(ROW))
  })
})

describe('the currencies of a row', () => {
  test('returns 201 in any case and with spaces around them, and stores upper case', async () => {
    const row = { ...ROW, from: ' usd', to: 'kEs ', fee: 1, fee_currency: 'eur' }
    expect(await recordedOf(row)).toMatchObject({ from: 'USD', to: 'KES', feeCurrency: 'EUR' })
  })

  test('returns 201 under the alias, under the full name, or both when they are equal', async () => {
    const { from, to, ...rest } = ROW
    const full = { ...rest, source_currency: 'usd', target_currency: to }
    expect(await recordedOf(full)).toEqual(await recordedOf(ROW))
    expect(await recordedOf({ ...full, from, to: 'kes' })).toEqual(await recordedOf(ROW))
  })

  test('returns 422 when alias and full name differ', async () => {
    const row = { ...ROW, source_currency: 'GBP', target_currency: 'NGN' }
    expect(await faultsOf(row)).toEqual([
      expect.stringContaining('source_currency and from differ'),
      expect.stringContaining('target_currency and to differ'),
    ])
  })

  test('returns 422 when one of the two names is not a currency, although the other is', async () => {
    const row = { ...ROW, source_currency: 'XXX', target_currency: 7 }
    expect(await faultsOf(row)).toEqual([
      expect.stringContaining('source_currency "XXX"'),
      expect.stringContaining('target_currency'),
    ])
  })

  test('returns 422 when they are missing, inactive, unknown, of another type, or the same', async () => {
    const { from: _from, to: _to, ...rest } = ROW
    expect(await faultsOf(rest)).toEqual([
      expect.stringContaining('source_currency (or from) is required'),
      expect.stringContaining('target_currency (or to) is required'),
    ])
    expect(await faultsOf({ ...ROW, to: 'SLL' })).toEqual([expect.stringContaining('"SLL"')])
    expect(await faultsOf({ ...ROW, to: '' })).toEqual([expect.stringContaining('to ""')])
    expect(await faultsOf({ ...ROW, from: 5, to: ['KES'] })).toHaveLength(2)
    expect(await faultsOf({ ...ROW, to: 'usd' })).toEqual([expect.stringContaining('both USD')])
    expect(await faultsOf({ ...ROW, fee: 1, fee_currency: 'SLL' })).toEqual([
      expect.stringContaining('fee_currency "SLL"'),
    ])
  })
})

describe('the provider of a row', () => {
  test('returns 422 when it is missing, unknown or of another type', async () => {
    const { provider_id: _id, ...rest } = ROW
    expect(await faultsOf(rest)).toEqual([expect.stringContaining('provider_id is required')])
    for (const id of ['nobody', 'RETAIL-A', '', 5, {}, true])
      expect(await faultsOf({ ...ROW, provider_id: id })).toEqual([
        expect.stringContaining('is not an active id'),
      ])
  })

  test('returns 422 when it is no longer active', async () => {
    const { world, store, key } = open()
    const providers = [...PROVIDERS.slice(1), provider('retail-a', { isActive: false })]
    world.memory.publish({ catalogue: { currencies: CURRENCIES, providers } }, world.clock.now())
    expect((await world.post(ROW, key)).status).toBe(422)
    expect(store.recorded).toEqual([])
  })
})

describe('the numbers of a row', () => {
  const withRate = (text: string) => JSON.stringify(ROW).replace('129.5', text)
  const withFee = (text: string) =>
    JSON.stringify({ ...ROW, fee: 7 }).replace('"fee":7', `"fee":${text}`)

  test.each([
    ['1e-12', '1e-12'],
    ['0.000000000001', '1e-12'],
    ['1000000000000', '1000000000000'],
    ['1e12', '1000000000000'],
    ['1.5e+0000000000000000003', '1.5e+0000000000000000003'],
    ['0.1', '0.1'],
    ['0.123456789012345678', '0.123456789012345678'],
    ['123456789012.345678', '123456789012.345678'],
    ['100000000000.0000000000', '100000000000.0000000000'],
    ['1.00000000000000000000', '1.00000000000000000000'],
    ['1.29e2', '129'],
    ['1.23456789012345678e+2', '1.23456789012345678e+2'],
  ])('returns 201 for a rate of %s, every digit kept', async (text, rate) => {
    expect(await recordedOf(withRate(text))).toMatchObject({ rate })
  })

  test.each([
    ['0', /between/],
    ['-0', /between/],
    ['-1', /between/],
    ['0.0', /between/],
    ['9.99e-13', /between/],
    ['1000000000000.1', /between/],
    ['1000000000000.00001', /between/],
    ['1.00000000000000001e12', /between/],
    ['0.000000000000999999999999999999', /between/],
    ['9.99999999999999999e-13', /between/],
    ['1000000000001', /between/],
    ['1e400', /finite/],
    ['-1e400', /finite/],
    ['1e-400', /between/],
    ['0.1234567890123456789', /18 significant/],
    ['1.234567890123456789', /18 significant/],
    ['123456789012.3456789', /18 significant/],
    ['"129"', /number/],
    ['true', /number/],
    ['{}', /number/],
    ['[129]', /number/],
    [`1.${'1'.repeat(5000)}`, /18 significant/],
    [`${'9'.repeat(5000)}`, /finite|between/],
  ])('returns 422 for a rate of %p', async (text, fault) => {
    const faults = await faultsOf(withRate(text))
    expect(faults).toEqual([expect.stringMatching(fault)])
    expect(faults[0]).toStartWith('rate ')
    expect(faults[0]!.length).toBeLessThan(200)
  })

  test('returns 422 when there is no rate', async () => {
    expect(await faultsOf(withRate('null'))).toEqual([expect.stringContaining('rate is required')])
    const { rate: _rate, ...rest } = ROW
    expect(await faultsOf(rest)).toEqual([expect.stringContaining('rate is required')])
  })

  test.each([
    ['0', '0'],
    ['-0', '0'],
    ['0.000000000000000001', '0.000000000000000001'],
    ['1e15', '1000000000000000'],
    ['999999999999999.999', '999999999999999.999'],
  ])('returns 201 for a fee of %s', async (text, fee) => {
    const observation = await recordedOf(withFee(text))
    expect(observation.feeCurrency).toBe('USD')
    expect(Number(observation.fee) + 0).toBe(Number(fee))
  })

  test.each(['-1', '-0.000001', '1e400', '1e16', '"1"', '1.234567890123456789'])(
    'returns 422 for a fee of %s',
    async (text) => {
      expect(await faultsOf(withFee(text))).toEqual([expect.stringMatching(/^fee /)])
    },
  )
})

describe('the time of a row', () => {
  const at = (effective_from: unknown) => ({ ...ROW, effective_from })

  test('returns 201 for now and for exactly five years back', async () => {
    expect((await recordedOf(at(NOW))).effectiveMs).toBe(Date.parse(NOW))
    const oldest = '2021-03-05T14:25:30.500Z'
    expect((await recordedOf(at(oldest))).effectiveMs).toBe(Date.parse(oldest))
  })

  test('returns 422 for one millisecond more on either side', async () => {
    expect(await faultsOf(at('2026-03-05T14:25:30.501Z'))).toEqual([
      'effective_from must not be in the future',
    ])
    expect(await faultsOf(at('2021-03-05T14:25:30.499Z'))).toEqual([
      expect.stringContaining('5 years'),
    ])
  })

  test('returns 201 on 29 February for five years back to 1 March', async () => {
    const { world, key } = open()
    world.clock.set('2028-02-29T12:00:00Z')
    expect((await world.post(at('2023-03-01T12:00:00Z'), key)).status).toBe(201)
    expect((await world.post(at('2023-03-01T11:59:59.999Z'), key)).status).toBe(422)
  })

  test('compares with the clock at the end of the body to find times in the future', async () => {
    const { world, store, key } = open()
    const bytes = new TextEncoder().encode(JSON.stringify([ROW, at('2026-03-05T15:00:00.001Z')]))
    const body = new ReadableStream({
      pull(controller) {
        world.clock.set('2026-03-05T15:00:00.001Z')
        controller.enqueue(bytes)
        controller.close()
      },
    })
    const headers = { 'content-type': 'application/json', 'x-api-key': key }
    const url = 'http://localhost/api/v1/rates'
    const reply = await world.app.handle(new Request(url, { method: 'POST', headers, body }))
    expect(reply.status).toBe(201)
    const late = Date.parse('2026-03-05T15:00:00.001Z')
    expect(store.recorded.map(({ effectiveMs }) => effectiveMs)).toEqual([late, late])
  })

  test.each([
    ...['2026-03-05', '2026-03-05T14:00:00', '14:00', 'now', '', '2026-02-29T00:00:00Z'],
    ...['2026-03-05T24:00:00Z', '2026-13-01T00:00:00Z', '2026-03-05T14:00:00+25:00'],
    ...['2026-03-05 14:00:00Z', '+002026-03-05T14:00:00Z', '1772719530500', 'Thu, 05 Mar 2026'],
    ...['٢٠٢٦-03-05T14:00:00Z', '2026-03-05T14:00:00Z\0', ' 2026-03-05T14:00:00Z'],
  ])('returns 422 for %p', async (text) => {
    expect(await faultsOf(at(text))).toEqual([expect.stringContaining('ISO-8601')])
  })

  test('returns 422 for a time of another type', async () => {
    for (const value of [1_772_719_530_500, true, {}, [NOW]])
      expect(await faultsOf(at(value))).toEqual([expect.stringContaining('ISO-8601')])
  })
})

describe('the notes of a row', () => {
  test('returns 201 for 500 characters, an empty string, and 500 characters outside the BMP', async () => {
    for (const notes of ['x'.repeat(500), '', '\u{1F600}'.repeat(500), 'é\n\t"\\'])
      expect((await recordedOf({ ...ROW, notes })).notes).toBe(notes)
  })

  test('returns 422 for 501 characters, NUL, a lone surrogate, and another type', async () => {
    for (const [notes, fault] of [
      ['x'.repeat(501), '500'],
      ['\u{1F600}'.repeat(501), '500'],
      ['a\0b', 'NUL'],
      ['\ud800', 'Unicode'],
      ['a\udc00b', 'Unicode'],
      [5, 'text'],
      [['x'], 'text'],
    ] as const)
      expect(await faultsOf({ ...ROW, notes })).toEqual([expect.stringContaining(fault)])
  })
})

describe('the errors of a batch', () => {
  test('returns 422 with every error of every row by its index, and records nothing', async () => {
    const { world, store, key } = open()
    const { status, body } = await world.post(
      [
        ROW,
        { ...ROW, rate: -1, provider_id: 'nobody', notes: 'x'.repeat(501), from: 'XXX' },
        ROW,
        null,
        { ...ROW, fee: -1, effective_from: 'x' },
        [],
      ],
      key,
    )
    expect(status).toBe(422)
    expect(body).toEqual({
      error: expect.stringContaining('nothing was inserted'),
      code: 'invalid_rows',
      errors: [
        { index: 1, error: expect.stringContaining('provider_id') },
        { index: 1, error: expect.stringContaining('from') },
        { index: 1, error: expect.stringContaining('rate') },
        { index: 1, error: expect.stringContaining('notes') },
        { index: 3, error: 'a row must be a JSON object' },
        { index: 4, error: expect.stringContaining('fee') },
        { index: 4, error: expect.stringContaining('effective_from') },
        { index: 5, error: 'a row must be a JSON object' },
      ],
    })
    expect(store.recorded).toEqual([])
    expect((await world.get('/rates?from=USD&to=KES', key)).body.count).toBe(0)
  })
})

describe('a database that does not respond', () => {
  afterEach(() => {
    jest.useRealTimers()
  })

  test('returns 503 after ten seconds, and serves rows that are committed later', async () => {
    jest.useFakeTimers()
    const answer = Promise.withResolvers<{ kind: 'recorded'; ids: number[] }>()
    const asked = Promise.withResolvers<void>()
    const record = () => {
      asked.resolve()
      return answer.promise
    }
    const world = new World({ store: { record } })
    const key = world.key('enterprise', 'admin')
    let isAnswered = false
    const reply = world.post(ROW, key).finally(() => {
      isAnswered = true
    })
    await asked.promise
    jest.advanceTimersByTime(ANSWER_MS_MAX - 1)
    await Promise.resolve()
    expect(isAnswered).toBe(false)
    jest.advanceTimersByTime(1)
    const { status, body, headers } = await reply
    expect([status, body.code, headers.get('retry-after')]).toEqual([
      503,
      'database_unavailable',
      '30',
    ])
    expect((await world.get('/rates?from=USD&to=KES', key)).body.count).toBe(0)
    answer.resolve({ kind: 'recorded', ids: [1] })
    jest.useRealTimers()
    await Bun.sleep(0)
    expect((await world.get('/rates?from=USD&to=KES', key)).body.count).toBe(1)
  })
})
