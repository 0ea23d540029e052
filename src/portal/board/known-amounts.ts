import { matchOf } from '~/domain/offer/band.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'

/** The surveyed amount nearest to `usual`, else one that some offer covers; else `usual`. */
export function pricedAmount(offers: readonly RankedQuote[], usual: number): number {
  const believed = offers.filter(isBelieved)
  const current = believed.filter(({ isStale }) => !isStale)
  const among = current.length > 0 ? current : believed
  const surveyed = among.filter(({ quote }) => isSurveyed(quote))
  const matches = (surveyed.length > 0 ? surveyed : among).map(({ quote }) => matchOf(quote, usual))
  return matches.sort(byNearness)[0]?.atAmount ?? usual
}

/** Up to `max` amounts that offers name, those nearest to `amount`, ascending. */
export function namedAmounts(
  offers: readonly RankedQuote[],
  { amount, max }: { readonly amount: number; readonly max: number },
): number[] {
  const ends = offers
    .filter(isBelieved)
    .flatMap(({ quote: { offer } }) => [offer?.amountMin ?? null, offer?.amountMax ?? null])
    .filter((end) => end !== null && end > 0) as number[]
  const away = (end: number): number => Math.abs(Math.log(end / amount))
  return [...new Set(ends)]
    .sort((a, b) => away(a) - away(b))
    .slice(0, max)
    .sort((a, b) => a - b)
}

const isBelieved = ({ quote, suspect }: RankedQuote): boolean =>
  isExecutable(quote.rateType) && !suspect

const isSurveyed = ({ offer }: Quote): boolean =>
  offer !== null && offer.amountMin !== null && offer.amountMin === offer.amountMax

type Match = ReturnType<typeof matchOf>

const byNearness = (a: Match, b: Match): number => a.ratio - b.ratio || a.atAmount - b.atAmount
