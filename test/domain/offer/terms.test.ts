import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  bandsKey,
  CHANNELS,
  isSameOffer,
  isSameTerms,
  isValidAt,
  type Offer,
  offerKey,
  offerOfKey,
  PAY_WAYS,
  PLAIN,
  waysInOrder,
} from '~/domain/offer/terms.ts'
import { FULL_OFFER, offer, offered } from '../../support/offers.ts'
import { quote } from '../../support/quotes.ts'

const full = offer({
  sourceCountry: 'GB',
  targetCountry: 'GH',
  payIn: ['cash', 'debit_card'],
  payOut: ['mobile_money'],
  channel: 'internet',
  amountMin: 1,
  amountMax: 500,
  service: 'Express',
})

const lists = fc.option(fc.subarray([...PAY_WAYS], { minLength: 1 }))
const amounts = fc.option(fc.integer({ min: 1, max: 3 }).map((units) => units / 2))
const identities = fc.record({
  sourceCountry: fc.constantFrom('GB', null),
  targetCountry: fc.constantFrom('GH', 'NG', null),
  payIn: lists,
  payOut: lists,
  channel: fc.option(fc.constantFrom(...CHANNELS)),
  amountMin: amounts,
  amountMax: amounts,
  service: fc.constantFrom('GB', '","', 'null', null),
})

describe('offerKey', () => {
  test('is one string for one offer, whatever the order of its ways and the notation of its amounts', () => {
    const other = { ...full, payIn: ['debit_card', 'cash', 'cash'] as const }
    expect(offerKey(other)).toBe(offerKey(full))
    expect(offerKey({ ...full, amountMax: Number('500.0') })).toBe(offerKey(full))
    expect(offerKey({ ...full, amountMax: Number('5e2') })).toBe(offerKey(full))
  })

  test('differs for each condition that an offer has', () => {
    const changes: Partial<Offer>[] = [
      { sourceCountry: 'IE' },
      { targetCountry: 'NG' },
      { payIn: ['cash'] },
      { payOut: ['cash'] },
      { channel: 'agent' },
      { amountMin: 2 },
      { amountMax: 500.01 },
      { service: 'Economy' },
    ]
    const said = Object.keys(full) as (keyof Offer)[]
    const nothing = said.filter((name) => full[name] !== null).map((name) => ({ [name]: null }))
    const keys = [{}, ...changes, ...nothing].map((change) => offerKey({ ...full, ...change }))
    expect(new Set(keys).size).toBe(1 + changes.length + 8)
  })

  test('ignores the terms that a single quote states', () => {
    const terms = { feePercent: 2, deliveryMinMs: 0, deliveryMaxMs: 60_000, validUntilMs: 9 }
    expect(offerKey({ ...full, ...terms })).toBe(offerKey(full))
    expect(offerKey(offer(terms))).toBe(offerKey(offer()))
  })

  test('distinguishes an amount from 0 on from an unstated amount', () => {
    expect(offerKey(offer({ amountMin: 0 }))).not.toBe(offerKey(offer()))
  })

  test('two keys are equal if and only if the two offers are', () => {
    fc.assert(
      fc.property(identities, identities, (a, b) => {
        const isSame = Bun.deepEquals(plainly(a), plainly(b))
        expect(offerKey({ ...offer(), ...a }) === offerKey({ ...offer(), ...b })).toBe(isSame)
      }),
      { numRuns: 2000 },
    )
  })
})

type Identity = typeof identities extends fc.Arbitrary<infer T> ? T : never

const plainly = ({ payIn, payOut, ...others }: Identity) => ({
  ...others,
  payIn: payIn && new Set(payIn),
  payOut: payOut && new Set(payOut),
})

describe('bandsKey', () => {
  test('is the same for all bands of an offer, and for nothing else', () => {
    expect(bandsKey({ ...full, amountMin: 500.01, amountMax: null })).toBe(bandsKey(full))
    expect(bandsKey({ ...full, service: 'Economy' })).not.toBe(bandsKey(full))
  })
})

describe('the key of the plain offer', () => {
  test('is empty, whatever its terms, and no other key is', () => {
    expect(offerKey(offer())).toBe('')
    expect(offerKey(offer({ feePercent: 1, validUntilMs: 1, deliveryMaxMs: 0 }))).toBe('')
    expect(offerKey(offer({ amountMin: 0 }))).not.toBe('')
    expect(offerKey(full)).not.toBe('')
  })
})

describe('waysInOrder', () => {
  test('returns each way once, in the order of the vocabulary', () => {
    expect(waysInOrder(['mobile_money', 'cash', 'mobile_money'])).toEqual(['cash', 'mobile_money'])
    expect(waysInOrder([])).toEqual([])
  })
})

describe('agrees with the keys, for any two offers, and for a quote without an offer', () => {
  const quotes = fc.option(identities.map((more) => offer({ ...more, feePercent: 1 })))

  test('is whether the keys agree, for any two, and for a quote that says nothing', () => {
    let same = 0
    fc.assert(
      fc.property(quotes, quotes, fc.infiniteStream(fc.boolean()), (a, b, picks) => {
        const mixed = b && { ...b }
        if (a && mixed)
          for (const name of Object.keys(mixed) as (keyof Offer)[])
            if (picks.next().value) Object.assign(mixed, { [name]: a[name] })
        const keys = [a, mixed].map((one) => offerKey(one ?? PLAIN))
        const isSame = keys[0] === keys[1]
        expect([isSameOffer(a, mixed), isSameOffer(mixed, a)]).toEqual([isSame, isSame])
        if (isSame) same++
      }),
      { numRuns: 2000 },
    )
    expect(same).toBeGreaterThan(50)
  })

  test('ignores the order and the repetition of ways', () => {
    const other = { ...full, payIn: ['debit_card', 'cash', 'cash'] as const }
    expect(isSameOffer(full, other)).toBe(true)
    expect(isSameOffer(other, full)).toBe(true)
    expect(isSameOffer({ ...full, payIn: ['cash'] }, other)).toBe(false)
  })
})

describe('offerOfKey', () => {
  test('returns the offer of the key, without terms', () => {
    expect(offerOfKey(offerKey(full))).toEqual(full)
    expect(offerOfKey(offerKey(FULL_OFFER))).toEqual({
      ...FULL_OFFER,
      ...{ feePercent: null, deliveryMinMs: null, deliveryMaxMs: null, validUntilMs: null },
    })
    const open = offer({ service: 'Express' })
    expect(offerOfKey(offerKey(open))).toEqual(open)
    expect(offerOfKey(offerKey(offer({ amountMin: 0 })))).toEqual(offer({ amountMin: 0 }))
    expect(offerOfKey('')).toEqual(PLAIN)
  })
})

describe('isSameTerms', () => {
  test("is true for the same percentage, times and end, whatever the offer's conditions", () => {
    const economy = { ...FULL_OFFER, service: 'Economy' }
    expect(isSameTerms(FULL_OFFER, economy)).toBe(true)
    expect(isSameTerms(PLAIN, full)).toBe(true)
  })

  test.each(['feePercent', 'deliveryMinMs', 'deliveryMaxMs', 'validUntilMs'] as const)(
    'is false for another %s, or none',
    (name) => {
      for (const other of [null, 7])
        expect(isSameTerms(FULL_OFFER, { ...FULL_OFFER, [name]: other })).toBe(false)
    },
  )
})

describe('isValidAt', () => {
  test('a quote is valid up to and including its last millisecond, and for ever without an end', () => {
    const until = offered({ validUntilMs: 10 })
    expect([9, 10, 11].map((ms) => isValidAt(until, ms))).toEqual([true, true, false])
    expect(isValidAt(offered({}), Number.MAX_SAFE_INTEGER)).toBe(true)
    expect(isValidAt(quote(), Number.POSITIVE_INFINITY)).toBe(true)
  })
})
