import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import type { Account } from '~/domain/account.ts'
import type { Alert } from '~/domain/alert/alert.ts'
import type { Claim, SwitchedOff } from '~/domain/alert/claim.ts'
import type { Delivery } from '~/domain/alert/delivery.ts'
import { Deliverer, type Outcome, TO_HOST_MAX } from '~/jobs/deliver.ts'
import { systemOutside } from '~/outbound/connection.ts'
import { allowedPlaces } from '~/outbound/places.ts'
import { changeAlert } from '~/service/alert/change.ts'
import { createAlert } from '~/service/alert/create.ts'
import { createOutboxStore } from '~/store/alert/outbox-store.ts'
import { send } from '~/webhook/send.ts'
import { handleAt } from '../runtime/replica-scene.ts'
import { AlertWorld, WISH } from '../service/alert/alert-world.ts'
import { databasesOfFile, otherHandle, stockedDatabase } from '../store/samples.ts'
import { DatabaseProxy } from '../support/database-proxy.ts'
import { KeptLog } from '../support/log.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { rawReceiver, receiver } from '../support/receivers.ts'
import { until } from '../support/until.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const openDatabase = databasesOfFile(stockedDatabase)
let database: FreshDatabase
let world: AlertWorld
let account: Account
const deliverers: Deliverer[] = []

beforeAll(async () => {
  database = await openDatabase()
  world = new AlertWorld(database)
  account = await world.account('enterprise')
})

afterEach(async () => {
  for (const deliverer of deliverers.splice(0)) await deliverer.stop()
  await database.sql`delete from alerts`
})

type Noted = { readonly outcome: Outcome; readonly id: string }

/** One delivering process, over real HTTP to this machine. */
function delivering({ on = database as FreshDatabase, outcomes = [] as Noted[] } = {}) {
  const deliverer = new Deliverer({
    store: createOutboxStore(on),
    clock: world.clock,
    log: new KeptLog(),
    stopwatch: () => 0,
    random: () => 0,
    send: ({ id, to, body }: Claim, stop) =>
      send(
        {
          ...systemOutside,
          addressesOf: async () => ['127.0.0.1'],
          deadline: (ms) => AbortSignal.timeout(ms),
          allowed: allowedPlaces(['127.0.0.1']),
        },
        {
          url: new URL(to.kind === 'webhook' ? to.url : 'http://127.0.0.1:1'),
          headers: { 'webhook-id': id },
          body,
        },
        stop,
      ),
    endingBody: (_: Claim, { alerts, lost }: SwitchedOff, reason) =>
      JSON.stringify({ alerts, lost, reason }),
    note: ({ id }, outcome) => outcomes.push({ outcome, id }),
  })
  deliverers.push(deliverer)
  return { deliverer, outcomes }
}

async function alertTo(url: string, more: { name?: string; account?: Account } = {}) {
  const wish = { ...WISH, name: more.name ?? null, to: { kind: 'webhook', url } as const }
  return (await createAlert(world.deps, { account: more.account ?? account, wish })).alert
}

const fire = async (alert: Alert, kind: Delivery['kind'] = 'fired') =>
  (await world.deps.deliveries.add({
    id: crypto.randomUUID(),
    alertId: alert.id,
    kind,
    body: JSON.stringify({ type: `alert.${kind}`, word: randomBytes(4).toString('hex') }),
    nowMs: world.clock.now(),
  }))!

const listOf = (alert: Alert) => world.deps.deliveries.list(alert.id)

/** Resolves when none of an alert's deliveries is due any more. */
const settled = (alert: Alert, nowMs = world.clock.now()) =>
  until('every delivery is tried', async () => {
    const all = await listOf(alert)
    const held = await database.sql`select 1 from alert_deliveries
      where alert_id = ${alert.id} and claimed_until is not null`
    return held.length === 0 && all.every((one) => one.status !== 'waiting' || one.nextMs > nowMs)
  })

const alertOf = async ({ id }: Alert) => (await world.deps.alerts.find(account.id, id))!

describe('Deliverer', () => {
  test('delivers what is due once, however many processes there are', async () => {
    using to = receiver()
    const alert = await alertTo(to.url)
    const sent = await Promise.all(Array.from({ length: 12 }, () => fire(alert)))
    const two = [delivering(), delivering({ on: otherHandle(database) as FreshDatabase })]
    for (const { deliverer } of two) deliverer.wake()
    await settled(alert)
    expect(to.got.map(({ body }) => body).sort()).toEqual(sent.map(({ body }) => body).sort())
    expect(to.got.map(({ headers }) => headers['webhook-id']).sort()).toEqual(
      sent.map(({ id }) => id).sort(),
    )
    const all = await listOf(alert)
    for (const one of all)
      expect(one).toMatchObject({ status: 'done', tries: 1, lastStatus: 204, lastError: null })
  })

  test('retries after growing pauses until a receiver accepts it', async () => {
    let answers = 0
    using to = receiver(() => new Response('busy', { status: ++answers < 3 ? 503 : 200 }))
    const alert = await alertTo(to.url)
    await fire(alert)
    const { deliverer, outcomes } = delivering()
    deliverer.wake()
    await settled(alert)
    const [first] = await listOf(alert)
    expect(first).toMatchObject({
      status: 'waiting',
      tries: 1,
      lastStatus: 503,
      lastError: 'it returned 503: busy',
      nextMs: world.clock.now() + 5000,
    })
    world.clock.advance(5000)
    deliverer.wake()
    await settled(alert)
    expect((await listOf(alert))[0]).toMatchObject({ nextMs: world.clock.now() + 30_000 })
    world.clock.advance(30_000)
    deliverer.wake()
    await settled(alert)
    expect((await listOf(alert))[0]).toMatchObject({ status: 'done', tries: 3, lastError: null })
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'done'])
    expect(new Set(to.got.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  })

  test('does not wait for a clock that was turned back', async () => {
    let answers = 0
    using to = receiver(() => new Response('', { status: ++answers === 1 ? 503 : 200 }))
    const alert = await alertTo(to.url)
    world.clock.advance(25 * HOUR_MS)
    await fire(alert)
    const { deliverer } = delivering()
    deliverer.wake()
    await settled(alert)
    await until('it rests', async () => deliverer.underWay === 0)
    await deliverer.jobs[0]!.run()
    await fire(alert)
    await deliverer.jobs[1]!.run()
    expect((await listOf(alert)).map(({ tries }) => tries).sort()).toEqual([0, 1])
    world.clock.advance(-HOUR_MS)
    await deliverer.jobs[1]!.run()
    await settled(alert)
    expect((await listOf(alert)).map(({ status }) => status)).toEqual(['done', 'done'])
    expect(to.got).toHaveLength(3)
  })

  test('tries a test once, since a person waits for it', async () => {
    using to = receiver(() => new Response('', { status: 500 }))
    const alert = await alertTo(to.url)
    await fire(alert, 'test')
    delivering().deliverer.wake()
    await settled(alert)
    expect((await listOf(alert))[0]).toMatchObject({
      status: 'given_up',
      tries: 1,
      lastStatus: 500,
    })
    expect((await alertOf(alert)).status).toBe('active')
  })

  test("one account's hanging receivers do not delay another account", async () => {
    const hanging = await Promise.all(Array.from({ length: 10 }, () => rawReceiver(() => {})))
    using to = receiver()
    const others = await world.account('enterprise')
    const stuck = await Promise.all(
      hanging.map(({ port }) => alertTo(`http://127.0.0.1:${port}/`, { account: others })),
    )
    for (const alert of stuck) for (let i = 0; i < 4; i++) await fire(alert)
    const { deliverer } = delivering()
    deliverer.wake()
    await until('an account has all that it may have', async () => deliverer.underWay === 8)
    const alert = await alertTo(to.url)
    for (let i = 0; i < 30; i++) await fire(alert)
    deliverer.wake()
    await settled(alert)
    expect(to.got).toHaveLength(30)
    expect(deliverer.underWay).toBe(8)
    const held = await database.sql`
      select count(*)::int as count, count(*) filter (where tries > 0)::int as tried
      from alert_deliveries where status = 'waiting' group by alert_id`
    for (const { tried } of held) expect(tried).toBeLessThanOrEqual(2)
    for (const one of hanging) one[Symbol.dispose]()
  })

  test('stops for one account, and not for others at that host, if a receiver hangs', async () => {
    const { promise: never } = Promise.withResolvers<Response>()
    using to = receiver(({ path }) =>
      path === '/hang' ? never : new Response(null, { status: 204 }),
    )
    const others = await world.account('enterprise')
    const stuck = await alertTo(`http://127.0.0.1:${to.port}/hang`, { account: others })
    for (let i = 0; i < 4; i++) await fire(stuck)
    const { deliverer } = delivering()
    deliverer.wake()
    await until('a host has all that it may have', async () => deliverer.underWay === 2)
    const alert = await alertTo(to.url)
    await fire(alert)
    deliverer.wake()
    await settled(alert)
    expect(to.got.filter(({ path }) => path === '/hook')).toHaveLength(1)
    expect(deliverer.underWay).toBe(2)
  })

  test('tries a host for all accounts up to a limit a minute, and the rest in the next', async () => {
    using to = receiver()
    const minuteEndMs = (Math.floor(world.clock.now() / MINUTE_MS) + 1) * MINUTE_MS
    await database.sql`delete from portal_attempts`
    await database.sql`insert into portal_attempts (scope, ends_at, count)
      values ('alerts sent to 127.0.0.1', ${new Date(minuteEndMs).toISOString()}, ${TO_HOST_MAX - 1})`
    const alerts = [
      await alertTo(to.url),
      await alertTo(`http://127.0.0.1.:${to.port}/hook`, { account: await world.account() }),
    ]
    for (const alert of alerts) await fire(alert)
    const { deliverer } = delivering()
    deliverer.wake()
    for (const alert of alerts) await settled(alert)
    expect(to.got).toHaveLength(1)
    const all = (await Promise.all(alerts.map(listOf))).flat()
    expect(all.find(({ status }) => status === 'waiting')).toMatchObject({
      ...{ tries: 0, nextMs: minuteEndMs, lastError: null },
    })
    await deliverer.jobs[1]!.run()
    world.clock.advance(minuteEndMs - world.clock.now())
    deliverer.wake()
    for (const alert of alerts) await settled(alert)
    expect(to.got).toHaveLength(2)
  })

  test('sends at once what another process had in progress when it stopped', async () => {
    using hanging = await rawReceiver(() => {})
    const alert = await alertTo(`http://127.0.0.1:${hanging.port}/`)
    await fire(alert)
    const { deliverer } = delivering()
    deliverer.wake()
    await hanging.asked
    await deliverer.stop()
    expect((await listOf(alert))[0]).toMatchObject({ status: 'waiting', tries: 0 })
    using to = receiver()
    await database.sql`update alerts set webhook_url = ${to.url} where id = ${alert.id}`
    delivering().deliverer.wake()
    await settled(alert)
    expect(to.got).toHaveLength(1)
  })

  test('sends after a minute what another process had in progress when it was killed', async () => {
    using to = receiver()
    const alert = await alertTo(to.url)
    const { id } = await fire(alert)
    const [claim] = await createOutboxStore(database).claim({
      nowMs: world.clock.now(),
      room: 1,
      busyReceivers: [],
      busyAccounts: [],
    })
    expect(claim).toMatchObject({ id, tries: 1 })
    const { deliverer } = delivering()
    await deliverer.jobs[0]!.run()
    expect(to.got).toHaveLength(0)
    await database.sql`update alert_deliveries set claimed_until = claimed_until - interval '1 minute'`
    await deliverer.jobs[0]!.run()
    await settled(alert)
    expect(to.got).toHaveLength(1)
    await createOutboxStore(database).keepFailure(
      claim!,
      { status: null, error: 'late', ms: 1, nowMs: world.clock.now() },
      world.clock.now(),
    )
    expect((await listOf(alert))[0]).toMatchObject({ status: 'done', tries: 2, lastError: null })
  })
})

describe('Deliverer, while the database is unreachable', () => {
  test('sends again under its id what was sent but not stored, and loses nothing', async () => {
    const proxy = await DatabaseProxy.to(database.url)
    const away = () => {
      proxy.isDropping = true
      proxy.cut()
    }
    using to = receiver(() => {
      away()
      return new Response(null, { status: 204 })
    })
    const alert = await alertTo(to.url)
    const sent = await Promise.all([fire(alert), fire(alert), fire(alert)])
    const { deliverer } = delivering({ on: handleAt(database, proxy.port) as FreshDatabase })
    deliverer.wake()
    await to.until(1)
    await until('its outcome is given up', async () => deliverer.underWay === 0)
    const claimed = Promise.try(() => deliverer.jobs[0]!.run())
    expect(await claimed.catch(() => 'away')).toBe('away')
    proxy.isDropping = false
    const later = delivering().deliverer
    // requests of the lost connection may still be carried out after this
    await until('everything is delivered', async () => {
      await database.sql`update alert_deliveries set claimed_until = claimed_until - interval '1 minute'`
      await later.jobs[0]!.run()
      return (await listOf(alert)).every(({ status }) => status === 'done')
    })
    const ids = to.got.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids)).toEqual(new Set(sent.map(({ id }) => id)))
    expect((await listOf(alert)).map(({ status }) => status)).toEqual(['done', 'done', 'done'])
    proxy.close()
  })
})

describe('Deliverer, when a webhook is gone', () => {
  const endings = () => database.sql<{ body: string }[]>`
    select body from alert_deliveries where kind = 'ended'`

  test('disables all alerts of the account to that URL after a 410, and notifies the owner once', async () => {
    using to = receiver(() => new Response('', { status: 410 }))
    using other = receiver()
    const [one, two, elsewhere] = [
      await alertTo(to.url, { name: 'one' }),
      await alertTo(to.url, { name: 'two' }),
      await alertTo(other.url, { name: 'elsewhere' }),
    ]
    for (const alert of [one, one, two, elsewhere]) await fire(alert)
    delivering().deliverer.wake()
    for (const alert of [one, two, elsewhere]) await settled(alert)
    const reason = 'the address answered 410: it is gone'
    for (const alert of [one, two])
      expect(await alertOf(alert)).toMatchObject({ status: 'failing', reason })
    expect(await alertOf(elsewhere)).toMatchObject({ status: 'active', reason: null })
    await until('the message of it', async () => (await endings()).length > 0)
    const ended = (await endings()).map(({ body }) => JSON.parse(body))
    expect(ended).toMatchObject([{ alerts: ['one', 'two'], reason }])
  })

  test('disables it after a day of failures without a success', async () => {
    using to = receiver(() => new Response('', { status: 500 }))
    const alert = await alertTo(to.url)
    await fire(alert)
    const { deliverer } = delivering()
    const startMs = world.clock.now()
    while (world.clock.now() - startMs < DAY_MS) {
      deliverer.wake()
      await settled(alert)
      const [one] = await listOf(alert)
      expect((await alertOf(alert)).status).toBe('active')
      world.clock.advance(one!.nextMs - world.clock.now())
    }
    deliverer.wake()
    await until('it is switched off', async () => (await alertOf(alert)).status === 'failing')
    expect(await alertOf(alert)).toMatchObject({
      reason: 'everything sent to the address has failed for a day, last because it returned 500',
    })
    expect((await listOf(alert)).map(({ status, kind }) => [kind, status])).toContainEqual([
      'fired',
      'given_up',
    ])
    await until('the message of it', async () => (await endings()).length > 0)
    for (const deliverer of deliverers.splice(0)) await deliverer.stop()
    expect(await endings()).toHaveLength(1)
  })

  test('starts the day again at a new address', async () => {
    using old = receiver(() => new Response('', { status: 500 }))
    using to = receiver(() => new Response('', { status: 503 }))
    const alert = await alertTo(old.url)
    await fire(alert)
    const { deliverer } = delivering()
    deliverer.wake()
    await settled(alert)
    const change = { to: { kind: 'webhook', url: to.url } } as const
    await changeAlert(world.deps, { account, alertId: alert.id, change })
    world.clock.advance(DAY_MS)
    deliverer.wake()
    await settled(alert)
    for (const one of deliverers.splice(0)) await one.stop()
    expect([old.got.length, to.got.length]).toEqual([1, 1])
    expect((await alertOf(alert)).status).toBe('active')
  })

  test('starts the day again after a success in between', async () => {
    using to = receiver(
      ({ body }) => new Response('', { status: body.includes('"test"') ? 200 : 500 }),
    )
    const alert = await alertTo(to.url)
    await fire(alert)
    const { deliverer } = delivering()
    deliverer.wake()
    await settled(alert)
    world.clock.advance(23 * HOUR_MS)
    await world.deps.deliveries.add({
      id: crypto.randomUUID(),
      alertId: alert.id,
      kind: 'test',
      body: '"test"',
      nowMs: world.clock.now(),
    })
    deliverer.wake()
    await settled(alert)
    world.clock.advance(2 * HOUR_MS)
    await fire(alert)
    deliverer.wake()
    await settled(alert)
    expect((await alertOf(alert)).status).toBe('active')
  })
})

describe('prune', () => {
  test('keeps what waits, the last hundred of an alert, and nothing that is older than a month', async () => {
    const alert = await alertTo('https://example.com/hook')
    const store = createOutboxStore(database)
    const nowMs = world.clock.now()
    await database.sql`
      insert into alert_deliveries (alert_id, kind, body, created_at, next_at, status)
      select ${alert.id}, 'fired', n::text,
        ${new Date(nowMs).toISOString()}::timestamptz - n * interval '6 hours',
        now(), case when n % 50 = 0 then 'waiting' else 'done' end::alert_delivery_status
      from generate_series(1, 150) n`
    await store.prune(nowMs)
    const kept = await database.sql<{ n: number; status: string }[]>`
      select body::int as n, status from alert_deliveries where alert_id = ${alert.id} order by 1`
    expect(kept.map(({ n }) => n)).toEqual([...Array.from({ length: 100 }, (_, i) => i + 1), 150])
    world.clock.advance(20 * DAY_MS)
    await store.prune(world.clock.now())
    const left = await database.sql<{ n: number }[]>`
      select body::int as n from alert_deliveries where alert_id = ${alert.id} order by 1`
    expect(left.map(({ n }) => n)).toEqual([
      ...Array.from({ length: 40 }, (_, i) => i + 1),
      ...[50, 100, 150],
    ])
  })
})
