import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ServiceError } from '~/domain/errors.ts'
import { connect } from '~/store/database.ts'
import { isFull, isOutage, orUnavailable } from '~/store/outage.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'

/** The first database of a test run waits for its server to be created. */
const START_MS_MAX = 30_000

let database: FreshDatabase

beforeAll(async () => {
  database = await freshDatabase()
}, START_MS_MAX)

afterAll(() => database.close())

const coded = (code: unknown): Error => Object.assign(new Error('x'), { code })

/** Error of the driver for a query at a changed address. */
async function failureAt(change: (url: URL) => void): Promise<unknown> {
  const url = new URL(database.url)
  change(url)
  const sql = connect(url.href, { connectionsMax: 1 })
  try {
    await sql`select 1`
  } catch (error) {
    return error
  } finally {
    await sql.end({ timeout: 0 })
  }
  throw new Error('the query went through')
}

describe('isFull', () => {
  test.each([
    [{ code: '53100', message: 'could not extend file "base/1/2"' }, true],
    [{ code: '58030', message: 'could not write to file: No space left on device' }, true],
    [{ code: '58030', message: 'could not write to file: Disk quota exceeded' }, true],
    [{ code: '53200', message: 'out of memory' }, false],
    [{ code: 'ECONNREFUSED', message: 'connect ECONNREFUSED' }, false],
  ])('%o: %p', (failure, expected) => {
    const error = Object.assign(new Error(failure.message), { code: failure.code })
    expect(isFull(error)).toBe(expected)
    expect(isFull(new Error('outer', { cause: error }))).toBe(expected)
  })
})

describe('isOutage', () => {
  test.each([
    [true, 'failure on connection marked as essential: 10.0.0.7:5432'],
    [
      true,
      'server closed the connection unexpectedly\n\tThis probably means the server terminated',
    ],
    [true, 'could not receive data from server: Connection reset by peer'],
    [true, 'SSL SYSCALL error: EOF detected'],
    [false, 'a bug'],
    [false, 'cache lookup failed: server closed the connection unexpectedly'],
  ])('is %p for a coordinator that reports in the middle of a transaction: %s', (isAway, words) => {
    expect(isOutage(Object.assign(new Error(words), { code: 'XX000' }))).toBe(isAway)
  })

  test('is true for an unused port, an unknown host or database, and a wrong password', async () => {
    const port = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    port.stop(true)
    const failures = await Promise.all([
      failureAt((url) => {
        url.port = String(port.port)
      }),
      failureAt((url) => {
        url.hostname = 'nowhere.invalid'
      }),
      failureAt((url) => {
        url.pathname = '/nothing'
      }),
      failureAt((url) => {
        Object.assign(url, { pathname: '/postgres', password: 'wrong' })
      }),
    ])
    expect(failures.map(isOutage)).toEqual([true, true, true, true])
  })

  test('is true for a connection that the server ends during a query', async () => {
    const sql = connect(database.url, { connectionsMax: 1 })
    const failure = await sql`select pg_terminate_backend(pg_backend_pid())`.catch((e) => e)
    expect(isOutage(failure)).toBe(true)
    await sql.end({ timeout: 0 })
    expect(isOutage(await sql`select 1`.catch((error) => error))).toBe(true)
  })

  test('is true for a read-only server', async () => {
    const failure = await database.sql
      .begin('read only', (tx) => tx`insert into currencies default values`)
      .catch((error) => error)
    expect(failure.code).toBe('25006')
    expect(isOutage(failure)).toBe(true)
  })

  test("is false for errors about rows, the statement or the database's own state", async () => {
    const { sql } = database
    const failures = await Promise.all([
      sql`select 1 / 0`.catch((error) => error),
      sql`select nothing`.catch((error) => error),
      sql`insert into currencies default values`.catch((error) => error),
      sql`select 'x'::int`.catch((error) => error),
    ])
    expect(failures.map(({ code }) => code)).toEqual(['22012', '42703', '23502', '22P02'])
    expect(failures.map(isOutage)).toEqual([false, false, false, false])
  })

  test.each(['08006', '53300', '53100', '57P01', '57P03', '58030', 'CONNECT_TIMEOUT', 'EPIPE'])(
    'is true for %s',
    (code) => {
      expect(isOutage(coded(code))).toBe(true)
    },
  )

  test.each(['57014', '40001', '40P01', '23505', '0A000', '00000', 'XX000', '', 53_300, null])(
    'is false for %p',
    (code) => {
      expect(isOutage(coded(code))).toBe(false)
    },
  )

  test('looks inside errors that wrap another, and ends even for a cycle', () => {
    const circle = new Error('x')
    circle.cause = circle
    expect(isOutage(new Error('x', { cause: coded('08006') }))).toBe(true)
    expect(isOutage(new AggregateError([coded('ECONNREFUSED')]))).toBe(true)
    expect(isOutage(circle)).toBe(false)
    expect([undefined, null, 'ECONNREFUSED', {}].map(isOutage)).toEqual(Array(4).fill(false))
  })
})

describe('orUnavailable', () => {
  const AWAY = 'the database is away; retry shortly'

  test('returns the result of the work, and passes on every other error unchanged', async () => {
    expect(await orUnavailable(Promise.resolve(7), AWAY)).toBe(7)
    const error = new Error('ours')
    expect(await orUnavailable(Promise.reject(error), AWAY).catch((caught) => caught)).toBe(error)
  })

  test('turns an outage into database_unavailable with its cause', async () => {
    const cause = coded('ECONNREFUSED')
    const error = await orUnavailable(Promise.reject(cause), AWAY).catch((caught) => caught)
    expect(error).toBeInstanceOf(ServiceError)
    expect([error.code, error.cause]).toEqual(['database_unavailable', cause])
    expect(error.message).toBe(AWAY)
  })
})
