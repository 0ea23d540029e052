import { COUNTRIES } from '~/domain/offer/country.ts'
import type { FilterName } from '~/domain/offer/filter.ts'
import { type Channel, type Offer, PAY_WAYS, type PayWay } from '~/domain/offer/terms.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import { askedText, moneyOf, spanText } from '~/portal/format.ts'
import { inSentence } from '~/portal/place/names.ts'
import type { Conversion } from '~/service/convert.ts'
import { plainWords } from './kinds.ts'

const CHANNELS: Readonly<Record<Channel, string>> = {
  internet: 'online',
  agent: 'at an agent',
  bank_branch: 'at a bank branch',
  mobile_phone: 'by mobile phone',
  call_center: 'by telephone',
  post_office: 'at a post office',
}

/** What somebody has who is paid in that way. */
const RECEIVED: Readonly<Record<PayWay, string>> = {
  cash: 'cash',
  bank_account: 'a bank deposit',
  debit_card: 'money on a debit card',
  credit_card: 'money on a credit card',
  prepaid_card: 'money on a prepaid card',
  mobile_money: 'mobile money',
}

/** What an offer says of itself, in words; `isPair` where the page names its countries already. */
export function offerWords(offer: Offer, isPair: boolean): string[] {
  const { service, payIn, payOut, channel } = offer
  const parts = [
    isNumbered(service) ? null : service,
    isPair ? null : countriesText(offer),
    payIn && `pay by ${listed(waysIn(payIn).map(plainWords))}`,
    payOut && `they get ${listed(waysIn(payOut).map((way) => RECEIVED[way]))}`,
    channel && CHANNELS[channel],
    deliveryText(offer),
  ]
  return parts.filter((part) => part !== null)
}

/** What the sample calls the second price, and those after it, where the survey names none. */
const NUMBERED = /^Price \d+$/

const isNumbered = (service: string | null): boolean => service !== null && NUMBERED.test(service)

/** That a price is one of several which the survey does not tell apart by name; null otherwise. */
export const severalText = ({ service }: Offer): string | null =>
  isNumbered(service) ? 'one of several prices of this provider' : null

const nameOf = (code: string): string => COUNTRIES.get(code)?.name ?? code

/** The countries that an offer names, as `from Italy to Morocco`; null for none. */
export function namedCountries({ sourceCountry, targetCountry }: Offer): string | null {
  const parts = [
    sourceCountry && `from ${sentenceName(sourceCountry)}`,
    targetCountry && `to ${sentenceName(targetCountry)}`,
  ]
  return parts.filter(Boolean).join(' ') || null
}

function sentenceName(code: string): string {
  const country = COUNTRIES.get(code)
  return country ? inSentence(country) : code
}

function countriesText({ sourceCountry, targetCountry }: Offer): string | null {
  if (sourceCountry && targetCountry) return `${nameOf(sourceCountry)} to ${nameOf(targetCountry)}`
  if (sourceCountry) return `from ${nameOf(sourceCountry)}`
  return targetCountry && `to ${nameOf(targetCountry)}`
}

const waysIn = (ways: readonly PayWay[]) => PAY_WAYS.filter((way) => ways.includes(way))

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

/** How long the money takes; null where nobody said. */
function deliveryText({ deliveryMinMs, deliveryMaxMs }: Offer): string | null {
  if (deliveryMaxMs === 0) return 'arrives at once'
  if (deliveryMaxMs !== null) return `arrives within ${spanText(deliveryMaxMs)}`
  return deliveryMinMs === null ? null : `takes ${spanText(deliveryMinMs)} or more`
}

/** The amount that a price is for, where it is not the one that is sent; else null. */
export function pricedAt({ ranked: { quote }, match }: Conversion): string | null {
  if (match === null || match.match === 'exact') return null
  return askedText(match.atAmount, moneyOf(quote.from))
}

/** What a price may be silent about, though it was asked for. */
const GAPS: Readonly<Record<FilterName, string>> = {
  sourceCountry: 'from which country',
  targetCountry: 'to which country',
  payIn: 'how you pay',
  payOut: 'how they get it',
  channel: 'where it is ordered',
  deliveryMaxMs: 'when it arrives',
}

/** What was asked for and a price says nothing about, in words; null for nothing. */
export function silenceText({ unspecified }: Pick<RankedQuote, 'unspecified'>): string | null {
  if (unspecified.length === 0) return null
  const hasCountries = ['sourceCountry', 'targetCountry'].every((name) =>
    unspecified.includes(name as FilterName),
  )
  const others = unspecified.filter((name) => !(hasCountries && name.endsWith('Country')))
  const words = [
    ...(hasCountries ? ['for which countries'] : []),
    ...others.map((name) => GAPS[name]),
  ]
  return `does not say ${words.join(', ')}`
}
