import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { loadSample } from '~/command/sample.ts'
import type { Evidence } from '~/domain/price/evidence.ts'
import type { Provider } from '~/domain/provider.ts'
import { createRollupStore } from '~/store/past/rollup-store.ts'
import catalogue from '~generated/sample/catalogue.json'
import { PastWorld } from '../support/past-world.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'
import { change, type Facts, historical, history, type Pegs, series } from './past-oracle.ts'

/** The last day of the sample. */
const NOW = '2026-09-29T14:25:30.500Z'
const nowMs = Date.parse(NOW)
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const LOAD_MS_MAX = 4 * TEST_MS_MAX
/** Suffix that the loader adds to the source of each reference. */
const LABEL = ' (sample, shifted 0 days)'

let database: FreshDatabase
let world: PastWorld
let facts: Facts

beforeAll(async () => {
  database = await freshDatabase()
  const origin = 'http://localhost:3000'
  await loadSample(database, { origin, shiftDays: 0, nowMs, say() {} })
  world = await new PastWorld(database, { at: NOW }).start()
  facts = await factsOfFiles()
}, LOAD_MS_MAX)
afterAll(() => database.close())

/** The rows of the files, read without any code of the service. */
async function factsOfFiles(): Promise<Facts> {
  const providers = new Map(
    catalogue.providers.map((provider) => [
      provider.id,
      {
        ...provider,
        providerType: provider.provider_type,
        transferTime: provider.transfer_time,
        timeZone: provider.time_zone,
        isActive: provider.is_active,
      } as unknown as Provider,
    ]),
  )
  const kinds = new Map(catalogue.providers.map(({ id, rate_type }) => [id, rate_type]))
  const said = (await linesOf('observations.csv.gz')).map((line, id) => {
    const [provider, from, to, rate, fee, feeCurrency, at, notes, evidence, ...offer] =
      line.split(',')
    return {
      id: id + 1,
      at: Date.parse(at!),
      provider: provider!,
      pair: `${from}/${to}`,
      rate: Number(rate),
      fee: fee ? Number(fee) : null,
      feeCurrency: fee ? feeCurrency || from! : null,
      kind: kinds.get(provider!) as 'retail',
      evidence: evidence as Evidence,
      offer: offerOf(offer),
      recording: {
        notes: notes || null,
        recorded_at: expect.stringMatching(INSTANT),
        recorded_via: 'import',
      },
      until: Number.POSITIVE_INFINITY,
    }
  })
  const fixings = (await linesOf('reference.csv.gz')).map((line, id) => {
    const [at, source, currency, perUsd] = line.split(',')
    const feed = { source: source + LABEL, currency: currency! }
    return { id, at: Date.parse(at!), perUsd: Number(perUsd), ...feed }
  })
  const fiat = catalogue.currencies.filter(({ kind }) => kind === 'fiat').map(({ code }) => code)
  const pegs = Object.fromEntries(
    catalogue.currencies.flatMap((known: { code: string; peg?: Pegs[string] | null }) =>
      known.peg ? [[known.code, known.peg]] : [],
    ),
  )
  return { said, fixings, turns: [], providers, fiat: new Set(fiat), pegs }
}

/** Offer in the last columns of a row, by the names of responses. */
function offerOf(fields: readonly string[]): Record<string, string | number | string[]> {
  const [source_country, target_country, payIn, channel, min, max, service] = fields
  const all = {
    ...{ source_country, target_country, pay_in: payIn && [payIn], channel },
    ...{ amount_min: min && Number(min), amount_max: max && Number(max), service },
  }
  const said = Object.entries(all).filter(([, value]) => value)
  return Object.fromEntries(said) as Record<string, string | number | string[]>
}

async function linesOf(name: string): Promise<string[]> {
  const packed = await Bun.file(new URL(`../../generated/sample/${name}`, import.meta.url)).bytes()
  return gunzipSync(packed).toString().trimEnd().split('\n').slice(1)
}

const PAIRS = [
  'USD/KES',
  'GBP/KES',
  'USD/BWP',
  'KES/RWF',
  'TZS/UGX',
  'EUR/MAD',
  'GBP/NGN',
  'KES/USD',
  'USD/USDT',
]

const QUESTIONS: [path: string, oracle: typeof history, parameters: Record<string, string>][] = [
  ['/time-series', series as never, { interval: 'P1D', period: '90d' }],
  ['/time-series', series as never, { start: '2024-02-20T00:00:00Z', end: '2024-11-01T00:00:00Z' }],
  ['/time-series', series as never, { start: '2021-10-20T00:00:00Z', end: '2022-06-01T00:00:00Z' }],
  ['/time-series', series as never, { interval: 'PT1H', period: '7d' }],
  ['/historical', historical as never, { date: '2026-09-29' }],
  ['/historical', historical as never, { date: '2026-09-28' }],
  ['/historical', historical as never, { date: '2025-09-05' }],
  ['/historical', historical as never, { date: '2024-03-15' }],
  ['/historical', historical as never, { date: '2024-03-02' }],
  ['/historical', historical as never, { date: '2022-01-01' }],
  ...['1d', '7d', '30d', '90d'].map(
    (period) => ['/change', change as never, { period }] as (typeof QUESTIONS)[number],
  ),
  ['/rates/history', history, { period: '90d', limit: '5000' }],
  ['/rates/history', history, { period: '90d', order: 'desc', limit: '20', offset: '30' }],
]

describe('two years of real mids and the rates of central banks', () => {
  test.each(PAIRS)(
    'give every response about the past that follows from the files: %s',
    async (pair) => {
      const [from, to] = pair.split('/') as [string, string]
      const said = facts.said.filter((row) => [pair, `${to}/${from}`].includes(row.pair))
      const fixings = facts.fixings.filter(({ currency }) => currency === from || currency === to)
      const known = { ...facts, said, fixings }
      for (const [path, oracle, more] of QUESTIONS)
        for (const tier of ['realtime', 'hourly'] as const) {
          const parameters = { from, to, ...more }
          const asked = `${path}?${new URLSearchParams(parameters)}`
          const { status, body } = await world.get(asked, tier)
          const expected = oracle(known, { now: nowMs, tier }, parameters) as typeof body
          expect({ asked, tier, status, body }).toEqual({
            asked,
            tier,
            status: 200,
            body: expected,
          })
        }
    },
  )

  test('/time-series of ninety days has the values of the files', async () => {
    const { body } = await world.get('/time-series?from=USD&to=KES&interval=P1D&period=90d')
    expect(body).toMatchObject({ count: 91, tracked_corridor: true })
    expect(body.data.slice(-3)).toEqual([
      {
        t: '2026-09-27T00:00:00.000Z',
        mid: 129.5972392,
        mid_at: '2026-09-27T00:00:00.000Z',
        best: null,
        samples: 0,
      },
      {
        t: '2026-09-28T00:00:00.000Z',
        mid: 129.69846566,
        mid_at: '2026-09-28T00:00:00.000Z',
        best: 133.96554518,
        samples: 50,
      },
      {
        t: '2026-09-29T00:00:00.000Z',
        mid: 129.67469522,
        mid_at: '2026-09-29T00:00:00.000Z',
        best: 129.67469522,
        samples: 30,
      },
    ])
  })

  test('/historical has the values of the files', async () => {
    const { body } = await world.get('/historical?from=USD&to=KES&date=2025-09-02')
    const bank = body.providers.find(
      ({ provider_id }: { provider_id: string }) => provider_id === 'central-bank-of-kenya',
    )
    expect(bank).toMatchObject({
      rate: 129.24,
      vs_mid_bps: 17.6322,
      last_updated: '2025-09-02T21:00:00.000Z',
    })
    expect(body.mid_rate).toBe(129.01252318)
  })

  test('the import leaves every roll-up right', async () => {
    const store = createRollupStore(database)
    const always = { fromMs: Number.NEGATIVE_INFINITY, beforeMs: Number.POSITIVE_INFINITY }
    for (const corridor of await store.corridors())
      expect(await store.differences(corridor, always)).toEqual([])
  })
})
