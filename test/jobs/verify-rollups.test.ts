import { describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import type { Window } from '~/domain/period.ts'
import { RollupVerifier, repairRollups } from '~/jobs/verify-rollups.ts'
import { Memory, type News } from '~/memory/memory.ts'
import { clockAt } from '../support/clock.ts'

const NOW_MS = Date.parse('2026-03-05T14:25:30.500Z')
const CORRIDORS = [
  { id: 1, from: 'USD', to: 'KES' },
  { id: 2, from: 'USD', to: 'NGN' },
]

/** Roll-ups of which some hours are wrong, by corridor. */
class Rollups {
  readonly asked: { id: number; window: Window }[] = []
  readonly repaired: number[] = []
  constructor(readonly wrong: Record<number, number[]> = {}) {}

  corridors = async () => CORRIDORS
  async differences({ id }: { id: number }, window: Window) {
    this.asked.push({ id, window })
    const hours = this.wrong[id] ?? []
    return hours
      .filter((ms) => ms >= window.fromMs && ms < window.beforeMs)
      .map((hourMs) => ({ hourMs }))
  }
  async repair({ id }: { id: number }, hoursMs: readonly number[]) {
    this.repaired.push(...hoursMs)
    this.wrong[id] = this.wrong[id]!.filter((ms) => !hoursMs.includes(ms))
  }
}

function verifier(store: Rollups) {
  const logged: object[] = []
  const heard: News[] = []
  const log = { debug() {}, info() {}, error() {}, warn: (context: object) => logged.push(context) }
  const memory = new Memory((news) => heard.push(news))
  const clock = clockAt('2026-03-05T14:25:30.500Z')
  return { job: new RollupVerifier({ store, memory, clock, log }), logged, heard }
}

describe('RollupVerifier', () => {
  test('says nothing when all is right', async () => {
    const { job, logged, heard } = verifier(new Rollups())
    await job.run()
    expect([logged, heard]).toEqual([[], []])
  })

  test('logs and repairs a wrong hour of late in its first run, and has answers dropped', async () => {
    const hourMs = Date.parse('2026-03-05T14:00:00Z')
    const store = new Rollups({ 2: [hourMs] })
    const { job, logged, heard } = verifier(store)
    await job.run()
    expect(store.repaired).toEqual([hourMs])
    const hours = { count: 1, first: '2026-03-05T14:00:00.000Z' }
    expect(logged).toEqual([{ from: 'USD', to: 'NGN', hours }])
    expect(heard).toEqual([{ isPastChanged: true }])
    await job.run()
    expect(logged).toHaveLength(1)
  })

  test('comes to every hour of every corridor in bounded runs', async () => {
    const wrong = [0, 100, 1000, 1860, 1891, 4000].map((days) => {
      const ms = NOW_MS - days * DAY_MS
      return ms - (ms % HOUR_MS)
    })
    const store = new Rollups({ 1: [...wrong], 2: [...wrong] })
    const { job } = verifier(store)
    for (let run = 0; run < 7; run++) {
      const before = store.asked.length
      await job.run()
      expect(store.asked.length - before).toBe(2 + 20)
    }
    expect(store.wrong).toEqual({ 1: [], 2: [] })
  })

  test('has nothing to do without corridors', async () => {
    const store = new Rollups()
    store.corridors = async () => []
    await verifier(store).job.run()
    expect(store.asked).toEqual([])
  })
})

test('repairRollups makes hours right in transactions of at most 1,000', async () => {
  const store = new Rollups({ 1: Array.from({ length: 2500 }, (_, i) => i * HOUR_MS) })
  const sizes: number[] = []
  const { repair } = store
  store.repair = async (corridor, hoursMs) => {
    sizes.push(hoursMs.length)
    await repair.call(store, corridor, hoursMs)
  }
  const always = { fromMs: Number.NEGATIVE_INFINITY, beforeMs: Number.POSITIVE_INFINITY }
  expect(await repairRollups(store, CORRIDORS[0]!, always)).toHaveLength(2500)
  expect(sizes).toEqual([1000, 1000, 500])
})
