import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Database } from '~/store/database.ts'
import { once } from '~/store/once.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { otherHandle } from './samples.ts'

const START_MS_MAX = 30_000

let database: FreshDatabase
let other: Database

beforeAll(async () => {
  database = await freshDatabase()
  other = otherHandle(database)
}, START_MS_MAX)
afterAll(async () => {
  await other.close()
  await database.close()
})

describe('once', () => {
  test('lets one of two processes work, and returns null to the other at once', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const begun = Promise.withResolvers<void>()
    const first = once(database, 'work', () => {
      begun.resolve()
      return promise
    })
    await begun.promise
    expect(await once(other, 'work', async () => 'again')).toBeNull()
    expect(await once(other, 'other work', async () => 'done')).toBe('done')
    resolve('done')
    expect(await first).toBe('done')
    expect(await once(other, 'work', async () => 'next')).toBe('next')
  })

  test('passes an error on and releases the turn', async () => {
    const fault = new Error('no')
    const failed = once(database, 'work', () => Promise.reject(fault))
    expect(await failed.catch((error) => error)).toBe(fault)
    expect(await once(other, 'work', async () => 'next')).toBe('next')
  })

  test('releases the turn of a process that dies', async () => {
    const begun = Promise.withResolvers<void>()
    const dead = once(database, 'work', () => {
      begun.resolve()
      return new Promise<never>(() => {})
    })
    void dead.catch(() => {})
    await begun.promise
    await database.sql`select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and pid <> pg_backend_pid()
        and database = (select oid from pg_database where datname = current_database())`
    await until('the turn', async () => (await once(other, 'work', async () => true)) === true)
  })
})
