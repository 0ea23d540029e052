import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DAY_MS } from '~/domain/duration.ts'
import { makeMonths } from '~/store/month/ahead.ts'
import { isFull } from '~/store/outage.ts'
import { createStorageStore } from '~/store/storage/storage-store.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX } from '../../support/until.ts'
import { NOW_MS, otherHandle } from '../samples.ts'

let database: FreshDatabase

beforeAll(async () => {
  database = await freshDatabase()
}, TEST_MS_MAX)
afterAll(() => database.close())

const figuresOf = (of: Parameters<typeof createStorageStore>[0]) =>
  createStorageStore(of).figures(NOW_MS)

describe('the metrics of the storage', () => {
  test('have the bytes of the database and of its disk, and the end of the months', async () => {
    const aheadMs = Date.now() + 70 * DAY_MS
    await makeMonths(database, aheadMs)
    const { databaseBytes, disk, monthsUntilMs } = await figuresOf(database)
    expect(databaseBytes).toBeGreaterThan(1_000_000)
    expect(disk!.all).toBeGreaterThan(disk!.free)
    expect(disk!.free).toBeGreaterThan(0)
    expect(monthsUntilMs).toBeGreaterThan(aheadMs)
  })

  test('have the last backup that was recorded, in any order, but none to come', async () => {
    const store = createStorageStore(database)
    expect((await figuresOf(database)).lastBackupMs).toBeNull()
    for (const atMs of [2000, 1000, NOW_MS + 1])
      await store.noteBackup({ atMs, place: 'a', rows: 1 })
    expect((await figuresOf(database)).lastBackupMs).toBe(2000)
  })

  test('omit the disk for a user who may not query it', async () => {
    const user = `reader_${process.pid}`
    await database.sql.unsafe(`create role ${user} login password 'made-it'`)
    await database.sql.unsafe(`grant select on backups to ${user}`)
    const url = new URL(database.url)
    url.username = user
    url.password = 'made-it'
    const reader = otherHandle({ ...database, url: url.href })
    const { disk, databaseBytes } = await figuresOf(reader)
    expect([disk, databaseBytes > 0]).toEqual([null, true])
    await reader.close()
    await database.sql.unsafe(`drop owned by ${user}; drop role ${user}`)
  })
})

describe('the write check of the disk', () => {
  test('writes to the disk, and leaves nothing', async () => {
    await createStorageStore(database).writeBriefly()
    const name = new URL(database.url).pathname.slice(1)
    await database.sql.unsafe(`alter database ${name} set temp_file_limit = '1MB'`)
    const bounded = otherHandle(database)
    const failed = await createStorageStore(bounded)
      .writeBriefly()
      .catch((error) => error)
    expect(failed.message).toContain('temporary file size exceeds')
    expect(isFull(failed)).toBe(false)
    await bounded.close()
  })
})
