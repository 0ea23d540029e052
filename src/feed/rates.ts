import { currencyCode } from '~/domain/currency.ts'
import { plainDecimal, quotientText } from '~/domain/decimal.ts'
import { FeedError, type ReferenceAnswer } from '~/domain/feed/feed.ts'
import { dateMsOf, instantOf } from '~/domain/instant.ts'
import { type ExactObject, Numeral } from './exact-json.ts'

/**
 * Rates by canonical code, as exact plain decimals.
 *
 * Names that cannot be a currency code (feeds mix in the likes of `1INCH`) are skipped. Throws a
 * FeedError for a rate that is not a number, which includes a string that looks like one, and for a
 * repeated code, even in another case.
 */
export function unitsPerUsd(object: ExactObject): Map<string, string> {
  const rates = new Map<string, string>()
  for (const [name, value] of object) {
    const code = currencyCode(name)
    if (code === null) continue
    if (!(value instanceof Numeral))
      throw new FeedError('malformed', `gives a rate for ${code} that is not a number`)
    addRate(rates, code, value.text)
  }
  return rates
}

/** Adds one rate; throws a FeedError when the code is there already. */
export function addRate(rates: Map<string, string>, code: string, text: string): void {
  if (rates.has(code)) throw new FeedError('malformed', `gives ${code} twice`)
  rates.set(code, plainDecimal(text))
}

/**
 * Rates per euro turned into rates per dollar: each divided by the dollar's, the euro's own being
 * 1.
 *
 * Exact division, rounded once to 15 significant digits, half to even. A number that cannot be
 * divided stays as it is for the guard to refuse.
 */
export function perDollar({ perUsd: perEuro, base, upstreamMs }: ReferenceAnswer): ReferenceAnswer {
  if (base !== 'EUR') return { base, upstreamMs, perUsd: perEuro }
  const usd = perEuro.get('USD') ?? ''
  if (quotientText('1', usd) === null)
    throw new FeedError('malformed', 'gives no dollar rate to convert its euro rates with')
  if (Number(perEuro.get('EUR') ?? 1) !== 1)
    throw new FeedError('malformed', 'says that a euro is not one euro')
  const withEuro = new Map(perEuro).set('EUR', '1')
  const perUsd = new Map(
    [...withEuro].map(([code, text]) => [code, quotientText(text, usd) ?? text]),
  )
  return { base: 'USD', upstreamMs, perUsd }
}

/** The midnight UTC that starts a `YYYY-MM-DD` date. */
export function dateMs(text: string): number {
  return dateMsOf(text) ?? noTime()
}

/** An ISO time, with or without its `T` and `Z`, read as UTC. */
export function utcMs(text: string): number {
  const iso = text.replace(' ', 'T')
  return instantOf(/Z$|[+-]\d{2}:?\d{2}$/i.test(iso) ? iso : `${iso}Z`) ?? noTime()
}

function noTime(): never {
  throw new FeedError('malformed', 'gives no time that can be understood')
}
