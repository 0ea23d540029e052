import type { Currency } from '~/domain/currency.ts'
import type { Observation } from '~/domain/observation.ts'
import type { Offer } from '~/domain/offer/terms.ts'
import type { Provider } from '~/domain/provider.ts'
import { CURRENCIES, currency, provider } from '../support/catalogue.ts'

const HOUR_MS = 3_600_000
const FROM = ['USD', 'EUR', 'GBP', 'AED', 'CAD', 'CHF', 'SAR', 'ZAR', 'KES', 'XOF']
const TO = ['KES', 'NGN', 'UGX', 'TZS', 'GHS', 'RWF', 'ETB', 'MAD', 'XOF', 'ZMW']
/** Units per US dollar, roughly as in 2025: the centre of the generated rates. */
export const PER_USD: Readonly<Record<string, number>> = {
  ...{ USD: 1, EUR: 0.86, GBP: 0.74, AED: 3.67, CAD: 1.38, CHF: 0.8, SAR: 3.75, ZAR: 17.7 },
  ...{ KES: 129, XOF: 563, NGN: 1530, UGX: 3520, TZS: 2480, GHS: 11.8, RWF: 1447, ETB: 142 },
  ...{ MAD: 9.05, ZMW: 23.6 },
}

export type Dataset = {
  readonly currencies: readonly Currency[]
  readonly providers: readonly Provider[]
  readonly liveQuotes: number
  /** Rows in order of time, in arrays. */
  rows(count: number): Generator<Observation[]>
}

type DatasetOptions = {
  readonly liveQuotes: number
  readonly nowMs: number
  /** Offers of every provider's quotes in a corridor: one quote of each. */
  readonly offers?: readonly (Offer | null)[]
}

/**
 * Observations of `liveQuotes` provider, corridor and offer triples over the two years before
 * `nowMs`, each wandering around its mid. The same arguments give the same rows.
 */
export function dataset({ liveQuotes, nowMs, offers = [null] }: DatasetOptions): Dataset {
  const corridors = FROM.flatMap((from) => TO.map((to) => ({ from, to }))).filter(
    ({ from, to }) => from !== to,
  )
  const perCorridor = Math.ceil(liveQuotes / corridors.length)
  const quoters = Math.ceil(perCorridor / offers.length)
  const providers = Array.from({ length: quoters }, (_, i) => provider(`bench-${i}`))
  const pairs = corridors
    .flatMap((corridor) =>
      providers.flatMap(({ id }) =>
        offers.map((offer) => ({ ...corridor, providerId: id, offer })),
      ),
    )
    .slice(0, liveQuotes)
  const codes = [...new Set([...FROM, ...TO])]
  return {
    currencies: [...CURRENCIES, ...codes.map((code) => currency(code))],
    providers,
    liveQuotes: pairs.length,
    rows: (count) => wander(pairs, { count, nowMs, perUsd: PER_USD }),
  }
}

const SPAN_MS = 2 * 365 * 24 * HOUR_MS

type Wander = {
  readonly count: number
  /** The time over which they are spread; two years by default. */
  readonly spanMs?: number
  readonly nowMs: number
  readonly perUsd: Readonly<Record<string, number>>
}

/**
 * Observations of the pairs in turn, in order of time up to an hour before `nowMs`, in arrays. The
 * same arguments give the same rows.
 */
export function* wander(
  pairs: readonly Pair[],
  { count, nowMs, perUsd, spanMs = SPAN_MS }: Wander,
): Generator<Observation[]> {
  const random = mulberry32(1)
  const startMs = nowMs - spanMs
  const stepMs = (nowMs - startMs - HOUR_MS) / count
  let batch: Observation[] = []
  for (let i = 0; i < count; i++) {
    const pair = pairs[i % pairs.length]!
    const mid = perUsd[pair.to]! / perUsd[pair.from]!
    const effectiveMs = Math.floor(startMs + i * stepMs)
    batch.push(observationOf(pair, { mid, effectiveMs, random }))
    if (batch.length === 1000) {
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
}

/** Units of a currency per US dollar at a time, as an exact string: a slow wave around its mean. */
export function perUsdAt(currency: string, ms: number): string {
  const wave = Math.sin((ms / HOUR_MS) * 0.01 + currency.charCodeAt(0))
  return (PER_USD[currency]! * (1 + 0.02 * wave)).toPrecision(8)
}

export type Pair = {
  readonly providerId: string
  readonly from: string
  readonly to: string
  /** Absent for the plain offer. */
  readonly offer?: Offer | null
}

function observationOf(
  pair: Pair,
  { mid, effectiveMs, random }: { mid: number; effectiveMs: number; random: () => number },
): Observation {
  return {
    ...pair,
    rate: (mid * (0.96 + 0.04 * random())).toPrecision(7),
    fee: random() < 0.3 ? null : (random() * 10).toFixed(2),
    feeCurrency: pair.from,
    rateType: 'retail',
    effectiveMs,
    notes: null,
    evidence: 'observed',
    offer: pair.offer ?? null,
  }
}

/** A small generator of repeatable numbers in [0, 1). https://github.com/bryc/code (PRNGs) */
function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
