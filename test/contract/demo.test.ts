import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { preparedDemo } from '~/command/demo-sample.ts'
import { loadConfig } from '~/config.ts'
import type { Plan } from '~/domain/quota.ts'
import { startService } from '~/runtime/service.ts'
import { sampleObservations } from '~/sample/sample.ts'
import { clockAt } from '../support/clock.ts'
import { freshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'
import { TEST_MS_MAX } from '../support/until.ts'

const HOUR_MS = 3_600_000
const MID_AGE_HOURS_MAX = 72
const FRESH_HOURS_MAX = 7 * 24
const SETTINGS = {
  ...{ PORT: '0', REFERENCE_FEED: 'none', LOG_LEVEL: 'silent' },
  ...{ QUOTA_FREE: '100000', QUOTA_ENTERPRISE: '100000' },
}
const log = { debug() {}, info() {}, warn() {}, error() {} }
/**
 * Its first instant, one within it and its last: the same number of whole days shifts all three.
 */
const TIMES_OF_A_DAY = [
  '2026-11-22T00:00:00.000Z',
  '2026-11-22T09:41:17.000Z',
  '2026-11-22T23:59:59.999Z',
] as const
const CORRIDORS_OF_THE_SURVEY = 67
const SURVEYED = /: fee ([\d.]+) % and margin (-?[\d.]+) % of (\d+) USD$/
/** A published mean has two decimals, and so have its costs. */
const PCT_OFF_MAX = 0.01

/**
 * For each pair of countries the number of prices for 200 dollars in the World Bank's survey of
 * 2025 Q3, and their mean cost: Remittance Prices Worldwide, CC BY 4.0, see NOTICE.
 */
const PUBLISHED: readonly Record<string, string>[] = parse(
  readFileSync(new URL('published-costs.csv', import.meta.url)),
  { columns: true },
)

/** A price of the survey as the sample has it. */
type Surveyed = {
  readonly provider: string
  readonly pair: string
  readonly amount: string
  readonly countries: string
  readonly feePct: number
  readonly marginPct: number
}

type Entry = {
  readonly provider_id: string
  readonly rate_type: string
  readonly evidence: string
  readonly last_updated: string
  readonly is_stale: boolean
  readonly margin_pct?: number
  readonly mid_at_quote?: { readonly fetched_at: string }
}
type Priced = Entry & {
  readonly amount_match?: string
  readonly cost: { readonly fee_pct: number; readonly total_pct: number; readonly total: number }
}
type Compared = Entry & {
  readonly offer_id: string
  readonly suspect?: string
  readonly amount_match: string
  readonly net_converted?: number | null
  readonly mid_at_quote: { readonly rate: number }
  readonly cost: { fee_pct: number; margin_pct: number; total_pct: number } | null
}
type Costs = {
  readonly count: number
  readonly average_pct: number
  readonly median_pct: number
  readonly smart: { readonly pct: number } | null
}
type Rates = {
  readonly corridor: string
  readonly providers: readonly Entry[]
  readonly mid_fetched_at?: string
}

const clock = clockAt(TIMES_OF_A_DAY[0])
const keys = new Map<Plan, string>()
const surveyed: Surveyed[] = []
let service: Awaited<ReturnType<typeof startService>>

beforeAll(async () => {
  const database = await freshDatabase()
  const { accounts, shiftDays } = await preparedDemo({
    database,
    config: { dataDir: await scratchFolder(), publicUrl: null, host: '127.0.0.1', port: 3000 },
    clock,
    say() {},
  })
  for (const { plan, key } of accounts) keys.set(plan, key)
  const file = await new Response(sampleObservations(shiftDays)).text()
  for (const row of parse(file, { columns: true }) as Record<string, string>[]) {
    const [, fee, margin] = SURVEYED.exec(row.notes!) ?? []
    if (margin === undefined) continue
    surveyed.push({
      ...{ provider: row.provider_id!, pair: `from=${row.from}&to=${row.to}` },
      countries: `source_country=${row.source_country}&target_country=${row.target_country}`,
      ...{ amount: row.amount_min!, feePct: Number(fee), marginPct: Number(margin) },
    })
  }
  service = await startService({
    ...{ config: loadConfig(SETTINGS), clock, log, database, sample: null },
  })
}, TEST_MS_MAX)
afterAll(() => service.stop())

async function asked<Body>(path: string, plan: Plan): Promise<Body> {
  const headers = { 'X-API-Key': keys.get(plan)! }
  const response = await fetch(`${service.origin}/api/v1${path}`, { headers })
  expect(response.status).toBe(200)
  return (await response.json()) as Body
}

/** `/rates` of every corridor of the demonstration. */
async function market(plan: Plan): Promise<Rates[]> {
  type Listed = { corridors: { from: string; to: string }[] }
  const { corridors } = await asked<Listed>('/corridors', plan)
  const all: Rates[] = []
  for (const { from, to } of corridors)
    all.push(await asked<Rates>(`/rates?from=${from}&to=${to}`, plan))
  return all
}

const keyOf = ({ corridor }: Rates, entry: Entry) =>
  `${entry.provider_id} from=${corridor.replace('/', '&to=')}`
/** A price between two countries of one currency, which no corridor of currencies lists. */
const SAME_CURRENCY = /from=(\w+)&to=\1$/
const isDerived = (entry: Entry) => entry.evidence === 'derived' && entry.rate_type !== 'official'

const TIMES = [0.1, 0.5, 1, 2, 10, 50]

type Best = Compared | null
type Conversions = { best: Best; best_current: Best; providers: Compared[]; note?: string }
type Faults = Record<'led' | 'dearer' | 'apart', string[]> & {
  readonly compared: Record<string, number>
}

/** Distance of an entry's net from its stated cost, in points beyond the rounding of both. */
function apartBy({ net_converted, mid_at_quote, cost }: Compared, amount: number): number {
  const implied = (1 - net_converted! / (amount * mid_at_quote.rate)) * 100
  const both = Math.abs((cost!.fee_pct * cost!.margin_pct) / 100)
  return Math.abs(implied - cost!.total_pct) - both
}

/** Collects what is wrong with the responses for one amount between two countries. */
async function compare(question: string, amount: number, faults: Faults): Promise<void> {
  const [converted, costs] = await Promise.all([
    asked<Conversions>(`/convert?${question}&amount=${amount}`, 'enterprise'),
    asked<{ offers: Compared[] }>(`/costs?${question}&amount=${amount}`, 'enterprise'),
  ])
  for (const one of [converted.best, converted.best_current])
    if (one && (one.suspect || one.amount_match === 'out_of_range'))
      faults.led.push(`${question} ${amount}: ${one.provider_id}`)
  const exact = converted.providers.filter(
    ({ amount_match, cost }) => amount_match === 'exact' && cost,
  )
  for (const one of exact)
    if (apartBy(one, amount) > 0.01) faults.apart.push(`${question} ${amount}: ${one.provider_id}`)
  const { best_current: best } = converted
  const { compared } = faults
  const cheapest = costs.offers.find(({ cost, suspect }) => cost && !suspect)
  if (best?.mid_at_quote.rate !== cheapest?.mid_at_quote.rate || !best || !cheapest) return
  compared[best.amount_match] = (compared[best.amount_match] ?? 0) + 1
  const more = best.cost!.total_pct - cheapest.cost!.total_pct
  const owed = Math.abs((best.cost!.fee_pct * best.cost!.margin_pct) / 100)
  if (more > owed + 0.01) faults.dearer.push(`${question} ${amount}: ${best.provider_id}`)
}

describe.each(TIMES_OF_A_DAY)('the demonstration at %s', (now) => {
  const hoursSince = (time: string) => (Date.parse(now) - Date.parse(time)) / HOUR_MS
  beforeAll(() => clock.set(now))

  test.each(['enterprise', 'free'] as const)(
    'shows anonymous callers recent mids, fresh prices of the survey and nothing of tomorrow: %s',
    async (plan) => {
      const rates = await market(plan)
      const ages = rates.flatMap(({ providers }) =>
        providers.map(({ last_updated }) => hoursSince(last_updated)),
      )
      expect(Math.min(...ages)).toBeGreaterThanOrEqual(0)
      const current = rates.filter(({ providers }) => providers.some(isDerived))
      expect(current.length).toBe(CORRIDORS_OF_THE_SURVEY)
      const midAges = current.map(({ mid_fetched_at }) => hoursSince(mid_fetched_at!))
      expect(Math.min(...midAges)).toBeGreaterThanOrEqual(0)
      expect(Math.max(...midAges)).toBeLessThan(MID_AGE_HOURS_MAX)
      const prices = current.flatMap((body) =>
        body.providers.filter(isDerived).map((entry) => ({ key: keyOf(body, entry), ...entry })),
      )
      const quoting = surveyed.map(({ provider, pair }) => `${provider} ${pair}`)
      const shown = quoting.filter((key) => !SAME_CURRENCY.test(key))
      expect(prices.map(({ key }) => key).sort()).toEqual([...new Set(shown)].sort())
      const oldest = Math.max(...prices.map(({ last_updated }) => hoursSince(last_updated)))
      expect(oldest).toBeLessThan(FRESH_HOURS_MAX)
      expect(prices.filter(({ is_stale }) => is_stale)).toEqual([])
    },
    TEST_MS_MAX,
  )

  test(
    'compares each price of the survey with the mid of its day, and computes its cost',
    async () => {
      const questions = new Set(
        surveyed.map(({ pair, countries, amount }) => `${pair}&${countries}&amount=${amount}`),
      )
      const found: string[] = []
      for (const question of questions) {
        const path = `/convert?${question}&offers=all`
        const { providers } = await asked<{ providers: Priced[] }>(path, 'enterprise')
        for (const { provider_id, amount_match, margin_pct, cost, ...entry } of providers) {
          if (amount_match !== 'exact') continue
          expect([question, entry.mid_at_quote?.fetched_at]).toEqual([question, entry.last_updated])
          const { fee_pct, total_pct, total } = cost
          found.push(`${provider_id} ${question}: ${fee_pct} ${margin_pct} ${total_pct} ${total}`)
        }
      }
      const expected = surveyed.map(({ provider, pair, countries, amount, feePct, marginPct }) => {
        const totalPct = Number((feePct + marginPct).toFixed(2))
        const total = Number(((totalPct * Number(amount)) / 100).toPrecision(12))
        const question = `${pair}&${countries}&amount=${amount}`
        return `${provider} ${question}: ${feePct} ${marginPct} ${totalPct} ${total}`
      })
      expect(found.sort()).toEqual(expected.sort())
    },
    TEST_MS_MAX,
  )

  test(
    'recommends for no amount a price that does not state it, and computes the nets',
    async () => {
      const faults: Faults = { led: [], dearer: [], apart: [], compared: {} }
      const questions = new Set(
        surveyed.map(({ pair, countries, amount }) => `${pair}&${countries} ${amount}`),
      )
      for (const one of questions) {
        const [question, amount] = one.split(' ') as [string, string]
        for (const times of TIMES)
          await compare(question, Number((times * Number(amount)).toPrecision(9)), faults)
      }
      expect(new Set(surveyed.map(({ countries }) => countries)).size).toBe(85)
      const { compared, ...wrong } = faults
      expect(wrong).toEqual({ led: [], dearer: [], apart: [] })
      expect(compared).toEqual({ exact: expect.any(Number), nearest: expect.any(Number) })
      expect(compared.exact).toBeGreaterThan(150)
      expect(compared.nearest).toBeGreaterThan(300)
    },
    TEST_MS_MAX,
  )

  test(
    'has the average costs that the World Bank published for each of its 85 pairs of countries',
    async () => {
      const table: string[] = []
      const wrong: string[] = []
      for (const { source_country, target_country, prices, average_pct } of PUBLISHED) {
        const path = `/costs?source_country=${source_country}&target_country=${target_country}`
        const costs = await asked<Costs>(`${path}&amount_usd=200`, 'enterprise')
        const line =
          `${source_country}-${target_country}  ${costs.count} of ${prices} prices, ` +
          `mean ${costs.average_pct} (published ${average_pct}), median ${costs.median_pct}, ` +
          `three cheapest ${costs.smart?.pct ?? 'none'}`
        table.push(line)
        const isNear = Math.abs(costs.average_pct - Number(average_pct)) <= PCT_OFF_MAX
        if (!isNear || costs.count !== Number(prices)) wrong.push(line)
      }
      if (now === TIMES_OF_A_DAY[0]) console.log(table.join('\n'))
      expect(table).toHaveLength(85)
      expect(wrong).toEqual([])
    },
    TEST_MS_MAX,
  )
})
