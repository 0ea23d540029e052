import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Account } from '~/domain/account.ts'
import type { Alert, AlertWish } from '~/domain/alert/alert.ts'
import { HOUR_MS } from '~/domain/duration.ts'
import type { Plan } from '~/domain/quota.ts'
import type { Quote } from '~/domain/quote.ts'
import { changeAlert } from '~/service/alert/change.ts'
import { createAlert } from '~/service/alert/create.ts'
import { listAlerts } from '~/service/alert/list.ts'
import { createEvaluationStore } from '~/store/alert/evaluation-store.ts'
import { databasesOfFile, otherHandle, stockedDatabase } from '../../store/samples.ts'
import { noReferences } from '../../support/days.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { AlertWorld, WISH } from './alert-world.ts'
import { price, Replica } from './replica.ts'

const openDatabase = databasesOfFile(stockedDatabase)
let database: FreshDatabase
let world: AlertWorld

beforeAll(async () => {
  database = await openDatabase()
})

beforeEach(async () => {
  await database.sql`delete from alerts`
  world = new AlertWorld(database)
})

const START = 100

const made = async (account: Account, more: Partial<AlertWish> = {}): Promise<Alert> =>
  (await createAlert(world.deps, { account, wish: { ...WISH, ...more } })).alert

/** Messages of an alert, oldest first. */
async function notified(alert: Alert) {
  const deliveries = await world.deps.deliveries.list(alert.id)
  return deliveries.map(({ body }) => JSON.parse(body)).reverse()
}

const values = async (alert: Alert) => (await notified(alert)).map(({ data }) => data.value)

/** An account with an alert, and a process that evaluates it from the next step on. */
async function scene(more: Partial<AlertWish> = {}, plan: Plan = 'enterprise') {
  const account = await world.account(plan)
  const quotes = [price(129)]
  world.memory.publish({ quotes }, world.clock.now())
  world.live.position = START
  const alert = await made(account, more)
  const replica = await new Replica(database, world.clock).know(account).start(START, quotes)
  return { account, alert, replica, quotes }
}

const recorded = (...quotes: readonly Quote[]) => ({ quotes })

describe('an alert of a realtime account', () => {
  test('fires once when its condition becomes true, and again after it was false', async () => {
    const { alert, replica } = await scene()
    for (const rate of [130, 131, 132, 129.9, 131, 120, 131])
      await replica.apply(recorded(price(rate)))
    expect(await values(alert)).toEqual([131, 131])
    const [first] = await notified(alert)
    expect(first).toEqual({
      type: 'alert.fired',
      timestamp: '2026-03-05T14:25:30.602Z',
      data: {
        alert: {
          ...{ id: alert.id, name: null, amount: null },
          when: { field: 'best', op: 'above', value: 130, period: null },
        },
        ...{ corridor: 'USD/KES', source_country: null, target_country: null },
        ...{ field: 'best', value: 131, previous: 130 },
        as_of: '2026-03-05T14:25:30.602Z',
        data_freshness: 'realtime',
      },
    })
    expect(replica.faults).toEqual([])
  })

  test('ignores other corridors, hours, and prices that are not executable', async () => {
    const { alert, replica } = await scene()
    await replica.apply(
      recorded(price(500, { to: 'NGN' })),
      recorded(price(500, { providerId: 'official-a', rateType: 'official' })),
      { kind: 'hour', atMs: world.clock.now() },
    )
    expect(await notified(alert)).toEqual([])
  })

  test("fires on an amount's net, its cost, a mid and a move", async () => {
    const account = await world.account('enterprise')
    const above = (field: 'mid' | 'best_current_net', value: number) =>
      ({ field, op: 'above', value, periodMs: null }) as const
    const net = await made(account, { amount: 200, when: above('best_current_net', 25_000) })
    const mid = await made(account, { when: above('mid', 130) })
    const cheap = { field: 'total_pct', op: 'below', value: 3, periodMs: null } as const
    const cost = await made(account, { amount: 200, when: cheap })
    const moving = { field: 'best', op: 'moves_pct', value: 2, periodMs: null } as const
    const move = await made(account, { when: moving })
    const replica = await new Replica(database, world.clock).know(account).start(START)
    const nowMs = world.clock.now()
    const reference = { atMs: nowMs, currency: 'KES', perUsd: 131, source: 'feed' }
    const fee = { fee: 4, feeCurrency: 'USD', atMs: nowMs }
    await replica.apply(
      { kind: 'references', references: [{ ...reference, id: 1, perUsd: 130 }] },
      recorded(price(120, fee)),
      recorded(price(128, fee)),
      { kind: 'references', references: [{ ...reference, id: 2, atMs: nowMs + 1 }] },
      recorded(price(129, { ...fee, fee: 0 })),
    )
    expect(await values(net)).toEqual([25_088])
    expect(await values(mid)).toEqual([131])
    expect(await values(move)).toEqual([128])
    expect(await values(cost)).toEqual([0.769231])
  })

  test('fires on stale prices at the tick that shows them, and not before', async () => {
    const when = { field: 'stale', op: null, value: null, periodMs: HOUR_MS } as const
    const { alert, replica } = await scene({ when })
    expect(alert.standing.isTrue).toBe(true)
    const start = world.clock.now()
    const tick = (atMs: number) => ({ kind: 'tick', atMs }) as const
    await replica.apply(recorded(price(129, { atMs: start })), tick(start + HOUR_MS))
    expect(await notified(alert)).toEqual([])
    await replica.apply(tick(start + HOUR_MS + 1), tick(start + HOUR_MS + 60_000))
    expect(await values(alert)).toEqual([true])
  })

  test('ends after its first firing if it is to fire once', async () => {
    const { account, alert, replica } = await scene({ isOnce: true })
    for (const rate of [131, 120, 131, 120, 131]) await replica.apply(recorded(price(rate)))
    expect(await values(alert)).toEqual([131])
    const [listed] = await listAlerts(world.deps, { account })
    expect(listed).toMatchObject({ status: 'ended', firedMs: world.clock.now() + START + 1 })
  })

  test('is evaluated by a changed condition, and not while it is paused', async () => {
    const { account, alert, replica } = await scene()
    const own = { account, alertId: alert.id }
    await changeAlert(world.deps, { ...own, change: { when: { ...WISH.when, value: 140 } } })
    await replica.read(account.id)
    await replica.apply(recorded(price(135)), recorded(price(141)))
    await changeAlert(world.deps, { ...own, change: { status: 'paused' } })
    await replica.read(account.id)
    await replica.apply(recorded(price(120)), recorded(price(141)))
    expect(await values(alert)).toEqual([141])
  })
})

describe('an alert of an hourly account', () => {
  test('fires at the top of the hour on the prices of that hour, and not before', async () => {
    const { alert, replica } = await scene({}, 'free')
    const open = Date.parse('2026-03-05T15:00:00Z')
    const late = { atMs: world.clock.now() + 60_000 }
    await replica.apply(recorded(price(131, late)), { kind: 'tick', atMs: open })
    expect(await notified(alert)).toEqual([])
    world.clock.set('2026-03-05T15:00:00.100Z')
    await replica.apply({ kind: 'hour', atMs: open })
    expect(
      (await notified(alert)).map(({ timestamp, data }) => [timestamp, data.data_freshness]),
    ).toEqual([['2026-03-05T15:00:00.000Z', 'hourly']])
    await replica.apply(recorded(price(120, { atMs: open + 1 })), { kind: 'hour', atMs: open })
    expect(await values(alert)).toEqual([131])
  })

  test('is evaluated if it is among the oldest that the plan allows, and the others after an upgrade', async () => {
    const account = await world.account('pro')
    const alerts: Alert[] = []
    for (let i = 0; i < 4; i++) {
      world.clock.advance(1)
      alerts.push(await made(account))
    }
    const quotes = [price(129)]
    const replica = new Replica(database, world.clock).know({ ...account, plan: 'free' })
    await replica.start(START, quotes)
    const hour = (text: string) => ({ kind: 'hour', atMs: Date.parse(text) }) as const
    await replica.apply(recorded(price(131)), hour('2026-03-05T15:00:00Z'))
    const counts = () => Promise.all(alerts.map(async (alert) => (await notified(alert)).length))
    expect(await counts()).toEqual([1, 1, 1, 0])
    replica.know(account)
    await replica.apply(hour('2026-03-05T16:00:00Z'))
    expect(await counts()).toEqual([1, 1, 1, 1])
  })
})

describe('several processes', () => {
  test('report one crossing once, however far apart they are', async () => {
    const { account, alert, replica, quotes } = await scene()
    const other = new Replica(otherHandle(database), world.clock).know(account)
    await other.start(START, quotes)
    const steps = [131, 120, 132, 129.95, 133, 119, 134].map((rate) => recorded(price(rate)))
    await replica.apply(...steps.slice(0, 3))
    await other.apply(...steps.slice(0, 2))
    await Promise.all([replica.apply(...steps.slice(3)), other.apply(...steps.slice(2))])
    expect(await values(alert)).toEqual([131, 132, 134])
    expect([...replica.faults, ...other.faults]).toEqual([])
  })

  test('report the crossings before one of them read the alert, whichever stores first', async () => {
    const account = await world.account('enterprise')
    const quotes = [price(129)]
    world.memory.publish({ quotes }, world.clock.now())
    world.live.position = START
    const late = await new Replica(otherHandle(database), world.clock).know(account)
    await late.start(START, quotes)
    const alert = await made(account)
    const store = createEvaluationStore(database)
    let isBusy = true
    const settle: typeof store.settle = (transitions) =>
      isBusy ? Promise.reject(new Error('busy')) : store.settle(transitions)
    const prompt = new Replica(database, world.clock, { ...store, settle }).know(account)
    await prompt.start(START, quotes)
    const steps = [131, 120, 132, 119, 133].map((rate) => recorded(price(rate)))
    await prompt.apply(...steps.slice(0, 3))
    await late.apply(...steps.slice(0, 2))
    await late.read(account.id)
    await late.apply(steps[2]!)
    isBusy = false
    await prompt.watch.run()
    await Promise.all([prompt.apply(...steps.slice(3)), late.apply(...steps.slice(3))])
    expect(await values(alert)).toEqual([131, 132, 133])
  })

  test('evaluate a changed condition by no step before its change', async () => {
    const { account, alert, replica } = await scene()
    await replica.apply(recorded(price(131)), recorded(price(120)))
    world.live.position = START + 2
    const change = { when: { ...WISH.when, value: 125 } }
    await changeAlert(world.deps, { account, alertId: alert.id, change })
    await replica.read(account.id)
    expect(await values(alert)).toEqual([131])
  })

  test('report a crossing that was not sent when one of them starts', async () => {
    const { account, alert } = await scene()
    const started = new Replica(database, world.clock).know(account)
    await started.start(START + 5, [price(131)])
    expect(await values(alert)).toEqual([131])
    const again = new Replica(otherHandle(database), world.clock).know(account)
    await again.start(START + 6, [price(131)])
    expect(await values(alert)).toEqual([131])
  })

  test('report a crossing before a gap, although it was over by then', async () => {
    const { alert, replica } = await scene()
    const days = { referencesAt: noReferences }
    const atMs = world.clock.now()
    for (const [i, rate] of [131, 120].entries()) {
      const quotes = [price(rate, { atMs: i + 1 })]
      const position = START + i + 1
      await replica.live.apply({ position, kind: 'observations', atMs, quotes }, days)
    }
    replica.evaluator.onGap()
    await replica.settled()
    expect(await values(alert)).toEqual([131])
  })

  test('evaluate all alerts again after a gap', async () => {
    const { alert, replica } = await scene()
    await replica.start(START + 50, [price(131)])
    expect(await values(alert)).toEqual([131])
    await replica.start(START + 60, [price(120)])
    await replica.apply(recorded(price(131)))
    expect(await values(alert)).toEqual([131, 131])
  })
})

describe('a database that is unreachable', () => {
  test('receives every transition once it is back, in order', async () => {
    const { account, alert, quotes } = await scene()
    const store = createEvaluationStore(database)
    let isAway = false
    const settle: typeof store.settle = (transitions) =>
      isAway ? Promise.reject(new Error('away')) : store.settle(transitions)
    const replica = new Replica(database, world.clock, { ...store, settle }).know(account)
    await replica.start(START, quotes)
    isAway = true
    for (const rate of [131, 120, 132, 121]) await replica.apply(recorded(price(rate)))
    expect([await notified(alert), replica.faults.length]).toEqual([[], 1])
    isAway = false
    await replica.watch.run()
    expect(await values(alert)).toEqual([131, 132])
  })
})

describe('watchTime', () => {
  test('watches time in the corridors of realtime alerts, and nowhere else', async () => {
    const { account, replica } = await scene()
    expect([...replica.live.watched.keys()]).toEqual(['USD/KES'])
    replica.know({ ...account, plan: 'free' })
    replica.evaluator.watchTime()
    expect(replica.live.watched.size).toBe(0)
    replica.know(account)
    replica.evaluator.watchTime()
    expect(replica.live.watched.size).toBe(1)
    replica.evaluator.stop()
    expect(replica.live.watched.size).toBe(0)
  })
})
