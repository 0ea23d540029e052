import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
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
/** Its first moment, one within it and its last: the same number of whole days moves all three. */
const TIMES_OF_A_DAY = [
  '2026-11-22T00:00:00.000Z',
  '2026-11-22T09:41:17.000Z',
  '2026-11-22T23:59:59.999Z',
] as const
const CORRIDORS_OF_THE_SURVEY = 67
const SURVEYED = /: fee ([\d.]+) % and margin (-?[\d.]+) % of (\d+) /

type Entry = {
  readonly provider_id: string
  readonly rate_type: string
  readonly evidence: string
  readonly last_updated: string
  readonly is_stale: boolean
  readonly margin_pct?: number
  readonly mid_at_quote?: { readonly fetched_at: string }
}
type Rates = {
  readonly corridor: string
  readonly providers: readonly Entry[]
  readonly mid_fetched_at?: string
}

const clock = clockAt(TIMES_OF_A_DAY[0])
const keys = new Map<Plan, string>()
/** By provider and corridor what the survey found, as the notes of the sample say it. */
const surveyed = new Map<string, { feePct: number; marginPct: number; amount: string }>()
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
    const [, fee, margin, amount] = SURVEYED.exec(row.notes!) ?? []
    if (amount === undefined) continue
    const found = { feePct: Number(fee), marginPct: Number(margin), amount }
    surveyed.set(`${row.provider_id} ${row.from}/${row.to}`, found)
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

/** `/rates` of every corridor that the demonstration has. */
async function market(plan: Plan): Promise<Rates[]> {
  type Listed = { corridors: { from: string; to: string }[] }
  const { corridors } = await asked<Listed>('/corridors', plan)
  const all: Rates[] = []
  for (const { from, to } of corridors)
    all.push(await asked<Rates>(`/rates?from=${from}&to=${to}`, plan))
  return all
}

const keyOf = ({ corridor }: Rates, entry: Entry) => `${entry.provider_id} ${corridor}`
const isDerived = ({ evidence }: Entry) => evidence === 'derived'

describe.each(TIMES_OF_A_DAY)('the demonstration at %s', (now) => {
  const hoursSince = (time: string) => (Date.parse(now) - Date.parse(time)) / HOUR_MS
  beforeAll(() => clock.set(now))

  test.each(['enterprise', 'free'] as const)(
    'shows a stranger recent mids, fresh prices of the survey and nothing of tomorrow: %s',
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
      expect(prices.map(({ key }) => key).sort()).toEqual([...surveyed.keys()].sort())
      const oldest = Math.max(...prices.map(({ last_updated }) => hoursSince(last_updated)))
      expect(oldest).toBeLessThan(FRESH_HOURS_MAX)
      expect(prices.filter(({ is_stale }) => is_stale)).toEqual([])
    },
    TEST_MS_MAX,
  )

  test(
    'holds each price of the survey against the mid of its day, and finds its margin',
    async () => {
      const entries = (await market('enterprise')).flatMap((body) =>
        body.providers.map((entry) => ({ key: keyOf(body, entry), ...entry })),
      )
      const found = entries.filter(isDerived)
      const margins = [...surveyed].map(([key, { marginPct }]) => [key, marginPct] as const)
      expect(new Map(found.map(({ key, margin_pct }) => [key, margin_pct!]))).toEqual(
        new Map(margins),
      )
      for (const { key, mid_at_quote, last_updated } of found)
        expect([key, mid_at_quote?.fetched_at]).toEqual([key, last_updated])
      const above = entries.filter((e) => e.rate_type !== 'official' && e.margin_pct! < 0)
      expect(above.length).toBeGreaterThan(40)
      expect(above.filter(({ key }) => !(surveyed.get(key)!.marginPct < 0))).toEqual([])
    },
    TEST_MS_MAX,
  )

  test(
    'costs at the amount of the survey what the survey found, fee and margin',
    async () => {
      type Cost = { readonly fee_pct: number; readonly total_pct: number; readonly total: number }
      type Priced = { readonly provider_id: string; readonly cost: Cost }
      const amounts = new Map<string, string>()
      for (const [key, { amount }] of surveyed) amounts.set(key.split(' ')[1]!, amount)
      const found: string[] = []
      for (const [corridor, amount] of amounts) {
        const [from, to] = corridor.split('/')
        const path = `/convert?from=${from}&to=${to}&amount=${amount}`
        const { providers } = await asked<{ providers: Priced[] }>(path, 'enterprise')
        for (const { provider_id, cost } of providers)
          if (surveyed.has(`${provider_id} ${corridor}`))
            found.push(
              `${provider_id} ${corridor}: ${cost.fee_pct} ${cost.total_pct} ${cost.total}`,
            )
      }
      const told = [...surveyed].map(([key, { feePct, marginPct, amount }]) => {
        const totalPct = Number((feePct + marginPct).toFixed(2))
        const total = Number(((totalPct * Number(amount)) / 100).toPrecision(12))
        return `${key}: ${feePct} ${totalPct} ${total}`
      })
      expect(found.sort()).toEqual(told.sort())
      expect(amounts.size).toBe(CORRIDORS_OF_THE_SURVEY)
    },
    TEST_MS_MAX,
  )
})
