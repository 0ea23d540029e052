import { beforeAll, describe, expect, test } from 'bun:test'
import type { Account } from '~/domain/account.ts'
import type { Alert, AlertWish } from '~/domain/alert/alert.ts'
import type { Transition } from '~/domain/alert/transition.ts'
import { changeAlert } from '~/service/alert/change.ts'
import { createAlert } from '~/service/alert/create.ts'
import { listAlerts } from '~/service/alert/list.ts'
import { createEvaluationStore, EVALUATED_MAX } from '~/store/alert/evaluation-store.ts'
import { listenForNotifications, type ReceivedNotification } from '~/store/notification-channel.ts'
import { AlertWorld, WISH } from '../../service/alert/alert-world.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'
import { databasesOfFile, otherHandle, stockedDatabase } from '../samples.ts'

const openDatabase = databasesOfFile(stockedDatabase)
let database: FreshDatabase
let world: AlertWorld
let account: Account

beforeAll(async () => {
  database = await openDatabase()
  world = new AlertWorld(database)
  account = await world.account('enterprise')
})

const made = async (more: Partial<AlertWish> = {}): Promise<Alert> =>
  (await createAlert(world.deps, { account, wish: { ...WISH, ...more } })).alert

const firing = (alert: Alert, more: Partial<Transition> = {}): Transition => ({
  alert,
  position: 8,
  was: alert.standing,
  now: { isTrue: true, base: null },
  value: 131.25,
  atMs: world.clock.now(),
  body: JSON.stringify({ fired: alert.id }),
  ...more,
})

const kept = async (id: string) =>
  (await listAlerts(world.deps, { account })).find((alert) => alert.id === id)!

const bodies = async (alert: Alert) =>
  (await world.deps.deliveries.list(alert.id)).map((one) => one.body)

describe('settle', () => {
  test('stores a transition with its delivery once, whichever of two processes is first', async () => {
    const alert = await made()
    const stores = [createEvaluationStore(database), createEvaluationStore(otherHandle(database))]
    const answers = await Promise.all(stores.map((store) => store.settle([firing(alert)])))
    expect(answers.map((ids) => ids.has(alert.id)).sort()).toEqual([false, true])
    expect(await bodies(alert)).toEqual([JSON.stringify({ fired: alert.id })])
    expect(await kept(alert.id)).toMatchObject({
      standing: { isTrue: true, base: null },
      evaluatedPosition: 8,
      lastValue: 131.25,
      firedMs: world.clock.now(),
      status: 'active',
    })
  })

  test('queues no delivery for a condition that became false, and fires again after it', async () => {
    const alert = await made()
    const store = createEvaluationStore(database)
    await store.settle([firing(alert)])
    const [isTrue, isFalse] = [
      { isTrue: true, base: null },
      { isTrue: false, base: null },
    ]
    await store.settle([firing(alert, { position: 9, was: isTrue, now: isFalse, body: null })])
    expect(await bodies(alert)).toHaveLength(1)
    await store.settle([firing(alert, { position: 10 })])
    expect(await bodies(alert)).toHaveLength(2)
  })

  test('stores nothing from an earlier position, another state or another condition', async () => {
    const alert = await made()
    const store = createEvaluationStore(database)
    const isTrue = { isTrue: true, base: null }
    const refused = [{ position: 7 }, { position: 9, was: isTrue }]
    for (const more of refused) expect((await store.settle([firing(alert, more)])).size).toBe(0)
    const change = { when: { ...WISH.when, value: 200 } }
    await changeAlert(world.deps, { account, alertId: alert.id, change })
    expect((await store.settle([firing(alert, { position: 9 })])).size).toBe(0)
    const paused = await made()
    const pausing = { account, alertId: paused.id, change: { status: 'paused' } } as const
    await changeAlert(world.deps, pausing)
    expect((await store.settle([firing(paused)])).size).toBe(0)
    expect([...(await bodies(alert)), ...(await bodies(paused))]).toEqual([])
  })

  test('ends an alert that is to fire once', async () => {
    const alert = await made({ isOnce: true })
    await createEvaluationStore(database).settle([firing(alert)])
    expect(await kept(alert.id)).toMatchObject({
      status: 'ended',
      reason: expect.stringContaining('once'),
    })
    expect(await bodies(alert)).toHaveLength(1)
  })

  test('moves the base of a move measured from its last firing once', async () => {
    world.quote(100)
    const alert = await made({
      when: { field: 'best', op: 'moves_pct', value: 5, periodMs: null },
    })
    expect(alert.standing.base).toBe(100)
    const store = createEvaluationStore(database)
    const moved = firing(alert, { now: { isTrue: false, base: 106 }, value: 106 })
    await store.settle([moved])
    expect((await store.settle([{ ...moved, position: 9 }])).size).toBe(0)
    expect((await kept(alert.id)).standing).toEqual({ isTrue: false, base: 106 })
    expect(await bodies(alert)).toHaveLength(1)
  })

  test('accepts an alert evaluated in another database that was restored here', async () => {
    const alert = await made()
    await database.sql`update alerts set judged_position = 9e18::bigint where id = ${alert.id}`
    const store = createEvaluationStore(database)
    const active = await store.active(account.id)
    expect(active.find(({ id }) => id === alert.id)!.evaluatedPosition).toBe(0)
    expect((await store.settle([firing(alert)])).has(alert.id)).toBe(true)
  })

  test('wakes the delivering processes', async () => {
    const received: ReceivedNotification[] = []
    const onNotification = (news: ReceivedNotification) => void received.push(news)
    const listening = await listenForNotifications(database, { onNotification, onConnect() {} })
    const alert = await made()
    await createEvaluationStore(database).settle([firing(alert)])
    await until('the delivery is announced', async () =>
      received.some(({ kind }) => kind === 'deliveries'),
    )
    expect(received).toContainEqual(
      expect.objectContaining({ kind: 'alerts', accountId: account.id }),
    )
    listening.stop()
  })
})

describe('active', () => {
  test('returns the active alerts of all accounts, or of one', async () => {
    const store = createEvaluationStore(database)
    const other = new AlertWorld(database)
    const theirs = await other.account()
    const { alert } = await createAlert(other.deps, { account: theirs, wish: WISH })
    expect(await store.active(theirs.id)).toEqual([alert])
    const all = await store.active(null)
    expect(all.map(({ id }) => id)).toContain(alert.id)
    expect(new Set(all.map(({ accountId }) => accountId)).size).toBe(2)
    expect(all.every(({ status }) => status === 'active')).toBe(true)
    expect(EVALUATED_MAX).toBeGreaterThan(all.length)
  })
})

describe('rebase', () => {
  test('stores new bases of unchanged conditions, and reports them', async () => {
    const alert = await made()
    const store = createEvaluationStore(database)
    await store.rebase([{ id: alert.id, revision: 0, base: 12.5 }])
    expect((await kept(alert.id)).standing.base).toBe(12.5)
    await store.rebase([{ id: alert.id, revision: 1, base: 13 }])
    expect((await kept(alert.id)).standing.base).toBe(12.5)
  })
})
