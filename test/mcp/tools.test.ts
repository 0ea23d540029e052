import { afterEach, describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import type { PageAsk } from '~/domain/history.ts'
import { WindowCache } from '~/memory/window-cache.ts'
import { emptyPast, recorded } from '../support/past.ts'
import { quote } from '../support/quotes.ts'
import { type ClientKind, ToolWorld } from './tool-world.ts'

const NAMES = [
  ...['get_rates', 'convert', 'get_costs', 'rank_costs', 'fetch_rates', 'get_history'],
  ...[
    'get_change',
    'get_official',
    'get_provider_rates',
    'list_corridors',
    'list_providers',
    'list_currencies',
  ],
  ...['create_alert', 'list_alerts', 'end_alert'],
]

/** Limit of the list of tools, which a model reads first; a token is about four characters. */
const LIST_TOKENS_MAX = 4500
const CHARACTERS_OF_A_TOKEN = 4

const NOT_PAGED = ['fetch_rates', 'get_change']

/** Fields that only serve to draw a page, which no tool returns. */
const DRAWN = ['logo_url', 'flag_url', 'sort_order']
/** Fields that a tool returns in addition to REST. */
const SUMMED = ['first', 'last', 'lowest', 'highest', 'largest_move', 'links']

let open: ToolWorld[] = []
const toolWorld = (options: ConstructorParameters<typeof ToolWorld>[0] = {}): ToolWorld => {
  const tools = new ToolWorld(options)
  open.push(tools)
  return tools
}

afterEach(async () => {
  await Promise.all(open.map((tools) => tools.stop()))
  open = []
})

/** A past of one provider, an observation an hour. */
function hourlyPast(count: number) {
  const quotes = Array.from({ length: count }, (_, i) =>
    quote({ id: i + 1, atMs: Date.parse('2026-03-01T00:00:00Z') + i * 3_600_000, rate: 120 + i }),
  )
  const past = emptyPast()
  const store = {
    ...past.store,
    page: async (ask: PageAsk) =>
      quotes
        .filter(({ atMs }) => atMs >= ask.fromMs && atMs < ask.beforeMs)
        .filter(({ providerId }) => ask.providerId === null || providerId === ask.providerId)
        .slice(ask.offset, ask.offset + ask.limit)
        .map(recorded),
    firstObservedMs: async () => quotes[0]!.atMs,
  }
  return { store, windows: new WindowCache() }
}

const CORRIDOR = { from: 'USD', to: 'KES' }

/** A body without some fields, at any depth. */
const without = (body: unknown, names: readonly string[]): unknown =>
  JSON.parse(JSON.stringify(body, (name, value) => (names.includes(name) ? undefined : value)))

/** The paths at which a short body has something that the full one does not have there. */
/** Fields whose names in short results state a limitation. */
const RENAMED: Readonly<Record<string, string>> = {
  carried_mid: 'mid',
  net_converted_if_so: 'net_converted',
  send_amount_if_so: 'send_amount',
}

/** The bests, which a short result omits if no price states all requested conditions. */
const BESTS = ['.best', '.best_current']

function unexpected(short: unknown, full: unknown, path: string): string[] {
  if (short === null && BESTS.includes(path)) return []
  if (short === full || path.endsWith('.timestamp') || path.endsWith('.at')) return []
  if (typeof short === 'string' && String(full).startsWith(`${short}T00:00:00.000Z`)) return []
  if (typeof short !== 'object' || short === null) return [path]
  return Object.entries(short).flatMap(([name, value]) =>
    unexpected(
      value,
      (full as Record<string, unknown> | undefined)?.[RENAMED[name] ?? name],
      `${path}.${name}`,
    ),
  )
}

/** Each tool with arguments, and the equivalent REST request. */
const SAME: readonly { name: string; args: Record<string, unknown>; path: string }[] = [
  { name: 'get_rates', args: { from: 'usd', to: ' KES ' }, path: '/rates?from=USD&to=KES' },
  {
    name: 'convert',
    args: { from: 'USD', to: 'KES', amount: 200.5 },
    path: '/convert?from=USD&to=KES&amount=200.5',
  },
  {
    name: 'fetch_rates',
    args: { from: ['USD', 'GBP'], to: ['KES', 'NGN'] },
    path: '/fetch-matrix?from=USD,GBP&to=KES,NGN',
  },
  { name: 'list_corridors', args: {}, path: '/corridors' },
  { name: 'list_corridors', args: { max_age: '1m' }, path: '/corridors?max_age=1m' },
  {
    name: 'list_corridors',
    args: { by: 'country', pay_out: 'cash,mobile_money' },
    path: '/corridors?by=country&pay_out=cash,mobile_money',
  },
  {
    name: 'get_costs',
    args: { source_country: 'gb', target_country: 'KE', amount_usd: 200 },
    path: '/costs?source_country=GB&target_country=KE&amount_usd=200',
  },
  {
    name: 'get_rates',
    args: { ...CORRIDOR, target_country: 'ke', pay_in: ['cash', 'debit_card'], offers: 'all' },
    path: '/rates?from=USD&to=KES&target_country=KE&pay_in=cash,debit_card&offers=all',
  },
  {
    name: 'convert',
    args: { ...CORRIDOR, amount: 5, channel: 'internet', delivery_max: '2h' },
    path: '/convert?from=USD&to=KES&amount=5&channel=internet&delivery_max=2h',
  },
  {
    name: 'get_rates',
    args: { ...CORRIDOR, max_age: 'PT1H' },
    path: '/rates?from=USD&to=KES&max_age=PT1H',
  },
  {
    name: 'convert',
    args: { ...CORRIDOR, amount: 5, max_age: '90m' },
    path: '/convert?from=USD&to=KES&amount=5&max_age=90m',
  },
  {
    name: 'fetch_rates',
    args: { from: 'USD', to: ['KES', 'NGN'], max_age: '1m' },
    path: '/fetch-matrix?from=USD&to=KES,NGN&max_age=1m',
  },
  {
    name: 'get_change',
    args: { from: 'USD', to: 'KES', period: '30d' },
    path: '/change?from=USD&to=KES&period=30d',
  },
  {
    name: 'get_official',
    args: { currency: 'Kenya', to: 'usd', date: '2026-03-04' },
    path: '/official?currency=KES&to=USD&date=2026-03-04',
  },
  {
    name: 'get_provider_rates',
    args: { provider: 'Provider retail-a', max_age: '7d' },
    path: '/rates/provider?provider=retail-a&max_age=7d',
  },
  { name: 'list_providers', args: {}, path: '/providers' },
  { name: 'list_currencies', args: {}, path: '/currencies' },
  {
    name: 'get_history',
    args: { from: 'USD', to: 'KES', period: '7d', limit: 500 },
    path: '/rates/history?from=USD&to=KES&period=7d&limit=500',
  },
  {
    name: 'get_history',
    args: { from: 'USD', to: 'KES', interval: 'P1D' },
    path: '/time-series?from=USD&to=KES&ohlc=true',
  },
]

const CLIENTS: readonly { revision: string; kind: ClientKind }[] = [
  { revision: '2025-11-25', kind: 'first' },
  { revision: '2026-07-28', kind: 'auto' },
]

const READS = { readOnlyHint: true, openWorldHint: false }
/**
 * Tools that change something, and their annotations, which a host reads before it lets a model
 * call them.
 */
const CHANGES: Readonly<Record<string, object>> = {
  create_alert: { destructiveHint: false, openWorldHint: true },
  end_alert: { destructiveHint: true, openWorldHint: false },
}

/** The REST path whose entries have as many fields as those of a tool in full. */
const inFull = (path: string) =>
  /^\/(rates|convert|rates\/provider)\?/.test(path) ? `${path}&detail=full` : path

describe.each(CLIENTS)('a client of $revision', ({ kind, revision }) => {
  test('sees fifteen tools, each with everything that a model needs to choose and call it', async () => {
    const tools = toolWorld()
    const { client } = await tools.connect(tools.world.key(), kind)
    const listed = (await client.listTools()).tools
    expect(listed.map(({ name }) => name)).toEqual(NAMES)
    const described = new Set<string>()
    for (const { name, title, description, annotations, inputSchema } of listed) {
      expect(title?.length).toBeGreaterThan(5)
      expect(description?.length).toBeGreaterThan(60)
      expect([name, annotations]).toEqual([name, CHANGES[name] ?? READS])
      for (const [argument, field] of Object.entries(inputSchema.properties ?? {}))
        if (!described.has(argument)) expect([argument, field]).toHaveProperty('1.description')
      for (const argument of ['detail', 'limit', 'offset']) described.add(argument)
    }
  })

  test('reads the list of tools in few tokens', async () => {
    const tools = toolWorld()
    const { body } = await tools.ask(tools.world.key(), { method: 'tools/list' })
    const tokens = JSON.stringify(body.result).length / CHARACTERS_OF_A_TOKEN
    expect(tokens).toBeLessThanOrEqual(LIST_TOKENS_MAX)
  })

  test.each([
    ['convert', ['is_stale', 'best_current', 'cost', 'recipient_gets', 'last_updated']],
    ['convert', ['unspecified', 'amount_match', 'at_amount', 'net_converted']],
    ['get_rates', ['is_stale', 'margin_pct', 'evidence', 'unspecified']],
    ['get_costs', ['is_stale', 'at_amount', 'amount_match', 'note']],
    ['list_corridors', ['best_is_stale']],
    ['get_history', ['first', 'last', 'lowest', 'highest']],
  ])('learns from %s which fields to check before it names a price', async (name, members) => {
    const tools = toolWorld()
    const { client } = await tools.connect(tools.world.key(), kind)
    const tool = (await client.listTools()).tools.find((one) => one.name === name)
    for (const member of members) expect(tool?.description).toContain(`\`${member}\``)
  })

  test.each(SAME)(
    'gets from $name the response of REST for $path',
    async ({ name, args, path }) => {
      const tools = toolWorld({ past: hourlyPast(40) })
      for (const plan of ['free', 'enterprise'] as const) {
        const key = tools.world.key(plan)
        const session = await tools.connect(key, kind)
        await session.client.listTools()
        for (const asked of [1, 2, 3, 4]) {
          const { isError, body, result } = await session.call(name, { ...args, detail: 'full' })
          const rest = await tools.world.get(inFull(path), key)
          expect([isError, rest.status]).toEqual([false, 200])
          const more = rest.body.note === undefined ? [...SUMMED, 'note'] : SUMMED
          expect(without(body, more)).toEqual(without(rest.body, DRAWN))
          expect(result.structuredContent).toBeUndefined()
          expect(await tools.used(key)).toBe(2 * asked)
          tools.world.clock.advance(asked - 1)
        }
      }
    },
  )

  test.each(SAME)('gets from $name by default less of $path, and nothing else', async (one) => {
    const tools = toolWorld({ past: hourlyPast(40) })
    const session = await tools.connect(tools.world.key(), kind)
    const longest = NOT_PAGED.includes(one.name) ? {} : { limit: 500 }
    const short = (await session.call(one.name, { ...longest, ...one.args })).body
    const full = (await session.call(one.name, { ...one.args, detail: 'full' })).body
    expect(JSON.stringify(short).length).toBeLessThanOrEqual(JSON.stringify(full).length)
    expect(unexpected(short, full, '')).toEqual([])
  })

  test('gets the error of an invalid call, and spends nothing', async () => {
    const tools = toolWorld()
    const key = tools.world.key('free')
    const session = await tools.connect(key, kind)
    const { isError, body, result } = await session.call('get_rates', { from: 'USD', to: 'XXX' })
    expect(isError).toBe(true)
    expect(result.structuredContent).toBeUndefined()
    expect(body).toEqual((await tools.world.get('/rates?from=USD&to=XXX', key)).body)
    expect(body.supported_currencies).toContain('KES')
    expect(await tools.used(key)).toBe(0)
  })

  test('gets the limit and the reset when over quota, and works again the next day', async () => {
    const tools = toolWorld()
    const key = tools.world.key('free')
    const session = await tools.connect(key, kind)
    for (let i = 0; i < 50; i++) expect((await session.call('list_providers')).isError).toBe(false)
    const { isError, body } = await session.call('list_providers')
    expect(isError).toBe(true)
    expect(body).toEqual({
      error: expect.stringContaining('50'),
      code: 'quota_exceeded',
      limit: 50,
      reset: Date.parse('2026-03-06T00:00:00Z') / 1000,
    })
    await session.client.listTools()
    expect(await tools.used(key)).toBe(50)
    tools.world.clock.set('2026-03-06T00:00:00Z')
    expect((await session.call('list_providers')).isError).toBe(false)
  })

  test('spends nothing on initialize, ping and list', async () => {
    const tools = toolWorld()
    const key = tools.world.key('free')
    const { client } = await tools.connect(key, kind)
    if (revision < '2026') await client.ping()
    await client.listTools()
    await client.listResources()
    await client.listResourceTemplates()
    await client.listPrompts()
    await client.getPrompt({
      name: 'compare_providers',
      arguments: { from: 'GBP', to: 'KES', amount: '200' },
    })
    expect(await tools.used(key)).toBe(0)
  })
})

describe('the tier of the key', () => {
  test('decides what a tool sees', async () => {
    const tools = toolWorld()
    tools.world.quote({ providerId: 'retail-b', rate: 140 })
    const rateOf = async (plan: 'free' | 'enterprise') => {
      const session = await tools.connect(tools.world.key(plan))
      const { body } = await session.call('fetch_rates', { from: 'USD', to: 'KES' })
      return [body.results.USD.KES.provider_best.rate, body.data_freshness, body.as_of]
    }
    expect(await rateOf('free')).toEqual([129, 'hourly', '2026-03-05T14:00:00.000Z'])
    expect(await rateOf('enterprise')).toEqual([140, 'realtime', undefined])
  })
})

const codes = (count: number) =>
  Array.from({ length: count }, (_, i) => `A${'BCDEFGHIJKLMNOPQRSTUVWXYZ'[i]}X`)

const WRONG: readonly { name: string; args: unknown; code: string; parameter?: string }[] = [
  ...['get_rates', 'convert', 'fetch_rates', 'get_history'].map((name) => ({
    name,
    args: { ...CORRIDOR, amont: 5 },
    code: 'invalid_parameter',
    parameter: 'amont',
  })),
  {
    name: 'get_costs',
    args: { source_country: 'GB', target_country: 'KE', amount: 5, channel: 'agent' },
    code: 'invalid_parameter',
    parameter: 'channel',
  },
  {
    name: 'convert',
    args: { amount: 5, source_country: 'XY', target_country: 'KE' },
    code: 'invalid_parameter',
    parameter: 'source_country',
  },
  {
    name: 'convert',
    args: { ...CORRIDOR, amount: 5, pay_out: ['wallet'] },
    code: 'invalid_parameter',
    parameter: 'pay_out',
  },
  {
    name: 'convert',
    args: { amount: 5, source_country: 'GB' },
    code: 'missing_parameter',
    parameter: 'to',
  },
  {
    name: 'get_rates',
    args: { source_country: 'AQ', to: 'KES' },
    code: 'invalid_parameter',
    parameter: 'source_country',
  },
  {
    name: 'get_rates',
    args: { from: 'XXX', source_country: 'GB', target_country: 'KE' },
    code: 'unsupported_currency',
    parameter: 'from',
  },
  ...['list_corridors', 'list_providers', 'list_currencies'].map((name) => ({
    name,
    args: { maxage: '7d' },
    code: 'invalid_parameter',
    parameter: 'maxage',
  })),
  ...['0', '-1d', '1e9d', 'P', 'P1M', 'soon', '', 7].flatMap((max_age) => [
    {
      name: 'get_rates',
      args: { ...CORRIDOR, max_age },
      code: 'invalid_parameter',
      parameter: 'max_age',
    },
    { name: 'list_corridors', args: { max_age }, code: 'invalid_parameter', parameter: 'max_age' },
  ]),
  { name: 'get_rates', args: {}, code: 'missing_parameter', parameter: 'from' },
  { name: 'get_rates', args: undefined, code: 'missing_parameter', parameter: 'from' },
  {
    name: 'get_rates',
    args: { from: null, to: 'KES' },
    code: 'missing_parameter',
    parameter: 'from',
  },
  { name: 'get_rates', args: { from: 'USD' }, code: 'missing_parameter', parameter: 'to' },
  { name: 'get_rates', args: { from: 5, to: 'KES' }, code: 'invalid_parameter', parameter: 'from' },
  {
    name: 'get_rates',
    args: { from: {}, to: 'KES' },
    code: 'invalid_parameter',
    parameter: 'from',
  },
  {
    name: 'get_rates',
    args: { from: ['USD'], to: 'KES' },
    code: 'invalid_parameter',
    parameter: 'from',
  },
  {
    name: 'get_rates',
    args: { from: ' ', to: 'KES' },
    code: 'invalid_parameter',
    parameter: 'from',
  },
  { name: 'get_rates', args: { from: 'USD', to: 'usd' }, code: 'same_currency' },
  {
    name: 'get_rates',
    args: { from: 'SLL', to: 'KES' },
    code: 'unsupported_currency',
    parameter: 'from',
  },
  {
    name: 'get_rates',
    args: { ...CORRIDOR, limit: 0 },
    code: 'invalid_parameter',
    parameter: 'limit',
  },
  {
    name: 'get_rates',
    args: { ...CORRIDOR, limit: 501 },
    code: 'invalid_parameter',
    parameter: 'limit',
  },
  {
    name: 'get_rates',
    args: { ...CORRIDOR, limit: 1.5 },
    code: 'invalid_parameter',
    parameter: 'limit',
  },
  {
    name: 'get_rates',
    args: { ...CORRIDOR, limit: true },
    code: 'invalid_parameter',
    parameter: 'limit',
  },
  {
    name: 'get_rates',
    args: { ...CORRIDOR, offset: -1 },
    code: 'invalid_parameter',
    parameter: 'offset',
  },
  { name: 'convert', args: CORRIDOR, code: 'missing_parameter', parameter: 'amount' },
  {
    name: 'convert',
    args: { ...CORRIDOR, amount: 0 },
    code: 'invalid_parameter',
    parameter: 'amount',
  },
  {
    name: 'convert',
    args: { ...CORRIDOR, amount: -1 },
    code: 'invalid_parameter',
    parameter: 'amount',
  },
  {
    name: 'convert',
    args: { ...CORRIDOR, amount: 1e16 },
    code: 'invalid_parameter',
    parameter: 'amount',
  },
  {
    name: 'convert',
    args: { ...CORRIDOR, amount: 'many' },
    code: 'invalid_parameter',
    parameter: 'amount',
  },
  {
    name: 'fetch_rates',
    args: { from: [], to: 'KES' },
    code: 'invalid_parameter',
    parameter: 'from',
  },
  {
    name: 'fetch_rates',
    args: { from: 'USD', to: '' },
    code: 'invalid_parameter',
    parameter: 'to',
  },
  {
    name: 'fetch_rates',
    args: { from: 'USD', to: 'KES,,NGN' },
    code: 'invalid_parameter',
    parameter: 'to',
  },
  {
    name: 'fetch_rates',
    args: { from: 'USD', to: [5] },
    code: 'invalid_parameter',
    parameter: 'to',
  },
  {
    name: 'fetch_rates',
    args: { from: 'USD', to: codes(21) },
    code: 'invalid_parameter',
    parameter: 'to',
  },
  {
    name: 'fetch_rates',
    args: { from: ['USD', 'GBP'], to: codes(11) },
    code: 'invalid_parameter',
    parameter: 'to',
  },
  {
    name: 'fetch_rates',
    args: { from: codes(11), to: ['USD', 'GBP'] },
    code: 'invalid_parameter',
    parameter: 'from',
  },
  {
    name: 'fetch_rates',
    args: { from: 'USD', to: 'XXX' },
    code: 'unsupported_currency',
    parameter: 'to',
  },
  {
    name: 'get_history',
    args: { ...CORRIDOR, period: '2d' },
    code: 'invalid_parameter',
    parameter: 'period',
  },
  {
    name: 'get_history',
    args: { ...CORRIDOR, interval: 'P1Y' },
    code: 'invalid_parameter',
    parameter: 'interval',
  },
  {
    name: 'get_history',
    args: { ...CORRIDOR, provider: 'x' },
    code: 'invalid_parameter',
    parameter: 'provider',
  },
  {
    name: 'get_history',
    args: { ...CORRIDOR, interval: 'P1D', provider: 'retail-a' },
    code: 'invalid_parameter',
    parameter: 'provider',
  },
  {
    name: 'convert',
    args: { ...CORRIDOR, amount: 5, date: '2025-12-25' },
    code: 'invalid_parameter',
    parameter: 'date',
  },
  {
    name: 'fetch_rates',
    args: { ...CORRIDOR, period: '7d' },
    code: 'invalid_parameter',
    parameter: 'period',
  },
  { name: 'list_currencies', args: { as_of: 1 }, code: 'invalid_parameter', parameter: 'as_of' },
  { name: 'list_corridors', args: { limit: 'all' }, code: 'invalid_parameter', parameter: 'limit' },
]

describe('wrong arguments', () => {
  const shown = WRONG.map((wrong) => ({ ...wrong, text: JSON.stringify(wrong.args) }))
  test.each(shown)('of $name, $text, are $code', async ({ name, args, code, parameter }) => {
    const tools = toolWorld()
    const key = tools.world.key('free')
    const message = { method: 'tools/call', params: { name, arguments: args } }
    const { status, headers, body } = await tools.ask(key, message)
    expect([status, body.result.isError]).toEqual([200, true])
    const fault = JSON.parse(body.result.content[0].text)
    expect(fault).toMatchObject({
      code,
      error: expect.any(String),
      ...(parameter && { parameter }),
    })
    expect(headers.get('x-ratelimit-remaining')).toBe('50')
  })

  test('that give a time to a tool without times get a hint to get_history', async () => {
    const tools = toolWorld()
    const session = await tools.connect(tools.world.key())
    const { body } = await session.call('get_rates', { ...CORRIDOR, date: '2025-12-25' })
    expect(body.error).toBe(
      'date cannot be used: this serves only the present; get_history shows the past',
    )
    const known = await session.call('rank_costs', { known_at: '2025-12-25T00:00:00Z' })
    expect(known.body.error).toBe(
      'known_at cannot be used: this serves only the present; ' +
        'get_costs takes known_at, for one pair of countries a call',
    )
    const none = await session.call('get_rates', { ...CORRIDOR, date: null })
    expect(none.isError).toBe(false)
    const past = await session.call('get_history', { ...CORRIDOR, date: '2025-12-25' })
    expect(past.body.error).toBe(
      'date cannot be used: this tool has no such argument; ' +
        'it takes from, to, period, interval, provider, source_country, target_country, pay_in, ' +
        'pay_out, channel, delivery_max, order, until, detail, limit, offset, known_at',
    )
  })

  test('that name several unsupported currencies get an error with all of them', async () => {
    const tools = toolWorld()
    const session = await tools.connect(tools.world.key())
    const table = { from: ['USD', 'SLL'], to: ['XXX', 'YYY'] }
    const { isError, body } = await session.call('fetch_rates', table)
    expect([isError, body.code, body.parameter]).toEqual([true, 'unsupported_currency', 'from'])
    expect(body.error).toStartWith('from: "SLL"; to: "XXX", "YYY" are not supported')
    const list = await session.call('get_rates', { from: 'USD', to: 'KES,NGN' })
    expect(list.body.error).toContain('fetch_rates')
  })

  test('that are null, if they may be omitted, change nothing', async () => {
    const tools = toolWorld()
    const session = await tools.connect(tools.world.key())
    const plain = await session.call('get_rates', CORRIDOR)
    const more = await session.call('get_rates', { ...CORRIDOR, limit: null, colour: null })
    expect([more.isError, more.body]).toEqual([false, plain.body])
  })

  test('that are misspelt get the right name, and a long one is not repeated whole', async () => {
    const tools = toolWorld()
    const session = await tools.connect(tools.world.key())
    const near = await session.call('get_rates', { ...CORRIDOR, maxage: '7d' })
    expect(near.body.error).toEndWith('no such argument; did you mean max_age?')
    const long = await session.call('get_rates', { ...CORRIDOR, ['x'.repeat(500)]: 1 })
    expect(long.body.error.length).toBeLessThan(350)
    expect(await tools.used(tools.world.key())).toBe(0)
  })

  test('may be as small and as large as REST accepts', async () => {
    const tools = toolWorld()
    const session = await tools.connect(tools.world.key())
    for (const amount of [1e-7, 1e15, '200']) {
      const { isError, body } = await session.call('convert', { ...CORRIDOR, amount })
      expect([isError, body.amount]).toEqual([false, Number(amount)])
    }
  })

  test('that JSON cannot express are refused, whatever was requested before', async () => {
    const tools = toolWorld()
    const key = tools.world.key()
    const asked = async (limit: string) => {
      const params = `{"name":"get_rates","arguments":{"from":"USD","to":"KES","limit":${limit}}}`
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`
      const reply = (await (await tools.fetch({ key, body })).json()) as {
        result: { isError?: boolean }
      }
      return reply.result.isError ?? false
    }
    expect(await asked('1e999')).toBe(true)
    for (let i = 0; i < 3; i++) expect(await asked('null')).toBe(false)
    expect(await asked('1e999')).toBe(true)
  })

  test('for an unknown tool are an error of the protocol', async () => {
    const tools = toolWorld()
    const key = tools.world.key('free')
    const message = { method: 'tools/call', params: { name: 'get_weather', arguments: {} } }
    const { body } = await tools.ask(key, message)
    expect(body.error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('get_rates'),
    })
    expect(await tools.used(key)).toBe(0)
  })
})

describe('fetch_rates', () => {
  test.each([
    ['USD', 'KES', 1, 1],
    ['USD', 'KES,NGN,KES', 1, 2],
    [['usd', 'GBP'], 'KES', 2, 1],
    [['USD', 'GBP'], ['KES', 'NGN', 'UGX'], 2, 3],
  ])('returns results[base][quote] for %p against %p', async (from, to, bases, quotes) => {
    const tools = toolWorld()
    const session = await tools.connect(tools.world.key())
    const { isError, body } = await session.call('fetch_rates', { from, to })
    expect(isError).toBe(false)
    expect([body.bases.length, body.quotes.length]).toEqual([bases, quotes])
    for (const base of body.bases) expect(Object.keys(body.results[base])).toEqual(body.quotes)
  })

  test('accepts 20 currencies on one side and 10 x 10 on both', async () => {
    const tools = toolWorld()
    const session = await tools.connect(tools.world.key())
    const asked = async (from: number, to: number) =>
      (await session.call('fetch_rates', { from: codes(from), to: codes(to) })).body.code
    expect([await asked(20, 1), await asked(1, 20), await asked(10, 10)]).toEqual(
      Array(3).fill('unsupported_currency'),
    )
    expect([await asked(20, 2), await asked(2, 20)]).toEqual(Array(2).fill('invalid_parameter'))
  })
})

describe('a long list', () => {
  test('comes in pages that say what they leave out, and together are complete', async () => {
    const tools = toolWorld()
    for (const kind of ['retail', 'p2p', 'interbank', 'official'])
      for (const one of ['a', 'b']) tools.world.quote({ providerId: `${kind}-${one}`, rate: 128 })
    const session = await tools.connect(tools.world.key())
    const whole = (await session.call('get_rates', { ...CORRIDOR, limit: 50 })).body
    expect(whole.note).toBeUndefined()
    const shown: unknown[] = []
    let offset: number | undefined = 0
    const notes: string[] = []
    while (offset !== undefined) {
      const { body } = await session.call('get_rates', { ...CORRIDOR, limit: 3, offset })
      expect(body.count).toBe(body.providers.length)
      shown.push(...body.providers)
      notes.push(body.note)
      offset = body.next_offset
    }
    expect(shown).toEqual(whole.providers)
    expect(notes).toEqual([
      'This holds providers 1 to 3 of 8; ask again with offset 3 for the next. ' +
        'After these come 1 p2p, 2 interbank and 2 official.',
      'This holds providers 4 to 6 of 8; ask again with offset 6 for the next. ' +
        'After these come 2 official.',
      'this holds providers 7 to 8 of 8',
    ])
  })

  test('has pages for observations too', async () => {
    const tools = toolWorld({ past: hourlyPast(70) })
    const session = await tools.connect(tools.world.key())
    await session.client.listTools()
    const first = (await session.call('get_history', CORRIDOR)).body
    expect([first.count, first.has_more, first.next_offset]).toEqual([50, true, 50])
    const second = (await session.call('get_history', { ...CORRIDOR, offset: 60 })).body
    expect([second.count, second.has_more, second.next_offset]).toEqual([10, false, undefined])
    const beyond = (await session.call('get_history', { ...CORRIDOR, offset: 500 })).body
    expect([beyond.count, beyond.note]).toEqual([0, 'offset 500 is after the last observation'])
  })

  test.each([
    ['observations', {}],
    ['buckets', { interval: 'PT1H' }],
  ])('loses no item of %s when hours pass between two pages', async (_, more) => {
    const tools = toolWorld({ past: hourlyPast(120) })
    const session = await tools.connect(tools.world.key())
    await session.client.listTools()
    const asked = { ...CORRIDOR, period: '1d', limit: 50, ...more }
    const whole = (await session.call('get_history', asked)).body
    const first = (await session.call('get_history', { ...asked, limit: 10 })).body
    tools.world.clock.advance(2 * 3_600_000)
    const { next_offset: offset, next_until: until } = first
    expect(first.note).toContain(`ask again with offset 10 and until ${until} for the next`)
    const rest = (await session.call('get_history', { ...asked, offset, until })).body
    expect(whole.count).toBeGreaterThan(20)
    expect([...first.data, ...rest.data]).toEqual(whole.data)
    const moved = (await session.call('get_history', { ...asked, offset })).body
    expect([...first.data, ...moved.data]).not.toEqual(whole.data)
    const faulty = await session.call('get_history', { ...asked, until: 'yesterday' })
    expect(faulty.body).toMatchObject({ code: 'invalid_parameter', parameter: 'until' })
  })

  test('has pages for buckets too', async () => {
    const tools = toolWorld({ past: hourlyPast(70) })
    const session = await tools.connect(tools.world.key())
    await session.client.listTools()
    const asked = { ...CORRIDOR, interval: 'PT1H', period: '7d' }
    const first = (await session.call('get_history', asked)).body
    expect([first.count, first.next_offset]).toEqual([120, 120])
    const last = (
      await session.call('get_history', { ...asked, offset: 150, limit: 500, detail: 'full' })
    ).body
    const whole = (await session.call('get_history', { ...asked, detail: 'full' })).body
    const rest = await tools.world.get(
      '/time-series?from=USD&to=KES&interval=PT1H&period=7d&ohlc=true',
      tools.world.key(),
    )
    expect([...whole.data, ...last.data]).toEqual([
      ...rest.body.data.slice(0, 120),
      ...rest.body.data.slice(150),
    ])
    expect(last.note).toContain(`buckets 151 to ${rest.body.count} of ${rest.body.count}`)
  })
})

describe('the resource', () => {
  test('has the catalogue, and costs a unit like a call', async () => {
    const tools = toolWorld()
    const key = tools.world.key('free')
    const { client } = await tools.connect(key)
    const [resource] = (await client.listResources()).resources
    const { contents } = await client.readResource({ uri: resource!.uri })
    const [content] = contents as { text: string; mimeType: string }[]
    expect(content!.mimeType).toBe('application/json')
    const catalogue = JSON.parse(content!.text)
    expect(catalogue.corridors).toEqual(['USD/KES'])
    expect(catalogue.data_freshness).toBe('hourly')
    expect(catalogue.as_of).toBeString()
    expect(catalogue.currencies).toHaveLength(10)
    expect(catalogue.providers[0]).toEqual({
      id: 'interbank-a',
      name: 'Provider interbank-a',
      rate_type: 'interbank',
    })
    expect(await tools.used(key)).toBe(1)
    await expect(client.readResource({ uri: 'corridor://nothing' })).rejects.toThrow('no such')
    for (let i = 1; i < 50; i++) await client.readResource({ uri: resource!.uri })
    const failed = client.readResource({ uri: resource!.uri }).catch((error) => error)
    expect(await failed).toMatchObject({
      code: -32600,
      data: { code: 'quota_exceeded', limit: 50, reset: expect.any(Number) },
    })
  })
})

describe('the prompt', () => {
  test('compares providers for a transfer', async () => {
    const tools = toolWorld()
    const { client } = await tools.connect(tools.world.key())
    const [prompt] = (await client.listPrompts()).prompts
    expect(prompt!.arguments?.map(({ name }) => name)).toEqual([
      ...['from', 'to', 'amount', 'source_country', 'target_country', 'pay_in', 'pay_out'],
    ])
    const args = { from: 'GBP', to: 'KES', amount: '200' }
    const { messages } = await client.getPrompt({ name: prompt!.name, arguments: args })
    expect(messages).toHaveLength(1)
    expect(JSON.stringify(messages)).toContain('from GBP, to KES, amount 200.')
    const countries = {
      ...{ amount: '300', source_country: 'Italy', target_country: 'Senegal', from: ' ' },
      pay_out: 'mobile_money',
    }
    const other = await client.getPrompt({ name: prompt!.name, arguments: countries })
    expect(JSON.stringify(other.messages)).toContain(
      'amount 300, source_country Italy, target_country Senegal, pay_out mobile_money.',
    )
  })

  test('refuses unknown arguments', async () => {
    const tools = toolWorld()
    const { client } = await tools.connect(tools.world.key())
    const asked = (name: string, args: Record<string, string>) =>
      client.getPrompt({ name, arguments: args }).catch(({ code }) => code)
    expect(await asked('nothing', {})).toBe(-32602)
    expect(await asked('compare_providers', { from: 'GBP', to: 'KES' })).toBe(-32602)
    expect(await asked('compare_providers', { amount: '5', target_country: 'KE' })).toBe(-32602)
    const long = { from: 'GBP', to: 'KES', amount: '2'.repeat(101) }
    expect(await asked('compare_providers', long)).toBe(-32602)
  })

  test.each([
    ['prompts/get', undefined, 'name'],
    ['prompts/get', { name: 'compare_providers', arguments: { amount: 5 } }, 'arguments.amount'],
    ['prompts/get', { name: 'nothing' }, 'there is no such prompt'],
    ['resources/read', { uri: 5 }, 'uri'],
    ['resources/read', { uri: 'corridor://nothing' }, 'there is no such resource'],
    ['completion/complete', {}, 'ref'],
    ['tools/list', { cursor: 5 }, 'cursor'],
    ['tools/call', { name: 'list_providers', arguments: [] }, 'arguments'],
    ['tools/call', { name: 'list_providers', arguments: 'all' }, 'arguments'],
    ['tools/call', {}, 'name'],
  ])('describes what is wrong: %s of %j', async (method, params, words) => {
    const tools = toolWorld()
    const { status, body } = await tools.ask(tools.world.key(), { method, params })
    expect([status, [-32602, -32002].includes(body.error.code)]).toEqual([200, true])
    expect(body.error.message).toContain(words)
    expect(body.error.message).not.toMatch(/MCP error/)
  })

  test('completes quoted currencies alone', async () => {
    const tools = toolWorld()
    const { client } = await tools.connect(tools.world.key())
    const completed = async (name: string, value: string) => {
      const ref = { type: 'ref/prompt', name: 'compare_providers' } as const
      return (await client.complete({ ref, argument: { name, value } })).completion.values
    }
    expect(await completed('from', 'us')).toEqual(['USD'])
    expect(await completed('target_country', 'ken')).toEqual(['Kenya'])
    expect(await completed('pay_out', 'm')).toEqual(['mobile_money'])
    expect(await completed('amount', '1')).toEqual([])
  })
})

describe('a tool that fails', () => {
  test('reports it without the reason, gives the unit back and logs it', async () => {
    const past = emptyPast()
    const broken = { ...past.store, page: () => Promise.reject(new Error('secret')) }
    const tools = toolWorld({ past: { ...past, store: broken } })
    const key = tools.world.key('free')
    const session = await tools.connect(key)
    const { isError, body } = await session.call('get_history', CORRIDOR)
    expect(isError).toBe(true)
    expect(body).toEqual({ error: expect.stringContaining('our side'), code: 'internal_error' })
    expect(tools.world.logged.map(({ level }) => level)).toEqual(['error'])
    expect(await tools.used(key)).toBe(0)
  })

  test('says to retry if the mid is unavailable', async () => {
    const tools = toolWorld()
    tools.world.clock.set('2026-03-20T00:00:00Z')
    const session = await tools.connect(tools.world.key())
    const { isError, body } = await session.call('fetch_rates', CORRIDOR)
    expect([isError, body.code]).toEqual([true, 'mid_unavailable'])
  })
})

test('the examples of every input schema fit the schema', async () => {
  const tools = toolWorld()
  const { client } = await tools.connect(tools.world.key())
  for (const { inputSchema } of (await client.listTools()).tools)
    for (const field of Object.values(inputSchema.properties ?? {}) as { examples?: unknown[] }[])
      for (const example of field.examples ?? [])
        expect(isTaken(field as Record<string, unknown>, example)).toBe(true)
})

function isTaken(field: Record<string, unknown>, example: unknown): boolean {
  const types = (field.anyOf as { type: string }[] | undefined)?.map(({ type }) => type)
  const given = Array.isArray(example) ? 'array' : typeof example
  return types ? types.includes(given) : Value.Equal(given, field.type)
}
