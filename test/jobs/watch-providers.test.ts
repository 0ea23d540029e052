import { describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import type { Sending } from '~/domain/feed/silence.ts'
import { SilenceWatch } from '~/jobs/watch-providers.ts'
import { CatalogueIndex } from '~/memory/catalogue-index.ts'
import { Memory } from '~/memory/memory.ts'
import { CURRENCIES, PROVIDERS, provider } from '../support/catalogue.ts'
import { clockAt } from '../support/clock.ts'

const AT = '2026-03-05T14:25:30.500Z'
const NOW_MS = Date.parse(AT)

const sending = (
  providerId: string,
  quietMs: number,
  usualMs: number | null,
  silentCorridors = 0,
): Sending => ({
  providerId,
  newestMs: NOW_MS - quietMs,
  usualIntervalMs: usualMs,
  corridors: 1,
  freshCorridors: 0,
  silentCorridors,
  lastSilent: [],
})

/** A watch on a database that gives these results, one a look; an error is thrown. */
function watchOf(answers: (Sending[] | Error)[], providers = PROVIDERS): SilenceWatch {
  const memory = new Memory()
  const catalogue = new CatalogueIndex({ currencies: CURRENCIES, providers })
  memory.publish({ catalogue }, NOW_MS)
  const store = {
    async all() {
      const answer = answers.shift()!
      if (answer instanceof Error) throw answer
      return answer
    },
  }
  return new SilenceWatch({ store, memory, clock: clockAt(AT) })
}

describe('SilenceWatch', () => {
  test('has no result before its first check', () => {
    expect(watchOf([[sending('retail-a', 30 * DAY_MS, DAY_MS)]]).silent).toEqual([])
  })

  test('lists providers silent for more than three of their own intervals, the latest first', async () => {
    const sendings = [
      sending('retail-a', 3 * DAY_MS + 1, DAY_MS),
      sending('retail-b', 3 * DAY_MS, DAY_MS),
      sending('p2p-a', 4 * HOUR_MS, HOUR_MS),
      sending('p2p-b', 900 * DAY_MS, null),
    ]
    const watch = watchOf([sendings])
    await watch.check()
    expect(watch.silent).toEqual([
      { providerId: 'p2p-a', quietMs: 4 * HOUR_MS },
      { providerId: 'retail-a', quietMs: 3 * DAY_MS + 1 },
    ])
  })

  test('leaves out providers that were switched off, or removed from the catalogue', async () => {
    const off = provider('retail-a', { isActive: false })
    const long = ['retail-a', 'nobody'].map((id) => sending(id, 30 * DAY_MS, DAY_MS))
    const watch = watchOf([long], [off])
    await watch.check()
    expect(watch.silent).toEqual([])
  })

  test('reports at most a hundred', async () => {
    const many = Array.from({ length: 150 }, (_, i) => provider(`p-${i}`))
    const sendings = many.map(({ id }, i) => sending(id, (200 - i) * HOUR_MS, HOUR_MS))
    const watch = watchOf([sendings], many)
    await watch.check()
    expect(watch.silent).toHaveLength(100)
    expect(watch.silent[0]).toEqual({ providerId: 'p-149', quietMs: 51 * HOUR_MS })
  })

  test('counts the corridors in which providers fell silent that still send for others', async () => {
    const sendings = [
      sending('retail-a', 4 * DAY_MS, DAY_MS, 9),
      sending('retail-b', DAY_MS, DAY_MS, 2),
      sending('p2p-a', DAY_MS, null, 3),
      sending('p2p-b', DAY_MS, DAY_MS),
      sending('nobody', DAY_MS, DAY_MS, 5),
    ]
    const watch = watchOf([sendings])
    await watch.check()
    expect(watch.partly).toEqual([
      { providerId: 'p2p-a', corridors: 3 },
      { providerId: 'retail-b', corridors: 2 },
    ])
    expect(watch.silent.map(({ providerId }) => providerId)).toEqual(['retail-a'])
  })

  test('reports at most a hundred that miss some corridors', async () => {
    const many = Array.from({ length: 150 }, (_, i) => provider(`p-${i}`))
    const sendings = many.map(({ id }, i) => sending(id, 0, DAY_MS, i + 1))
    const watch = watchOf([sendings], many)
    await watch.check()
    expect(watch.partly).toHaveLength(100)
    expect(watch.partly[0]).toEqual({ providerId: 'p-149', corridors: 150 })
  })

  test('keeps its last result when the database does not respond', async () => {
    const watch = watchOf([[sending('retail-a', 30 * DAY_MS, DAY_MS)], new Error('away')])
    await watch.check()
    await expect(watch.check()).rejects.toThrow('away')
    expect(watch.silent).toHaveLength(1)
  })
})
