import { describe, expect, test } from 'bun:test'
import { NO_FILTERS } from '~/domain/offer/filter.ts'
import { UNSELECTED } from '~/domain/offer/selection.ts'
import { PLAIN } from '~/domain/offer/terms.ts'
import { liveCorridors } from '~/service/corridors.ts'
import { providerRates } from '~/service/provider-rates.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { viewOf } from '../support/views.ts'
import { World } from '../support/world.ts'

const namesOf = (world: World, tier: 'hourly' | 'realtime' = 'realtime') =>
  liveCorridors(viewOf(world, tier)).map(({ from, to }) => `${from}/${to}`)

describe('liveCorridors', () => {
  test('returns every quoted corridor, by source, then target, and none without quotes', () => {
    const world = new World()
    expect(namesOf(world)).toEqual([])
    world.quote(
      { providerId: 'retail-a', from: 'USD', to: 'NGN', rate: 1 },
      { providerId: 'retail-a', from: 'USD', to: 'KES', rate: 1 },
      { providerId: 'retail-a', from: 'GBP', to: 'ZAR', rate: 1 },
    )
    expect(namesOf(world)).toEqual(['GBP/ZAR', 'USD/KES', 'USD/NGN'])
  })

  test('returns a corridor with official prices only, without a best', () => {
    const world = new World()
    world.quote({ providerId: 'official-a', rate: 130 }, { providerId: 'parallel-a', rate: 140 })
    const [corridor] = liveCorridors(viewOf(world))
    expect(corridor?.view.quotes).toHaveLength(2)
    expect(corridor?.view.best).toBeNull()
    expect(corridor?.view.avgSpreadBps).toBeNull()
    expect(corridor?.view.lastUpdatedMs).toBe(world.clock.now())
  })

  test('counts one currency on both sides as a corridor between two requested countries', () => {
    const world = new World()
    const offer = { ...PLAIN, sourceCountry: 'US', targetCountry: 'LR' }
    world.quote({ providerId: 'retail-a', from: 'USD', to: 'USD', rate: 1, offer })
    expect(namesOf(world)).toEqual([])
    const between = (sourceCountry: string, targetCountry: string | null) => {
      const filters = { ...NO_FILTERS, sourceCountry, targetCountry }
      const found = liveCorridors(viewOf(world), { ...UNSELECTED, filters })
      return found.map(({ from, to }) => `${from}/${to}`)
    }
    expect(between('US', 'LR')).toEqual(['USD/USD'])
    expect(between('US', 'SO')).toEqual([])
    expect(between('US', null)).toEqual([])
    const rates = providerRates(viewOf(world), 'retail-a')
    expect(rates.quotes).toEqual([])
  })

  test('leaves out of the hourly tier a corridor first quoted after the top of the hour', () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 1, at: '2026-03-05T14:00:00.001Z' })
    world.quote({ providerId: 'retail-a', to: 'NGN', rate: 1, at: '2026-03-05T14:00:00.000Z' })
    expect(namesOf(world, 'hourly')).toEqual(['USD/NGN'])
    expect(namesOf(world, 'realtime')).toEqual(['USD/KES', 'USD/NGN'])
  })

  test('drops a corridor with its only provider or with one of its currencies, and restores it', () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 1 })
    const publish = (isProviderActive: boolean, isCurrencyActive: boolean) =>
      world.memory.publish(
        {
          catalogue: {
            currencies: CURRENCIES.map((one) =>
              one.code === 'KES' ? { ...one, isActive: isCurrencyActive } : one,
            ),
            providers: PROVIDERS.map((one) =>
              one.id === 'retail-a' ? { ...one, isActive: isProviderActive } : one,
            ),
          },
        },
        world.clock.now(),
      )
    publish(false, true)
    expect(namesOf(world)).toEqual([])
    publish(true, false)
    expect(namesOf(world)).toEqual([])
    publish(true, true)
    expect(namesOf(world)).toEqual(['USD/KES'])
  })
})
