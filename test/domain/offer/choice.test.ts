import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type Ask,
  type Candidate,
  choiceOf,
  everyOffer,
  type Fitting,
  type Goal,
} from '~/domain/offer/choice.ts'
import { NO_FILTERS, type OfferFilters } from '~/domain/offer/filter.ts'
import { CHANNELS, type Offer } from '~/domain/offer/terms.ts'
import type { Quote } from '~/domain/quote.ts'
import { STANDING } from '~/domain/rank.ts'
import { offer, offered } from '../../support/offers.ts'
import { quote } from '../../support/quotes.ts'

const sending = (amount: number): Goal => ({ amount, recipientGets: null })
const arriving = (recipientGets: number): Goal => ({ amount: null, recipientGets })

const ask = (goal: Goal | null, filters: Partial<OfferFilters> = {}): Ask => ({
  goal,
  filters: { ...NO_FILTERS, ...filters },
  feeMidOf: ({ feeCurrency }) => (feeCurrency === 'GBP' ? 1 : null),
})

const DOUBT = { offPct: 100, isOfDay: true }

let lastId = 0
const fresh = (said: Partial<Offer>, more: Partial<Quote> = {}): Candidate => ({
  quote: offered(said, { id: ++lastId, ...more }),
  isStale: false,
  suspect: null,
})
const stale = (said: Partial<Offer>, more: Partial<Quote> = {}): Candidate => ({
  ...fresh(said, more),
  isStale: true,
})

const only = (candidates: readonly Candidate[], asked: Ask): Fitting<Candidate> => {
  const [first, ...others] = choiceOf(candidates, asked)
  expect(others).toEqual([])
  return first!
}

describe('choiceOf', () => {
  test('with an amount it is the best net among the offers that are for it', () => {
    const flat = fresh({}, { rate: 130, fee: 5, feeCurrency: 'USD' })
    const share = fresh({ feePercent: 1, service: 'b' }, { rate: 130, fee: null })
    const large = fresh({ amountMin: 1000 }, { rate: 140, fee: 0 })
    const chosen = (amount: number) => only([flat, share, large], ask(sending(amount))).candidate
    expect(chosen(200)).toBe(share)
    expect(chosen(900)).toBe(flat)
    expect(chosen(1000)).toBe(large)
  })

  test('if no offer is for the amount, it is the one whose band is nearest by ratio', () => {
    const small = fresh({ amountMin: 100, amountMax: 100 }, { rate: 130 })
    const large = fresh({ amountMin: 1000, amountMax: 1000 }, { rate: 90 })
    const at = (amount: number) => only([small, large], ask(sending(amount)))
    expect(at(300).match).toEqual({ match: 'out_of_range', atAmount: 100, ratio: 3 })
    expect(at(400).match).toEqual({ match: 'out_of_range', atAmount: 1000, ratio: 2.5 })
    expect(at(800).match).toEqual({ match: 'nearest', atAmount: 1000, ratio: 1.25 })
    expect(at(100).match).toEqual({ match: 'exact', atAmount: 100, ratio: 1 })
  })

  test('when bands overlap, the better of the two is taken', () => {
    const dear = fresh({ amountMin: 1, amountMax: 500 }, { rate: 130, fee: 9 })
    const cheap = fresh({ amountMin: 500, amountMax: 900 }, { rate: 130, fee: 1 })
    expect(only([dear, cheap], ask(sending(500))).candidate).toBe(cheap)
  })

  test('net amounts that are shown the same way are equal, and the newest is taken', () => {
    const noisy = fresh({}, { rate: 0.4, fee: 0.9, feeCurrency: 'KES', atMs: 1 })
    const newer = fresh({ service: 'b' }, { rate: 0.1, fee: null, atMs: 2 })
    expect(3 * 0.4 - 0.9).toBeGreaterThan(3 * 0.1)
    expect(only([noisy, newer], ask(sending(3))).candidate).toBe(newer)
  })

  test('a fresh price is taken before a stale one whose band has the amount', () => {
    const old = stale({ amountMin: 100, amountMax: 300 }, { rate: 140 })
    const near = fresh({ amountMin: 100, amountMax: 199 }, { rate: 130 })
    expect(only([old, near], ask(sending(200)))).toMatchObject({
      candidate: near,
      match: { match: 'nearest', atAmount: 199 },
    })
  })

  test('without an amount the best rate is taken, then the smallest fee, stated before unstated', () => {
    const best = fresh({ service: 'a' }, { rate: 131, fee: 9 })
    const rate = fresh({ service: 'b' }, { rate: 130, fee: 1 })
    expect(only([rate, best], ask(null)).candidate).toBe(best)
    const silent = fresh({ service: 'c' }, { rate: 131, fee: null })
    const third = fresh({ service: 'd' }, { rate: 131, fee: 1, feeCurrency: 'GBP' })
    const inTarget = fresh({ service: 'e' }, { rate: 131, fee: 131, feeCurrency: 'KES' })
    const share = fresh({ service: 'f', feePercent: 1 }, { rate: 131, fee: 1 })
    const all = [silent, third, best, share, inTarget]
    for (const expected of [inTarget, share, best, third, silent]) {
      expect(only(all, ask(null)).candidate).toBe(expected)
      all.splice(all.indexOf(expected), 1)
    }
  })

  test('a fresh offer comes before a stale one, however good', () => {
    const old = stale({ service: 'a' }, { rate: 140 })
    const current = fresh({ service: 'b' }, { rate: 130 })
    expect(only([old, current], ask(null)).candidate).toBe(current)
    expect(only([old, current], ask(sending(200))).candidate).toBe(current)
    expect(only([old], ask(sending(200))).candidate).toBe(old)
  })

  test('an offer that contradicts the filters is left out, and one without the fields comes last', () => {
    const asked = ask(null, { targetCountry: 'SN', payOut: ['cash', 'mobile_money'] })
    const fits = fresh({ targetCountry: 'SN', payOut: ['mobile_money'] }, { rate: 120 })
    const half = fresh({ targetCountry: 'SN' }, { rate: 130 })
    const silent = fresh({}, { rate: 140 })
    const other = fresh({ targetCountry: 'ML', payOut: ['cash'] }, { rate: 150 })
    const way = fresh({ targetCountry: 'SN', payOut: ['bank_account'] }, { rate: 150 })
    expect(only([other, silent, half, way, fits], asked).candidate).toBe(fits)
    expect(only([other, half], asked).unspecified).toEqual(['payOut'])
    expect(only([silent], asked).unspecified).toEqual(['targetCountry', 'payOut'])
    expect(choiceOf([other, way], asked)).toEqual([])
    expect(choiceOf([], asked)).toEqual([])
  })

  test('in a list, offers without the fields come after those that fit, each by value', () => {
    const silent = fresh({}, { rate: 140, providerId: 'a' })
    const low = fresh({ channel: 'agent' }, { rate: 120, providerId: 'b' })
    const high = fresh({ channel: 'agent' }, { rate: 121, providerId: 'c' })
    const official = fresh({ channel: 'agent' }, { rateType: 'official', providerId: 'd' })
    const list = choiceOf([official, silent, low, high], ask(null, { channel: ['agent'] }))
    expect(list.map(({ quote: { providerId } }) => providerId)).toEqual(['c', 'b', 'a', 'd'])
  })

  test('a delivery that may take longer is left out, and one without an end counts as unspecified', () => {
    const within = (said: Partial<Offer>) =>
      choiceOf([fresh(said)], ask(null, { deliveryMaxMs: 10 })).map((one) => one.unspecified)
    expect(within({ deliveryMinMs: 0, deliveryMaxMs: 10 })).toEqual([[]])
    expect(within({ deliveryMaxMs: 11 })).toEqual([])
    expect(within({ deliveryMinMs: 11 })).toEqual([])
    expect(within({ deliveryMinMs: 10 })).toEqual([['deliveryMaxMs']])
    expect(within({})).toEqual([['deliveryMaxMs']])
  })

  test('for an amount to arrive, the offer that takes the least is found band by band', () => {
    const low = fresh({ amountMin: 1, amountMax: 100 }, { rate: 10, fee: 2 })
    const mid = fresh({ amountMin: 100.01, amountMax: 500 }, { rate: 10, fee: 5 })
    const high = fresh({ amountMin: 500.01 }, { rate: 10, fee: 1 })
    const sent = (gets: number) => only([low, mid, high], ask(arriving(gets)))
    expect(sent(980)).toMatchObject({ candidate: low, sent: 100 })
    expect(sent(990)).toMatchObject({ candidate: mid, sent: 104 })
    expect(sent(4950)).toMatchObject({ candidate: mid, sent: 500 })
    expect(sent(4960)).toMatchObject({ candidate: high, sent: 500.01 })
    expect(sent(5990)).toMatchObject({ candidate: high, sent: 600 })
  })

  test('an offer whose fee has no price is taken only if there is no other', () => {
    const unpriced = fresh({ service: 'a' }, { rate: 140, fee: 1, feeCurrency: 'EUR' })
    const priced = stale({ amountMin: 9, amountMax: 9 }, { rate: 100, providerId: 'retail-a' })
    for (const goal of [arriving(1000), arriving(500), sending(10)])
      expect(only([unpriced, priced], ask(goal)).candidate).toBe(priced)
    expect(only([unpriced], ask(arriving(1000)))).toMatchObject({ sent: null, match: null })
  })

  test('a believed price comes before a suspect one, and that before one for other amounts', () => {
    const believed = stale({ service: 'a' }, { rate: 100 })
    const suspect = { ...fresh({ service: 'b' }, { rate: 200 }), suspect: DOUBT }
    const far = fresh({ amountMin: 1000 }, { rate: 150 })
    const chosen = (...all: Candidate[]) => only(all, ask(sending(10))).candidate
    expect(chosen(far, suspect, believed)).toBe(believed)
    expect(chosen(far, suspect)).toBe(suspect)
    expect(only([far], ask(sending(10)))).toMatchObject({ standing: STANDING.outOfRange })
    expect(only([suspect], ask(null))).toMatchObject({ standing: STANDING.suspect, value: 200 })
  })

  test('two offers raised to their minimum are ranked by what arrives, not by time', () => {
    const less = fresh({ amountMin: 50, service: 'a' }, { rate: 100, fee: null, atMs: 2 })
    const more = fresh({ amountMin: 50, service: 'b' }, { rate: 160, fee: null, atMs: 1 })
    const chosen = only([less, more], ask(arriving(1000)))
    expect(chosen).toMatchObject({ candidate: more, sent: 50, isMinimum: true })
    const other = { ...less, quote: { ...less.quote, providerId: 'z' } }
    const [first] = choiceOf([other, more], ask(arriving(1000)))
    expect(first!.candidate).toBe(more)
    expect(only([less, more], ask(sending(50))).candidate).toBe(more)
  })

  test('of offers raised to their minimum, the newest of those whose arriving amounts are shown equal is taken', () => {
    const band = { amountMin: 50, amountMax: 60 }
    const older = fresh({ ...band, service: 'a' }, { rate: 0.3, fee: null, atMs: 1 })
    const newer = fresh({ ...band, service: 'b' }, { rate: 0.3 - 1e-15, fee: null, atMs: 2 })
    const chosen = only([older, newer], ask(arriving(1)))
    expect(chosen).toMatchObject({ candidate: newer, sent: 50, second: 15 })
  })

  test('of equally near prices, the one that costs less at its own amount is taken', () => {
    const [at100, at225] = [
      { amountMin: 100, amountMax: 100 },
      { amountMin: 225, amountMax: 225 },
    ]
    const dear = fresh({ ...at100, service: 'a' }, { rate: 20, fee: 60, atMs: 2 })
    const cheap = fresh({ ...at100, service: 'b' }, { rate: 11, fee: 0, atMs: 1 })
    const larger = fresh({ ...at225, service: 'c' }, { rate: 10, fee: 0, atMs: 2 })
    const chosen = only([dear, cheap, larger], ask(sending(150)))
    expect(chosen).toMatchObject({ candidate: cheap, value: 1650, isMinimum: false })
    const sooner = { amountMin: 95, amountMax: 95, service: 'a' }
    const lifted = fresh(sooner, { rate: 20, fee: 60, atMs: 2 })
    const arrived = only([lifted, cheap], ask(arriving(1650)))
    expect(arrived).toMatchObject({ candidate: cheap, sent: 150, match: { ratio: 1.5 } })
  })

  test('providers are listed by what each takes, and those for other amounts by distance', () => {
    const from = (providerId: string, rate: number, amountMin = 0) =>
      fresh({ amountMin, amountMax: amountMin || null }, { providerId, rate, fee: 0 })
    const all = [from('a', 10), from('b', 12, 1000), from('c', 11), from('d', 12, 500)]
    const listed = (goal: Goal) => choiceOf(all, ask(goal)).map(({ quote }) => quote.providerId)
    expect(listed(arriving(1100))).toEqual(['c', 'a', 'd', 'b'])
    expect(listed(sending(100))).toEqual(['c', 'a', 'd', 'b'])
  })

  test('the choice agrees with a plain search, for random offers, filters, amounts and ages', () => {
    fc.assert(
      fc.property(markets, asks, (market, asked) => {
        const chosen = choiceOf(market, asked)
        const found = new Map(chosen.map((one) => [one.quote.providerId, one]))
        const providers = new Set(market.map((one) => one.quote.providerId))
        expect(found.size).toBe(chosen.length)
        for (const providerId of providers) {
          const own = market.filter((one) => one.quote.providerId === providerId)
          const expected = searched(own, asked)
          expect(found.get(providerId)?.candidate).toBe(expected?.candidate)
          if (expected) expect(found.get(providerId)).toMatchObject(expected)
        }
      }),
      { numRuns: 5000 },
    )
  })

  test('every shuffle of the offers gives the same list', () => {
    fc.assert(
      fc.property(markets, asks, fc.infiniteStream(fc.nat()), (market, asked, noise) => {
        const shuffled = market
          .map((one) => ({ one, key: noise.next().value }))
          .sort((a, b) => a.key - b.key)
          .map(({ one }) => one)
        expect(choiceOf(shuffled, asked)).toEqual(choiceOf(market, asked))
        expect(everyOffer(shuffled, asked)).toEqual(everyOffer(market, asked))
      }),
    )
  })
})

describe('everyOffer', () => {
  test('lists one of the offers that differ in their amounts alone for an amount, else every one', () => {
    const low = fresh({ channel: 'agent', amountMax: 100 }, { rate: 10 })
    const high = fresh({ channel: 'agent', amountMin: 100.01 }, { rate: 11 })
    const net = fresh({ channel: 'internet', amountMax: 100 }, { rate: 12 })
    const other = fresh({ channel: 'agent' }, { rate: 9, providerId: 'z' })
    const listed = (amount: number) =>
      everyOffer([low, high, net, other], ask(sending(amount))).map((one) => one.candidate)
    expect(listed(50)).toEqual([net, low, other])
    expect(listed(200)).toEqual([net, high, other])
    const all = everyOffer([low, high, net, other], ask(null)).map((one) => one.candidate)
    expect(all).toEqual([net, high, low, other])
  })

  test('holds the choice of every provider, and no other provider', () => {
    fc.assert(
      fc.property(markets, asks, (market, asked) => {
        const every = new Set(everyOffer(market, asked).map((one) => one.candidate))
        const chosen = choiceOf(market, asked).map((one) => one.candidate)
        for (const one of chosen) expect(every.has(one)).toBe(true)
        const providers = (list: Iterable<Candidate>) =>
          new Set([...list].map((one) => one.quote.providerId))
        expect(providers(every)).toEqual(providers(chosen))
      }),
    )
  })
})

const few = <T>(...values: readonly T[]) => fc.constantFrom<(T | null)[]>(...values, null)

const saids = fc.record({
  targetCountry: few('SN', 'ML'),
  payIn: few<Offer['payIn']>(['cash'], ['cash', 'bank_account'], ['credit_card']),
  channel: few(...CHANNELS.slice(0, 2)),
  band: fc.constantFrom([null, null], [100, 100], [1, 100], [100, 400], [200, null], [null, 50]),
  feePercent: few(0, 1, 10),
  deliveryMinMs: few(0, 30),
  deliveryMaxMs: few(30, 60),
})

const quotes = fc.record({
  id: fc.nat(),
  atMs: fc.integer({ min: 1, max: 3 }),
  providerId: fc.constantFrom('a', 'b'),
  rate: fc.integer({ min: 9, max: 11 }),
  fee: few(0, 2, 300),
  feeCurrency: few('USD', 'KES', 'GBP', 'EUR'),
})

const suspicions = fc.constantFrom(null, null, { offPct: 12, isOfDay: true })

const markets = fc
  .uniqueArray(fc.tuple(saids, quotes, fc.boolean(), fc.boolean(), suspicions), {
    selector: ([, { id }]) => id,
    maxLength: 12,
  })
  .map((list) =>
    list.map(([{ band, ...said }, more, isPlain, isStale, suspect]): Candidate => {
      const [amountMin = null, amountMax = null] = band
      const says = offer({ ...said, amountMin, amountMax })
      return { quote: isPlain ? quote(more) : { ...quote(more), offer: says }, isStale, suspect }
    }),
  )

const asks = fc
  .record({
    goal: few(
      ...[25, 50, 100, 150, 199, 300, 1000].map(sending),
      ...[100, 500, 990, 2000, 5000].map(arriving),
    ),
    targetCountry: few('SN'),
    payIn: few<Offer['payIn']>(['cash'], ['credit_card', 'bank_account']),
    channel: few<OfferFilters['channel']>(['agent']),
    deliveryMaxMs: few(10, 30),
  })
  .map(({ goal, ...filters }) => ask(goal, filters))

type Found = Pick<Fitting<Candidate>, 'candidate' | 'unspecified'> & { sent: number | null }

/** The offer of one provider by the wording of the rule: one filter for each sentence. */
function searched(own: readonly Candidate[], { goal, filters }: Ask): Found | undefined {
  const said = (one: Candidate) => one.quote.offer ?? offer()
  const silent = (one: Candidate) => {
    const { targetCountry, payIn, channel, deliveryMaxMs: slow, deliveryMinMs: least } = said(one)
    const names: string[] = []
    if (filters.targetCountry && !targetCountry) names.push('targetCountry')
    if (filters.payIn && !payIn) names.push('payIn')
    if (filters.channel && !channel) names.push('channel')
    const within = filters.deliveryMaxMs
    if (within !== null && slow === null && (least ?? 0) <= within) names.push('deliveryMaxMs')
    return names as Found['unspecified']
  }
  const contradicts = (one: Candidate) => {
    const { targetCountry, payIn, channel, deliveryMaxMs, deliveryMinMs } = said(one)
    const within = filters.deliveryMaxMs ?? Number.MAX_VALUE
    return (
      (filters.targetCountry && targetCountry && targetCountry !== filters.targetCountry) ||
      (filters.payIn &&
        payIn &&
        new Set([...payIn, ...filters.payIn]).size === payIn.length + filters.payIn.length) ||
      (filters.channel && channel && channel !== filters.channel[0]) ||
      (deliveryMaxMs ?? deliveryMinMs ?? 0) > within
    )
  }
  let left = own.filter((one) => !contradicts(one))
  const sieve = (isBetter: (one: Candidate) => boolean) => {
    if (left.some(isBetter)) left = left.filter(isBetter)
  }
  const least = (figure: (one: Candidate) => number) => {
    const figures = left.map(figure)
    left = left.filter((_, i) => figures[i] === Math.min(...figures))
  }
  const needed = (one: Candidate) => goal && neededUnder(one.quote, goal)
  const far = (one: Candidate) => ratioTo(said(one), needed(one) ?? Number.NaN)
  const isFar = (one: Candidate) => far(one) > 2
  least((one) => (isFar(one) ? 2 : one.suspect ? 1 : 0))
  sieve((one) => silent(one).length === 0)
  if (goal) {
    const net = (one: Candidate) => {
      const amount = needed(one)
      const hundredths = amount && netHundredths(one.quote, amount)
      return Number((hundredths ?? Number.NEGATIVE_INFINITY).toPrecision(12))
    }
    sieve((one) => isFar(one) || fixedFee(one.quote) !== null)
    sieve((one) => !one.isStale)
    if (left.some((one) => needed(one) !== null)) least(far)
    if (left.some(isFar)) least((one) => -one.quote.rate)
    else if (left.some((one) => far(one) > 1)) {
      const worst = goal.amount === null ? 0 : Number.NEGATIVE_INFINITY
      const yielded = (one: Candidate) => Math.max(yieldNear(one.quote, needed(one)!), worst)
      least((one) => -Number(yielded(one).toPrecision(12)))
      if (goal.amount === null) least((one) => -net(one))
    } else {
      if (goal.amount === null) least((one) => needed(one) ?? 0)
      least((one) => -net(one))
    }
  } else {
    sieve((one) => !one.isStale)
    least((one) => -one.quote.rate)
    sieve(({ quote: { fee, offer: says } }) => fee !== null || (says?.feePercent ?? null) !== null)
    least(({ quote: asked }) => fixedFee(asked, null) ?? Number.MAX_VALUE)
    least((one) => said(one).feePercent ?? 0)
  }
  least((one) => -one.quote.atMs)
  least((one) => -one.quote.id)
  const [candidate] = left
  return (
    candidate && {
      candidate,
      unspecified: silent(candidate),
      sent: goal && (goal.amount ?? (isFar(candidate) ? null : needed(candidate))),
    }
  )
}

/** The fee in KES; null if it has no price. A pound is one shilling here. */
function fixedFee({ fee, feeCurrency, rate }: Quote, pound: 1 | null = 1): number | null {
  if (!fee) return 0
  const prices: Record<string, number | null> = { USD: rate, KES: 1, GBP: pound, EUR: null }
  const price = prices[feeCurrency ?? 'USD']!
  return price && fee * price
}

/** Net of a whole amount, in whole hundredths. */
function netHundredths(asked: Quote, amount: number): number | null {
  const fee = fixedFee(asked)
  const kept = 100 - (asked.offer?.feePercent ?? 0)
  return fee === null ? null : amount * asked.rate * kept - fee * 100
}

/** What arrives of each unit at the nearest amount that a price is for, in hundredths. */
function yieldNear(asked: Quote, amount: number): number {
  const { amountMin, amountMax } = asked.offer ?? offer()
  const near = Math.max(amountMin ?? 0, Math.min(amount, amountMax ?? amount))
  return (netHundredths(asked, near) ?? 0) / near
}

/** Sent amount: the requested one, or the least 12-digit amount of which enough arrives. */
function neededUnder(asked: Quote, { amount, recipientGets }: Goal): number | null {
  if (amount !== null) return amount
  const fee = fixedFee(asked)
  if (fee === null) return null
  const kept = 100 - (asked.offer?.feePercent ?? 0)
  const [over, under] = [(recipientGets + fee) * 100, asked.rate * kept]
  const digits = 12 - String(Math.floor(over / under)).length
  const units = (BigInt(over) * 10n ** BigInt(digits) + BigInt(under) - 1n) / BigInt(under)
  const needed = Number(`${units}e-${digits}`)
  const { amountMin, amountMax } = asked.offer ?? offer()
  return amountMin !== null && amountMin !== amountMax && needed < amountMin ? amountMin : needed
}

const ratioTo = ({ amountMin, amountMax }: Offer, amount: number): number =>
  Math.max(1, (amountMin ?? 0) / amount, amountMax === null ? 0 : amount / amountMax)
