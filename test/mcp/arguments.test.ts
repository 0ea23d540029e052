import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { character } from '../support/characters.ts'
import { emptyPast } from '../support/past.ts'
import { ToolWorld } from './tool-world.ts'

let tools: ToolWorld
// biome-ignore lint/suspicious/noExplicitAny: a test says of a body what it expects
let ask: (name: string, args?: Record<string, unknown>) => Promise<any>

beforeAll(async () => {
  tools = new ToolWorld({ past: emptyPast() })
  const session = await tools.connect(tools.world.key())
  ask = async (name, args) => {
    const { isError, body } = await session.call(name, args)
    return { isError, ...body }
  }
})

afterAll(() => tools.stop())

const CORRIDOR = { from: 'USD', to: 'KES' }

describe('names instead of codes', () => {
  test.each([
    ['get_rates', { from: 'US dollars', to: 'Kenya shilling' }, { corridor: 'USD/KES' }],
    ['get_rates', { from: 'usd', to: 'Kenya' }, { corridor: 'USD/KES' }],
    ['convert', { from: 'dollar', to: 'Kenyan shillings', amount: 5 }, { from: 'USD', to: 'KES' }],
    ['get_history', { from: 'usd', to: 'KENYA' }, { corridor: 'USD/KES' }],
    ['get_change', { from: 'United States', to: 'ke' }, { corridor: 'USD/KES' }],
    ['fetch_rates', { from: ['dollar', 'GBP'], to: 'naira,kes' }, { quotes: ['NGN', 'KES'] }],
    ['get_costs', { source_country: 'UK', target_country: 'kenya', amount: 5 }, { from: 'GBP' }],
    ['get_provider_rates', { provider: 'Provider Retail A' }, { count: 1 }],
  ])('%s of %j is understood', async (name, args, said) => {
    expect(await ask(name, args)).toMatchObject({ isError: false, ...said })
  })

  test('filter the entries of a list by providers', async () => {
    const args = { ...CORRIDOR, providers: ['provider retail-a', 'retail-b'] }
    const { providers } = await ask('get_rates', args)
    expect(providers.map((one: { provider_id: string }) => one.provider_id)).toEqual(['retail-a'])
    const none = await ask('get_rates', { ...CORRIDOR, providers: 'retail-b', amount: null })
    expect([none.count, none.note]).toEqual([
      0,
      'No price of USD/KES fits providers; without that there are 1.',
    ])
  })

  test('that are ambiguous get an error with their possible meanings', async () => {
    const { code, parameter, error } = await ask('get_rates', { from: 'Provider', to: 'KES' })
    expect([code, parameter]).toEqual(['unsupported_currency', 'from'])
    expect(error).toContain('"Provider" is not a supported currency')
    const several = await ask('get_history', { ...CORRIDOR, provider: 'retail' })
    expect(several.error).toMatch(/^provider cannot be used: "retail" may be retail-a \("Provider/)
    expect(several.error).toEndWith('say which')
    const near = await ask('get_history', { ...CORRIDOR, provider: 'Provder retail-a' })
    expect(near.error).toEndWith('did you mean retail-a ("Provider retail-a")?')
    const congo = await ask('get_costs', {
      ...{ source_country: 'Congo', target_country: 'KE', amount: 1 },
    })
    expect(congo.error).toBe(
      'source_country cannot be used: "Congo" may be ' +
        'CD (Democratic Republic of the Congo) or CG (Republic of the Congo); say which',
    )
    const unknown = await ask('get_costs', {
      ...{ source_country: 'Kennya', target_country: 'Atlantis', amount: 1 },
    })
    expect(unknown.faults).toMatchObject([
      {
        error: 'source_country cannot be used: "Kennya" is not a country; did you mean KE (Kenya)?',
      },
      { parameter: 'target_country' },
    ])
  })

  test('are not accepted by REST', async () => {
    const reply = await tools.world.get('/rates?from=dollar&to=Kenya', tools.world.key())
    expect([reply.status, reply.body.code]).toEqual([400, 'unsupported_currency'])
  })
})

describe('invalid arguments', () => {
  test('are named all at once', async () => {
    const { isError, code, error, parameter, faults } = await ask('convert', {
      ...{ frm: 'USD', to: 'XXX', amount: -1, max_age: 'soon', limit: 'many', pay_out: 'wallet' },
    })
    expect([isError, code, parameter]).toEqual([true, 'invalid_parameter', 'frm'])
    const names = ['frm', 'amount', 'pay_out', 'max_age', 'limit', 'from', 'to']
    expect(error).toBe(
      `${names.join(', ')} cannot be used; \`faults\` says what is wrong with each`,
    )
    expect(faults.map((one: { parameter: string }) => one.parameter)).toEqual(names)
    expect(faults[0].error).toEndWith('did you mean from?')
    expect(faults.at(-1)).toMatchObject({ code: 'unsupported_currency' })
  })

  test('are reported up to a bound, however many there are', async () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`wrong_${i}`, {}]))
    const { faults, error } = await ask('get_change', { ...CORRIDOR, ...many })
    expect(faults).toHaveLength(20)
    expect(error).toContain(', and 180 more cannot be used')
    const long = await ask('get_change', { from_currency: 'USD', to_currency: 'KES' })
    expect(long.faults[1].error).toEndWith('no such argument; did you mean to?')
    const odd = JSON.parse('{"__proto__": 1, "constructor": 2, "from": "USD", "to": "KES"}')
    const named = (await ask('get_change', odd)).faults
    expect(named.map((one: { parameter: string }) => one.parameter)).toEqual([
      ...['__proto__', 'constructor'],
    ])
  })

  test('that are required together are named when missing', async () => {
    const { faults } = await ask('convert', { limit: 5 })
    expect(faults.map((one: { error: string }) => one.error)).toEqual([
      'from is required: source currency code, or source_country in its place',
      'to is required: target currency code, or target_country in its place',
      'amount is required: the amount to send, or recipient_gets, the amount to arrive',
    ])
  })

  test('never break a tool, whatever they are', async () => {
    const { client } = await tools.connect(tools.world.key())
    const { tools: listed } = await client.listTools()
    const value = fc.oneof(
      fc.string({ unit: character, maxLength: 90 }),
      fc.constantFrom('USD', 'KES', 'Kenya', 'dollar', '2026-01-01', '7d', 'all', '1'),
      fc.double(),
      fc.jsonValue({ maxDepth: 2 }),
    )
    const calls = fc.constantFrom(...listed).chain(({ name, inputSchema }) => {
      const fields = Object.keys(inputSchema.properties ?? {}).map((field) => [field, value])
      const args = fc.record(Object.fromEntries(fields), { requiredKeys: [] })
      return fc.record({ name: fc.constant(name), args })
    })
    await fc.assert(
      fc.asyncProperty(calls, async ({ name, args }) => {
        const { isError, code, error } = await ask(name, args)
        if (isError) expect([typeof error, code]).not.toContain('internal_error')
      }),
      { numRuns: 200 },
    )
    expect(tools.world.logged).toEqual([])
  })
})

describe('a date', () => {
  test('means the end of that day, or now if it is today', async () => {
    const ending = async (until: string) =>
      (await ask('get_history', { ...CORRIDOR, until })).to_date
    expect(await ending('2026-03-01')).toBe('2026-03-01T23:59:59.999Z')
    expect(await ending('2026-03-05')).toBe('2026-03-05T14:25:30.500Z')
    expect(await ending('2026-03-01T10:00:00Z')).toBe('2026-03-01T10:00:00.000Z')
    const days = await ask('get_history', { ...CORRIDOR, until: '2026-03-01', interval: 'P1D' })
    expect(days.end).toBe('2026-03-02T00:00:00.000Z')
    const future = await ask('get_history', { ...CORRIDOR, until: '2026-03-06' })
    expect([future.code, future.parameter]).toEqual(['invalid_parameter', 'until'])
    expect(future.error).toContain('it is in the future')
  })
})

describe('words', () => {
  test('may be written as people write them', async () => {
    const { isError } = await ask('convert', {
      ...{ ...CORRIDOR, amount: 5, pay_in: 'Debit card', pay_out: ['Mobile-Money'], offers: 'ALL' },
    })
    expect(isError).toBe(false)
  })
})
