import { describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { matchOf } from '~/domain/offer/band.ts'
import { offerId } from '~/domain/offer/id.ts'
import type { Quote } from '~/domain/quote.ts'
import { presentMatch, presentOffer, presentUnspecified } from '~/wire/offer/offer.ts'
import { offered } from '../../support/offers.ts'
import { quote } from '../../support/quotes.ts'

const FULL = offered({
  sourceCountry: 'GB',
  targetCountry: 'KE',
  payIn: ['cash', 'debit_card'],
  payOut: ['mobile_money'],
  channel: 'internet',
  amountMin: 0,
  amountMax: 500.25,
  service: 'Express',
  feePercent: 1.5,
  deliveryMinMs: 0,
  deliveryMaxMs: DAY_MS + HOUR_MS,
  validUntilMs: Date.parse('2026-04-01T00:00:00Z'),
})

describe('presentOffer', () => {
  test('is the id alone for a quote without an offer', () => {
    expect(presentOffer(quote())).toEqual({ offer_id: offerId(quote()) })
  })

  test('has one id for an offer and for its prices that differ by terms only', () => {
    const { offer_id, offer } = presentOffer(offered({ feePercent: 1 }))
    expect([offer_id, offer?.id]).toEqual([offerId(quote()), offerId(quote())])
  })

  test('shows every field of an offer, zeros too', () => {
    const shown = presentOffer(FULL)
    expect(shown).toEqual({
      offer_id: offerId(FULL),
      offer: {
        id: offerId(FULL),
        source_country: 'GB',
        target_country: 'KE',
        pay_in: ['cash', 'debit_card'],
        pay_out: ['mobile_money'],
        channel: 'internet',
        amount_min: 0,
        amount_max: 500.25,
        service: 'Express',
        fee_percent: 1.5,
        delivery_min: 'PT0S',
        delivery_max: 'P1DT1H',
        valid_until: '2026-04-01T00:00:00.000Z',
      },
    })
  })

  test('leaves out unknown fields', () => {
    expect(Object.keys(presentOffer(offered({ payOut: ['cash'] })).offer!)).toEqual([
      'id',
      'pay_out',
    ])
  })
})

describe('presentMatch', () => {
  const matched = (quoted: Quote, amount: number) => presentMatch(quoted, matchOf(quoted, amount))

  test('is nothing for a quote without an offer, or if nothing is sent', () => {
    expect(matched(quote(), 200)).toEqual({})
    expect(presentMatch(FULL, null)).toEqual({})
  })

  test('is exact within the amounts of an offer, and without limits of amounts', () => {
    expect(matched(FULL, 500.25)).toEqual({ amount_match: 'exact' })
    expect(matched(offered({ payIn: ['cash'] }), 1e9)).toEqual({ amount_match: 'exact' })
  })

  test('is nearest or out_of_range outside them, with the nearest amount', () => {
    expect(matched(FULL, 501)).toEqual({ amount_match: 'nearest', at_amount: 500.25 })
    expect(matched(FULL, 1001)).toEqual({ amount_match: 'out_of_range', at_amount: 500.25 })
  })
})

describe('presentUnspecified', () => {
  test('names the unspecified filters by their parameters, and nothing if all are specified', () => {
    expect(presentUnspecified([])).toEqual({})
    const shown = presentUnspecified([
      ...(['sourceCountry', 'targetCountry', 'payIn'] as const),
      ...(['payOut', 'channel', 'deliveryMaxMs'] as const),
    ])
    expect(shown).toEqual({
      unspecified: [
        ...['source_country', 'target_country', 'pay_in'],
        ...['pay_out', 'channel', 'delivery_max'],
      ],
    })
  })
})
