import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect as dial, type Socket } from 'node:net'
import postgres from 'postgres'
import { ARRAY_TYPES, connect, poolOf, type Sql } from '~/store/database.ts'
import { isOutage } from '~/store/outage.ts'
import { ownConnection } from '~/store/own-connection.ts'
import { readPool, readPoolAt } from '~/store/read-pool.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const START_MS_MAX = 30_000

let database: FreshDatabase

beforeAll(async () => {
  database = await freshDatabase()
}, START_MS_MAX)
afterAll(() => database.close())

const failureOf = (query: PromiseLike<unknown>) =>
  Promise.resolve(query).then(
    () => null,
    (error: unknown) => error,
  )

/** A pool of one connection, and its sockets, which `meddle` may change first. */
function onSockets(meddle: (socket: Socket) => void = () => {}) {
  const { hostname, port } = new URL(database.url)
  const sockets: Socket[] = []
  const socket = () =>
    new Promise<Socket>((resolve) => {
      const made = dial(Number(port), hostname, () => resolve(made))
      if (sockets.length === 0) meddle(made)
      sockets.push(made)
    })
  const options = { max: 1, connect_timeout: 2, backoff: () => 0.05, socket }
  return { sql: postgres(database.url, options as object) as unknown as Sql, sockets }
}

/** Makes a socket run `other` when it would write certain words. */
const instead =
  (words: string, other: (socket: Socket, text: string) => string) => (one: Socket) => {
    const write = one.write.bind(one)
    one.write = ((bytes: Buffer, ...rest: []) => {
      const text = bytes.toString('latin1')
      return write(text.includes(words) ? Buffer.from(other(one, text), 'latin1') : bytes, ...rest)
    }) as Socket['write']
  }

test('a connection that closed between two writes is restored', async () => {
  const { sql, sockets } = onSockets()
  await sql`select 1`
  const lost = failureOf(sql`select 2`.execute())
  sockets[0]!.destroy()
  expect(isOutage(await lost)).toBe(true)
  expect([...(await sql`select 3 as three`)]).toEqual([{ three: 3 }])
  expect(sockets).toHaveLength(2)
  await sql.end()
})

test('a transaction whose connection is gone fails at its next statement', async () => {
  const { sql, sockets } = onSockets()
  const failed = await failureOf(
    sql.begin(async (tx) => {
      const closed = new Promise((resolve) => sockets[0]!.prependListener('close', resolve))
      sockets[0]!.destroy()
      await closed
      await tx`select 1`
    }),
  )
  expect(isOutage(failed)).toBe(true)
  expect([...(await sql`select 3 as three`)]).toEqual([{ three: 3 }])
  await sql.end()
})

test('a cursor fails if its connection is gone at the next fetch, and the connection is restored', async () => {
  const { sql, sockets } = onSockets()
  const read = sql`select generate_series(1, 9)`.cursor(1, async () => {
    const closed = new Promise((resolve) => sockets[0]!.prependListener('close', resolve))
    sockets[0]!.destroy()
    await closed
  })
  expect(isOutage(await failureOf(read))).toBe(true)
  expect([...(await sql`select 3 as three`)]).toEqual([{ three: 3 }])
  await sql.end()
})

test('a connection that breaks while it loads the array types fails its query', async () => {
  const meddle = instead('typcategory', (socket) => {
    socket.destroy()
    return ''
  })
  const { sql, sockets } = onSockets(meddle)
  expect(isOutage(await failureOf(sql`select 1`))).toBe(true)
  expect([...(await sql`select ${[1, 2]}::int[] as list`)]).toEqual([{ list: [1, 2] }])
  expect(sockets).toHaveLength(2)
  await sql.end()
})

test('a connection that could not load the array types is replaced', async () => {
  const meddle = instead('typcategory', (_, text) => text.replace('typelem', 'unknown'))
  const { sql, sockets } = onSockets(meddle)
  expect(await failureOf(sql`select 1`)).toMatchObject({ code: '42703' })
  const list = () => sql`select ${[1, 2]}::int[] as list`
  await until('a connection with types', async () => (await failureOf(list())) === null)
  expect([...(await list())]).toEqual([{ list: [1, 2] }])
  expect(sockets).toHaveLength(2)
  await sql.end()
})

test('a connection of ours knows the types of arrays and asks for nothing, reserved or not', async () => {
  const asked: string[] = []
  const onQuery = (text: string) => void asked.push(text)
  const sql = connect(database.url, { connectionsMax: 1, onQuery })
  const list = (by: Pick<Sql, 'unsafe'>) =>
    by.unsafe('select $1::uuid[] as list', [['a'.repeat(32)]])
  const reserved = await sql.reserve()
  const [row] = await list(reserved)
  reserved.release()
  expect(row!.list).toEqual(['aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa'])
  const own = ownConnection(sql)
  expect([...(await list(own))]).toEqual([row!])
  expect(asked.filter((text) => !text.includes('jit'))).toEqual(['select $1::uuid[] as list'])
  await own.end()
  const [{ strays }] = (await sql`
    select count(*)::int as strays
    from pg_type full join unnest(
      ${ARRAY_TYPES.filter((_, n) => n % 2 === 0)}::oid[],
      ${ARRAY_TYPES.filter((_, n) => n % 2 === 1)}::oid[]
    ) known (oid, typarray) using (oid, typarray)
    where coalesce(oid < 16384 and typarray > 0 and typtype = 'b', true)
      and (typname is null or known is null)`) as [{ strays: number }]
  expect(strays).toBe(0)
  await sql.end()
})

test('a pool reports how its connections are used, and how many queries wait', async () => {
  const sql = connect(database.url, { connectionsMax: 1 })
  expect(poolOf(sql)).toEqual({ size: 1, idle: 0, used: 0, connecting: 0, waiting: 0 })
  await sql`select 1`
  expect(poolOf(sql)).toMatchObject({ idle: 1, used: 0 })
  await sql.begin(async (tx) => {
    const waiting = sql`select 2`.execute()
    await tx`select 1`
    expect(poolOf(sql)).toMatchObject({ idle: 0, used: 1, waiting: 1 })
    return [waiting]
  })
  await sql.end()
})

test('a pool uses the connection that was used last', async () => {
  const sql = connect(database.url, { connectionsMax: 3 })
  const backend = async (by: Pick<Sql, 'unsafe'> = sql) => {
    const [row] = await by.unsafe('select pg_backend_pid() as pid')
    return row!.pid as number
  }
  const opened = await Promise.all([1, 2, 3].map(() => sql.reserve()))
  for (const one of opened) one.release()
  expect(poolOf(sql)).toMatchObject({ idle: 3 })
  const last = await backend()
  for (let i = 0; i < 3; i++) expect(await backend()).toBe(last)
  const reserved = await sql.reserve()
  expect(await backend(reserved)).toBe(last)
  const other = await backend()
  expect(other).not.toBe(last)
  expect(await backend()).toBe(other)
  reserved.release()
  await sql.end()
})

test('a pool starts each connection with its session settings', async () => {
  const pool = readPool(database, { connectionsMax: 1, statementMsMax: 1000 })
  const setting = async () => {
    const [row] = await pool.sql`
      select current_setting('plan_cache_mode') as mode, pg_backend_pid() as pid`
    return row!
  }
  const first = await setting()
  expect(first.mode).toBe('force_generic_plan')
  await database.sql`select pg_terminate_backend(${first.pid})`
  await until(
    'a new connection',
    async () => (await setting().catch(() => first)).pid !== first.pid,
  )
  expect((await setting()).mode).toBe('force_generic_plan')
  await pool.close()
})

const LIMITS = { connectionsMax: 1, statementMsMax: 10_000 }

const POOLS: [string, () => Sql][] = [
  ['the pool that records', () => connect(database.url, { connectionsMax: 1 })],
  ['the pool of the past', () => readPool(database, LIMITS).sql],
  ['the pool of a read replica', () => readPoolAt(database.url, LIMITS).sql],
  ['a connection of its own', () => ownConnection(database.sql)],
]

test.each(POOLS)('%s has no statement compiled, whatever the server does', async (_, open) => {
  const name = new URL(database.url).pathname.slice(1)
  await database.sql`alter database ${database.sql(name)} set jit = on`
  const sql = open()
  expect([...(await sql`show jit`)]).toEqual([{ jit: 'off' }])
  await sql.end({ timeout: 1 })
})

test.each(POOLS)(
  '%s does not fail a query with the error that ended the last connection',
  async (_, open) => {
    const sql = open()
    const sleep = failureOf(sql`select pg_sleep(60) as ended`.execute())
    await until('the end of the one that sleeps', async () => {
      const ended = await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where query like '%as ended%' and state = 'active' and pid <> pg_backend_pid()`
      return ended.length > 0
    })
    expect(isOutage(await sleep)).toBe(true)
    expect([...(await sql`select 3 as three`)]).toEqual([{ three: 3 }])
    await sql.end({ timeout: 1 })
  },
)

test('a query between the error of a connection and its close gets a result or an error', async () => {
  const { sql, sockets } = onSockets()
  await sql`select 1`
  const next = failureOf(sql`select pg_sleep(60)`).then((lost) => {
    expect(isOutage(lost)).toBe(true)
    return failureOf(sql`select 2`)
  })
  await until('the sleep is sent', async () => sockets[0]!.bytesWritten > 0)
  sockets[0]!.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))
  expect(isOutage(await next)).toBe(true)
  expect([...(await sql`select 3 as three`)]).toEqual([{ three: 3 }])
  expect(sockets).toHaveLength(2)
  await sql.end()
}, 5000)
