import { expect, test } from 'bun:test'
import { HOUR_MS } from '~/domain/duration.ts'
import type { Window } from '~/domain/period.ts'
import { repairRollups } from '~/jobs/repair-rollups.ts'

const CORRIDOR = { id: 1, from: 'USD', to: 'KES' }

/** Roll-ups with some wrong hours, by corridor. */
class Rollups {
  constructor(private readonly wrong: Record<number, number[]> = {}) {}

  corridors = async () => [CORRIDOR]
  async differences({ id }: { id: number }, window: Window) {
    const hours = this.wrong[id] ?? []
    return hours
      .filter((ms) => ms >= window.fromMs && ms < window.beforeMs)
      .map((hourMs) => ({ hourMs }))
  }
  async repair({ id }: { id: number }, hoursMs: readonly number[]) {
    this.wrong[id] = this.wrong[id]!.filter((ms) => !hoursMs.includes(ms))
  }
}

test('repairRollups corrects hours in transactions of at most 1,000', async () => {
  const store = new Rollups({ 1: Array.from({ length: 2500 }, (_, i) => i * HOUR_MS) })
  const sizes: number[] = []
  const { repair } = store
  store.repair = async (corridor, hoursMs) => {
    sizes.push(hoursMs.length)
    await repair.call(store, corridor, hoursMs)
  }
  const always = { fromMs: Number.NEGATIVE_INFINITY, beforeMs: Number.POSITIVE_INFINITY }
  expect(await repairRollups(store, CORRIDOR, always)).toHaveLength(2500)
  expect(sizes).toEqual([1000, 1000, 500])
})
