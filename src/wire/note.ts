import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { type AmountRange, nearestRanges } from '~/domain/offer/band.ts'
import type { FilterName, OfferFilters } from '~/domain/offer/filter.ts'
import type { Quote } from '~/domain/quote.ts'
import { roundAmount } from '~/domain/round.ts'
import type { AgedQuote } from '~/memory/corridor-view.ts'
import type { Absence, Emptiness } from '~/service/absence.ts'
import type { Lack } from '~/service/convert.ts'
import { optional } from './fields.ts'
import { FILTERS } from './offer/offer.ts'
import { iso } from './present.ts'

/** The field that says why a list is empty or has no best, or what limits the best price. */
export const noteFields = {
  note: optional.string({
    description:
      'Why the list is empty, with the reverse corridor where only that one is quoted; why ' +
      'there is no best price, with the amounts that prices are known for; that the best price ' +
      'is stale; or for which countries alone it is.',
  }),
}

/** The note as a field; nothing for null. */
export const presentNote = (note: string | null) => (note === null ? {} : { note })

/** The UTC date of a time. A note gives dates, as a number of days would not stay true. */
const dayText = (ms: number): string => iso(ms).slice(0, 'YYYY-MM-DD'.length)

/** Explains why the list of a corridor is empty. */
export function absenceNote(absence: Absence): string {
  const { corridor, newestMs, unfit, isReverseQuoted } = absence
  const { from, to } = corridor
  const what = corridorKey(corridor)
  if (unfit.length > 0) return unfitText(`price of ${what}`, unfit)
  const reverse = isReverseQuoted ? `; ${corridorKey({ from: to, to: from })} is quoted` : ''
  if (newestMs === null) return `No provider quotes ${what} at present${reverse}.`
  return `${olderText(`Every price of ${what}`, newestMs)}${reverse}.`
}

/** Explains why the list of a corridor was empty on a day. */
export function pastAbsenceNote(absence: Absence, date: string): string {
  const { corridor, unfit, isReverseQuoted } = absence
  const { from, to } = corridor
  if (unfit.length > 0) return unfitText(`price of ${corridorKey(corridor)} on ${date}`, unfit)
  const reverse = isReverseQuoted ? `; ${corridorKey({ from: to, to: from })} was quoted` : ''
  return `No active provider had a valid price of ${corridorKey(corridor)} as of ${date}${reverse}.`
}

/**
 * Explains why a list is empty: all prices, called `what`, are older than requested or have other
 * conditions, or there is `nothing`.
 */
export function emptyNote(
  { newestMs, unfit }: Emptiness,
  said: { what: string; nothing: string },
): string {
  if (unfit.length > 0) return unfitText(said.what, unfit)
  return newestMs === null ? said.nothing : `${olderText(`Every ${said.what}`, newestMs)}.`
}

const unfitText = (price: string, unfit: readonly FilterName[]): string =>
  `No ${price} fits the requested ${listed(unfit.map((name) => FILTERS[name]))}.`

/** Names in a row: `a, b and c`. */
export const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

const olderText = (whose: string, newestMs: number): string =>
  `${whose} is older than max_age; the newest was seen on ${dayText(newestMs)}`

/** A note that the best price is stale; null if it is not. */
export const staleNote = ({
  quote,
  isStale,
}: Pick<AgedQuote, 'quote' | 'isStale'>): string | null =>
  isStale
    ? `The best price was seen on ${dayText(quote.atMs)} and may no longer be available.`
    : null

/** A note that the best price is stale, with its countries if none were requested; else null. */
export function bestNote(best: AgedQuote, filters: OfferFilters): string | null {
  const notes = [countriesNote(best.quote, filters), staleNote(best)]
  return notes.filter((note) => note !== null).join(' ') || null
}

/** Names the countries a price is limited to; null if the request names all of them. */
function countriesNote({ offer }: Quote, filters: OfferFilters): string | null {
  const source = filters.sourceCountry === null ? (offer?.sourceCountry ?? null) : null
  const target = filters.targetCountry === null ? (offer?.targetCountry ?? null) : null
  if (source !== null && target !== null)
    return `The best price is for ${source} to ${target} alone.`
  if (source !== null) return `The best price is for sending from ${source} alone.`
  return target && `The best price is for sending to ${target} alone.`
}

/** The maximum number of ranges of amounts that a note lists. */
const RANGES_MAX = 3

type Asked = { readonly corridor: Corridor; readonly amount: number | null }

/** Explains why no price is the best although some are shown. */
export function lackNote(lack: Lack, { corridor, amount }: Asked): string {
  const what = corridorKey(corridor)
  if (lack.reason === 'suspect')
    return `Every price of ${what} is suspect: too far from the mid to be relied on.`
  const ranges = nearestRanges(lack.known, { amount, max: RANGES_MAX }).map(rangeText)
  return `Prices of ${what} are known for ${listed(ranges)} ${corridor.from}.`
}

function rangeText({ least, most }: AmountRange): string {
  const [from, to] = [roundAmount(least), roundAmount(most)]
  if (least === 0) return `up to ${to}`
  return most === Number.POSITIVE_INFINITY ? `${from} or more` : `${from} to ${to}`
}

/** The maximum number of old prices that a note lists. */
const LISTED_MAX = 5

/** A note that the best prices of these corridors are stale; there is at least one. */
export const stalePairsNote = (stale: readonly Quote[]): string =>
  `${bestPricesText(stale)} may no longer be available.`

/**
 * A note that the best prices of these corridors are older than requested; there is at least one.
 */
export const tooOldPairsNote = (tooOld: readonly Quote[]): string =>
  `${bestPricesText(tooOld)} ${tooOld.length === 1 ? 'is' : 'are'} older than max_age.`

function bestPricesText(quotes: readonly Quote[]): string {
  const seen = quotes
    .slice(0, LISTED_MAX)
    .map((quote) => `${corridorKey(quote)} (seen on ${dayText(quote.atMs)})`)
  const rest = quotes.length - seen.length
  const all = rest > 0 ? [...seen, `${rest} more`] : seen
  return `The best price${all.length === 1 ? '' : 's'} of ${listed(all)}`
}
