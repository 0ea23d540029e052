import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { LoopDelay } from '~/telemetry/loop-delay.ts'
import { ReplicationFigures } from '~/telemetry/replication-figures.ts'
import { RequestFigures } from '~/telemetry/request-figures.ts'
import { RunLedger } from '~/telemetry/run-figures.ts'
import { REQUEST_BOUNDS_MS, Timings, WORK_BOUNDS_MS } from '~/telemetry/timings.ts'
import { clockAt } from '../support/clock.ts'
import { until } from '../support/until.ts'

const AT = '2026-03-05T14:25:30.500Z'

describe('Timings', () => {
  test('put a time into the first bucket whose bound it does not exceed', () => {
    const timings = new Timings([1, 5, 10])
    for (const ms of [0, 1, 1.001, 5, 10, 10.5, 1e9]) timings.add(ms)
    expect([...timings.counts]).toEqual([2, 2, 1, 2])
    expect([timings.count, timings.sumMs]).toEqual([7, 1 + 1.001 + 5 + 10 + 10.5 + 1e9])
  })

  test('agree with a count made from the times themselves', () => {
    const times = fc.array(fc.double({ min: 0, max: 20_000, noNaN: true }))
    fc.assert(
      fc.property(times, fc.constantFrom(REQUEST_BOUNDS_MS, WORK_BOUNDS_MS), (all, bounds) => {
        const timings = new Timings(bounds)
        for (const ms of all) timings.add(ms)
        let below = 0
        for (const [i, boundMs] of bounds.entries()) {
          below += timings.counts[i]!
          expect(below).toBe(all.filter((ms) => ms <= boundMs).length)
        }
        expect(timings.count).toBe(all.length)
      }),
    )
  })
})

describe('RequestFigures', () => {
  test('are counted by label, and summed by status', () => {
    const requests = new RequestFigures()
    const [a, b] = [{ method: 'GET', route: '/a' } as const, { method: '*', route: '/a' } as const]
    requests.of(a).count(401, 1)
    requests.of({ ...a }).count(200, 1)
    requests.of(b).count(401, 1)
    requests.of(b).count(599, 1)
    expect([...requests.all].map(({ label }) => label)).toEqual([a, b])
    expect([...requests.of(a).statuses()]).toEqual([
      [200, 1],
      [401, 1],
    ])
    expect([401, 200, 599, 404].map((status) => requests.answered(status))).toEqual([2, 1, 1, 0])
  })
})

describe('RunLedger', () => {
  test('records successes and failures, and passes both on', async () => {
    const clock = clockAt(AT)
    const ledger = new RunLedger(clock)
    const error = new Error('away')
    expect(await ledger.entered('prune', () => 'done')).toBe('done')
    clock.advance(1000)
    await expect(ledger.entered('prune', () => Promise.reject(error))).rejects.toBe(error)
    await expect(
      ledger.entered('fetch', () => {
        throw error
      }),
    ).rejects.toBe(error)
    const runs = [...ledger.all].map(([name, { successes, failures, succeededMs, timings }]) => {
      return [name, successes, failures, succeededMs, timings.count]
    })
    expect(runs).toEqual([
      ['prune', 1, 1, Date.parse(AT), 2],
      ['fetch', 0, 1, null, 1],
    ])
  })
})

describe('ReplicationFigures', () => {
  const news = (figures: ReplicationFigures, kind = 'observations') => {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    figures.receive(kind, promise)
    return async (isServed: boolean) => {
      resolve(isServed)
      await promise
    }
  }

  test('lag by the age of the oldest change that is not served', async () => {
    const figures = new ReplicationFigures()
    expect(figures.lagMs).toBe(0)
    const [first, second] = [news(figures), news(figures, 'access')]
    await Bun.sleep(5)
    const lagMs = figures.lagMs
    expect(lagMs).toBeGreaterThan(4)
    await second(true)
    expect(figures.lagMs).toBeGreaterThanOrEqual(lagMs)
    await first(true)
    expect(figures.lagMs).toBe(0)
    expect(figures.timings.count).toBe(2)
    expect(figures.timings.sumMs).toBeGreaterThan(8)
    expect([...figures.kinds]).toEqual([
      ['observations', 1],
      ['access', 1],
    ])
  })

  test('keep lagging for changes that could not be loaded, until memory has caught up', async () => {
    const figures = new ReplicationFigures()
    const failing = news(figures)
    await failing(false)
    const waiting = news(figures)
    expect([figures.timings.count, figures.lagMs > 0]).toEqual([0, true])
    figures.caughtUp()
    expect(figures.timings.count).toBe(1)
    await waiting(true)
    expect([figures.timings.count, figures.lagMs]).toEqual([2, 0])
    figures.caughtUp()
    expect(figures.timings.count).toBe(2)
  })

  test('keep a bounded number of waiting changes, and count those beyond', async () => {
    const figures = new ReplicationFigures()
    const ends = Array.from({ length: 10_500 }, () => news(figures))
    await Promise.all(ends.map((end) => end(true)))
    expect([...figures.kinds]).toEqual([['observations', 10_500]])
    expect([figures.timings.count, figures.lagMs]).toEqual([10_000, 0])
  })
})

describe('LoopDelay', () => {
  test('measures about how long the event loop was blocked', async () => {
    const loop = new LoopDelay()
    loop.start()
    await until('a sample', async () => loop.timings.count > 0)
    const before = loop.timings.sumMs
    Bun.sleepSync(300)
    const seen = loop.timings.count
    await until('the next sample', async () => loop.timings.count > seen)
    loop.stop()
    expect(loop.timings.sumMs - before).toBeGreaterThan(200)
    const { count } = loop.timings
    await Bun.sleep(120)
    expect(loop.timings.count).toBe(count)
  })
})
