import { describe, expect, test } from 'bun:test'
import { ServiceError } from '~/domain/errors.ts'
import { NO_FILTERS } from '~/domain/offer/filter.ts'
import { type Selection, UNSELECTED } from '~/domain/offer/selection.ts'
import type { PayWay } from '~/domain/offer/terms.ts'
import { providerRates } from '~/service/provider-rates.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { offer } from '../support/offers.ts'
import { viewOf } from '../support/views.ts'
import { World } from '../support/world.ts'

const ratesOf = (world: World, id: string, tier: 'hourly' | 'realtime' = 'realtime') =>
  providerRates(viewOf(world, tier), id).quotes.map(({ quote: { from, to, rate } }) => [
    from,
    to,
    rate,
  ])

function codeOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof ServiceError) return error.code
  }
  return 'no ServiceError'
}

const withInactive = (world: World, inactive: { provider?: string; currency?: string }) =>
  world.memory.publish(
    {
      catalogue: {
        currencies: CURRENCIES.map((one) => ({
          ...one,
          isActive: one.isActive && one.code !== inactive.currency,
        })),
        providers: PROVIDERS.map((one) => ({ ...one, isActive: one.id !== inactive.provider })),
      },
    },
    world.clock.now(),
  )

describe('providerRates', () => {
  test('returns the best offer of each corridor for the request, or every offer', () => {
    const world = new World()
    const by = (payOut: PayWay) => ({ providerId: 'retail-a', offer: offer({ payOut: [payOut] }) })
    world.quote({ ...by('cash'), rate: 2 }, { ...by('mobile_money'), rate: 1 })
    const asked = (selection: Partial<Selection>) =>
      providerRates(viewOf(world), 'retail-a', { ...UNSELECTED, ...selection }).quotes.map(
        ({ quote }) => quote.rate,
      )
    expect(asked({})).toEqual([2])
    expect(asked({ isEvery: true })).toEqual([2, 1])
    expect(asked({ filters: { ...NO_FILTERS, payOut: ['mobile_money'] } })).toEqual([1])
    expect(asked({ filters: { ...NO_FILTERS, payOut: ['bank_account'] } })).toEqual([])
  })

  test('returns the provider’s latest quote in every corridor, by source, then target, and no other', () => {
    const world = new World()
    world.quote(
      { providerId: 'retail-a', from: 'USD', to: 'NGN', rate: 1 },
      { providerId: 'retail-a', from: 'GBP', to: 'KES', rate: 2 },
      { providerId: 'retail-a', from: 'USD', to: 'KES', rate: 3, at: '2026-03-05T14:00:00.000Z' },
      { providerId: 'retail-b', from: 'USD', to: 'KES', rate: 9 },
    )
    world.quote({ providerId: 'retail-a', from: 'USD', to: 'KES', rate: 4 })
    expect(ratesOf(world, 'retail-a')).toEqual([
      ['GBP', 'KES', 2],
      ['USD', 'KES', 4],
      ['USD', 'NGN', 1],
    ])
    expect(ratesOf(world, 'retail-a', 'hourly')).toEqual([['USD', 'KES', 3]])
    expect(providerRates(viewOf(world), 'retail-a').provider.id).toBe('retail-a')
  })

  test('returns an empty list for a provider without quotes', () => {
    expect(ratesOf(new World(), 'retail-a')).toEqual([])
  })

  test('lists official prices like any other', () => {
    const world = new World()
    world.quote({ providerId: 'official-a', rate: 130 })
    expect(ratesOf(world, 'official-a')).toEqual([['USD', 'KES', 130]])
  })

  test('does not find unknown and inactive providers, whatever they quoted', () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 1 })
    withInactive(world, { provider: 'retail-a' })
    for (const id of ['retail-a', 'nobody', '', 'RETAIL-B', '__proto__'])
      expect(codeOf(() => providerRates(viewOf(world), id))).toBe('unknown_provider')
  })

  test('leaves out a corridor with an inactive currency', () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 1 }, { providerId: 'retail-a', to: 'NGN', rate: 2 })
    withInactive(world, { currency: 'KES' })
    expect(ratesOf(world, 'retail-a')).toEqual([['USD', 'NGN', 2]])
  })
})
