import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { RATE_TYPES } from '~/domain/provider.ts'
import type { Random } from '../fuzz/random.ts'

/** Corridors of the sample, and some that only this market quotes. */
export const CORRIDORS = [
  ...['GBP/KES', 'USD/KES', 'EUR/XOF', 'USD/NGN', 'ZAR/BWP', 'TZS/KES', 'GBP/GMD'],
  ...['CHF/ZMW', 'SAR/ETB', 'AED/UGX', 'USD/USDT', 'KES/RWF', 'CAD/GHS', 'SEK/MAD'],
].map((pair) => {
  const [from, to] = pair.split('/') as [string, string]
  return { from, to }
})

/** In the catalogue, without any quote. */
export const UNQUOTED = [
  { from: 'NOK', to: 'THB' },
  { from: 'KES', to: 'CHF' },
]

/** Additions to the sample's currencies and providers. */
export const PROVIDERS = RATE_TYPES.flatMap((rateType) =>
  ['a', 'b', 'c'].map((letter) => ({
    id: `run-${rateType}-${letter}`,
    name: `Run ${rateType} ${letter}`,
    provider_type: 'imto',
    rate_type: rateType,
    transfer_time: letter === 'a' ? 'minutes' : null,
  })),
)

/** Months that the market has quoted. */
const SPAN_MS = 28 * 30 * DAY_MS

/** Validity periods: beyond the search for expiring prices, and within it. */
const VALID_MS = [1, 1000, HOUR_MS, 2 * DAY_MS, 31 * DAY_MS, 32 * DAY_MS, 33 * DAY_MS, 400 * DAY_MS]

/** A row as `POST /rates` and a file of lines take it. */
export type Row = Readonly<Record<string, unknown>>

/** A price of the past up to `nowMs`; many share a time, a series or an edge of a month. */
export function pastRow(random: Random, nowMs: number): Row {
  return rowAt(random, momentBefore(random, nowMs))
}

/** A new price: of now, by default, of the last hours, or of long ago. */
export function newRow(random: Random, nowMs: number): Row {
  if (random.chance(0.3)) return rowAt(random, null)
  if (random.chance(0.7)) return rowAt(random, nowMs - random.below(3 * HOUR_MS))
  return pastRow(random, nowMs)
}

/** A time of the market: often the top of an hour, midnight, or the start of a month. */
export function momentBefore(random: Random, nowMs: number): number {
  const ms = nowMs - Math.floor(random.unit() ** 2 * SPAN_MS)
  const edge = random.below(10)
  if (edge < 4) return ms - (ms % HOUR_MS)
  if (edge < 5) return ms - (ms % DAY_MS)
  if (edge < 6) return monthStartMs(ms) - random.below(2)
  return ms
}

function monthStartMs(ms: number): number {
  const at = new Date(ms)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth())
}

function rowAt(random: Random, atMs: number | null): Row {
  const { from, to } = random.pick(CORRIDORS)
  const isStated = random.chance(0.6)
  const offer = random.chance(0.4) ? offerOf(random) : {}
  const validMs = random.chance(0.15) && atMs !== null ? random.pick(VALID_MS) : null
  return {
    provider_id: random.pick(PROVIDERS).id,
    from,
    to,
    rate: Number((1 + random.below(5000) / 7).toPrecision(1 + random.below(12))),
    ...(isStated && { fee: random.below(500) / 100, fee_currency: from }),
    ...(atMs !== null && { effective_from: new Date(atMs).toISOString() }),
    ...(random.chance(0.1) && { evidence: random.pick(['derived', 'indicative']) }),
    ...offer,
    ...(validMs !== null && { valid_until: new Date(atMs! + validMs).toISOString() }),
  }
}

/**
 * One or two distinguishing fields of an offer, from few values: a corridor may have 1,000 offers.
 */
function offerOf(random: Random): Row {
  const fields: Row[] = [
    { source_country: random.pick(['US', 'GB']) },
    { target_country: 'KE' },
    { pay_in: random.pick([['cash'], ['cash', 'debit_card']]) },
    { pay_out: ['mobile_money'] },
    { channel: random.pick(['internet', 'agent']) },
    { amount_min: 1, amount_max: 500.5 },
    { service: 'Express' },
  ]
  return {
    ...random.pick(fields),
    ...(random.chance(0.5) && random.pick(fields)),
    ...(random.chance(0.3) && { fee_percent: random.pick([0, 1.5]) }),
    ...(random.chance(0.3) && { delivery_max: random.pick(['PT1H', 'P2D']) }),
  }
}
