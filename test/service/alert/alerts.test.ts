import { beforeAll, describe, expect, test } from 'bun:test'
import { ALERTS_MAX } from '~/domain/alert/alert.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import { ServiceError } from '~/domain/errors.ts'
import { changeAlert } from '~/service/alert/change.ts'
import { createAlert } from '~/service/alert/create.ts'
import { deliveriesOf } from '~/service/alert/deliveries.ts'
import { deleteAlert } from '~/service/alert/end.ts'
import { findAlert, listAlerts } from '~/service/alert/list.ts'
import { RATES } from '~/service/alert/rate.ts'
import { rotateSecret } from '~/service/alert/rotate.ts'
import { testAlert } from '~/service/alert/test.ts'
import { createAlertStore } from '~/store/alert/alert-store.ts'
import { createOutboxStore } from '~/store/alert/outbox-store.ts'
import { databasesOfFile, stockedDatabase } from '../../store/samples.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { AlertWorld, WISH } from './alert-world.ts'

const openDatabase = databasesOfFile(stockedDatabase)
let database: FreshDatabase

beforeAll(async () => {
  database = await openDatabase()
})

const HOOK = (url: string) => ({ kind: 'webhook', url }) as const

async function refusalOf(work: Promise<unknown>): Promise<ServiceError> {
  const error = await work.then(() => null).catch((cause) => cause)
  expect(error).toBeInstanceOf(ServiceError)
  return error
}

describe('createAlert', () => {
  test('creates an alert in the state of current prices, and shows its secret', async () => {
    const world = new AlertWorld(database)
    const account = await world.account('enterprise')
    world.quote(129)
    const { alert, secret } = await createAlert(world.deps, { account, wish: WISH })
    expect(alert).toEqual({
      ...WISH,
      id: expect.any(String),
      accountId: account.id,
      createdMs: world.clock.now(),
      status: 'active',
      reason: null,
      revision: 0,
      standing: { isTrue: false, base: null },
      evaluatedPosition: 7,
      lastValue: 129,
      firedMs: null,
    })
    expect(secret).toStartWith('whsec_')
    expect(await listAlerts(world.deps, { account })).toEqual([alert])
    expect(world.changed).toEqual([account.id])
  })

  test('accepts codes in any case, and reports that a true condition is true', async () => {
    const world = new AlertWorld(database)
    const account = await world.account('enterprise')
    world.quote(131)
    const wish = { ...WISH, corridor: { from: 'usd', to: 'kes' } }
    const { alert } = await createAlert(world.deps, { account, wish })
    expect(alert.corridor).toEqual({ from: 'USD', to: 'KES' })
    expect(alert.standing.isTrue).toBe(true)
  })

  test('evaluates an hourly plan by the prices at the top of the hour', async () => {
    const world = new AlertWorld(database)
    const account = await world.account('pro')
    world.quote(131)
    const { alert } = await createAlert(world.deps, { account, wish: WISH })
    expect([alert.standing.isTrue, alert.lastValue]).toEqual([false, null])
  })

  test('measures a move from the value at its creation', async () => {
    const world = new AlertWorld(database)
    const account = await world.account('enterprise')
    world.quote(131)
    const when = { field: 'best', op: 'moves_pct', value: 2, periodMs: null } as const
    const { alert } = await createAlert(world.deps, { account, wish: { ...WISH, when } })
    expect(alert.standing).toEqual({ isTrue: false, base: 131 })
  })

  test('refuses what cannot be evaluated or sent, and names the field', async () => {
    const world = new AlertWorld(database, {
      receivers: { faultOf: async () => 'it leads into this network' },
    })
    const account = await world.account()
    const refused = (more: object, deps = world.deps) =>
      refusalOf(createAlert(deps, { account, wish: { ...WISH, ...more } }))
    expect((await refused({ amount: 5 })).details.parameter).toBe('amount')
    expect((await refused({ corridor: { from: 'USD', to: 'XXX' } })).code).toBe(
      'unsupported_currency',
    )
    expect((await refused({})).message).toContain('into this network')
    const to = { kind: 'email' } as const
    expect((await refused({ to })).message).toContain('no confirmed address')
    expect((await refused({ to }, { ...world.deps, isMailed: false })).message).toContain(
      'no email',
    )
    expect(await listAlerts(world.deps, { account })).toEqual([])
  })

  test('creates as many as the plan allows, however many are requested at once', async () => {
    const world = new AlertWorld(database)
    const account = await world.account()
    const made = await Promise.allSettled(
      Array.from({ length: 6 }, () => createAlert(world.deps, { account, wish: WISH })),
    )
    const { free } = ALERTS_MAX
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(free)
    const refusal = await refusalOf(createAlert(world.deps, { account, wish: WISH }))
    expect([refusal.details.limit, refusal.message]).toEqual([
      free,
      expect.stringContaining('delete one'),
    ])
  })
})

describe('listAlerts', () => {
  test('reports that an alert on a mid does not fire while feeds dispute it', async () => {
    const world = new AlertWorld(database)
    const account = await world.account('enterprise')
    const when = { field: 'mid', op: 'above', value: 130, periodMs: null } as const
    await createAlert(world.deps, { account, wish: WISH })
    world.clock.advance(1)
    await createAlert(world.deps, { account, wish: { ...WISH, when } })
    const reasons = async () =>
      (await listAlerts(world.deps, { account })).map(({ status, reason }) => [status, reason])
    const say = (id: number, basis: 'disputed' | 'consensus') => {
      const atMs = world.clock.now()
      const said = { id, currency: 'KES', perUsd: 140, source: 'a', atMs, basis }
      world.memory.publish({ references: [said] }, atMs)
    }
    say(1, 'disputed')
    const dispute = 'feeds dispute the mid of USD/KES: no firing until they agree'
    expect(await reasons()).toEqual([
      ['active', null],
      ['active', dispute],
    ])
    world.clock.advance(1)
    say(2, 'consensus')
    expect((await reasons())[1]).toEqual(['active', null])
  })

  test('reports that alerts beyond a smaller plan wait', async () => {
    const world = new AlertWorld(database)
    const account = await world.account('pro')
    for (let i = 0; i < 5; i++) {
      world.clock.advance(1)
      await createAlert(world.deps, { account, wish: { ...WISH, name: `${i}` } })
    }
    const smaller = { ...account, plan: 'free' } as const
    const listed = await listAlerts(world.deps, { account: smaller })
    expect(listed.map(({ name, status }) => `${name} ${status}`)).toEqual([
      ...['0 active', '1 active', '2 active'],
      ...['3 paused', '4 paused'],
    ])
    expect(listed[4]!.reason).toContain('3 alerts')
    expect((await findAlert(world.deps, { account: smaller, alertId: listed[4]!.id })).status).toBe(
      'paused',
    )
  })

  test('shows an account no alert of another', async () => {
    const world = new AlertWorld(database)
    const [account, other] = [await world.account(), await world.account()]
    const { alert } = await createAlert(world.deps, { account, wish: WISH })
    expect(await listAlerts(world.deps, { account: other })).toEqual([])
    const own = { account: other, alertId: alert.id }
    for (const asked of [
      () => findAlert(world.deps, own),
      () => changeAlert(world.deps, { ...own, change: { name: 'mine' } }),
      () => deleteAlert(world.deps, own),
      () => testAlert(world.deps, own),
      () => rotateSecret(world.deps, own),
      () => deliveriesOf(world.deps, own),
      () => deleteAlert(world.deps, { account, alertId: 'not an id' }),
    ])
      expect((await refusalOf(asked())).message).toContain('no such alert')
  })
})

describe('changeAlert', () => {
  test('evaluates a new condition from scratch, and keeps the other fields', async () => {
    const world = new AlertWorld(database)
    const account = await world.account('enterprise')
    world.quote(131)
    const { alert } = await createAlert(world.deps, { account, wish: { ...WISH, name: 'a' } })
    world.live.position = 9
    const own = { account, alertId: alert.id }
    const when = { ...WISH.when, value: 140 }
    const { alert: after, secret } = await changeAlert(world.deps, { ...own, change: { when } })
    expect([after.when.value, after.standing.isTrue, after.name]).toEqual([140, false, 'a'])
    expect([after.revision, after.evaluatedPosition, secret]).toEqual([1, 9, null])
    const named = await changeAlert(world.deps, { ...own, change: { name: null } })
    expect([named.alert.name, named.alert.revision]).toEqual([null, 1])
  })

  test('gives a new webhook a secret of its own, and an unchanged one no new secret', async () => {
    const world = new AlertWorld(database)
    const account = await world.account()
    const { alert } = await createAlert(world.deps, { account, wish: WISH })
    const own = { account, alertId: alert.id }
    const same = await changeAlert(world.deps, { ...own, change: { to: WISH.to } })
    expect(same.secret).toBeNull()
    const to = HOOK('https://example.com/other')
    const moved = await changeAlert(world.deps, { ...own, change: { to } })
    expect([moved.alert.to, moved.secret]).toEqual([to, expect.stringContaining('whsec_')])
  })

  test('pauses, and evaluates from scratch once it is active again', async () => {
    const world = new AlertWorld(database)
    const account = await world.account('enterprise')
    const { alert } = await createAlert(world.deps, { account, wish: WISH })
    const own = { account, alertId: alert.id }
    const paused = await changeAlert(world.deps, { ...own, change: { status: 'paused' } })
    expect([paused.alert.status, paused.alert.standing.isTrue]).toEqual(['paused', false])
    world.quote(131)
    const active = await changeAlert(world.deps, { ...own, change: { status: 'active' } })
    expect([active.alert.status, active.alert.standing.isTrue]).toEqual(['active', true])
  })

  test('revives an ended alert only if the plan has room', async () => {
    const world = new AlertWorld(database)
    const account = await world.account()
    const { alert } = await createAlert(world.deps, { account, wish: WISH })
    const ending = { status: 'ended', reason: 'by mail', nowMs: world.clock.now() } as const
    const { end } = createAlertStore(database)
    expect(await end(alert.id, ending)).toMatchObject({ status: 'ended', reason: 'by mail' })
    for (let i = 0; i < 3; i++) await createAlert(world.deps, { account, wish: WISH })
    const own = { account, alertId: alert.id, change: { status: 'active' } } as const
    expect((await refusalOf(changeAlert(world.deps, own))).details.limit).toBe(3)
    const [first] = await listAlerts(world.deps, { account })
    await deleteAlert(world.deps, { account, alertId: first!.id })
    expect((await changeAlert(world.deps, own)).alert).toMatchObject({
      status: 'active',
      reason: null,
    })
  })
})

describe('creating and changing alerts', () => {
  test('is allowed to an account 20 times an hour, whatever it deletes', async () => {
    const [world, replica] = [new AlertWorld(database), new AlertWorld(database)]
    const account = await world.account()
    for (let i = 0; i < RATES.changes / 2; i++) {
      const { alert } = await createAlert(world.deps, { account, wish: WISH })
      const own = { account, alertId: alert.id }
      await changeAlert(replica.deps, { ...own, change: { name: `${i}` } })
      await deleteAlert(world.deps, own)
    }
    const refusal = await refusalOf(createAlert(replica.deps, { account, wish: WISH }))
    expect([refusal.code, refusal.retryAfterSeconds]).toEqual(['too_many_changes', 34 * 60 + 30])
    const other = await world.account()
    await createAlert(world.deps, { account: other, wish: WISH })
    world.clock.advance(HOUR_MS)
    const { alert } = await createAlert(world.deps, { account, wish: WISH })
    for (let i = 1; i < RATES.changes; i++)
      await changeAlert(world.deps, { account, alertId: alert.id, change: { name: `${i}` } })
    const change = { account, alertId: alert.id, change: { name: 'late' } }
    expect((await refusalOf(changeAlert(world.deps, change))).code).toBe('too_many_changes')
  })

  test('does not count what cannot be evaluated, and resolves no host past the limit', async () => {
    let asked = 0
    const receivers = {
      async faultOf() {
        asked += 1
        return null
      },
    }
    const world = new AlertWorld(database, { receivers })
    const account = await world.account()
    for (let i = 0; i < 2 * RATES.changes; i++)
      await refusalOf(createAlert(world.deps, { account, wish: { ...WISH, amount: 5 } }))
    for (let i = 0; i < RATES.changes; i++)
      await createAlert(world.deps, { account, wish: WISH }).catch(() => {})
    await refusalOf(createAlert(world.deps, { account, wish: WISH }))
    expect(asked).toBe(RATES.changes)
  })
})

describe('testAlert', () => {
  const hosts = { next: 0 }
  const freshHost = () => `h${++hosts.next}.example.com`
  const wishAt = (host: string) => ({ ...WISH, to: HOOK(`https://${host}/${hosts.next}`) })

  test('enforces the limit of an account when many tests are requested at once', async () => {
    const world = new AlertWorld(database)
    const account = await world.account()
    const { alert } = await createAlert(world.deps, { account, wish: wishAt(freshHost()) })
    const own = { account, alertId: alert.id }
    const asked = Array.from({ length: 4 * RATES.tests }, () => testAlert(world.deps, own))
    const refused = (await Promise.allSettled(asked)).filter(({ status }) => status === 'rejected')
    expect((await deliveriesOf(world.deps, own)).deliveries).toHaveLength(RATES.tests)
    expect(refused).toHaveLength(3 * RATES.tests)
  })

  test('counts tests across deleted alerts, and tests of email alerts', async () => {
    const world = new AlertWorld(database)
    const account = await world.account()
    await database.sql`insert into portal_users
      (id, name, email, email_verified, created_at, updated_at, account_id)
      values (${account.id}, 'a', ${account.email}, true, now(), now(), ${account.id})`
    const wish = { ...WISH, to: { kind: 'email' } } as const
    for (let i = 0; i < RATES.tests; i++) {
      const { alert } = await createAlert(world.deps, { account, wish })
      await testAlert(world.deps, { account, alertId: alert.id })
      await deleteAlert(world.deps, { account, alertId: alert.id })
    }
    const { alert } = await createAlert(world.deps, { account, wish })
    const own = { account, alertId: alert.id }
    const refusal = await refusalOf(testAlert(world.deps, own))
    expect([refusal.code, refusal.retryAfterSeconds]).toEqual(['too_many_tests', 34 * 60 + 30])
    expect((await deliveriesOf(world.deps, own)).deliveries).toEqual([])
    world.clock.advance(HOUR_MS)
    await testAlert(world.deps, own)
  })

  test('is allowed to one host 60 times an hour, for all accounts together', async () => {
    const world = new AlertWorld(database)
    const host = freshHost()
    const spellings = [host, host.toUpperCase(), `${host}.`, `${host}:8443`]
    for (let i = 0; i < RATES.testsOfHost; i++) {
      const account = await world.account()
      const to = HOOK(`https://${spellings[i % spellings.length]}/${i}`)
      const { alert } = await createAlert(world.deps, { account, wish: { ...WISH, to } })
      await testAlert(world.deps, { account, alertId: alert.id })
    }
    const account = await world.account()
    const { alert } = await createAlert(world.deps, { account, wish: wishAt(host) })
    const refusal = await refusalOf(testAlert(world.deps, { account, alertId: alert.id }))
    expect([refusal.code, refusal.message]).toEqual([
      'too_many_tests',
      `all accounts together send 60 tests an hour to ${host}; wait for the next hour`,
    ])
    const elsewhere = await createAlert(world.deps, { account, wish: wishAt(freshHost()) })
    await testAlert(world.deps, { account, alertId: elsewhere.alert.id })
  })

  test('queues a delivery that is listed', async () => {
    const world = new AlertWorld(database)
    const account = await world.account()
    const { alert } = await createAlert(world.deps, { account, wish: wishAt(freshHost()) })
    const own = { account, alertId: alert.id }
    await testAlert(world.deps, own)
    const { deliveries } = await deliveriesOf(world.deps, own)
    expect(deliveries).toEqual([
      {
        id: expect.any(String),
        alertId: alert.id,
        kind: 'test',
        body: JSON.stringify({ test: alert.id }),
        createdMs: world.clock.now(),
        nextMs: world.clock.now(),
        tries: 0,
        status: 'waiting',
        lastStatus: null,
        lastError: null,
        lastReply: null,
        lastMs: null,
        doneMs: null,
      },
    ])
  })
})

describe('rotateSecret', () => {
  test('creates a new secret and keeps the old one valid for a day', async () => {
    const world = new AlertWorld(database)
    const account = await world.account()
    const { alert, secret } = await createAlert(world.deps, { account, wish: WISH })
    const rotated = await rotateSecret(world.deps, { account, alertId: alert.id })
    expect(rotated.secret).not.toBe(secret)
    expect(rotated.oldEndsMs).toBe(world.clock.now() + 24 * 60 * MINUTE_MS)
    const [row] = await database.sql`select secret, old_secret from alerts where id = ${alert.id}`
    expect([row!.secret, row!.old_secret]).toEqual(['sealed_2', 'sealed_1'])
  })

  test('keeps each secret of the last day valid for its day, and none of a former webhook', async () => {
    const world = new AlertWorld(database)
    const account = await world.account()
    const { alert } = await createAlert(world.deps, { account, wish: WISH })
    const own = { account, alertId: alert.id }
    await testAlert(world.deps, own)
    const signing = async () => {
      const busy = { busyReceivers: [], busyAccounts: [], room: 500 }
      const store = createOutboxStore(database)
      await database.sql`update alert_deliveries set claimed_until = null`
      const claims = await store.claim({ ...busy, nowMs: world.clock.now() })
      const { to } = claims.find(({ alertId }) => alertId === alert.id)!
      return to.kind === 'webhook' ? to.secrets : []
    }
    for (let i = 0; i < 3; i++) {
      await rotateSecret(world.deps, own)
      world.clock.advance(HOUR_MS)
    }
    expect(await signing()).toEqual(['sealed_4', 'sealed_3', 'sealed_1', 'sealed_2'])
    world.clock.advance(DAY_MS - 2 * HOUR_MS)
    expect(await signing()).toEqual(['sealed_4', 'sealed_3'])
    await rotateSecret(world.deps, own)
    const [row] = await database.sql`select older_secrets from alerts where id = ${alert.id}`
    expect(row!.older_secrets).toMatchObject([{ secret: 'sealed_3' }])
    const url = 'https://example.com/other'
    await changeAlert(world.deps, { ...own, change: { to: { kind: 'webhook', url } } })
    expect(await signing()).toEqual(['sealed_6'])
  })

  test('refuses to replace a secret more often than it can keep the old ones', async () => {
    const world = new AlertWorld(database)
    const account = await world.account()
    const { alert } = await createAlert(world.deps, { account, wish: WISH })
    const own = { account, alertId: alert.id }
    for (let i = 0; i < RATES.secrets; i++) await rotateSecret(world.deps, own)
    await expect(rotateSecret(world.deps, own)).rejects.toMatchObject({
      code: 'too_many_changes',
      message: "an alert's secret is replaced 5 times a day; wait for the next day",
    })
    world.clock.advance(DAY_MS)
    await rotateSecret(world.deps, own)
  })
})

describe('deleteAlert', () => {
  test('deletes an alert with all its deliveries', async () => {
    const world = new AlertWorld(database)
    const account = await world.account()
    const { alert } = await createAlert(world.deps, { account, wish: WISH })
    const own = { account, alertId: alert.id }
    await testAlert(world.deps, own)
    expect(await deleteAlert(world.deps, own)).toEqual(alert)
    const left = await database.sql`select from alert_deliveries where alert_id = ${alert.id}`
    expect([left.length, await listAlerts(world.deps, { account })]).toEqual([0, []])
  })
})
