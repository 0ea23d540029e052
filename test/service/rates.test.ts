import { describe, expect, test } from 'bun:test'
import type { ServiceError } from '~/domain/errors.ts'
import { ratesOf } from '~/service/rates.ts'
import { viewOf } from '../support/views.ts'
import { World } from '../support/world.ts'

const PAIR = { from: 'usd', to: 'kes' }

describe('ratesOf', () => {
  test('ranks by kind and rate, each quote with its spread and its distance to the mid', () => {
    const world = new World()
    world.reference({ KES: 100 })
    world.quote(
      { providerId: 'official-a', rate: 110 },
      { providerId: 'retail-a', rate: 99 },
      { providerId: 'retail-b', rate: 100 },
    )
    const { corridor, quotes, mid } = ratesOf(viewOf(world), PAIR)
    expect(corridor).toEqual({ from: 'USD', to: 'KES' })
    expect(mid?.rate).toBe(100)
    const rows = quotes.map(({ ranked, vsMidBps }) => [
      ranked.provider.id,
      ranked.spreadBps,
      Math.round(vsMidBps!),
    ])
    expect(rows).toEqual([
      ['retail-b', 0, 0],
      ['retail-a', 100, -100],
      ['official-a', 0, 1000],
    ])
  })

  test('returns no distance to the mid without a recent one', () => {
    const world = new World()
    world.reference({ KES: 100 }, { at: '2026-03-02T14:25:30.499Z' })
    world.quote({ providerId: 'retail-a', rate: 99 })
    const { quotes, mid } = ratesOf(viewOf(world), PAIR)
    expect(mid).toBeNull()
    expect(quotes.map(({ vsMidBps }) => vsMidBps)).toEqual([null])
  })

  test('returns an empty list for a pair without quotes', () => {
    expect(ratesOf(viewOf(new World()), PAIR)).toMatchObject({ quotes: [], mid: null })
  })

  test('fails for a pair whose prices could not be loaded, and not for other pairs', () => {
    const world = new World()
    world.memory.publish({ missing: new Set(['USD/KES']) }, world.clock.now())
    const view = viewOf(world)
    expect(() => ratesOf(view, PAIR)).toThrow('the prices of USD/KES could not be loaded yet')
    expect(ratesOf(view, { from: 'USD', to: 'NGN' }).quotes).toEqual([])
  })

  test('refuses a currency against itself and an unsupported one', () => {
    const view = viewOf(new World())
    const codeOf = (from: string, to: string): string => {
      try {
        ratesOf(view, { from, to })
        return 'none'
      } catch (error) {
        return (error as ServiceError).code
      }
    }
    expect(codeOf('USD', 'usd')).toBe('same_currency')
    expect(codeOf('USD', 'SLL')).toBe('unsupported_currency')
  })
})
