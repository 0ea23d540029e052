import { describe, expect, test } from 'bun:test'
import { AMOUNT_MAX } from '~/domain/convert.ts'
import { OFFER_AMOUNT_DIGITS_MAX, offerFaults, SERVICE_LENGTH_MAX } from '~/domain/offer/fault.ts'
import type { Offer } from '~/domain/offer/terms.ts'
import { offer } from '../../support/offers.ts'

const FROM_MS = 1000

const namesOf = (said: Partial<Offer>) => offerFaults(offer(said), FROM_MS).map(({ name }) => name)

describe('offerFaults', () => {
  test('an offer without fields has no errors, and neither has one with all fields at their limits', () => {
    expect(namesOf({})).toEqual([])
    const least = { amountMin: 0, amountMax: 1e-9, feePercent: 0, validUntilMs: FROM_MS + 1 }
    expect(namesOf({ ...least, deliveryMinMs: 0, deliveryMaxMs: 0, service: 'x' })).toEqual([])
    const most = { amountMin: AMOUNT_MAX, amountMax: AMOUNT_MAX, feePercent: 100 }
    expect(namesOf({ ...most, service: 'x'.repeat(SERVICE_LENGTH_MAX) })).toEqual([])
    for (const alone of [{ amountMin: 5 }, { deliveryMinMs: 5 }, { deliveryMaxMs: 5 }])
      expect(namesOf(alone)).toEqual([])
    expect(namesOf({ amountMin: Number(`1.${'1'.repeat(OFFER_AMOUNT_DIGITS_MAX - 1)}`) })).toEqual(
      [],
    )
  })

  const cases: [said: Partial<Offer>, name: keyof Offer][] = [
    [{ amountMin: -1 }, 'amountMin'],
    [{ amountMin: Number.NaN }, 'amountMin'],
    [{ amountMin: AMOUNT_MAX * 1.1 }, 'amountMin'],
    [{ amountMax: 0 }, 'amountMax'],
    [{ amountMax: -1 }, 'amountMax'],
    [{ amountMax: Number.POSITIVE_INFINITY }, 'amountMax'],
    [{ amountMin: 1.111111111111 }, 'amountMin'],
    [{ amountMin: 500, amountMax: 499.99 }, 'amountMin'],
    [{ feePercent: 101 }, 'feePercent'],
    [{ feePercent: 100.000001 }, 'feePercent'],
    [{ feePercent: -1 }, 'feePercent'],
    [{ feePercent: Number.NaN }, 'feePercent'],
    [{ deliveryMinMs: 2, deliveryMaxMs: 1 }, 'deliveryMinMs'],
    [{ validUntilMs: FROM_MS }, 'validUntilMs'],
    [{ validUntilMs: FROM_MS - 1 }, 'validUntilMs'],
    [{ service: '' }, 'service'],
    [{ service: 'x'.repeat(SERVICE_LENGTH_MAX + 1) }, 'service'],
  ]
  test.each(cases)('%p names %s', (said, name) => {
    expect(namesOf(said)).toEqual([name])
  })

  test('every error is reported, not the first alone', () => {
    const said = { feePercent: 101, validUntilMs: 0, amountMin: 2, amountMax: 1 }
    expect(namesOf(said)).toEqual(['amountMin', 'feePercent', 'validUntilMs'])
  })
})
