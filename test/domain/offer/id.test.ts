import { describe, expect, test } from 'bun:test'
import { offerId } from '~/domain/offer/id.ts'
import { offered } from '../../support/offers.ts'
import { quote } from '../../support/quotes.ts'

describe('offerId', () => {
  test('is the same on every installation: 12 digits of a hash of the offer', () => {
    expect(offerId(quote())).toBe('8cfe7c8312cd')
    expect(offerId(offered({ sourceCountry: 'GB', payOut: ['cash'] }))).toBe('bc3d32c13501')
  })

  test('ignores the price, the terms and the time of the offer', () => {
    const first = offered({ targetCountry: 'GH', payIn: ['cash', 'debit_card'] })
    const second = offered(
      { targetCountry: 'GH', payIn: ['debit_card', 'cash'], feePercent: 2, validUntilMs: 9 },
      { id: 7, rate: 5, fee: 3, atMs: 8, evidence: 'derived' },
    )
    expect(offerId(second)).toBe(offerId(first))
  })

  test('distinguishes offers by provider, corridor and all their conditions', () => {
    const all = [
      quote(),
      quote({ providerId: 'retail-b' }),
      quote({ from: 'GBP' }),
      quote({ to: 'NGN' }),
      offered({ sourceCountry: 'GB' }),
      offered({ targetCountry: 'GB' }),
      offered({ payIn: ['cash'] }),
      offered({ payOut: ['cash'] }),
      offered({ channel: 'agent' }),
      offered({ amountMin: 1 }),
      offered({ amountMax: 1 }),
      offered({ service: '1' }),
    ]
    expect(new Set(all.map(offerId)).size).toBe(all.length)
  })
})
