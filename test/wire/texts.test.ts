import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { HOUR_MS } from '~/domain/duration.ts'
import type { Freshness } from '~/domain/freshness.ts'
import { TIERS } from '~/domain/freshness.ts'
import { UNSELECTED, upToAge } from '~/domain/offer/selection.ts'
import type { View } from '~/memory/view.ts'
import { corridorsOf } from '~/service/corridors.ts'
import { fetchMatrix } from '~/service/fetch.ts'
import { providerRates } from '~/service/provider-rates.ts'
import { presentCorridors } from '~/wire/catalogue.ts'
import {
  presentFetchManyToOne,
  presentFetchMatrix,
  presentFetchMulti,
  presentFetchOne,
} from '~/wire/fetch.ts'
import { presentProviderRates } from '~/wire/provider-rates.ts'
import { corridorsText } from '~/wire/text/catalogue-text.ts'
import {
  fetchManyToOneText,
  fetchMatrixText,
  fetchMultiText,
  fetchOneText,
} from '~/wire/text/fetch-text.ts'
import { providerRatesText } from '~/wire/text/provider-rates-text.ts'
import { apply, events, jumps } from '../support/market.ts'
import { viewOf } from '../support/views.ts'
import { World } from '../support/world.ts'

/** A response's string and the string of the plain presenter. */
type Both = (view: View, freshness: Freshness) => [text: string, plain: string]

const both =
  <T>(
    find: (view: View) => T,
    text: (found: T, freshness: Freshness) => string,
    present: (found: T, freshness: Freshness) => object,
  ): Both =>
  (view, freshness) => {
    const found = find(view)
    return [text(found, freshness), JSON.stringify(present(found, freshness))]
  }

const matrix =
  (from: string, to: string, maxAgeMs: number | null = null) =>
  (view: View) =>
    fetchMatrix(view, { from: from.split(','), to: to.split(','), maxAgeMs })

const ANSWERS: Readonly<Record<string, Both>> = {
  fetchOneText: both(matrix('USD', 'KES'), fetchOneText, presentFetchOne),
  'fetchOneText without a mid': both(matrix('USDT', 'KES'), fetchOneText, presentFetchOne),
  fetchMultiText: both(matrix('USD', 'KES,NGN,USD'), fetchMultiText, presentFetchMulti),
  fetchManyToOneText: both(matrix('USD,GBP', 'KES'), fetchManyToOneText, presentFetchManyToOne),
  fetchMatrixText: both(matrix('USD,GBP', 'NGN,KES,USD'), fetchMatrixText, presentFetchMatrix),
  'fetchOneText up to an age': both(matrix('USDT', 'KES', HOUR_MS), fetchOneText, presentFetchOne),
  'fetchMultiText of a stablecoin': both(
    matrix('USDT', 'KES,USD'),
    fetchMultiText,
    presentFetchMulti,
  ),
  'fetchMatrixText of a currency never covered': both(
    matrix('UGX,GBP', 'UGX,NGN,USDC,KES'),
    fetchMatrixText,
    presentFetchMatrix,
  ),
  corridorsText: both((view) => corridorsOf(view, UNSELECTED), corridorsText, presentCorridors),
  'corridorsText up to an age': both(
    (view) => corridorsOf(view, upToAge(HOUR_MS)),
    corridorsText,
    presentCorridors,
  ),
  'providerRatesText up to an age': both(
    (view) => providerRates(view, 'retail-a', upToAge(HOUR_MS)),
    providerRatesText,
    presentProviderRates,
  ),
  'providerRatesText in full': both(
    (view) => ({ ...providerRates(view, 'retail-a'), detail: 'full' as const }),
    providerRatesText,
    presentProviderRates,
  ),
  providerRatesText: both(
    (view) => providerRates(view, 'retail-a'),
    providerRatesText,
    presentProviderRates,
  ),
}

/** Limits so short that single currencies and quotes expire now and then. */
const LIMITS = { midMaxAgeMs: 1.5 * HOUR_MS, staleAfterMs: 900 }

const steps = fc.array(fc.tuple(events, jumps), { minLength: 1, maxLength: 20 })

/** Null if the request currently has no response. */
function answered(answer: Both, world: World, tier: (typeof TIERS)[number]) {
  const view = viewOf(world, tier, LIMITS)
  try {
    return answer(view, view.freshness)
  } catch {
    return null
  }
}

describe.each(Object.entries(ANSWERS))('%s', (name, answer) => {
  test('equals the presenter, character by character, whatever the market does', () => {
    let [answers, notes, stale] = [0, 0, 0]
    fc.assert(
      fc.property(steps, (all) => {
        const world = new World()
        world.reference({ KES: 130, NGN: 1500, GBP: 0.8 })
        world.quote({ providerId: 'retail-a', rate: 99 })
        world.quote({ providerId: 'retail-a', rate: 99, from: 'USDT' })
        world.quote({ providerId: 'retail-a', rate: 99, from: 'GBP' })
        for (const [event, jump] of all) {
          apply(world, event)
          for (const tier of TIERS) {
            const pair = answered(answer, world, tier)
            if (!pair) continue
            answers += 1
            if (pair[0].includes('"note":')) notes += 1
            if (pair[0].includes('is_stale":true')) stale += 1
            expect(pair[0]).toBe(pair[1])
          }
          world.clock.advance(jump)
        }
      }),
      { numRuns: 60 },
    )
    expect(answers).toBeGreaterThan(100)
    expect(stale).toBeGreaterThan(20)
    if (name.startsWith('fetch')) expect(notes).toBeGreaterThan(0)
  }, 120_000)
})
