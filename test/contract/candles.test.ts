import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { roundAmount } from '~/domain/round.ts'
import { bucketEndMs, bucketStartsMs, type Interval, seriesWindow } from '~/domain/series.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { CURRENCIES, currency, PROVIDERS } from '../support/catalogue.ts'
import { PastWorld } from '../support/past-world.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'

const AT = '2026-03-05T14:25:30.500Z'
const NOW_MS = Date.parse(AT)
/** Age of the first record. */
const SPAN_MS = 500 * DAY_MS
const MID_MS_MAX = 4 * DAY_MS
const SUSPECT_PCT = 10
const WINDOWS = Number(process.env.CANDLE_RUNS ?? 120)
const ASKED_MS_MAX = 60_000 + 300 * WINDOWS

const XOF = 655.957
const PAIRS = ['USD/KES', 'KES/USD', 'GBP/KES', 'GBP/XOF', 'EUR/XOF', 'XOF/KES'] as const
type Pair = (typeof PAIRS)[number]
const WORTHS = { KES: 130, GBP: 0.8, EUR: 0.9 }
const OF_PROVIDERS = ['retail-a', 'retail-b', 'p2p-a', 'official-a'] as const

let database: FreshDatabase
let world: PastWorld

beforeAll(async () => {
  database = await freshDatabase()
  const pegged = currency('XOF', { peg: { to: 'EUR', rate: XOF } })
  const currencies = [...CURRENCIES.filter(({ code }) => code !== 'XOF'), pegged]
  await createCatalogueStore(database).apply({ currencies, providers: PROVIDERS })
  let state = 7
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
  const moment = () =>
    NOW_MS - Math.floor(random() * (SPAN_MS / HOUR_MS)) * HOUR_MS + (random() < 0.5 ? 0 : 1)
  const near = (value: number) => value * (0.85 + random() * 0.3)
  for (let i = 0; i < 260; i++) {
    const codes = Object.entries(WORTHS).filter(() => random() < 0.6)
    await createReferenceStore(database).append({
      source: 'feed',
      fetchedMs: moment(),
      rates: codes.map(([code, worth]) => ({ currency: code, perUsd: near(worth).toFixed(6) })),
    })
  }
  world = await new PastWorld(database, {
    ...{ at: AT, midMaxAgeMs: MID_MS_MAX, quoteSuspectPct: SUSPECT_PCT },
  }).start()
  const rates = { 'USD/KES': 128, 'GBP/KES': 160, 'XOF/KES': 0.22 }
  const rows = Object.entries(rates).flatMap(([pair, rate]) =>
    Array.from({ length: 500 }, (_, i) => ({
      provider_id: OF_PROVIDERS[Math.floor(random() * OF_PROVIDERS.length)],
      ...{ from: pair.slice(0, 3), to: pair.slice(4) },
      rate: Number((random() < 0.05 ? rate / 3 : near(rate)).toFixed(6)),
      effective_from: new Date(moment() + i * 2).toISOString(),
      accept_implausible: true,
    })),
  )
  await world.post(rows.slice(0, 800))
  await world.post(rows.slice(800))
}, TEST_MS_MAX)
afterAll(() => database.close())

/** The mid of a pair at a time in SQL, looked up naively; null without one. */
function midAt([from, to]: readonly string[], at: string, ageMs: number | null) {
  const legs = [to, from].map((code) => {
    if (code === 'USD') return { worth: '1::float8', at: `${at}::timestamptz` }
    const leg = code === 'XOF' ? 'EUR' : code
    const last = (column: string) =>
      `(select ${column} from reference_rates where currency = '${leg}' and fetched_at <= ${at}
        order by fetched_at desc, id desc limit 1)`
    const worth = `${last('per_usd::float8')} * ${code === 'XOF' ? XOF : 1}::float8`
    return { worth, at: last('fetched_at') }
  })
  const mid = `(${legs[0]!.worth}) / (${legs[1]!.worth})`
  if (ageMs === null) return mid
  const isRecent = legs.map((leg) => `${at} - ${leg.at} <= interval '${ageMs} ms'`).join(' and ')
  return `case when ${isRecent} then ${mid} end`
}

/** Both candles of a bucket, by SQL that looks up each time separately. */
async function oracle(
  pair: Pair,
  interval: Interval,
  { fromMs, beforeMs }: Record<'fromMs' | 'beforeMs', number>,
) {
  const [from, to] = [pair.slice(0, 3), pair.slice(4)]
  const at = (ms: number) => `'${new Date(ms).toISOString()}'::timestamptz`
  const candle = `(array_agg(rate order by at))[1] as open, max(rate) as high, min(rate) as low,
    (array_agg(rate order by at desc))[1] as close`
  const [mid] = await database.sql.unsafe(`
    select ${candle} from (
      select at, ${midAt([from, to], 'at', null)} as rate from (
        select ${at(fromMs)} as at union
        select fetched_at from reference_rates
        where fetched_at >= ${at(fromMs)} and fetched_at < ${at(beforeMs)}
          and currency in (${[from, to].map((code) => `'${code === 'XOF' ? 'EUR' : code}'`)})
      ) moments
    ) path where rate is not null`)
  const unit = interval === 'PT1H' ? 'effective_from' : "date_trunc('hour', effective_from, 'UTC')"
  const [best] = await database.sql.unsafe(`
    select ${candle} from (
      select ${unit} as at, max(rate::float8) as rate from (
        select *, ${midAt([from, to], 'effective_from', MID_MS_MAX)} as mid
        from observations o join corridors c on c.id = o.corridor_id
        where source = '${from}' and target = '${to}' and rate_type <> 'official'
          and effective_from >= ${at(fromMs)} and effective_from < ${at(beforeMs)}
      ) said
      where mid is null or rate::float8 between mid / 2 and mid * 1.1
      group by 1
    ) units`)
  return { mid: rounded(mid!), best: rounded(best!) }
}

type Shown = Record<string, number> | null

const rounded = ({ open, ...rest }: Record<string, string | number | null>): Shown =>
  open === null
    ? null
    : Object.fromEntries(
        Object.entries({ open, ...rest }).map(([name, x]) => [name, roundAmount(Number(x))]),
      )

describe('the candles of /time-series', () => {
  test(
    'are those of a plain look-up in SQL, for any pair, interval and window',
    async () => {
      const asked = fc.record({
        pair: fc.constantFrom(...PAIRS),
        interval: fc.constantFrom<Interval[]>('PT1H', 'P1D', 'P1W', 'P1M'),
        back: fc.integer({ min: 0, max: SPAN_MS + 40 * DAY_MS }),
        buckets: fc.integer({ min: 1, max: 6 }),
      })
      await fc.assert(
        fc.asyncProperty(asked, async ({ pair, interval, back, buckets }) => {
          const fromMs = NOW_MS - back
          let toMs = fromMs
          for (let i = 0; i < buckets; i++) toMs = bucketEndMs(toMs, interval)
          const [from, to] = [pair.slice(0, 3), pair.slice(4)]
          const [start, end] = [fromMs, toMs].map((ms) => new Date(ms).toISOString())
          const { body } = await world.get(
            `/time-series?from=${from}&to=${to}&interval=${interval}&start=${start}&end=${end}&ohlc=true`,
          )
          const window = seriesWindow({ fromMs, toMs, nowMs: NOW_MS }, interval)
          const points = bucketStartsMs(window, interval).map(async (startMs) => ({
            t: new Date(startMs).toISOString(),
            ohlc: await oracle(pair, interval, {
              fromMs: startMs,
              beforeMs: Math.min(bucketEndMs(startMs, interval), NOW_MS + 1),
            }),
          }))
          type Point = { t: string; mid: number; best: number; ohlc: Record<'mid' | 'best', Shown> }
          const data = body.data as unknown as Point[]
          expect(data.map(({ t, ohlc }) => ({ t, ohlc }))).toEqual(await Promise.all(points))
          for (const { mid, best, ohlc } of data) {
            expect(ohlc.mid).toEqual(mid === null ? null : expect.objectContaining({ close: mid }))
            expect(ohlc.best).toEqual(
              best === null ? null : expect.objectContaining({ high: best }),
            )
          }
        }),
        { numRuns: WINDOWS },
      )
    },
    ASKED_MS_MAX,
  )
})
