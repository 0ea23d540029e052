import type { Corridor } from '~/domain/corridor.ts'
import { CHANNELS, type Offer, PAY_WAYS, PLAIN } from '~/domain/offer/terms.ts'
import { provider } from '../../support/catalogue.ts'
import { type Pair, wander } from '../dataset.ts'
import { type Market, type MarketOptions, QUOTERS, SPAN_MS } from './market.ts'

/** The number of offers of a corridor, from as many providers as quote one without offers. */
export const CORRIDOR_OFFERS = 200
/** The `pay_out` of half of the offers. */
export const ASKED_PAY_OUT = 'mobile_money'

const BANDS = 4
/** Width of a band; the bands share the requested amounts. */
const BAND_WIDTH = 250_000
const CENT = 0.01

/** A market where each provider of a corridor has about seventeen offers. */
export function offerMarket(
  corridors: readonly Corridor[],
  { depth, nowMs, perUsd }: Omit<MarketOptions, 'liveQuotes'>,
): Market {
  const pairs = corridors.flatMap(offersIn)
  return {
    providers: Array.from({ length: QUOTERS }, (_, i) => provider(providerAt(i))),
    corridors,
    pairs,
    rows: () => wander(pairs, { count: pairs.length * depth, nowMs, perUsd, spanMs: SPAN_MS }),
  }
}

const providerAt = (i: number): string => `bench-${i}`

/** Offers of each provider of a corridor with many. */
export const OFFERS: readonly Offer[] = Array.from(
  { length: Math.ceil(CORRIDOR_OFFERS / QUOTERS) },
  (_, i) => offerAt(i),
)

const offersIn = (corridor: Corridor): Pair[] =>
  Array.from({ length: CORRIDOR_OFFERS }, (_, i) => ({
    ...corridor,
    providerId: providerAt(i % QUOTERS),
    offer: OFFERS[Math.floor(i / QUOTERS)]!,
  }))

/** Offers of four bands, two payout methods, and as many channels as needed. */
function offerAt(i: number): Offer {
  const amountMin = (i % BANDS) * BAND_WIDTH
  return {
    ...PLAIN,
    sourceCountry: 'GB',
    targetCountry: 'KE',
    payIn: [PAY_WAYS[2]],
    payOut: [i % (2 * BANDS) < BANDS ? ASKED_PAY_OUT : 'cash'],
    channel: CHANNELS[Math.floor(i / (2 * BANDS))]!,
    amountMin,
    amountMax: amountMin + BAND_WIDTH - CENT,
    feePercent: i % 3 === 0 ? 0.5 : null,
    deliveryMaxMs: 3_600_000,
  }
}
