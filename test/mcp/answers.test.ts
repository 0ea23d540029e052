import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { PageAsk } from '~/domain/history.ts'
import { WindowCache } from '~/memory/window-cache.ts'
import { offer } from '../support/offers.ts'
import { emptyPast, recorded } from '../support/past.ts'
import { quote } from '../support/quotes.ts'
import { ToolWorld } from './tool-world.ts'

let tools: ToolWorld
// biome-ignore lint/suspicious/noExplicitAny: a test says of a body what it expects
let ask: (name: string, args?: Record<string, unknown>) => Promise<any>

const RATES = [120, 118, 125, 121]

/**
 * Quotes of one provider on four days, of another on the first, and an official one on the last.
 */
const PAST = [
  ...RATES.map((rate, day) =>
    quote({ id: day + 1, atMs: Date.parse(`2026-03-0${day + 1}T10:00:00Z`), rate }),
  ),
  quote({ id: 9, atMs: Date.parse('2026-03-01T09:00:00Z'), rate: 90, providerId: 'retail-b' }),
  quote({
    ...{ id: 10, atMs: Date.parse('2026-03-04T12:00:00Z'), rate: 99, rateType: 'official' },
    providerId: 'official-a',
  }),
].sort((a, b) => a.atMs - b.atMs)

const past = {
  store: {
    ...emptyPast().store,
    page: async ({ fromMs, beforeMs, providerId, order, offset, limit }: PageAsk) => {
      const found = PAST.filter(
        (one) =>
          one.atMs >= fromMs &&
          one.atMs < beforeMs &&
          (providerId ?? one.providerId) === one.providerId,
      )
      return (order === 'asc' ? found : found.toReversed())
        .slice(offset, offset + limit)
        .map(recorded)
    },
    firstObservedMs: async () => PAST[0]!.atMs,
  },
  windows: new WindowCache(),
}

beforeAll(async () => {
  tools = new ToolWorld({ past })
  const { world } = tools
  const fee = { fee: 20, feeCurrency: 'EUR', from: 'EUR', to: 'XOF' }
  const france = offer({ sourceCountry: 'FR', targetCountry: 'SN' })
  world.quote(
    { ...fee, providerId: 'retail-a', rate: 650, offer: france },
    { ...fee, providerId: 'p2p-a', rate: 640, fee: 1, offer: france },
    { providerId: 'retail-b', rate: 1.1, from: 'GBP', to: 'EUR' },
  )
  const session = await tools.connect(world.key())
  ask = async (name, args) => (await session.call(name, args)).body
})

afterAll(() => tools.stop())

const CORRIDOR = { from: 'USD', to: 'KES' }

describe('convert', () => {
  test('names whose fee uses the whole amount up, and only then', async () => {
    const small = await ask('convert', { from: 'EUR', to: 'XOF', amount: 20 })
    expect(small.note).toBe(
      'The best price is for FR to SN alone. ' +
        'The fee of "Provider retail-a" is at least the whole amount: nothing would arrive.',
    )
    expect(small.best.provider_id).toBe('p2p-a')
    const whole = await ask('convert', { from: 'EUR', to: 'XOF', amount: 20.01 })
    expect(whole.note).toBe('The best price is for FR to SN alone.')
  })

  test('names the countries with prices if none is for those requested', async () => {
    const args = { source_country: 'Italy', target_country: 'Senegal', amount: 5 }
    expect((await ask('convert', args)).note).toBe(
      'No price of EUR/XOF fits the requested source_country and target_country. ' +
        'Prices of EUR/XOF are for FR to SN.',
    )
    expect((await ask('get_rates', { ...args, amount: null })).note).toEndWith('for FR to SN.')
  })

  test('repeats no requested country, and has it if none was requested', async () => {
    const args = { from: 'EUR', to: 'XOF', amount: 50 }
    const [open] = (await ask('convert', args)).providers
    expect(open.offer).toEqual({ source_country: 'FR', target_country: 'SN' })
    const [asked] = (await ask('convert', { ...args, source_country: 'France' })).providers
    expect(asked.offer).toEqual({ target_country: 'SN' })
  })
})

describe('get_rates', () => {
  test('shows one kind on request', async () => {
    const { providers } = await ask('get_rates', { from: 'EUR', to: 'XOF', rate_type: 'P2P' })
    expect(providers.map((one: { rate_type: string }) => one.rate_type)).toEqual(['p2p'])
  })
})

describe('get_provider_rates', () => {
  test('shows the requested corridors, and says that there are others', async () => {
    const of = async (args: Record<string, unknown>) => {
      const { corridors, note } = await ask('get_provider_rates', { provider: 'retail-b', ...args })
      return [corridors.map(({ from, to }: Record<string, string>) => `${from}/${to}`), note]
    }
    expect(await of({})).toEqual([['GBP/EUR'], undefined])
    expect(await of({ from: 'pound sterling' })).toEqual([['GBP/EUR'], undefined])
    expect(await of({ from: 'GBP', to: 'EUR' })).toEqual([['GBP/EUR'], undefined])
    expect(await of({ to: 'KES' })).toEqual([
      ...[[], 'Provider retail-b quotes no such corridor; without that there are 1.'],
    ])
  })
})

describe('list_corridors', () => {
  test('finds the corridors from, to, or of a country, and has the reason for an empty list', async () => {
    const found = async (args: Record<string, unknown>) => {
      const { corridors, note } = await ask('list_corridors', args)
      return [corridors.map(({ from, to }: Record<string, string>) => `${from}/${to}`), note]
    }
    expect((await found({}))[0]).toEqual(['EUR/XOF', 'GBP/EUR', 'USD/KES'])
    expect(await found({ from: 'euro' })).toEqual([['EUR/XOF'], undefined])
    expect(await found({ to: 'Kenya' })).toEqual([['USD/KES'], undefined])
    expect(await found({ country: 'Germany' })).toEqual([['EUR/XOF', 'GBP/EUR'], undefined])
    expect(await found({ country: 'Germany', by: 'country' })).toEqual([
      ...[[], 'No corridor of Germany is quoted at present; without that there are 1.'],
    ])
    expect(await found({ country: 'Senegal', by: 'country' })).toEqual([['EUR/XOF'], undefined])
    expect(await found({ from: 'NGN', to: 'KES' })).toEqual([
      ...[[], 'No corridor from NGN to KES is quoted at present; without that there are 3.'],
    ])
  })
})

describe('the catalogues', () => {
  test('are searched by kind and words, and have the reason for an empty list', async () => {
    const ids = async (args: Record<string, unknown>) => {
      const { providers, note } = await ask('list_providers', args)
      return [providers.map(({ id }: { id: string }) => id), note]
    }
    expect(await ids({ rate_type: 'p2p' })).toEqual([['p2p-a', 'p2p-b'], undefined])
    expect(await ids({ query: 'PROVIDERS Reta' })).toEqual([['retail-a', 'retail-b'], undefined])
    const [none, note] = await ids({ query: 'nobody' })
    expect([none, note]).toEqual([[], expect.stringMatching(/^None of the \d+ active providers/)])
    const { currencies } = await ask('list_currencies', { query: 'kenya' })
    expect(currencies.map(({ code }: { code: string }) => code)).toEqual(['KES'])
    const empty = await ask('list_currencies', { query: 'bitcoin' })
    expect([empty.currency_count, empty.note]).toEqual([0, expect.stringMatching(/^None of the/)])
  })

  test('have no images or sort orders, at any level of detail', async () => {
    for (const detail of ['short', 'full'])
      for (const name of ['list_providers', 'list_currencies'])
        expect(JSON.stringify(await ask(name, { detail }))).not.toMatch(
          /logo_url|flag_url|sort_order/,
        )
  })
})

describe('get_history', () => {
  test('puts first, last, lowest and highest of each kind above the list, on any page', async () => {
    const retail = (rate: number, at: string, provider_id = 'retail-a') => ({
      rate,
      at,
      provider_id,
    })
    const official = retail(99, '2026-03-04T12:00:00.000Z', 'official-a')
    for (const page of [{}, { limit: 1 }, { order: 'desc' }, { limit: 2, offset: 3 }]) {
      const body = await ask('get_history', { ...CORRIDOR, ...page })
      expect(body).toMatchObject({
        first: { retail: retail(90, '2026-03-01T09:00:00.000Z', 'retail-b'), official },
        last: { retail: retail(121, '2026-03-04T10:00:00.000Z'), official },
        lowest: { retail: retail(90, '2026-03-01T09:00:00.000Z', 'retail-b'), official },
        highest: { retail: retail(125, '2026-03-03T10:00:00.000Z'), official },
      })
      const members = Object.keys(body)
      expect(members.indexOf('highest')).toBeLessThan(members.indexOf('data'))
    }
  })

  test('lists the newest first on request', async () => {
    const args = { ...CORRIDOR, provider: 'retail-a', order: 'desc', limit: 3 }
    const first = await ask('get_history', args)
    const rates = ({ data }: { data: { rate: number }[] }) => data.map(({ rate }) => rate)
    expect(rates(first)).toEqual(RATES.toReversed().slice(0, 3))
    expect(first.note).toStartWith('there are earlier observations; ask again with offset 3')
    const { next_offset: offset, next_until: until } = first
    expect(rates(await ask('get_history', { ...args, offset, until }))).toEqual([RATES[0]!])
    const days = await ask('get_history', { ...CORRIDOR, interval: 'P1D', order: 'desc', limit: 2 })
    expect(days.data.map(({ t }: { t: string }) => t)).toEqual(['2026-03-05', '2026-03-04'])
  })

  test('has room for a quarter of days by default', async () => {
    const args = { ...CORRIDOR, interval: 'P1D', period: '90d' }
    const { count, data, next_offset } = await ask('get_history', args)
    expect([count, data.length, next_offset]).toEqual([91, 91, undefined])
  })

  test('has weeks and months by their first day, with candles in full', async () => {
    const args = { ...CORRIDOR, interval: 'P1W', period: '30d', order: 'desc' }
    const { data } = await ask('get_history', args)
    expect(data.slice(0, 2).map(({ t }: { t: string }) => t)).toEqual(['2026-03-02', '2026-02-23'])
    expect(data[0].ohlc).toBeUndefined()
    const months = await ask('get_history', { ...args, interval: 'P1M', detail: 'full' })
    const { t, mid, ohlc } = months.data[0]
    expect([t, ohlc.mid?.close ?? null]).toEqual(['2026-03-01T00:00:00.000Z', mid])
  })

  test('refuses to filter buckets by provider or country', async () => {
    const args = { ...CORRIDOR, interval: 'P1D', source_country: 'KE', provider: 'retail-a' }
    const { faults } = await ask('get_history', args)
    expect(faults.map((one: { parameter: string }) => one.parameter)).toEqual([
      ...['provider', 'source_country'],
    ])
  })

  test('has the time of the last price if the window has none', async () => {
    const args = { ...CORRIDOR, until: '2025-01-01' }
    expect((await ask('get_history', args)).note).toBe(
      'No such price of USD/KES was recorded from 2024-12-02T23:00:00.000Z to ' +
        '2025-01-01T23:59:59.999Z; none is known from before.',
    )
    tools.world.clock.set('2026-05-05T00:00:00Z')
    expect((await ask('get_history', CORRIDOR)).note).toEndWith(
      `; the last before is of 2026-03-05T12:00:00.000Z.`,
    )
  })
})

describe('a price that is too old to rely on', () => {
  test('is named in the note of get_rates and get_change if it leads', async () => {
    const old = new ToolWorld({ past })
    old.world.clock.set('2026-05-05T12:00:00Z')
    old.world.quote({ providerId: 'retail-a', rate: 129, atMs: Date.parse('2026-03-05T12:00:00Z') })
    const session = await old.connect(old.world.key())
    const said = 'The best price was seen on 2026-03-05 and may no longer be available.'
    for (const name of ['get_rates', 'get_change'])
      expect([name, (await session.call(name, CORRIDOR)).body.note]).toEqual([
        name,
        expect.stringContaining(said),
      ])
    await old.stop()
  })
})

describe('a mid that was carried forward', () => {
  test('has its time in the summary of get_history', async () => {
    const atMs = Date.parse('2026-03-01T05:00:00Z')
    const carried = new ToolWorld({
      past: {
        ...past,
        store: {
          ...past.store,
          worthsBefore: async (_, momentsMs) =>
            momentsMs.map((ms) => (ms > atMs ? { atMs, perUsd: 129, source: 'feed' } : null)),
        },
      },
    })
    const session = await carried.connect(carried.world.key())
    const args = { ...CORRIDOR, interval: 'P1D', period: '7d' }
    const { body } = await session.call('get_history', args)
    expect((body as { last: unknown }).last).toMatchObject({ mid: { mid_at: '2026-03-01' } })
    await carried.stop()
  })
})
