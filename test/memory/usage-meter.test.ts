import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS } from '~/domain/duration.ts'
import { dayOf, type KeyDay, type UsageCount } from '~/domain/quota.ts'
import { type Reservation, USAGE_DAYS, UsageMeter } from '~/memory/usage-meter.ts'

const MIDNIGHT = Date.parse('2026-03-05T00:00:00.000Z')
const DAY = dayOf(MIDNIGHT)
const REQUEST = { accountId: 'a', keyId: 'k', limit: 3, nowMs: MIDNIGHT }

const count = (requests: number, more: Partial<UsageCount> = {}): UsageCount => ({
  accountId: 'a',
  keyId: 'k',
  day: DAY,
  requests,
  ...more,
})

/** A unit of a meter without shares, which never waits. */
const reserved = (meter: UsageMeter, request: Parameters<UsageMeter['reserve']>[0]) =>
  meter.reserve(request) as Reservation | null

describe('UsageMeter.reserve', () => {
  test('gives the last unit of the limit and refuses the one after', () => {
    const meter = new UsageMeter()
    for (let i = 0; i < 3; i++) expect(meter.reserve(REQUEST)).not.toBeNull()
    expect(meter.reserve(REQUEST)).toBeNull()
    expect(meter.used('a', DAY)).toBe(3)
    expect(meter.rejections).toBe(1)
  })

  test('gives nothing with a limit of zero', () => {
    const meter = new UsageMeter()
    expect(meter.reserve({ ...REQUEST, limit: 0 })).toBeNull()
    expect(meter.used('a', DAY)).toBe(0)
    expect(meter.takePending()).toEqual([])
  })

  test('shares the budget among all keys of an account, and not with another account', async () => {
    const meter = new UsageMeter()
    await meter.reserve(REQUEST)
    await meter.reserve({ ...REQUEST, keyId: 'l' })
    await meter.reserve({ ...REQUEST, keyId: 'm' })
    expect(meter.reserve({ ...REQUEST, keyId: 'n' })).toBeNull()
    expect(meter.reserve({ ...REQUEST, accountId: 'b' })).not.toBeNull()
    expect([...meter.byKey('a', DAY)]).toEqual([
      ['k', 1],
      ['l', 1],
      ['m', 1],
    ])
  })

  test('renews the budget at UTC midnight, and not a millisecond before', () => {
    const meter = new UsageMeter()
    const last = { ...REQUEST, limit: 1, nowMs: MIDNIGHT + DAY_MS - 1 }
    expect(meter.reserve(last)).not.toBeNull()
    expect(meter.reserve(last)).toBeNull()
    expect(meter.reserve({ ...last, nowMs: MIDNIGHT + DAY_MS })).not.toBeNull()
    expect(meter.used('a', DAY)).toBe(1)
    expect(meter.used('a', DAY + 1)).toBe(1)
  })

  test('counts the usage in the database at the start', () => {
    const meter = new UsageMeter()
    meter.load([count(2)])
    expect(meter.reserve(REQUEST)).not.toBeNull()
    expect(meter.reserve(REQUEST)).toBeNull()
  })
})

describe('UsageMeter.busiest', () => {
  test('names those who used most on a day, most first, and none without use', () => {
    const meter = new UsageMeter()
    for (let units = 0; units < 12; units++)
      for (let i = 0; i < units; i++)
        void meter.reserve({ ...REQUEST, accountId: `a${units}`, keyId: `k${units}`, limit: 50 })
    const busiest = meter.busiest(DAY, 10)
    expect(busiest.map(({ units }) => units)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2])
    expect(busiest[0]!.accountId).toBe('a11')
    expect(meter.busiest(DAY + 1, 10)).toEqual([])
  })
})

describe('UsageMeter.onUsedUp', () => {
  test('reports each account once a day, with the key that found no unit', () => {
    const meter = new UsageMeter()
    const received: object[] = []
    meter.onUsedUp = (refused) => received.push(refused)
    for (let i = 0; i < 5; i++) void meter.reserve(REQUEST)
    const refused = { accountId: 'a', keyId: 'k', day: DAY, limit: 3 }
    expect(received).toEqual([refused])
    for (let i = 0; i < 5; i++) void meter.reserve({ ...REQUEST, nowMs: MIDNIGHT + DAY_MS })
    expect(received).toEqual([refused, { ...refused, day: DAY + 1 }])
  })
})

describe('UsageMeter.giveBack', () => {
  test('makes the unit available again', () => {
    const meter = new UsageMeter()
    const reservation = reserved(meter, { ...REQUEST, limit: 1 })!
    meter.giveBack(reservation)
    expect(meter.used('a', DAY)).toBe(0)
    expect(meter.byKey('a', DAY).size).toBe(0)
    expect(meter.reserve({ ...REQUEST, limit: 1 })).not.toBeNull()
  })

  test('counts for the day on which the unit was taken, even after midnight', async () => {
    const meter = new UsageMeter()
    const reservation = reserved(meter, REQUEST)!
    await meter.reserve({ ...REQUEST, nowMs: MIDNIGHT + DAY_MS })
    meter.giveBack(reservation)
    expect(meter.used('a', DAY)).toBe(0)
    expect(meter.used('a', DAY + 1)).toBe(1)
  })

  test('subtracts a unit that is already written with the next batch', () => {
    const meter = new UsageMeter()
    const reservation = reserved(meter, REQUEST)!
    meter.settle(meter.takePending())
    meter.giveBack(reservation)
    expect(meter.used('a', DAY)).toBe(0)
    expect(meter.takePending()).toEqual([count(-1)])
  })
})

describe('UsageMeter.takePending', () => {
  test('has everything that was counted, once', async () => {
    const meter = new UsageMeter()
    await meter.reserve(REQUEST)
    await meter.reserve(REQUEST)
    await meter.reserve({ ...REQUEST, keyId: 'l', nowMs: MIDNIGHT + DAY_MS })
    expect(meter.takePending()).toEqual([count(2), count(1, { keyId: 'l', day: DAY + 1 })])
    meter.settle([])
    expect(meter.takePending()).toEqual([])
  })

  test('is empty while an earlier batch is being written, and then has what was counted meanwhile', async () => {
    const meter = new UsageMeter()
    await meter.reserve(REQUEST)
    const first = meter.takePending()
    await meter.reserve(REQUEST)
    expect(meter.takePending()).toEqual([])
    expect(meter.used('a', DAY)).toBe(2)
    meter.settle(first)
    expect(meter.takePending()).toEqual([count(1)])
  })

  test('has nothing for a unit that was taken and given back', () => {
    const meter = new UsageMeter()
    meter.giveBack(reserved(meter, REQUEST)!)
    expect(meter.takePending()).toEqual([])
  })
})

describe('UsageMeter.settle', () => {
  test('adds the counts of other replicas on the same key', async () => {
    const meter = new UsageMeter()
    await meter.reserve(REQUEST)
    meter.takePending()
    await meter.reserve(REQUEST)
    meter.settle([count(10)])
    expect(meter.used('a', DAY)).toBe(11)
    expect(meter.byKey('a', DAY).get('k')).toBe(11)
  })
})

describe('UsageMeter.putBack', () => {
  test('writes counts that could not be written with the next batch', async () => {
    const meter = new UsageMeter()
    await meter.reserve(REQUEST)
    meter.takePending()
    await meter.reserve(REQUEST)
    meter.putBack()
    expect(meter.used('a', DAY)).toBe(2)
    expect(meter.takePending()).toEqual([count(2)])
  })
})

describe('UsageMeter.load', () => {
  test('adds to what is counted here and not yet written', async () => {
    const meter = new UsageMeter()
    await meter.reserve(REQUEST)
    meter.load([count(1, { keyId: 'l' })])
    meter.load([count(1, { keyId: 'l' })])
    expect(meter.used('a', DAY)).toBe(2)
  })

  test('ignores a reading that may or may not include the batch being written', async () => {
    const meter = new UsageMeter()
    await meter.reserve(REQUEST)
    const batch = meter.takePending()
    meter.load([count(1)])
    expect(meter.used('a', DAY)).toBe(1)
    meter.settle(batch)
    expect(meter.used('a', DAY)).toBe(1)
  })

  test('counts nothing twice from a reading that may include a batch whose response was lost', async () => {
    const meter = new UsageMeter()
    await meter.reserve(REQUEST)
    const batch = meter.takePending()
    meter.putBack()
    expect(meter.load([count(1)])).toEqual(['a'])
    expect(meter.used('a', DAY)).toBe(1)
    meter.giveBack({ accountId: 'a', keyId: 'k', day: DAY })
    expect(meter.takePending()).toEqual([count(0)])
    meter.settle(batch)
    meter.load([count(3)])
    expect(meter.used('a', DAY)).toBe(3)
  })

  test('subtracts nothing for a reading that began before the last batch was settled', async () => {
    const meter = new UsageMeter()
    const { settlements } = meter
    await meter.reserve(REQUEST)
    meter.settle(meter.takePending())
    meter.load([count(0)], settlements)
    expect(meter.used('a', DAY)).toBe(1)
    meter.load([count(4)], meter.settlements)
    expect(meter.used('a', DAY)).toBe(4)
  })
})

describe('UsageMeter.prune', () => {
  test('keeps the days that are shown and drops the one before them', () => {
    const meter = new UsageMeter()
    const oldest = DAY - USAGE_DAYS + 1
    meter.load([count(1, { day: oldest - 1 }), count(2, { day: oldest }), count(3)])
    meter.prune(MIDNIGHT)
    expect(meter.used('a', oldest - 1)).toBe(0)
    expect(meter.used('a', oldest)).toBe(2)
    expect(meter.used('a', DAY)).toBe(3)
  })

  test('keeps an old day of which one key is written and another is not', () => {
    const meter = new UsageMeter()
    void meter.reserve(REQUEST)
    meter.takePending()
    meter.settle([count(1)])
    void meter.reserve({ ...REQUEST, keyId: 'other' })
    meter.prune(MIDNIGHT + USAGE_DAYS * DAY_MS)
    expect(meter.used('a', DAY)).toBe(2)
  })

  test('keeps an old day until it is written, even during the write', async () => {
    const meter = new UsageMeter()
    await meter.reserve({ ...REQUEST, nowMs: MIDNIGHT - USAGE_DAYS * DAY_MS })
    meter.prune(MIDNIGHT)
    expect(meter.used('a', DAY - USAGE_DAYS)).toBe(1)
    const batch = meter.takePending()
    meter.prune(MIDNIGHT)
    expect(meter.used('a', DAY - USAGE_DAYS)).toBe(1)
    meter.settle(batch)
    meter.prune(MIDNIGHT)
    expect(meter.used('a', DAY - USAGE_DAYS)).toBe(0)
  })
})

const ACCOUNTS = ['a', 'b']
const KEYS = ['k', 'l']
const nameOf = ({ accountId, keyId, day }: KeyDay) => `${accountId} ${keyId} ${day}`

/** The usage table: adds the counts given and can be read at any time. */
class Table {
  readonly rows = new Map<string, UsageCount>()

  add(counts: readonly UsageCount[]): UsageCount[] {
    return counts.map((added) => {
      const requests = (this.rows.get(nameOf(added))?.requests ?? 0) + added.requests
      const row = { ...added, requests }
      this.rows.set(nameOf(added), row)
      return row
    })
  }

  read(): UsageCount[] {
    return [...this.rows.values()]
  }

  total(accountId: string, day: number): number {
    const own = this.read().filter((row) => row.accountId === accountId && row.day === day)
    return own.reduce((sum, { requests }) => sum + requests, 0)
  }
}

const LIMIT = 4
const event = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('reserve' as const),
      accountId: fc.constantFrom(...ACCOUNTS),
      keyId: fc.constantFrom(...KEYS),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('giveBack' as const), pick: fc.nat() }) },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'take' as const,
        'commit' as const,
        'settle' as const,
        'fail' as const,
        'read' as const,
        'load' as const,
        'elsewhere' as const,
        'prune' as const,
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(1, DAY_MS - 1, DAY_MS, DAY_MS / 2),
    }),
  },
)

type Event = typeof event extends fc.Arbitrary<infer T> ? T : never

/** A replica with its meter, its shared database, and a plain count of its requests. */
class Replica {
  readonly meter = new UsageMeter()
  readonly table = new Table()
  readonly own = new Map<string, number>()
  readonly held: KeyDay[] = []
  nowMs = MIDNIGHT + DAY_MS / 2
  #batch: UsageCount[] = []
  #written: UsageCount[] | null = null
  #reading: { rows: UsageCount[]; settlements: number } | null = null

  constructor(private readonly isAlone: boolean) {}

  do(event: Event): void {
    if (event.kind === 'reserve') this.#reserve(event)
    else if (event.kind === 'giveBack') this.#giveBack(event.pick)
    else if (event.kind === 'wait') this.nowMs += event.ms
    else if (event.kind === 'take') this.#take()
    else if (event.kind === 'commit') this.#commit()
    else if (event.kind === 'settle') this.#settle()
    else if (event.kind === 'fail') this.#fail()
    else if (event.kind === 'read') this.#read()
    else if (event.kind === 'load') this.#load()
    else if (event.kind === 'prune') this.meter.prune(this.nowMs)
    else if (!this.isAlone)
      this.table.add([count(1, { day: dayOf(this.nowMs), keyId: 'elsewhere' })])
  }

  /** Writes everything pending and reads all counts. */
  finish(): void {
    this.#commit()
    this.#settle()
    this.#take()
    this.#commit()
    this.#settle()
    this.#read()
    this.#load()
  }

  ownOf(accountId: string, day: number): number {
    return KEYS.reduce(
      (sum, keyId) => sum + (this.own.get(nameOf({ accountId, keyId, day })) ?? 0),
      0,
    )
  }

  #reserve({ accountId, keyId }: { accountId: string; keyId: string }): void {
    const day = dayOf(this.nowMs)
    const before = this.meter.used(accountId, day)
    const taken = reserved(this.meter, { accountId, keyId, limit: LIMIT, nowMs: this.nowMs })
    expect(taken !== null).toBe(before < LIMIT)
    expect(this.meter.used(accountId, day)).toBe(before + (taken ? 1 : 0))
    if (!taken) return
    const reservation = { accountId, keyId, day }
    expect(taken).toMatchObject(reservation)
    expect(taken.usage.total).toBe(before + 1)
    this.held.push(reservation)
    this.#count(reservation, 1)
  }

  #giveBack(pick: number): void {
    const [reservation] = this.held.splice(pick % Math.max(1, this.held.length), 1)
    if (!reservation) return
    this.meter.giveBack(reservation)
    this.#count(reservation, -1)
  }

  #count(reservation: KeyDay, units: number): void {
    const name = nameOf(reservation)
    this.own.set(name, (this.own.get(name) ?? 0) + units)
  }

  #take(): void {
    const batch = this.meter.takePending()
    if (this.#batch.length > 0) expect(batch).toEqual([])
    else this.#batch = batch
  }

  #commit(): void {
    if (this.#batch.length > 0) this.#written ??= this.table.add(this.#batch)
  }

  #settle(): void {
    if (!this.#written) return
    this.meter.settle(this.#written)
    this.#batch = []
    this.#written = null
  }

  #fail(): void {
    if (this.#batch.length === 0 || this.#written) return
    this.meter.putBack()
    this.#batch = []
  }

  #read(): void {
    this.#reading = { rows: this.table.read(), settlements: this.meter.settlements }
  }

  #load(): void {
    if (this.#reading) this.meter.load(this.#reading.rows, this.#reading.settlements)
    this.#reading = null
  }
}

describe('UsageMeter', () => {
  test('is right at any time when alone, however writing, failing and reading interleave', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (course) => {
        const replica = new Replica(true)
        for (const step of course) {
          replica.do(step)
          const today = dayOf(replica.nowMs)
          for (const accountId of ACCOUNTS)
            for (let day = today - USAGE_DAYS + 1; day <= today; day++) {
              const used = replica.meter.used(accountId, day)
              expect(used).toBe(replica.ownOf(accountId, day))
              expect(used).toBeLessThanOrEqual(LIMIT)
              const byKey = [...replica.meter.byKey(accountId, day).values()]
              expect(byKey.reduce((sum, requests) => sum + requests, 0)).toBe(used)
            }
        }
      }),
      { numRuns: 500 },
    )
  })

  test('loses nothing and counts nothing twice among replicas, and ends with every total', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (course) => {
        const replica = new Replica(false)
        for (const step of course) replica.do(step)
        replica.finish()
        for (const [name, requests] of replica.own)
          expect(replica.table.rows.get(name)?.requests ?? 0).toBe(requests)
        for (const { accountId, day } of replica.table.read())
          expect(replica.meter.used(accountId, day)).toBe(replica.table.total(accountId, day))
      }),
      { numRuns: 500 },
    )
  })
})
