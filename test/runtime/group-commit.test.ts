import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { COMMAND_LINE } from '~/domain/audit.ts'
import { TURN_MS_MAX } from '~/service/work-limit.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { connect } from '~/store/database.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { PROVIDER_OFFERS_MAX } from '~/store/offer/made-offers.ts'
import {
  NOW_MS,
  observation,
  otherHandle,
  stockedDatabase,
  untilWaiting,
} from '../store/samples.ts'
import { DatabaseProxy } from '../support/database-proxy.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import type { Reply } from '../support/world.ts'
import { AT, addAccount, handleAt, Replica } from './replica-scene.ts'

setDefaultTimeout(60_000)

/** The number of commits that run at once. */
const COMMITS = 2

let database: FreshDatabase
let replica: Replica
let account: Awaited<ReturnType<typeof addAccount>>

beforeAll(async () => {
  database = await stockedDatabase()
  account = await addAccount(database, { role: 'treasury', keys: 2 })
  const sql = connect(database.url, { connectionsMax: 10 })
  replica = await Replica.start(database, { database: { ...otherHandle(database), sql } })
  for (const corridor of [{}, { to: 'NGN' }, { to: 'UGX' }, { from: 'GBP' }])
    for (const key of account.keys) expect((await post(corridor, undefined, key)).status).toBe(201)
})
afterAll(async () => {
  await replica.service.stop()
  await database.close()
})

let rows = 0
const row = (more: object = {}) => ({
  ...{ provider_id: 'retail-a', from: 'USD', to: 'KES', rate: 130 },
  effective_from: new Date(NOW_MS - ++rows * 1000).toISOString(),
  ...more,
})

const post = (more: object = {}, key?: string, apiKey = account.keys[0]!) =>
  replica.post(row(more), apiKey, key ? { 'idempotency-key': key } : {})

/** The number of batches in a state. */
async function workAt(origin: string, state: 'running' | 'waiting'): Promise<number> {
  const metrics = await (await fetch(`${origin}/metrics`)).text()
  const line = new RegExp(`database_work\\{kind="recording",state="${state}"\\} (\\d+)`)
  return Number(line.exec(metrics)?.[1])
}

/** Sends batches that wait together; again if that took so long that their time is nearly over. */
async function waitingTogether<T>(origin: string, asks: Asks<T>['group']): Promise<Promise<T>[]> {
  for (;;) {
    const startMs = performance.now()
    const spentMs = () => performance.now() - startMs
    const replies = asks.map((ask) => ask())
    while (spentMs() < TURN_MS_MAX && (await workAt(origin, 'waiting')) < asks.length);
    if (spentMs() < TURN_MS_MAX / 2) return replies
    await Promise.all(replies)
  }
}

const changes = () => database.sql`
  select position, ids from changes where kind = 'observations' order by position desc`

const stored = async (ids: readonly number[]): Promise<number> => {
  const [row] = await database.sql`
    select count(*)::int as count from observations where id = any(${[...ids]}::bigint[])`
  return row!.count
}

/**
 * Holds every commit up, calls `lone` for as many as run at once, and then all of `group`, which
 * wait together; resolves to their replies, once the commits go on.
 */
async function grouped<T>(
  origin: string,
  { lone, group, meanwhile }: Asks<T>,
): Promise<readonly Promise<T>[]> {
  const { running, waiting } = await database.sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtext('corridor changes'))`
    const running = Array.from({ length: COMMITS }, lone)
    await until('all that run at once', async () => (await workAt(origin, 'running')) === COMMITS)
    const waiting = await waitingTogether(origin, group)
    await meanwhile?.()
    return { running, waiting }
  })
  await Promise.all(running)
  return waiting
}

type Asks<T> = {
  readonly lone: () => Promise<T>
  readonly group: readonly (() => Promise<T>)[]
  readonly meanwhile?: () => Promise<void>
}

const group = async (asks: Asks<Reply>['group'], meanwhile = async () => {}) =>
  Promise.all(await grouped(replica.service.origin, { lone: () => post(), group: asks, meanwhile }))

/** As `grouped`, with the statement of the group held up too, which works on GBP/UGX, meanwhile. */
async function brokenOff<T>(
  origin: string,
  asks: Omit<Asks<T>, 'meanwhile'>,
  meanwhile: (release: () => Promise<void>) => Promise<void>,
): Promise<T[]> {
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const other = otherHandle(database)
  const holding = other.sql.begin(async (tx) => {
    await tx`
      select from rollups r join corridors c on c.id = r.corridor_id
      where c.source = 'GBP' and c.target = 'UGX' for update of r`
    held.resolve()
    await released.promise
  })
  await held.promise
  const waiting = await grouped(origin, asks)
  await untilWaiting(database, 1)
  await meanwhile(async () => {
    released.resolve()
    await holding
  })
  const replies = await Promise.all(waiting)
  await other.close()
  return replies
}

const answerOf = ({ status, body }: Reply) => [status, body.code ?? body.inserted]

describe('batches that wait while others are committed', () => {
  test('201 for each with its own ids and one position, when reads show them', async () => {
    const replies = await group([
      () => post({ to: 'NGN', rate: 1500 }),
      () => post({ to: 'UGX', rate: 3500 }, 'its own key'),
      () => post({ from: 'GBP', rate: 160, effective_from: AT }),
    ])
    expect(replies.map(answerOf)).toEqual(Array(3).fill([201, 1]))
    const logged = await changes()
    const ids = replies.map(({ body }) => body.ids[0])
    expect(logged.map((change) => change.ids.map(Number))).toContainEqual(
      ids.toSorted((a, b) => a - b),
    )
    const positions = replies.map(({ headers }) => headers.get('x-corridor-position'))
    expect(new Set(positions).size).toBe(1)
    const shown = await replica.get('/rates?from=GBP&to=KES', account.keys[0]!)
    expect(shown.body.providers).toMatchObject([{ rate: 160 }])
  })

  test('each gets its own answer where others repeat keys or lose theirs; limits of offers are checked before', async () => {
    const first = await post({}, 'recorded before')
    for (let from = 0; from < PROVIDER_OFFERS_MAX; from += 100) {
      const offers = Array.from({ length: 100 }, (_, i) => offer(from + i))
      expect((await replica.post(offers, account.keys[0]!)).status).toBe(201)
    }
    const same = row({ rate: 140 })
    const sent = (body: object, key: string) =>
      replica.post(body, account.keys[0]!, { 'idempotency-key': key })
    const revoked = account.keys[1]!
    const replies = await group(
      [
        () => post({ to: 'NGN' }),
        () => sent(same, 'twice in a group'),
        () => sent(same, 'twice in a group'),
        () => sent(row({ rate: 141 }), 'recorded before'),
        () => post({ to: 'NGN' }, undefined, revoked),
      ],
      async () => {
        const accounts = createAccountStore(database)
        await accounts.revokeKey(account.keyIds[1]!, NOW_MS, { actor: COMMAND_LINE })
      },
    )
    expect(replies.map(answerOf)).toEqual([
      [201, 1],
      [201, 1],
      [201, 1],
      [422, 'idempotency_key_reused'],
      [201, 1],
    ])
    expect(replies[2]!.body).toEqual(replies[1]!.body)
    expect(await stored([first, ...replies].flatMap(({ body }) => body.ids ?? []))).toBe(4)
    await until('the revoked key', async () => (await post({}, undefined, revoked)).status === 401)
  })

  test('503 for all where the connection breaks, and each is recorded once by its key', async () => {
    const proxy = await DatabaseProxy.to(database.url)
    const other = await Replica.start(database, { database: handleAt(database, proxy.port) })
    const bodies = Array.from({ length: 4 }, () => ugx({ rate: 150 }))
    expect((await replica.post(ugx(), account.keys[0]!)).status).toBe(201)
    const send = (nth: number) =>
      other.post(bodies[nth]!, account.keys[0]!, { 'idempotency-key': `broken off ${nth}` })
    const asks = {
      lone: () => other.post(row(), account.keys[0]!),
      group: bodies.map((_, nth) => () => send(nth)),
    }
    const replies = await brokenOff(other.service.origin, asks, async (release) => {
      proxy.cut()
      await release()
    })
    expect(replies.map(answerOf)).toEqual(Array(4).fill([503, 'database_unavailable']))
    const again = await Promise.all(bodies.map((_, nth) => untilAnswered(() => send(nth))))
    expect(again.map(answerOf)).toEqual(Array(4).fill([201, 1]))
    const rows = await database.sql`select id from observations where rate = 150 order by id`
    const ids = again.flatMap(({ body }) => body.ids).toSorted((a, b) => a - b)
    expect(rows.map(({ id }) => id)).toEqual(ids)
    await other.service.stop()
    proxy.close()
  })

  test('201 by its key to each of a group whose process ended between commit and answers', async () => {
    const bodies = Array.from({ length: 5 }, (_, nth) => row({ rate: 151, notes: `${nth}` }))
    const lost = createObservationStore(database)
    const prepared = await Promise.all(
      bodies.map((body, nth) =>
        lost.prepare({
          observations: [
            observation({ rate: '151', effectiveMs: Date.parse(body.effective_from) }),
          ],
          idempotency: {
            ...{ accountId: account.id, key: `lost ${nth}`, nowMs: NOW_MS },
            bodyHash: createHash('sha256').update(JSON.stringify(body)).digest('hex'),
          },
        }),
      ),
    )
    const committed = await lost.commit(prepared.filter((one) => one.kind === 'prepared'))
    for (const [nth, body] of bodies.entries()) {
      const headers = { 'idempotency-key': `lost ${nth}` }
      const again = await replica.post(body, account.keys[0]!, headers)
      expect(again.status).toBe(201)
      expect(committed[nth]).toMatchObject({ value: { kind: 'recorded', ids: again.body.ids } })
    }
    const [count] = await database.sql`
      select count(*)::int as rows from observations where rate = 151`
    expect(count).toEqual({ rows: 5 })
  })
})

/** A row of one hour of the corridor that `brokenOff` holds up. */
const ugx = (more: object = {}) =>
  row({
    ...{ from: 'GBP', to: 'UGX' },
    effective_from: new Date(NOW_MS - 60_000 - ++rows).toISOString(),
    ...more,
  })

const offer = (i: number) => row({ to: 'ZAR', pay_in: ['cash'], amount_min: i + 1 })

async function untilAnswered(send: () => Promise<Reply>): Promise<Reply> {
  let reply = await send()
  await until('an answer', async () => {
    if (reply.status === 503) reply = await send()
    return reply.status !== 503
  })
  return reply
}
