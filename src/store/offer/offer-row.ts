import { SECOND_MS } from '~/domain/duration.ts'
import { type Offer, offerOfKey, PLAIN } from '~/domain/offer/terms.ts'
import type { Part, Sql } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import { Interned } from './interned.ts'

/** Offer in a row of observations, as selected by `offerColumns`. */
export type OfferRow = {
  /** Null for the plain offer. */
  readonly offer_key: string | null
  readonly fee_percent: string | null
  readonly delivery_min: number | null
  readonly delivery_max: number | null
  readonly valid_until_ms: string | null
}

/** The columns of observations `o` and their offers, in `f`. */
export const offerColumns = (sql: Sql) => sql`
  f.key as offer_key, o.fee_percent, o.delivery_min, o.delivery_max,
  extract(epoch from o.valid_until) * 1000 as valid_until_ms`

/** The join that finds the offers of a corridor's observations `o`; plain rows find none. */
export const withOffer = (sql: Sql, corridorId: Part) =>
  sql`left join offers f on f.id = nullif(o.offer_id, 0) and f.corridor_id = ${corridorId}`

const offers = new Interned<Offer>()

/** Offer of a row; null if it states none. Equal offers share one object. */
export function offerOf(row: OfferRow): Offer | null {
  const { offer_key: key, fee_percent, delivery_min, delivery_max, valid_until_ms } = row
  const hasTerms =
    fee_percent !== null ||
    delivery_min !== null ||
    delivery_max !== null ||
    valid_until_ms !== null
  if (!hasTerms) return key === null ? null : offers.of(key, () => offerOfKey(key))
  const identity = key === null ? PLAIN : offers.of(key, () => offerOfKey(key))
  const terms = [fee_percent, delivery_min, delivery_max, valid_until_ms].join()
  return offers.of(`${terms}${key ?? ''}`, () => ({
    ...identity,
    feePercent: fee_percent === null ? null : Number(fee_percent),
    deliveryMinMs: delivery_min === null ? null : delivery_min * SECOND_MS,
    deliveryMaxMs: delivery_max === null ? null : delivery_max * SECOND_MS,
    validUntilMs: valid_until_ms === null ? null : Number(valid_until_ms),
  }))
}

/** Terms of an offer as stored in a row of observations, in the order of `TERM_COLUMNS`. */
export const storedTerms = (offer: Offer | null): readonly (string | number | null)[] =>
  offer === null
    ? UNSAID
    : [
        offer.feePercent,
        secondsOf(offer.deliveryMinMs),
        secondsOf(offer.deliveryMaxMs),
        offer.validUntilMs === null ? null : instantText(offer.validUntilMs),
      ]

const UNSAID = [null, null, null, null]

export const TERM_COLUMNS = ['fee_percent', 'delivery_min', 'delivery_max', 'valid_until']

const secondsOf = (ms: number | null): number | null => (ms === null ? null : ms / SECOND_MS)
