import { beforeEach, describe, expect, test } from 'bun:test'
import { HOUR_MS } from '~/domain/duration.ts'
import type { Tier } from '~/domain/freshness.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import { plainOfferId } from '../../support/offers.ts'
import { type Heard, Listener, Replica, SharedLog } from '../../support/replica.ts'

let log: SharedLog
let replica: Replica

const follow = async (one: Replica) => {
  await one.follow()
  one.run()
}

/** One quote for each of so many commits. */
const commits = (count: number, corridor: { from?: string; to?: string } = {}) => {
  for (let i = 0; i < count; i++)
    log.quotes({ providerId: 'retail-a', rate: 100 + i / 1000, ...corridor })
}

const resumed = (lastEventId: string, corridors: string[] | '*' = ['USD/KES']) =>
  new Listener(replica, corridors, { lastEventId })

const reasons = ({ received }: Listener) =>
  received.filter(({ name }) => name === 'reset').map(({ data }) => data.reason)

beforeEach(async () => {
  log = new SharedLog()
  commits(3)
  replica = new Replica(log)
  log.pass(1)
  commits(3)
  await follow(replica)
})

describe('a stream from an event id', () => {
  test('that is invalid gets a reset, and goes on from here', async () => {
    for (const id of [
      '',
      'x',
      '12',
      '-',
      '1-2-3',
      '99999999999999999-',
      ' 14-',
      '14-1.5',
      '-14-',
    ]) {
      const listener = resumed(id, ['USD/KES', 'GBP/NGN'])
      expect(listener.received[0]).toMatchObject({
        id: null,
        name: 'hello',
        data: { resumed: false },
      })
      expect(listener.received[1]).toMatchObject({
        id: `${log.position}-`,
        name: 'reset',
        data: {
          reason: 'unknown_id',
          ask: ['/api/v1/rates?from=GBP&to=NGN', '/api/v1/rates?from=USD&to=KES'],
          position: log.position,
        },
      })
      listener.reader.close()
    }
    const listener = resumed('x')
    commits(1)
    await follow(replica)
    expect(listener.events.map(({ name }) => name)).toEqual(['reset', 'quote', 'best'])
  })

  test('that no commit had gets a reset: it is of another database', () => {
    expect(reasons(resumed(`${log.position - 1}-`))).toEqual(['unknown_id'])
    expect(reasons(resumed(`${log.position - 7}-`))).toEqual([])
  })

  test('from before this process began gets a reset', () => {
    const beginning = log.changes[3]!.position
    expect(reasons(resumed(`${beginning}-`))).toEqual([])
    expect(reasons(resumed(`${beginning}-1`))).toEqual(['too_old'])
    expect(reasons(resumed(`${log.changes[2]!.position}-`))).toEqual(['too_old'])
  })

  test('that this process has yet to receive waits for it, and skips and repeats nothing', async () => {
    const other = new Replica(log)
    const ahead = new Listener(other, ['USD/KES'])
    commits(2)
    await follow(other)
    const listener = resumed(ahead.lastId!)
    commits(2)
    await replica.follow(1)
    replica.run()
    expect(listener.events).toEqual([])
    await follow(replica)
    await follow(other)
    expect(listener.events).toEqual(ahead.events.slice(-4))
    replica.expire()
    replica.run()
    expect(reasons(listener)).toEqual([])
  })

  test('that never comes gets a reset after some seconds, or once it is passed', async () => {
    const never = resumed(`${log.position + 1_000_000}-`)
    replica.expire()
    replica.run()
    expect(never.events).toMatchObject([{ name: 'reset', data: { reason: 'ahead' } }])
    const between = resumed(`${log.position + 1}-`)
    commits(2)
    await follow(replica)
    expect(between.events.map(({ name }) => name)).toEqual(['reset'])
    expect(reasons(between)).toEqual(['unknown_id'])
  })

  test('from before a new catalogue, or inside it, goes on with its changes', async () => {
    const stayed = resumed(`${log.position}-`)
    const id = stayed.lastId!
    const providers = PROVIDERS.map((one) => ({ ...one, isActive: one.id !== 'retail-a' }))
    log.add({ kind: 'catalogue', catalogue: { currencies: CURRENCIES, providers } })
    await follow(replica)
    expect(stayed.events).toMatchObject([
      { name: 'catalogue', data: { providers: PROVIDERS.length - 1 } },
      { name: 'gone', data: { provider_id: 'retail-a', offer_id: plainOfferId('retail-a') } },
      { name: 'best', data: { best: null } },
    ])
    for (const [i, from] of [id, ...stayed.events.map((event) => event.id!)].entries()) {
      const back = resumed(from)
      replica.run()
      expect(back.events).toEqual(stayed.events.slice(i))
    }
  })

  test('from before a gap gets a reset, and so does an open one', async () => {
    const stayed = resumed(`${log.position}-`)
    const hourly = new Listener(replica, ['USD/KES'], { tier: 'hourly' })
    const id = stayed.lastId!
    commits(1)
    replica.skip()
    replica.run()
    expect(stayed.events).toMatchObject([
      { id: `${log.position}-`, name: 'reset', data: { reason: 'gap', position: log.position } },
    ])
    expect(hourly.events).toEqual([])
    expect(reasons(resumed(id))).toEqual(['too_old'])
    expect(reasons(resumed(stayed.lastId!))).toEqual([])
    log.pass(HOUR_MS)
    await follow(replica)
    expect(hourly.events).toContainEqual(expect.objectContaining({ name: 'quote' }))
  })

  test('with more changes of the catalogue since than memory is for gets a reset', async () => {
    const waiting = resumed(`${log.position}-`)
    const id = waiting.lastId!
    for (let i = 0; i < 20; i++) {
      const providers = PROVIDERS.map((one) => ({ ...one, name: `${one.name} ${i}` }))
      log.add({ kind: 'catalogue', catalogue: { currencies: CURRENCIES, providers } })
    }
    await follow(replica)
    expect(replica.hub.figures.ring.bytes).toBeLessThanOrEqual(16 * 1024 * 1024)
    expect(replica.hub.figures.ring.steps).toBe(7)
    expect(reasons(waiting)).toEqual(['too_old'])
    expect(reasons(resumed(id))).toEqual(['too_old'])
    const back = resumed(`${log.changes.at(-6)!.position}-`)
    commits(1)
    await follow(replica)
    expect(reasons(back)).toEqual([])
    expect(back.events.filter(({ name }) => name === 'catalogue')).toHaveLength(5)
    expect(waiting.events.map(({ name }) => name)).toEqual(['reset', 'quote', 'best'])
  })

  test('with more events since than the ring retains gets a reset', async () => {
    const { position } = log
    commits(10_001, { to: 'NGN' })
    await follow(replica)
    expect(replica.hub.figures.ring.events).toBeLessThanOrEqual(20_000)
    expect(reasons(resumed(`${position}-`))).toEqual(['too_old'])
    expect(reasons(resumed(`${log.changes.at(-9_000)!.position}-`))).toEqual([])
  })
})

describe('a stream cut anywhere in the changes of one commit', () => {
  const codes = ['KES', 'NGN', 'UGX']
  const corridors = codes.map((to) => `USD/${to}`)

  /** All events after each of the events, from the process that sent them. */
  async function cutEverywhere(tier: Tier, events: readonly Heard[]) {
    for (const [i, { id }] of events.entries()) {
      const rest = new Listener(replica, corridors, { tier, lastEventId: id })
      replica.run()
      expect(rest.events).toEqual(events.slice(i + 1))
    }
  }

  test('goes on with the next event, of references', async () => {
    const stayed = new Listener(replica, corridors)
    log.references({ KES: 130, NGN: 1500, UGX: 3700 })
    await follow(replica)
    expect(stayed.events.map(({ name }) => name)).toEqual(['mid', 'quote', 'mid', 'mid'])
    await cutEverywhere('realtime', stayed.events)
  })

  test('goes on with the next event of an hour, except in a process that began in that hour', async () => {
    log.pass(HOUR_MS)
    await follow(replica)
    const stayed = new Listener(replica, corridors, { tier: 'hourly' })
    log.references({ KES: 130, NGN: 1500, UGX: 3700 })
    const late = new Replica(log)
    for (const to of codes) log.quotes({ providerId: 'retail-b', rate: 200, to })
    log.pass(HOUR_MS)
    await follow(replica)
    await follow(late)
    expect(stayed.events.length).toBeGreaterThan(6)
    await cutEverywhere('hourly', stayed.events)
    const [{ id }] = stayed.events as [Heard]
    const there = (lastEventId: string) =>
      new Listener(late, corridors, { tier: 'hourly', lastEventId })
    expect(reasons(there(id!))).toEqual(['too_old'])
    expect(reasons(there(`${id!.split('-')[0]}-`))).toEqual([])
  })

  test('waits in a process that has yet to receive the start of an hourly one', async () => {
    commits(3)
    const other = new Replica(log)
    const { lastId } = new Listener(other, corridors, { tier: 'hourly' })
    const waiting = new Listener(replica, corridors, { tier: 'hourly', lastEventId: lastId })
    await follow(replica)
    replica.expire()
    replica.run()
    expect(waiting.events).toEqual([])
    log.pass(HOUR_MS)
    await follow(replica)
    expect(waiting.events.map(({ name }) => name)).toContain('quote')
  })
})

describe('a reader', () => {
  test('that returns after 10,000 events gets all of them, in pieces', async () => {
    const stayed = new Listener(replica, ['USD/KES'])
    const id = stayed.lastId!
    commits(5_000)
    await follow(replica)
    expect(stayed.events.length).toBe(10_000)
    const sizes: number[] = []
    const back = resumed(id)
    const write = back.write
    back.write = (text) => {
      sizes.push(text.length)
      return write(text)
    }
    replica.run()
    expect(back.events).toEqual(stayed.events)
    expect(sizes.length).toBeGreaterThan(10)
    expect(Math.max(...sizes)).toBeLessThan(80_000)
  })

  test('without room gets the rest once there is some', async () => {
    const listener = new Listener(replica, ['USD/KES'])
    listener.hasRoom = false
    commits(1)
    await follow(replica)
    commits(3)
    await follow(replica)
    expect(listener.events.length).toBe(2)
    listener.hasRoom = true
    listener.reader.drained()
    replica.run()
    expect(listener.events.length).toBe(8)
    expect(new Set(listener.events.map(({ id }) => id)).size).toBe(8)
  })

  test('with more than a mebibyte waiting gets `slow`, and is disconnected', async () => {
    const [slow, quick, other] = [['USD/KES'], ['USD/KES'], ['GBP/KES']].map(
      (corridors) => new Listener(replica, corridors),
    )
    slow!.hasRoom = false
    other!.hasRoom = false
    commits(1)
    await follow(replica)
    let waiting = 0
    for (; waiting < 2_000 && !slow!.isEnded; waiting++) {
      commits(1)
      await follow(replica)
    }
    const bytes = JSON.stringify(quick!.received).length
    expect(bytes).toBeGreaterThan(1024 * 1024)
    expect(bytes).toBeLessThan(1.2 * 1024 * 1024)
    expect(slow!.received.at(-1)).toMatchObject({
      id: null,
      name: 'slow',
      data: { code: 'too_slow' },
    })
    expect(slow!.lastId).toBe(slow!.events.at(-2)!.id)
    expect(other!.isEnded).toBe(false)
    expect(replica.hub.figures.realtime).toMatchObject({ readers: 2, slow: 1 })
    const before = slow!.received.length
    slow!.reader.drained()
    slow!.reader.close()
    await follow(replica)
    expect(slow!.received.length).toBe(before)
    const back = resumed(slow!.lastId!)
    replica.run()
    expect(reasons(back)).toEqual([])
    expect(back.events.length).toBe(2 * waiting)
  })

  test('that is slow at times may be so again once it has caught up', async () => {
    const listener = new Listener(replica, ['USD/KES'])
    for (let i = 0; i < 3; i++) {
      listener.hasRoom = false
      commits(1)
      await follow(replica)
      commits(699)
      await follow(replica)
      listener.hasRoom = true
      listener.reader.drained()
      replica.run()
    }
    expect(listener.isEnded).toBe(false)
    expect(listener.events.length).toBe(2 * 3 * 700)
  })

  test('that stays without room until its events are no longer retained was too slow', async () => {
    const listener = new Listener(replica, ['USD/KES'])
    listener.hasRoom = false
    commits(2)
    await follow(replica)
    commits(2)
    commits(10_001, { to: 'NGN' })
    await follow(replica)
    expect(listener.isEnded).toBe(false)
    listener.reader.drained()
    replica.run()
    expect(listener.events.at(-1)).toMatchObject({ name: 'slow' })
    expect(listener.isEnded).toBe(true)
  })

  test('gets its position by a heartbeat, and can resume from it long after its last event', async () => {
    const listener = new Listener(replica, ['GBP/KES'])
    commits(5)
    await follow(replica)
    expect(listener.events).toEqual([])
    listener.reader.beat()
    expect(listener.lastId).toBe(`${log.position}-`)
    expect(reasons(resumed(listener.lastId!, ['GBP/KES']))).toEqual([])
  })

  test('that stays has time watched for it long after another left', () => {
    const [left] = [1, 2].map(() => new Listener(replica, ['USD/KES']))
    left!.reader.close()
    replica.expire()
    expect(replica.live.watched.size).toBe(1)
  })

  test('that left gets nothing, and time is watched for a while longer', async () => {
    const listener = new Listener(replica, ['USD/KES'])
    expect(replica.live.watched.size).toBe(1)
    listener.reader.close()
    listener.reader.close()
    commits(1)
    await follow(replica)
    expect(listener.events).toEqual([])
    expect(replica.live.watched.size).toBe(1)
    expect(replica.hub.figures.realtime.readers).toBe(0)
    replica.expire()
    expect(replica.live.watched.size).toBe(0)
  })
})
