import { countryCode, countryFault } from '~/domain/offer/country.ts'
import { DELIVERY_DAYS_MAX, deliveryMsOf } from '~/domain/offer/duration.ts'
import { OFFER_AMOUNT_DIGITS_MAX, offerFaults } from '~/domain/offer/fault.ts'
import { CHANNELS, type Offer, PAY_WAYS, type PayWay } from '~/domain/offer/terms.ts'
import { type RowValues, shown } from './values.ts'

/** The row field for each part of an offer. */
const MEMBERS = {
  sourceCountry: 'source_country',
  targetCountry: 'target_country',
  payIn: 'pay_in',
  payOut: 'pay_out',
  channel: 'channel',
  amountMin: 'amount_min',
  amountMax: 'amount_max',
  service: 'service',
  feePercent: 'fee_percent',
  deliveryMinMs: 'delivery_min',
  deliveryMaxMs: 'delivery_max',
  validUntilMs: 'valid_until',
} as const satisfies Record<keyof Offer, string>

const OFFER_MEMBERS: ReadonlySet<string> = new Set(Object.values(MEMBERS))

/** The maximum number of words of a list that an error repeats. */
const WORDS_SHOWN_MAX = 5

/**
 * Reads the offer of a row, null if it states none; errors are added to the row's. `effectiveMs` is
 * the time from which its price applies, null if unknown.
 */
export function offerOfRow(row: RowValues, effectiveMs: number | null): Offer | null {
  if (!row.hasSome(OFFER_MEMBERS)) return null
  const offer: Offer = {
    sourceCountry: country(row, 'source_country'),
    targetCountry: country(row, 'target_country'),
    payIn: ways(row, 'pay_in'),
    payOut: ways(row, 'pay_out'),
    channel: row.word('channel', CHANNELS),
    amountMin: number(row, 'amount_min'),
    amountMax: number(row, 'amount_max'),
    service: row.text('service')?.trim() ?? null,
    feePercent: number(row, 'fee_percent'),
    deliveryMinMs: delivery(row, 'delivery_min'),
    deliveryMaxMs: delivery(row, 'delivery_max'),
    validUntilMs: row.instant('valid_until'),
  }
  for (const { name, fault } of offerFaults(offer, effectiveMs ?? Number.NEGATIVE_INFINITY))
    row.fault(`${MEMBERS[name]} ${fault}`)
  return offer
}

function country(row: RowValues, field: string): string | null {
  const text = row.of(field)
  if (text === null) return null
  if (typeof text !== 'string') return row.fault(`${field} must be a country code, such as GH`)
  return countryCode(text) ?? row.fault(`${field} ${shown(text)} ${countryFault(text)}`)
}

function ways(row: RowValues, field: string): PayWay[] | null {
  const list = row.of(field)
  if (list === null) return null
  if (!Array.isArray(list))
    return row.fault(`${field} must be a list, such as ["${PAY_WAYS[0]}"], not ${shown(list)}`)
  if (list.length === 0) return row.fault(`${field} must not be empty; omit it if unknown`)
  const known = PAY_WAYS.filter((way) => list.includes(way))
  const unknown = list.filter((word) => !PAY_WAYS.includes(word))
  if (unknown.length > 0)
    return row.fault(`${field} must be of ${PAY_WAYS.join(', ')}; not ${allShown(unknown)}`)
  if (known.length < list.length) {
    const twice = known.find((way) => list.indexOf(way) !== list.lastIndexOf(way))
    return row.fault(`${field} has ${shown(twice)} more than once`)
  }
  return known
}

function allShown(words: readonly unknown[]): string {
  const names = words.slice(0, WORDS_SHOWN_MAX).map(shown).join(', ')
  const more = words.length - WORDS_SHOWN_MAX
  return more > 0 ? `${names} and ${more} more` : names
}

function number(row: RowValues, field: string): number | null {
  const text = row.numeral(field)
  if (text === null || !row.isShort(field, text, OFFER_AMOUNT_DIGITS_MAX)) return null
  return Number(text) + 0
}

function delivery(row: RowValues, field: string): number | null {
  const text = row.of(field)
  if (text === null) return null
  const ms = typeof text === 'string' ? deliveryMsOf(text) : null
  return (
    ms ??
    row.fault(
      `${field} must be an ISO-8601 duration of at most ${DELIVERY_DAYS_MAX} days, in days, ` +
        `hours, minutes and seconds, such as PT0S, PT1H or P2D; not ${shown(text)}`,
    )
  )
}
