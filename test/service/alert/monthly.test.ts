import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Alert, AlertChange, AlertWish } from '~/domain/alert/alert.ts'
import { HOUR_MS } from '~/domain/duration.ts'
import { changeAlert } from '~/service/alert/change.ts'
import { createAlert } from '~/service/alert/create.ts'
import { MONTHLY_WAITING_MAX, MonthlyAlerts } from '~/service/alert/monthly.ts'
import { createEvaluationStore } from '~/store/alert/evaluation-store.ts'
import { monthlyBody } from '~/wire/alert/delivery.ts'
import { databasesOfFile, stockedDatabase } from '../../store/samples.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { World } from '../../support/world.ts'
import { AlertWorld, WISH } from './alert-world.ts'

const openDatabase = databasesOfFile(stockedDatabase)
let database: FreshDatabase
let world: AlertWorld

beforeAll(async () => {
  database = await openDatabase()
})

beforeEach(async () => {
  await database.sql`delete from alerts`
  world = new AlertWorld(database)
  world.clock.set('2026-03-05T14:00:00Z')
})

const MONTHLY: AlertWish = {
  ...WISH,
  ...{ amount: 200, to: { kind: 'webhook', url: 'https://example.com/hook' } },
  when: { field: 'monthly', op: null, value: null, periodMs: null },
}

async function made(more: Partial<AlertWish> = {}): Promise<Alert> {
  const account = await world.account()
  return (await createAlert(world.deps, { account, wish: { ...MONTHLY, ...more } })).alert
}

/** A process that has these alerts in their initial state. */
const replica = (...alerts: readonly Alert[]) =>
  new MonthlyAlerts({
    ...world.deps,
    store: createEvaluationStore(database),
    evaluated: () => alerts.map((alert) => ({ alert, tier: 'hourly' })),
    bodyOf: (firing) => monthlyBody(firing),
  })

const notified = async (alert: Alert) =>
  (await world.deps.deliveries.list(alert.id)).map(({ body }) => JSON.parse(body))

const waiting = async () =>
  (await database.sql`select 1 from alert_deliveries where status = 'waiting'`).length

describe('a monthly alert', () => {
  test('is sent on the first of the next month, once by two replicas and across a restart', async () => {
    const alert = await made()
    const [one, two] = [replica(alert), replica(alert)]
    for (const at of ['2026-03-05T15:00:00Z', '2026-03-31T23:59:00Z', '2026-04-01T05:59:00Z']) {
      world.clock.set(at)
      await one.run()
      expect(await notified(alert)).toEqual([])
    }
    world.clock.set('2026-04-01T06:00:30Z')
    await Promise.all([one.run(), two.run()])
    await replica(alert).run()
    world.clock.set('2026-04-30T23:00:00Z')
    await Promise.all([one.run(), replica(alert).run()])
    expect(await notified(alert)).toHaveLength(1)
    world.clock.set('2026-05-02T00:00:00Z')
    await Promise.all([one.run(), two.run()])
    expect(await notified(alert)).toHaveLength(2)
  })

  test('names the three cheapest current offers, cheapest first', async () => {
    const market = new World()
    market.reference({ KES: 131 }, { at: '2026-03-05T12:00:00Z' })
    const at = '2026-03-05T13:00:00Z'
    for (const [providerId, rate] of [
      ['retail-a', 128],
      ['retail-b', 130],
      ['p2p-a', 129],
    ] as const)
      market.quote({ providerId, rate, fee: 0, at })
    const bodies: string[] = []
    const standing = { isTrue: false, base: null }
    const alert = { ...(await made()), createdMs: 0, standing }
    await new MonthlyAlerts({
      ...{ memory: market.memory, clock: market.clock, ageLimits: world.deps.ageLimits },
      store: {
        monthlyWaiting: async () => 0,
        recordMonthly: async (due) => void bodies.push(...due.map(({ body }) => body)),
      },
      evaluated: () => [{ alert, tier: 'hourly' }],
      bodyOf: (firing) => monthlyBody(firing),
    }).run()
    const [{ data }] = bodies.map((body) => JSON.parse(body))
    expect(data.cheapest).toMatchObject([
      { provider_id: 'retail-b', net_converted: 26_000, total_pct: 0.763359, total_cost: 1.526718 },
      { provider_id: 'p2p-a', net_converted: 25_800 },
      { provider_id: 'retail-a', net_converted: 25_600 },
    ])
    expect(data).toMatchObject({ field: 'monthly', previous: null, data_freshness: 'hourly' })
    expect(data.value).toBe(data.cheapest[0].total_pct)
  })

  test('is sent without a value if no cost is known', async () => {
    const alert = await made()
    world.clock.set('2026-04-01T06:00:30Z')
    await replica(alert).run()
    expect((await notified(alert))[0].data).toMatchObject({ value: null, cheapest: [] })
  })

  test('is not sent while it is paused, or again if it was to be sent once', async () => {
    const once = await made({ isOnce: true })
    const paused = await made()
    await database.sql`update alerts set status = 'paused' where id = ${paused.id}`
    for (const at of ['2026-04-02T00:00:00Z', '2026-05-02T00:00:00Z']) {
      world.clock.set(at)
      await replica(once, paused).run()
    }
    expect([await notified(once), await notified(paused)].map(({ length }) => length)).toEqual([
      1, 0,
    ])
    const [row] = await database.sql`select status from alerts where id = ${once.id}`
    expect(row!.status).toBe('ended')
  })

  test('begins with the next month when it was changed to monthly, or is active again', async () => {
    const account = await world.account()
    const best = { ...WISH.when, value: 1_000_000 }
    const changed = await createAlert(world.deps, {
      account,
      wish: { ...MONTHLY, when: best, amount: null },
    })
    const resumed = await createAlert(world.deps, { account, wish: MONTHLY })
    const change = async (alertId: string, to: AlertChange) =>
      (await changeAlert(world.deps, { account, alertId, change: to })).alert
    await change(resumed.alert.id, { status: 'paused' })
    world.clock.set('2026-04-10T12:00:00Z')
    const { when, amount } = MONTHLY
    const alerts = [
      await change(changed.alert.id, { when, amount }),
      await change(resumed.alert.id, { status: 'active' }),
    ]
    const counts = async () =>
      Promise.all(alerts.map(async (alert) => (await notified(alert)).length))
    for (const [at, count] of [
      ['2026-04-10T12:01:20Z', 0],
      ['2026-05-01T05:59:20Z', 0],
      ['2026-05-01T06:00:20Z', 1],
    ] as const) {
      world.clock.set(at)
      await replica(...alerts).run()
      expect([at, await counts()]).toEqual([at, [count, count]])
    }
  })

  test('of ten thousand is sent a hundred at a time, and each exactly once', async () => {
    const first = await made()
    await database.sql`insert into alerts (id, account_id, created_at, source, target, amount, field,
        is_once, is_true, judged_position, webhook_url, secret)
      select gen_random_uuid(), account_id, created_at, source, target, amount, field,
        is_once, is_true, judged_position, webhook_url, secret
      from alerts, generate_series(1, 9999)`
    const rows = await database.sql<{ id: string }[]>`select id from alerts`
    const all = rows.map(({ id }) => ({ ...first, id }))
    world.clock.set('2026-04-01T06:00:30Z')
    const replicas = [replica(...all), replica(...all.toReversed())]
    for (let run = 0; run < 100; run++) {
      await replicas[run % 2]!.run()
      await replicas[run % 2]!.run()
      expect(await waiting()).toBe(MONTHLY_WAITING_MAX)
      await database.sql`update alert_deliveries set status = 'done' where status = 'waiting'`
    }
    await Promise.all(replicas.map((one) => one.run()))
    const [count] = await database.sql`
      select count(*)::int as all, count(distinct alert_id)::int as different from alert_deliveries`
    expect(count).toEqual({ all: 10_000, different: 10_000 })
  }, 120_000)

  test.each([
    [{ amount: null }, 'monthly is evaluated for an amount'],
    [{ when: { ...MONTHLY.when, periodMs: HOUR_MS } }, 'monthly takes no period; leave it out'],
    [{ when: { ...MONTHLY.when, op: 'above', value: 1 } as const }, 'compares nothing'],
  ])('%j is refused', async (more, why) => {
    await expect(made(more)).rejects.toThrow(why)
  })
})
