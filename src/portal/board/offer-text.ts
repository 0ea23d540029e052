import { COUNTRIES } from '~/domain/offer/country.ts'
import type { FilterName } from '~/domain/offer/filter.ts'
import { type Offer, PAY_WAYS, type PayWay, PLAIN } from '~/domain/offer/terms.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import { moneyOf } from '~/portal/words/format.ts'
import type { Words } from '~/portal/words/words.ts'
import type { Conversion } from '~/service/convert.ts'

/** Conditions of an offer in words; `isPair` if the page names its countries already. */
export function offerWords(words: Words, offer: Offer, isPair: boolean): string[] {
  const { say } = words
  const { service, payIn, payOut, channel } = offer
  const listed = (ways: readonly string[]) => words.listText(ways, 'disjunction')
  const parts = [
    isNumbered(service) ? null : service,
    isPair ? null : countriesText(words, offer),
    payIn && say('offer.pay-by', { ways: listed(waysIn(payIn).map((way) => say(`pay.${way}`))) }),
    payOut &&
      say('offer.they-get', { ways: listed(waysIn(payOut).map((way) => say(`received.${way}`))) }),
    channel && say(`channel.${channel}`),
    deliveryText(words, offer),
  ]
  return parts.filter((part) => part !== null)
}

/** Conditions of an offer that not all the others of its provider have, in words. */
export function ownWords(words: Words, one: RankedQuote, all: readonly RankedQuote[]): string[] {
  const wordsOf = ({ quote }: RankedQuote) => offerWords(words, quote.offer ?? PLAIN, true)
  const others = all.filter((other) => isSibling(one, other))
  if (others.length === 0) return []
  return wordsOf(one).filter((word) => !others.every((other) => wordsOf(other).includes(word)))
}

export const isSibling = (a: RankedQuote, b: RankedQuote): boolean =>
  a !== b && a.provider.id === b.provider.id

/** The sample's name for the second price, and those after it if the survey names none. */
const NUMBERED = /^Price \d+$/

const isNumbered = (service: string | null): boolean => service !== null && NUMBERED.test(service)

/** A note that a price is one of several which the survey gives one name; null otherwise. */
export const severalText = ({ say }: Words, { service }: Offer): string | null =>
  isNumbered(service) ? say('offer.several') : null

/** The countries that an offer names, as `from Italy to Morocco`; null for none. */
export function namedCountries(
  { say, inSentence }: Words,
  { sourceCountry, targetCountry }: Pick<Offer, 'sourceCountry' | 'targetCountry'>,
): string | null {
  const [source, target] = [sourceCountry, targetCountry].map((code) => {
    const country = code === null ? null : COUNTRIES.get(code)
    return country ? inSentence(country) : code
  })
  if (source && target) return say('countries.both', { source, target })
  if (source) return say('countries.source', { source })
  return target ? say('countries.target', { target }) : null
}

/** The countries of an offer if no page names them. */
function countriesText(words: Words, offer: Offer): string | null {
  const { sourceCountry, targetCountry } = offer
  if (!sourceCountry || !targetCountry) return namedCountries(words, offer)
  const [source, target] = [sourceCountry, targetCountry].map((code) => {
    const country = COUNTRIES.get(code)
    return country ? words.countryName(country) : code
  })
  return words.say('pair.title', { source: source!, target: target! })
}

const waysIn = (ways: readonly PayWay[]) => PAY_WAYS.filter((way) => ways.includes(way))

/** The time that the money takes; null if unknown. */
function deliveryText({ say, spanText }: Words, offer: Offer): string | null {
  const { deliveryMinMs, deliveryMaxMs } = offer
  if (deliveryMaxMs === 0) return say('offer.at-once')
  if (deliveryMaxMs !== null) return say('offer.within', { span: spanText(deliveryMaxMs) })
  return deliveryMinMs === null ? null : say('offer.at-least', { span: spanText(deliveryMinMs) })
}

/** The amount that a price is for if it is not the one that is sent; else null. */
export function pricedAt(
  { askedText }: Words,
  { ranked: { quote }, match }: Conversion,
): string | null {
  if (match === null || match.match === 'exact') return null
  return askedText(match.atAmount, moneyOf(quote.from))
}

/** Requested conditions that a price does not state, in words; null for none. */
export function gapsText({ say }: Words, { unspecified }: Unspecified): string | null {
  if (unspecified.length === 0) return null
  const hasCountries = ['sourceCountry', 'targetCountry'].every((name) =>
    unspecified.includes(name as FilterName),
  )
  const others = unspecified.filter((name) => !(hasCountries && name.endsWith('Country')))
  const gaps = others.map((name) => say(`gap.${name}`))
  return [...(hasCountries ? [say('gap.countries')] : []), ...gaps].join(say('list.comma'))
}

type Unspecified = Pick<RankedQuote, 'unspecified'>
