import { expect, test } from 'bun:test'
import { freshnessAt } from '~/domain/freshness.ts'
import { NO_FILTERS } from '~/domain/offer/filter.ts'
import { View } from '~/memory/view.ts'
import { rankedPairs } from '~/service/country/ranking.ts'
import { offer } from '../../support/offers.ts'
import { SUSPECTING } from '../../support/replica.ts'
import { World } from '../../support/world.ts'

test('a pair with suspect prices alone has no cost by its cheapest', () => {
  const world = new World()
  const at = '2026-03-05T13:00:00Z'
  world.reference({ KES: 100 }, { at })
  world.quote({
    ...{ providerId: 'retail-a', from: 'USD', to: 'KES', rate: 200, fee: 0, at },
    offer: offer({ sourceCountry: 'US', targetCountry: 'KE' }),
  })
  const view = new View(
    world.memory.current,
    freshnessAt('realtime', world.clock.now()),
    SUSPECTING,
  )
  const asked = { sourceCountries: null, targetCountries: null, providerId: null, amountUsd: 200 }
  const [pair, ...others] = rankedPairs(view, 'cheapest', { ...asked, filters: NO_FILTERS })
  expect(pair!.pct).toBeNull()
  expect(pair!.found.costs.offers).toHaveLength(1)
  expect(others).toEqual([])
})
