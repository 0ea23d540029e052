import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Observation } from '~/domain/observation.ts'
import { deliveryText } from '~/domain/offer/duration.ts'
import { type Offer, type PayWay, PLAIN } from '~/domain/offer/terms.ts'
import { RATE_TYPES } from '~/domain/provider.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createRollupStore } from '~/store/past/rollup-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { switchProvider } from '../support/activity.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { PastWorld } from '../support/past-world.ts'
import { freshDatabase } from '../support/postgres.ts'
import { change, factsOf, historical, history, type Pegs, series } from './past-oracle.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const TEST_MS_MAX = 240_000
const RUNS = 10

/** Clocks at a change, and one without any. */
const clocks = fc.constantFrom(
  '2026-03-05T14:25:30.500Z',
  '2026-03-05T14:00:00.000Z',
  '2026-03-05T14:00:00.001Z',
  '2026-03-05T13:59:59.999Z',
  '2026-03-05T00:00:00.000Z',
  '2026-03-05T00:10:00.000Z',
  '2026-03-04T23:59:59.999Z',
  '2024-02-29T12:00:00.000Z',
)

/** Ages of observations: few values, so that many share a time or lie next to an edge. */
const ages = fc
  .tuple(
    fc.constantFrom(
      0,
      0,
      0,
      1,
      2,
      14,
      24,
      25,
      48,
      167,
      168,
      169,
      24 * 30,
      24 * 90,
      24 * 366,
      24 * 400,
    ),
    fc.constantFrom(-1, 0, 0, 0, 1, 1000, 1_500_000, HOUR_MS / 2),
  )
  .map(([hours, ms]) => hours * HOUR_MS + ms)

/** Counted from the clock, or from the top of its hour. */
const moments = fc.tuple(ages, fc.boolean())

/** Terms of an offer: few of each, so that many quotes share one. */
const terms = fc
  .record({
    sourceCountry: fc.constantFrom(null, 'US', 'GB'),
    targetCountry: fc.constantFrom(null, null, 'KE'),
    payIn: fc.constantFrom<PayWay[] | null>(null, null, ['cash'], ['cash', 'debit_card']),
    payOut: fc.constantFrom<PayWay[] | null>(null, null, ['mobile_money']),
    channel: fc.constantFrom(null, null, 'agent' as const, 'internet' as const),
    amounts: fc.constantFrom<[number | null, number | null]>([null, null], [100, 100], [1, 500.5]),
    service: fc.constantFrom(null, null, null, 'Express'),
    feePercent: fc.constantFrom(null, null, 0, 1.5),
    delivery: fc.constantFrom<[number | null, number | null]>(
      [null, null],
      [null, HOUR_MS],
      [2 * DAY_MS, null],
      [0, 2 * DAY_MS],
    ),
    validForMs: fc.constantFrom(null, null, 1, HOUR_MS, 2 * DAY_MS, 400 * DAY_MS),
  })
  .map(({ amounts, delivery, ...rest }) => ({
    ...rest,
    ...{ amountMin: amounts[0], amountMax: amounts[1] },
    ...{ deliveryMinMs: delivery[0], deliveryMaxMs: delivery[1] },
  }))

/** Only a few fields of an offer are set at once. */
const someTerms = fc
  .tuple(
    terms,
    fc.subarray(Object.keys({ ...PLAIN, validForMs: 0 }), { minLength: 1, maxLength: 4 }),
  )
  .map(([all, names]) => {
    const said = Object.entries(all).filter(([name]) => names.includes(name))
    return { ...PLAIN, validForMs: null, ...Object.fromEntries(said) }
  })

const said = fc.record({
  moment: moments,
  provider: fc.constantFrom(...PROVIDERS),
  pair: fc.constantFrom(
    ['USD', 'KES'],
    ['USD', 'KES'],
    ['USD', 'KES'],
    ['GBP', 'NGN'],
    ['USD', 'USDT'],
  ),
  rate: fc.constantFrom('100', '100.1', '100.2', '129.123456789012', '0.00075', '99.9', '150'),
  fee: fc.constantFrom(null, null, '1.99'),
  offer: fc.option(someTerms, { freq: 2 }),
  /** Now and then a price of another kind than the provider's current one. */
  kind: fc.oneof(
    { weight: 8, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom(...RATE_TYPES) },
  ),
})

const fixing = fc.record({
  moment: moments,
  currency: fc.constantFrom('KES', 'GBP', 'NGN', 'EUR'),
  perUsd: fc.constantFrom('129.5', '130', '0.79', '1530.25'),
  source: fc.constantFrom('feed-a', 'feed-b'),
})

const story = fc.record({
  at: clocks,
  before: fc.array(said, { maxLength: 90, size: 'max' }),
  backfill: fc.array(said, { maxLength: 20 }),
  fixings: fc.array(fixing, { maxLength: 30, size: 'max' }),
  lateFixings: fc.array(fixing, { maxLength: 5 }),
  isImported: fc.boolean(),
  /** Times at which providers were switched off or on: at the last of them all are on. */
  turns: fc.array(
    fc.record({
      provider: fc.constantFrom(...PROVIDERS),
      moments: fc.uniqueArray(moments, { minLength: 1, maxLength: 3 }),
    }),
    { maxLength: 6 },
  ),
  quoteMaxAgeMs: fc.constantFrom(null, null, DAY_MS, 30 * DAY_MS),
  staleAfterMs: fc.constantFrom(null, HOUR_MS, 7 * DAY_MS),
  /** Affects only history and series. */
  suspectPct: fc.constantFrom(null, 10, 10),
  filters: fc.array(
    fc.constantFrom<Record<string, string>>(
      { source_country: 'US' },
      { target_country: 'KE', pay_in: 'debit_card,bank_account' },
      { pay_out: 'mobile_money', channel: 'internet' },
      { delivery_max: 'PT1H' },
      { channel: 'agent,internet', source_country: 'GB', delivery_max: 'P2D' },
    ),
    { minLength: 2, maxLength: 2 },
  ),
  inactive: fc.subarray(
    PROVIDERS.map(({ id }) => id),
    { maxLength: 4 },
  ),
  /** Pegs, and their changes. */
  pegs: fc.array(
    fc.constantFrom<Pegs>(
      {},
      { NGN: { to: 'GBP', rate: 2000 } },
      { KES: { to: 'USD', rate: 129 }, GBP: { to: 'USD', rate: 0.8 } },
      { NGN: { to: 'GBP', rate: 2000 }, GBP: { to: 'EUR', rate: 1.25 } },
    ),
    { minLength: 2, maxLength: 2 },
  ),
  days: fc.array(fc.nat({ max: 100 }), { minLength: 2, maxLength: 3 }),
  limit: fc.integer({ min: 1, max: 9 }),
  offsets: fc.array(fc.nat({ max: 30 }), { minLength: 3, maxLength: 3 }),
  /** Which of two consecutive requests is sent. */
  turnOf: fc.nat({ max: 1 }),
})

const pegged = (pegs: Pegs) =>
  CURRENCIES.map((known) => ({ ...known, peg: pegs[known.code] ?? null }))

const momentOf = ([age, isFromHour]: [number, boolean], nowMs: number): number => {
  const base = isFromHour ? nowMs - (nowMs % HOUR_MS) : nowMs
  return Math.min(base - age, nowMs)
}

type Said = typeof said extends fc.Arbitrary<infer T> ? T : never

/** Offer of a row; null if it states none. */
function offerOf({ offer }: Said, effectiveMs: number): Offer | null {
  if (offer === null) return null
  const { validForMs, ...said } = offer
  const validUntilMs = validForMs && effectiveMs + validForMs
  const isSilent = Object.values({ ...said, validUntilMs }).every((one) => one === null)
  return isSilent ? null : { ...said, validUntilMs }
}

const observationOf = (row: Said, nowMs: number) => {
  const { moment, provider, pair, rate, fee, kind } = row
  const effectiveMs = momentOf(moment, nowMs)
  const offer = offerOf(row, effectiveMs)
  return {
    providerId: provider.id,
    from: pair[0]!,
    to: pair[1]!,
    rate,
    fee,
    feeCurrency: fee || offer?.feePercent != null ? pair[0]! : null,
    rateType: kind ?? provider.rateType,
    effectiveMs,
    evidence: kind === null ? 'observed' : 'derived',
    offer,
    notes: null,
  } satisfies Observation
}

type Question = [
  path: string,
  oracle: typeof history | typeof series,
  parameters: Record<string, string>,
]

function questionsOf({
  at,
  days,
  limit,
  offsets,
  filters,
}: {
  at: string
  days: number[]
  limit: number
  offsets: number[]
  filters: Record<string, string>[]
}): Question[] {
  const questions: unknown[][] = []
  const ago = (ms: number) => new Date(Date.parse(at) - ms).toISOString()
  for (const [from, to] of [
    ['USD', 'KES'],
    ['GBP', 'NGN'],
    ['USD', 'USDT'],
    ['GBP', 'KES'],
    ['USD', 'EUR'],
  ] as const) {
    const pair = { from, to }
    for (const period of ['1d', '30d', '90d']) {
      questions.push(['/rates/history', history, { ...pair, period }])
      questions.push([
        '/rates/history',
        history,
        { ...pair, period, order: 'desc', provider: 'retail-a' },
      ])
      questions.push(['/change', change, { ...pair, period }])
      for (const interval of ['P1D', 'PT1H'])
        questions.push(['/time-series', series, { ...pair, period, interval }])
    }
    for (const offset of offsets)
      for (const order of ['asc', 'desc']) {
        const page = { ...pair, period: '90d', order, limit: String(limit), offset: String(offset) }
        questions.push(['/rates/history', history, page])
        questions.push(['/rates/history', history, { ...page, provider: 'p2p-a' }])
        questions.push(['/rates/history', history, { ...page, until: ago(days[0]! * DAY_MS) }])
      }
    for (const asked of filters) {
      const page = { ...pair, ...asked, period: '90d', limit: String(limit) }
      questions.push(['/rates/history', history, { ...pair, ...asked, period: '90d' }])
      questions.push(['/rates/history', history, { ...page, order: 'desc', offset: '3' }])
      questions.push(['/rates/history', history, { ...page, provider: 'retail-b' }])
      for (const day of [0, days[0]!]) {
        const date = ago(day * DAY_MS).slice(0, 10)
        questions.push(['/historical', historical, { ...pair, ...asked, date }])
        questions.push(['/historical', historical, { ...pair, ...asked, date, offers: 'all' }])
      }
    }
    const today = ago(0).slice(0, 10)
    questions.push(['/historical', historical, { ...pair, date: today, offers: 'all' }])
    for (const day of [0, 1, ...days])
      questions.push(['/historical', historical, { ...pair, date: ago(day * DAY_MS).slice(0, 10) }])
    questions.push(['/time-series', series, { ...pair, start: ago(400 * DAY_MS) }])
    questions.push([
      '/time-series',
      series,
      { ...pair, start: ago(31 * DAY_MS), end: ago(29.5 * DAY_MS), interval: 'PT1H' },
    ])
    questions.push(['/time-series', series, { ...pair, start: ago(DAY_MS), end: ago(-DAY_MS) }])
  }
  return questions as Question[]
}

describe('requests about the past', () => {
  test(
    'get the response of the plain oracle, for any history, backfill, clock and tier',
    async () => {
      await fc.assert(
        fc.asyncProperty(story, async (drawn) => {
          const nowMs = Date.parse(drawn.at)
          const database = await freshDatabase()
          try {
            await createCatalogueStore(database).apply({
              currencies: pegged(drawn.pegs[0]!),
              providers: PROVIDERS,
            })
            const { at, quoteMaxAgeMs, staleAfterMs, suspectPct } = drawn
            const [pegs, others] = drawn.pegs as [Pegs, Pegs]
            const ages = { quoteMaxAgeMs, staleAfterMs }
            await turn(database, drawn, nowMs)
            const world = await new PastWorld(database, { at, ...ages }).start()
            const questions = questionsOf(drawn).filter((_, i) => i % 2 === drawn.turnOf)
            const providers = PROVIDERS.map((provider) => ({
              ...provider,
              isActive: !drawn.inactive.includes(provider.id),
            }))
            await record(world, drawn)
            await fix(world, drawn.fixings, nowMs)
            await world.refresher.reload()
            await world.apply({ currencies: [], providers })
            await agree(world, questions, { providers, pegs, suspectPct, ...ages })
            await world.apply({ currencies: pegged(others), providers: [] })
            const late = drawn.backfill.filter(
              ({ provider }) => !drawn.inactive.includes(provider.id),
            )
            await backfill(
              world,
              late.map((row) => observationOf({ ...row, kind: null }, nowMs)),
            )
            await fix(world, drawn.lateFixings, nowMs)
            await agree(world, questions, { providers, pegs: others, suspectPct, ...ages })
          } finally {
            await database.close()
          }
        }),
        { numRuns: RUNS, endOnFailure: true },
      )
    },
    TEST_MS_MAX,
  )
})

async function turn(
  database: Database,
  { turns }: { turns: { provider: { id: string }; moments: [number, boolean][] }[] },
  nowMs: number,
) {
  const byProvider = Map.groupBy(turns, ({ provider }) => provider.id)
  for (const [providerId, own] of byProvider) {
    const times = own.flatMap(({ moments }) => moments.map((one) => momentOf(one, nowMs)))
    const ascending = [...new Set(times)].sort((a, b) => a - b)
    for (const [i, atMs] of ascending.entries()) {
      const isActive = (ascending.length - i) % 2 === 1
      await switchProvider(database, { providerId, isActive, atMs })
    }
  }
}

async function record(
  { database, clock }: PastWorld,
  { before, isImported }: { before: Said[]; isImported: boolean },
) {
  const rows = before.map((row) => observationOf(row, clock.now()))
  const half = isImported ? Math.floor(rows.length / 2) : 0
  if (half > 0)
    await importObservations({
      database,
      rows: (async function* () {
        yield rows.slice(0, half)
      })(),
    })
  const store = createObservationStore(database)
  for (let start = half; start < rows.length; start += 7)
    await store.record({ observations: rows.slice(start, start + 7), idempotency: null })
}

async function backfill(world: PastWorld, rows: Observation[]) {
  if (rows.length === 0) return
  const reply = await world.post(
    rows.map((row) => ({
      provider_id: row.providerId,
      from: row.from,
      to: row.to,
      rate: Number(row.rate),
      ...(row.fee !== null && { fee: Number(row.fee) }),
      effective_from: new Date(row.effectiveMs).toISOString(),
      ...(row.offer && written(row.offer)),
    })),
  )
  expect(reply.status).toBe(201)
}

/** An offer by the fields of a row. */
const written = ({ deliveryMinMs, deliveryMaxMs, validUntilMs, ...said }: Offer) => ({
  ...Object.fromEntries(
    Object.entries(said).map(([name, value]) => [
      name.replace(/[A-Z]/g, '_$&').toLowerCase(),
      value,
    ]),
  ),
  delivery_min: deliveryMinMs === null ? null : deliveryText(deliveryMinMs),
  delivery_max: deliveryMaxMs === null ? null : deliveryText(deliveryMaxMs),
  valid_until: validUntilMs === null ? null : new Date(validUntilMs).toISOString(),
})

async function fix(
  world: PastWorld,
  fixings: (typeof fixing extends fc.Arbitrary<infer T> ? T : never)[],
  nowMs: number,
) {
  for (const { moment, source, currency, perUsd } of fixings) {
    const fetchedMs = momentOf(moment, nowMs)
    const store = createReferenceStore(world.database)
    const references = await store.append({ source, fetchedMs, rates: [{ currency, perUsd }] })
    world.memory.publish({ references }, nowMs)
  }
}

type Known = { providers: typeof PROVIDERS; pegs: Pegs }
type Ages = { quoteMaxAgeMs: number | null; staleAfterMs: number | null }
type Doubts = { suspectPct: number | null }

/** Fields about recordings, which the oracle does not know. */
const RECORDING = ['notes', 'recorded_at', 'recorded_via']

async function agree(
  world: PastWorld,
  questions: Question[],
  { providers, pegs, quoteMaxAgeMs, staleAfterMs, suspectPct }: Known & Ages & Doubts,
) {
  const fiat = CURRENCIES.filter(({ kind }) => kind === 'fiat').map(({ code }) => code)
  const facts = await factsOf(world.database, { providers: [...providers], fiat, pegs })
  const now = world.clock.now()
  const at = new Date(now).toISOString()
  const doubting = await new PastWorld(world.database, { at, quoteSuspectPct: suspectPct }).start()
  for (const [path, oracle, parameters] of questions)
    for (const tier of ['realtime', 'hourly'] as const) {
      const asked = `${path}?${new URLSearchParams(parameters)}`
      const isHistory = path === '/rates/history'
      const isDoubting = isHistory || path === '/time-series'
      const { status, body } = await (isDoubting ? doubting : world).get(asked, tier)
      const ages = { quoteMaxAge: quoteMaxAgeMs, staleAfter: staleAfterMs, suspectPct }
      for (const point of isHistory ? body.data : [])
        for (const name of RECORDING) delete point[name]
      const expected = oracle(facts, { now, tier, ...ages }, parameters)
      expect({ asked, tier, status, body }).toEqual({
        asked,
        tier,
        status: 200,
        body: expected as typeof body,
      })
    }
  const rollups = createRollupStore(world.database)
  for (const corridor of await rollups.corridors()) {
    const always = { fromMs: Number.NEGATIVE_INFINITY, beforeMs: Number.POSITIVE_INFINITY }
    expect(await rollups.differences(corridor, always)).toEqual([])
  }
}
