import { describe, expect, jest, test } from 'bun:test'
import { dayOf, type Share, type ShareAsk, type UsageCount } from '~/domain/quota.ts'
import { UsageExchange } from '~/jobs/usage-exchange.ts'
import { UsageMeter } from '~/memory/usage-meter.ts'
import { UsageShares } from '~/memory/usage-shares.ts'
import { clockAt } from '../support/clock.ts'

const AT = '2026-03-05T14:25:30.500Z'
const NOW_MS = Date.parse(AT)
const DAY = dayOf(NOW_MS)
const LIMIT = 100
const REQUEST = { accountId: 'a', keyId: 'k', limit: LIMIT, nowMs: NOW_MS }

type Batch = { counts: readonly UsageCount[]; asks: readonly ShareAsk[] }

/** A store whose database may be unreachable, and that records what was written. */
class Store {
  readonly written: UsageCount[][] = []
  readonly asked: ShareAsk[] = []
  error: Error | null = null
  /** Units that every request for a share gets. */
  units = LIMIT
  gate: PromiseLike<unknown> = Promise.resolve()

  async settle({ counts, asks }: Batch) {
    await this.gate
    if (this.error) throw this.error
    if (counts.length > 0) this.written.push([...counts])
    this.asked.push(...asks)
    const totals = counts.map((count) => ({
      ...count,
      requests: this.written.flat().reduce((sum, { requests }) => sum + requests, 0),
    }))
    const shares = asks.map(
      ({ accountId, day }): Share => ({ accountId, day, units: this.units, isWithin: true }),
    )
    return { totals, shares }
  }
}

/** The processes, of which this one is live or counts as dead. */
class Meters {
  readonly said: string[] = []
  isLive = true

  async join() {
    this.said.push('join')
    this.isLive = true
    return 0
  }
  async renew() {
    return this.isLive ? 0 : null
  }
  async leave() {
    this.said.push('leave')
  }
  async prune() {
    this.said.push('prune')
  }
}

async function begun() {
  const [usage, meters, clock] = [new Store(), new Meters(), clockAt(AT)]
  const shares = new UsageShares(clock, 3000)
  const meter = new UsageMeter(shares)
  const exchange = new UsageExchange({ meter, shares, usage, meters, clock })
  await exchange.start()
  return { exchange, meter, shares, usage, meters, clock }
}

type Begun = Awaited<ReturnType<typeof begun>>

const take = ({ meter }: Begun) => meter.reserve(REQUEST)

/** A request that waits for a share, which the database does not give before `gate`. */
async function waitingFor(gate: PromiseLike<unknown>) {
  const world = await begun()
  world.usage.units = 0
  world.usage.gate = gate
  for (let i = 0; i < 5; i++) take(world)
  const waiting = take(world) as Promise<void>
  expect(waiting).toBeInstanceOf(Promise)
  return { ...world, waiting }
}

async function microtasks(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}

describe('UsageExchange.run', () => {
  test('writes what was counted since the last time, once', async () => {
    const world = await begun()
    world.usage.gate = Promise.resolve()
    take(world)
    await world.exchange.run()
    take(world)
    take(world)
    await world.exchange.run()
    await world.exchange.run()
    expect(world.usage.written.map(([count]) => count?.requests)).toEqual([1, 2])
    expect(world.meter.used('a', DAY)).toBe(3)
  })

  test('makes no query when nothing was counted', async () => {
    const { exchange, usage } = await begun()
    await exchange.run()
    expect([usage.written, usage.asked]).toEqual([[], []])
  })

  test('rejects with the error of a database that does not respond, and keeps every count', async () => {
    const world = await begun()
    const { exchange, usage, meter } = world
    usage.error = new Error('no route to host')
    take(world)
    const flushed = exchange.run()
    take(world)
    expect(meter.used('a', DAY)).toBe(2)
    await expect(flushed).rejects.toBe(usage.error)
    usage.error = null
    await exchange.run()
    expect(usage.written).toEqual([[{ accountId: 'a', keyId: 'k', day: DAY, requests: 2 }]])
    expect(meter.used('a', DAY)).toBe(2)
  })

  test('writes nothing twice while an earlier turn is in progress, and the rest after it', async () => {
    const world = await begun()
    const gate = Promise.withResolvers<void>()
    world.usage.gate = gate.promise
    take(world)
    const first = world.exchange.run()
    await Promise.resolve()
    take(world)
    const second = world.exchange.run()
    gate.resolve()
    await Promise.all([first, second])
    expect(world.usage.written.flat().map(({ requests }) => requests)).toEqual([1, 1])
  })
})

describe('a share', () => {
  test('is requested with the first unit and again when half of it is spent, never in between', async () => {
    const world = await begun()
    world.usage.units = 20
    const asked = () => world.usage.asked.length
    take(world)
    await world.exchange.run()
    expect(asked()).toBe(1)
    for (let i = 0; i < 9; i++) take(world)
    await world.exchange.run()
    expect(asked()).toBe(1)
    take(world)
    take(world)
    await world.exchange.run()
    expect(world.usage.asked.map(({ held, isMore }) => [held, isMore])).toEqual([
      [0, true],
      [9, true],
    ])
  })

  test('makes requests wait when it is used up, until the next one comes', async () => {
    const world = await begun()
    world.usage.units = 1
    const taken: unknown[] = []
    for (let i = 0; i < 8; i++) {
      let unit = take(world)
      while (unit instanceof Promise) {
        await unit
        unit = take(world)
      }
      taken.push(unit)
    }
    expect(taken).not.toContain(null)
    expect(world.shares.waits).toBeGreaterThan(0)
    expect(world.meter.used('a', DAY)).toBe(8)
  })

  test('makes no request wait while the database does not respond, but again when it does', async () => {
    const world = await begun()
    const { usage, exchange, meter } = world
    usage.units = 0
    usage.error = new Error('no route to host')
    let waited = 0
    for (let i = 0; i < 60; i++) {
      const unit = take(world)
      if (unit instanceof Promise) waited += 1
      if (unit instanceof Promise) await unit
    }
    expect(waited).toBe(1)
    expect(meter.used('a', DAY)).toBe(59)
    usage.error = null
    await exchange.run()
    await exchange.run()
    expect(take(world)).not.toBeInstanceOf(Promise)
    for (let i = 0; i < 10; i++) take(world)
    expect(take(world)).toBeInstanceOf(Promise)
    await exchange.stop()
  })

  test('is worthless for a process that counts as dead, which joins again', async () => {
    const world = await begun()
    const { exchange, meters, usage } = world
    usage.units = 50
    take(world)
    await exchange.run()
    expect(take(world)).not.toBeInstanceOf(Promise)
    meters.isLive = false
    await exchange.run()
    expect(meters.said).toEqual(['join', 'join'])
    expect(take(world)).toBeInstanceOf(Promise)
    await exchange.stop()
  })

  test('is worthless once the lease is over by the clock', async () => {
    const world = await begun()
    const { exchange, meter, clock, usage } = world
    usage.units = 50
    take(world)
    await exchange.run()
    clock.advance(3000)
    const late = meter.reserve({ ...REQUEST, nowMs: clock.now() })
    expect(late).toBeInstanceOf(Promise)
    await late
    expect(meter.reserve({ ...REQUEST, nowMs: clock.now() })).not.toBeInstanceOf(Promise)
  })

  test('reaches a request that waited for it longer than a lease lasts', async () => {
    const world = await begun()
    const { meter, clock, usage } = world
    usage.units = 0
    for (let i = 0; i < 5; i++) take(world)
    const waiting = take(world)
    expect(waiting).toBeInstanceOf(Promise)
    clock.advance(60_000)
    usage.units = 50
    await waiting
    expect(meter.reserve(REQUEST)).not.toBeInstanceOf(Promise)
  })

  test('is waited for by a process that is delayed for a second, since the database responded', async () => {
    const answered = Promise.withResolvers<void>()
    const { waiting, exchange, usage } = await waitingFor({
      // biome-ignore lint/suspicious/noThenProperty: whoever awaits it is held up
      then(resolve: () => void) {
        Bun.sleepSync(1100)
        setTimeout(() => {
          resolve()
          answered.resolve()
        })
      },
    } as PromiseLike<unknown>)
    usage.gate = Promise.resolve()
    await answered.promise
    expect(Bun.peek.status(waiting)).toBe('pending')
    await exchange.stop()
  })

  test('is waited for no longer than a second if the database does not respond', async () => {
    jest.useFakeTimers()
    try {
      const { waiting } = await waitingFor(new Promise(() => {}))
      await microtasks()
      jest.advanceTimersByTime(999)
      expect(Bun.peek.status(waiting)).toBe('pending')
      jest.advanceTimersByTime(1)
      expect(Bun.peek.status(waiting)).toBe('fulfilled')
    } finally {
      jest.useRealTimers()
    }
  })

  test('is returned at once, as far as it is not spent, if others need it', async () => {
    const world = await begun()
    const { exchange, meter, usage } = world
    usage.units = 50
    take(world)
    await exchange.run()
    meter.release(['a', 'unknown'])
    await exchange.run()
    expect(usage.asked.at(-1)).toEqual({
      accountId: 'a',
      day: DAY,
      limit: LIMIT,
      held: 0,
      isMore: false,
    })
  })

  test('is requested again under another limit, and the old one is returned', async () => {
    const world = await begun()
    const { exchange, meter, usage } = world
    usage.units = 50
    take(world)
    await exchange.run()
    usage.units = 2
    const lower = { ...REQUEST, limit: 10 }
    const waiting = meter.reserve(lower)
    expect(waiting).toBeInstanceOf(Promise)
    await waiting
    expect(usage.asked.at(-1)).toMatchObject({ limit: 10, held: 0, isMore: true })
    expect(meter.reserve(lower)).not.toBeInstanceOf(Promise)
  })

  test('is not used up by requests that fail', async () => {
    const world = await begun()
    const { exchange, meter, usage } = world
    usage.units = 20
    take(world)
    await exchange.run()
    for (let i = 0; i < 1000; i++) meter.giveBack(take(world) as never)
    await exchange.run()
    expect(usage.asked).toHaveLength(1)
    expect(meter.used('a', DAY)).toBe(1)
  })
})

describe('UsageExchange.stop', () => {
  test('writes pending counts and returns every share', async () => {
    const world = await begun()
    take(world)
    await world.exchange.stop()
    expect(world.usage.written.flat().map(({ requests }) => requests)).toEqual([1])
    expect(world.meters.said).toEqual(['join', 'leave'])
  })
})
