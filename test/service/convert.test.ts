import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Goal } from '~/domain/offer/choice.ts'
import { NO_FILTERS } from '~/domain/offer/filter.ts'
import { type Selection, UNSELECTED } from '~/domain/offer/selection.ts'
import { roundAmount } from '~/domain/round.ts'
import { type Conversions, convert } from '~/service/convert.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { offer } from '../support/offers.ts'
import { viewOf } from '../support/views.ts'
import { World } from '../support/world.ts'

const ask = (world: World, amount: number) =>
  convert(viewOf(world), { from: 'USD', to: 'KES', goal: { amount, recipientGets: null } })
const idsOf = (world: World, amount: number) =>
  ask(world, amount).entries.map(({ ranked }) => ranked.provider.id)

describe('convert', () => {
  test('returns the amount before and after the fee, the spread and the distance to the mid', () => {
    const world = new World()
    world.reference({ KES: 130 }, { at: '2026-03-05T14:00:00.000Z' })
    world.quote({ providerId: 'retail-a', rate: 128.7, fee: 2, feeCurrency: 'USD' })
    const { entries, mid, best, corridor, amount } = ask(world, 100)
    expect(corridor).toEqual({ from: 'USD', to: 'KES' })
    expect(amount).toBe(100)
    expect(mid).toEqual({
      rate: 130,
      source: 'feed',
      atMs: Date.parse('2026-03-05T14:00:00.000Z'),
      basis: 'single',
      dispersionBps: null,
    })
    const [entry] = entries
    expect(entry?.converted).toBeCloseTo(12_870, 9)
    expect(entry?.net).toBeCloseTo(12_612.6, 9)
    expect(entry?.spreadBps).toBe(0)
    expect(entry?.vsMidBps).toBeCloseTo(-100, 9)
    expect(best).toBe(entry!)
  })

  test('prices a fee after its currency was switched off', () => {
    const world = new World()
    world.reference({ KES: 130, GBP: 0.8 }, { at: '2026-03-05T14:00:00.000Z' })
    world.quote({ providerId: 'retail-a', rate: 128, fee: 2, feeCurrency: 'GBP' })
    const before = ask(world, 100).entries[0]!.net
    const currencies = CURRENCIES.map((currency) =>
      currency.code === 'GBP' ? { ...currency, isActive: false } : currency,
    )
    const catalogue = { currencies, providers: PROVIDERS }
    world.memory.publish({ catalogue }, world.clock.now())
    expect(before).toBe(12_800 - 2 * (130 / 0.8))
    expect(ask(world, 100).entries[0]!.net).toBe(before)
  })

  test('ranks by the net amount, not by the rate', () => {
    const world = new World()
    world.quote(
      { providerId: 'retail-a', rate: 130, fee: 5, feeCurrency: 'USD' },
      { providerId: 'retail-b', rate: 129 },
    )
    expect(idsOf(world, 100)).toEqual(['retail-b', 'retail-a'])
    expect(idsOf(world, 10_000)).toEqual(['retail-a', 'retail-b'])
    expect(ask(world, 100).best?.ranked.provider.id).toBe('retail-b')
  })

  test('shows a net amount of zero or less, and never as the best', () => {
    const world = new World()
    world.quote(
      { providerId: 'retail-a', rate: 130, fee: 5, feeCurrency: 'USD' },
      { providerId: 'retail-b', rate: 130, fee: 6, feeCurrency: 'USD' },
    )
    const { entries, best } = ask(world, 5)
    expect(entries.map(({ net }) => net)).toEqual([0, -130])
    expect(best).toBeNull()
    expect(ask(world, 5.01).best?.ranked.provider.id).toBe('retail-a')
  })

  test('does not make a net amount of exactly zero the best by binary noise', () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 3, fee: 0.3, feeCurrency: 'KES' })
    const { best, entries } = ask(world, 0.1)
    expect(entries[0]?.net).toBe(0)
    expect(best).toBeNull()
  })

  test('puts an entry whose fee cannot be priced last of its kind, below negative nets', () => {
    const world = new World()
    world.quote(
      { providerId: 'retail-a', rate: 900, fee: 1, feeCurrency: 'GBP' },
      { providerId: 'retail-b', rate: 100, fee: 50, feeCurrency: 'USD' },
      { providerId: 'p2p-a', rate: 1 },
    )
    const { entries, best } = ask(world, 10)
    expect(entries.map(({ ranked, net }) => [ranked.provider.id, net])).toEqual([
      ['retail-b', -4000],
      ['retail-a', null],
      ['p2p-a', 10],
    ])
    expect(best?.ranked.provider.id).toBe('p2p-a')
  })

  test('never makes an entry without a net amount the best, even alone', () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 900, fee: 1, feeCurrency: 'GBP' })
    expect(ask(world, 10).best).toBeNull()
  })

  test('prices a third currency by its mid to the target if that is recent', () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 130, fee: 2, feeCurrency: 'GBP' })
    world.reference({ KES: 130, GBP: 0.5 })
    expect(ask(world, 100).entries[0]?.net).toBe(12_480)
    world.clock.advance(72 * 3_600_000)
    expect(ask(world, 100).entries[0]?.net).toBe(12_480)
    world.clock.advance(1)
    expect(ask(world, 100)).toMatchObject({ mid: null, best: null, entries: [{ net: null }] })
  })

  test('has no mid for a fee in a stablecoin, and needs none for a fee in the target', () => {
    const world = new World()
    world.reference({ KES: 130, USDT: 1 })
    world.quote(
      { providerId: 'retail-a', rate: 130, fee: 2, feeCurrency: 'USDT' },
      { providerId: 'retail-b', rate: 130, fee: 2, feeCurrency: 'KES' },
    )
    expect(ask(world, 100).entries.map(({ net }) => net)).toEqual([12_998, null])
  })

  test('lists official and parallel rates with their nets, and never as the best', () => {
    const world = new World()
    world.quote(
      { providerId: 'official-a', rate: 200 },
      { providerId: 'parallel-a', rate: 300 },
      { providerId: 'interbank-a', rate: 100 },
    )
    expect(idsOf(world, 10)).toEqual(['interbank-a', 'official-a', 'parallel-a'])
    expect(ask(world, 10).best?.ranked.provider.id).toBe('interbank-a')
  })

  test('an official price leaves the reason why executable ones have no best', () => {
    const world = new World()
    world.reference({ KES: 130 }, { at: '2026-03-05T14:00:00.000Z' })
    const goal = { amount: 10, recipientGets: null }
    const found = () =>
      convert(viewOf(world, 'realtime', { quoteSuspectPct: 10 }), { from: 'USD', to: 'KES', goal })
    world.quote({ providerId: 'official-a', rate: 129 })
    expect(found()).toMatchObject({ best: null, lack: null })
    world.quote({ providerId: 'retail-a', rate: 200 })
    expect(found()).toMatchObject({ best: null, lack: { reason: 'suspect' } })
    const band = offer({ amountMin: 1000, amountMax: 1000 })
    world.quote({ providerId: 'retail-b', rate: 128, offer: band })
    expect(found()).toMatchObject({ best: null, lack: { reason: 'out_of_range' } })
    world.quote({ providerId: 'p2p-a', rate: 120 })
    expect(found()).toMatchObject({ best: { net: 1200 }, lack: null })
  })

  test('lists equal net amounts newest first, whatever noise their arithmetic left', () => {
    const world = new World()
    const at = '2026-03-05T14:00:00.000Z'
    world.quote(
      { providerId: 'retail-a', rate: 0.4, fee: 0.1, feeCurrency: 'KES', at },
      { providerId: 'retail-b', rate: 0.3 },
      { providerId: 'p2p-a', rate: 1.1, at },
      { providerId: 'p2p-b', rate: 1.1 },
    )
    expect(0.4 - 0.1).toBeGreaterThan(0.3)
    expect(idsOf(world, 1)).toEqual(['retail-b', 'retail-a', 'p2p-b', 'p2p-a'])
  })

  test('returns no entries and no best without quotes, but the mid if there is one', () => {
    const world = new World()
    world.reference({ KES: 130 })
    expect(ask(world, 10)).toMatchObject({ best: null, entries: [], mid: { rate: 130 } })
  })

  test('derives the order and the best from the net amounts shown', () => {
    const offers = fc.array(
      fc.record({
        providerId: fc.constantFrom('retail-a', 'retail-b', 'p2p-a', 'interbank-a', 'official-a'),
        rate: fc.integer({ min: 1, max: 50 }).map((tenths) => tenths / 10),
        fee: fc.option(fc.integer({ min: 0, max: 40 }).map((tenths) => tenths / 10)),
        feeCurrency: fc.constantFrom('USD', 'KES', 'GBP', 'UGX'),
      }),
      { maxLength: 8 },
    )
    const amounts = fc.integer({ min: 1, max: 50 }).map((tenths) => tenths / 10)
    fc.assert(
      fc.property(offers, amounts, (quotes, amount) => {
        const world = new World()
        world.reference({ KES: 130, GBP: 100 })
        world.quote(
          ...quotes.map((own) => ({
            ...own,
            feeCurrency: own.fee === null ? null : own.feeCurrency,
          })),
        )
        const { entries, best } = ask(world, amount)
        const shown = entries.map(({ net, ranked: { quote } }) => ({
          kind: quote.rateType,
          net: net === null ? Number.NEGATIVE_INFINITY : roundAmount(net),
        }))
        for (let i = 1; i < shown.length; i++)
          if (shown[i]!.kind === shown[i - 1]!.kind)
            expect(shown[i]!.net).toBeLessThanOrEqual(shown[i - 1]!.net)
        const nets = shown.filter(({ kind, net }) => kind !== 'official' && net > 0)
        const greatest = Math.max(...nets.map(({ net }) => net))
        if (nets.length === 0) expect(best).toBeNull()
        else expect(roundAmount(best!.net!)).toBe(greatest)
      }),
    )
  })
})

describe('convert with offers', () => {
  const KENYA = { targetCountry: 'KE' }
  const asked = (world: World, amount: number, selection: Partial<Selection> = {}) =>
    convert(viewOf(world), {
      from: 'USD',
      to: 'KES',
      goal: { amount, recipientGets: null },
      selection: { ...UNSELECTED, ...selection },
    })
  const ratesOf = ({ entries }: Conversions) => entries.map(({ ranked }) => ranked.quote.rate)

  /** A fee table: 350 for up to 18,000 and 550 for more, or 1 percent on Express. */
  function bands(): World {
    const world = new World()
    const fee = { providerId: 'retail-a', feeCurrency: 'USD' }
    world.reference({ KES: 130 }, { at: '2026-03-05T14:00:00.000Z' })
    world.quote(
      { ...fee, rate: 100, fee: 350, offer: offer({ amountMin: 1000, amountMax: 18_000 }) },
      { ...fee, rate: 101, fee: 550, offer: offer({ amountMin: 20_000, amountMax: 90_000 }) },
      {
        ...fee,
        rate: 99,
        fee: null,
        offer: offer({ service: 'Express', feePercent: 1, amountMin: 5000 }),
      },
      { providerId: 'retail-b', rate: 95 },
    )
    return world
  }

  test("takes each provider's offer for the amount with the highest net", () => {
    const world = bands()
    const rates = [500, 1000, 5000, 40_000, 60_000, 90_001].map(
      (amount) =>
        asked(world, amount).entries.find(({ ranked }) => ranked.provider.id === 'retail-a')?.ranked
          .quote.rate,
    )
    expect(rates).toEqual([100, 100, 99, 101, 101, 99])
    expect(asked(world, 5000).entries.map(({ net }) => net)).toEqual([490_050, 475_000])
  })

  test('measures a spread against the best entry listed', () => {
    const world = bands()
    expect(asked(world, 5000).entries.map(({ spreadBps }) => spreadBps)).toEqual([
      0,
      (4 / 99) * 10_000,
    ])
    expect(asked(world, 40_000).entries[1]?.spreadBps).toBeCloseTo((6 / 101) * 10_000, 9)
  })

  test('takes the cost of the nearest offer at its own nearest amount', () => {
    const world = bands()
    const [entry] = asked(world, 500).entries.filter(
      ({ ranked }) => ranked.provider.id === 'retail-a',
    )
    expect(entry?.net).toBe(15_000)
    expect(entry?.cost?.feePct).toBe(35)
    expect(entry?.cost?.total).toBe(580.76923)
  })

  test('takes the cheapest price at its own amount as the current best if none is for the amount', () => {
    const world = new World()
    const near = (amountMin: number) => offer({ amountMin, amountMax: amountMin })
    const fixed = { providerId: 'retail-a', rate: 130, fee: 6, feeCurrency: 'USD' }
    world.quote(
      { ...fixed, offer: near(200) },
      { providerId: 'retail-b', rate: 127, fee: 0, offer: near(200) },
    )
    const leads = (goal: Goal) => {
      const { best, bestCurrent } = convert(viewOf(world), { from: 'USD', to: 'KES', goal })
      return [best, bestCurrent].map((one) => one?.ranked.provider.id)
    }
    expect(leads({ amount: 200, recipientGets: null })).toEqual(['retail-b', 'retail-b'])
    expect(leads({ amount: 400, recipientGets: null })).toEqual(['retail-a', 'retail-b'])
    expect(leads({ amount: null, recipientGets: 50_000 })).toEqual(['retail-a', 'retail-b'])
  })

  test('counts a percentage alone as a stated fee', () => {
    const { bestCurrent, best } = asked(bands(), 5000)
    expect([best?.ranked.quote.rate, bestCurrent?.ranked.quote.rate]).toEqual([99, 99])
  })

  test('lists every offer requested, each at the best of its bands', () => {
    const world = bands()
    expect(ratesOf(asked(world, 40_000, { isEvery: true }))).toEqual([101, 99, 95])
    expect(ratesOf(asked(world, 2000, { isEvery: true }))).toEqual([95, 100, 99])
  })

  test('puts offers with all requested fields first, and takes the best from them', () => {
    const world = new World()
    world.quote(
      { providerId: 'retail-a', rate: 9 },
      { providerId: 'retail-b', rate: 8, offer: offer(KENYA) },
      { providerId: 'p2p-a', rate: 99, offer: offer({ targetCountry: 'UG' }) },
    )
    const filters = { ...NO_FILTERS, ...KENYA }
    const { entries, best } = asked(world, 1, { filters })
    expect(entries.map(({ ranked }) => [ranked.provider.id, ranked.unspecified])).toEqual([
      ['retail-b', []],
      ['retail-a', ['targetCountry']],
    ])
    expect(best?.ranked.provider.id).toBe('retail-b')
    expect(asked(world, 1).best?.ranked.provider.id).toBe('p2p-a')
    const ghana = asked(world, 1, { filters: { ...NO_FILTERS, targetCountry: 'GH' } })
    expect(ghana.best?.ranked.provider.id).toBe('retail-a')
  })

  test('sends an amount to arrive by the offer that needs least', () => {
    const goal = { amount: null, recipientGets: 1_000_000 }
    const { entries, amount } = convert(viewOf(bands()), { from: 'USD', to: 'KES', goal })
    expect(entries.map(({ sent }) => sent)).toEqual([10_203.0405061, 10_526.3157895])
    expect(amount).toBe(10_203.0405061)
  })
})
