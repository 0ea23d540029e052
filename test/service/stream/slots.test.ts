import { beforeEach, describe, expect, test } from 'bun:test'
import type { StreamSlot } from '~/domain/live/stream.ts'
import { StreamSlots } from '~/service/stream/slots.ts'
import { clockAt, type HandClock } from '../../support/clock.ts'
import { KeptLog } from '../../support/log.ts'

const ACCOUNT = crypto.randomUUID()

/** Records of processes, as the database stores them; `away` while it does not respond. */
class Register {
  readonly rows = new Map<string, StreamSlot & { process: string }>()
  asked = 0
  isAway = false
  /** Runs before each request is carried out, as a delay. */
  thought = async (_process: string) => {}

  of(process: string) {
    return {
      take: async (slot: StreamSlot, othersMax: number) => {
        this.#ask()
        await this.thought(process)
        const others = [...this.rows.values()].filter(
          (row) => row.accountId === slot.accountId && row.process !== process,
        ).length
        if (others < othersMax) this.rows.set(slot.id, { ...slot, process })
        return others
      },
      free: async (ids: readonly string[]) => {
        this.#ask()
        for (const id of ids) this.rows.delete(id)
      },
      declare: async (slots: readonly StreamSlot[]) => {
        this.#ask()
        for (const row of this.rows.values()) if (row.process === process) this.rows.delete(row.id)
        for (const slot of slots) this.rows.set(slot.id, { ...slot, process })
      },
    }
  }

  #ask() {
    this.asked++
    if (this.isAway) throw new Error('away')
  }
}

let register: Register
let clock: HandClock
let log: KeptLog

const processNamed = (name: string, openMax = 100) =>
  new StreamSlots({ store: register.of(name), clock, log, openMax })

const code = (taking: Promise<unknown>) =>
  taking.then(
    () => null,
    (error) => error.code,
  )

beforeEach(() => {
  register = new Register()
  clock = clockAt('2026-03-05T14:25:30.500Z')
  log = new KeptLog()
})

describe('StreamSlots', () => {
  for (const [plan, count] of [
    ['free', 2],
    ['pro', 5],
    ['enterprise', 20],
  ] as const)
    test(`gives an account of the ${plan} plan ${count} slots in all processes together`, async () => {
      const processes = [processNamed('a'), processNamed('b'), processNamed('c')]
      for (let i = 0; i < count; i++) await processes[i % 3]!.take(ACCOUNT, plan)
      for (const one of processes)
        expect(await code(one.take(ACCOUNT, plan))).toBe('too_many_streams')
      await processes[0]!.take(crypto.randomUUID(), plan)
      expect(register.rows.size).toBe(count + 1)
    })

  test('gives no more to two processes requested many times at once, in any order of writes', async () => {
    const asked = { a: 0, b: 0 }
    register.thought = async (process) => {
      const turns = process === 'a' ? 10 + asked.a++ : 20 - asked.b++
      for (let left = 10 * turns; left > 0; left--) await null
    }
    const takes = [processNamed('a'), processNamed('b')].flatMap((one) =>
      Array.from({ length: 20 }, () => code(one.take(ACCOUNT, 'enterprise'))),
    )
    const given = (await Promise.all(takes)).filter((fault) => fault === null)
    expect(given.length).toBe(20)
    expect(register.rows.size).toBe(20)
  })

  test('gives a freed slot to any process, once', async () => {
    const [a, b] = [processNamed('a'), processNamed('b')]
    const slot = await a.take(ACCOUNT, 'free')
    await b.take(ACCOUNT, 'free')
    a.free(slot)
    a.free(slot)
    await a.settled()
    expect(a.figures.open).toBe(0)
    await b.take(ACCOUNT, 'free')
    expect(await code(a.take(ACCOUNT, 'free'))).toBe('too_many_streams')
  })

  test('makes no query for 10,000 attempts of an account that is full here', async () => {
    const slots = processNamed('a')
    for (let i = 0; i < 2; i++) await slots.take(ACCOUNT, 'free')
    const { asked } = register
    const codes = await Promise.all(
      Array.from({ length: 10_000 }, () => code(slots.take(ACCOUNT, 'free'))),
    )
    expect(new Set(codes)).toEqual(new Set(['too_many_streams']))
    expect(register.asked).toBe(asked)
    expect(slots.figures.refused).toEqual({ account: 10_000, process: 0 })
  })

  test('makes one query a second for an account that is full elsewhere', async () => {
    const [a, b] = [processNamed('a'), processNamed('b')]
    const held = [await a.take(ACCOUNT, 'free'), await a.take(ACCOUNT, 'free')]
    expect(await code(b.take(ACCOUNT, 'free'))).toBe('too_many_streams')
    await b.settled()
    const { asked } = register
    for (let i = 0; i < 1000; i++)
      expect(await code(b.take(ACCOUNT, 'free'))).toBe('too_many_streams')
    expect(register.asked).toBe(asked)
    a.free(held[0]!)
    await a.settled()
    clock.advance(1001)
    await b.take(ACCOUNT, 'free')
  })

  test('refuses any account beyond the slots of the process', async () => {
    const slots = processNamed('a', 3)
    for (let i = 0; i < 3; i++) await slots.take(crypto.randomUUID(), 'pro')
    expect(await code(slots.take(crypto.randomUUID(), 'pro'))).toBe('streams_unavailable')
    expect(await code(processNamed('b', 0).take(ACCOUNT, 'pro'))).toBe('streams_unavailable')
  })

  test('counts its own streams while the database is unreachable, and declares them afterwards', async () => {
    const [a, b] = [processNamed('a'), processNamed('b')]
    register.isAway = true
    for (let i = 0; i < 2; i++) await a.take(ACCOUNT, 'free')
    expect(await code(a.take(ACCOUNT, 'free'))).toBe('too_many_streams')
    const other = await b.take(ACCOUNT, 'free')
    b.free(other)
    await b.settled()
    expect(log.said.length).toBeGreaterThan(2)
    register.isAway = false
    for (const one of [a, b]) await one.declare()
    expect(register.rows.size).toBe(2)
    expect(await code(b.take(ACCOUNT, 'free'))).toBe('too_many_streams')
  })

  test('logs once that the database is unreachable, however many connect at that time', async () => {
    const slots = processNamed('a')
    register.isAway = true
    const accounts = Array.from({ length: 50 }, () => crypto.randomUUID())
    await Promise.all(accounts.map((id) => slots.take(id, 'free')))
    expect(slots.figures.open).toBe(50)
    expect(log.lines).toHaveLength(1)
  })

  test('makes no query while no stream was opened', async () => {
    const slots = processNamed('a')
    for (let i = 0; i < 3; i++) await slots.declare()
    expect(register.asked).toBe(0)
    slots.free(await slots.take(ACCOUNT, 'pro'))
    await slots.settled()
    await slots.declare()
    const { asked } = register
    await slots.declare()
    expect(register.asked).toBe(asked)
  })
})
