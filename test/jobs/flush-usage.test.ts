import { describe, expect, test } from 'bun:test'
import type { UsageCount } from '~/domain/quota.ts'
import { dayOf } from '~/domain/quota.ts'
import { flushUsage } from '~/jobs/flush-usage.ts'
import { UsageMeter } from '~/memory/usage-meter.ts'

const NOW_MS = Date.parse('2026-03-05T14:25:30.500Z')
const DAY = dayOf(NOW_MS)
const REQUEST = { accountId: 'a', keyId: 'k', limit: 100, nowMs: NOW_MS }

/** A store whose database answers, or not, and that keeps what was written. */
class Store {
  readonly written: UsageCount[][] = []
  error: Error | null = null

  async add(counts: readonly UsageCount[]): Promise<UsageCount[]> {
    if (this.error) throw this.error
    this.written.push([...counts])
    return counts.map((count) => ({
      ...count,
      requests: this.written.flat().reduce((sum, { requests }) => sum + requests, 0),
    }))
  }
}

describe('flushUsage', () => {
  test('writes what was counted since the last time, once', async () => {
    const meter = new UsageMeter()
    const store = new Store()
    meter.reserve(REQUEST)
    await flushUsage(meter, store)
    meter.reserve(REQUEST)
    meter.reserve(REQUEST)
    await flushUsage(meter, store)
    expect(store.written.map(([count]) => count?.requests)).toEqual([1, 2])
    expect(meter.used('a', DAY)).toBe(3)
  })

  test('asks the database nothing when nothing was counted', async () => {
    const store = new Store()
    await flushUsage(new UsageMeter(), store)
    expect(store.written).toEqual([])
  })

  test('rejects with the error of a database that does not answer, and keeps every count', async () => {
    const meter = new UsageMeter()
    const store = new Store()
    meter.reserve(REQUEST)
    store.error = new Error('no route to host')
    const flushed = flushUsage(meter, store)
    meter.reserve(REQUEST)
    expect(meter.used('a', DAY)).toBe(2)
    await expect(flushed).rejects.toBe(store.error)
    store.error = null
    await flushUsage(meter, store)
    expect(store.written).toEqual([[{ accountId: 'a', keyId: 'k', day: DAY, requests: 2 }]])
    expect(meter.used('a', DAY)).toBe(2)
  })

  test('a second flush while one is under way writes nothing twice', async () => {
    const meter = new UsageMeter()
    const { promise, resolve } = Promise.withResolvers<UsageCount[]>()
    const written: UsageCount[][] = []
    const slow = {
      add(counts: readonly UsageCount[]) {
        written.push([...counts])
        return promise
      },
    }
    meter.reserve(REQUEST)
    const first = flushUsage(meter, slow)
    meter.reserve(REQUEST)
    await flushUsage(meter, slow)
    expect(written).toHaveLength(1)
    resolve(written[0]!)
    await first
    expect(meter.used('a', DAY)).toBe(2)
    expect(meter.takePending().map(({ requests }) => requests)).toEqual([1])
  })
})
