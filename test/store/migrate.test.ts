import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '~/store/database.ts'
import { migrate } from '~/store/migrate.ts'
import { emptyDatabase, type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'
import { TEST_MS_MAX } from '../support/until.ts'

setDefaultTimeout(TEST_MS_MAX)

const undo: (() => Promise<unknown>)[] = []

afterAll(async () => {
  for (const step of undo.reverse()) await step()
})

async function empty(): Promise<FreshDatabase> {
  const database = await emptyDatabase()
  undo.push(() => database.close())
  return database
}

async function folderOf(statements: string[]): Promise<string> {
  const folder = await scratchFolder()
  await mkdir(join(folder, 'meta'))
  const entries = statements.map((_, idx) => ({
    idx,
    version: '7',
    when: 1000 + idx,
    tag: `000${idx}_step`,
    breakpoints: true,
  }))
  const journal = { version: '7', dialect: 'postgresql', entries }
  await writeFile(join(folder, 'meta', '_journal.json'), JSON.stringify(journal))
  for (const [idx, text] of statements.entries())
    await writeFile(join(folder, `000${idx}_step.sql`), text)
  return folder
}

describe('migrate', () => {
  test('applies each migration once and counts what it applied', async () => {
    const database = await empty()
    const folder = await folderOf(['CREATE TABLE a (n int)', 'CREATE TABLE b (n int)'])
    expect(await migrate(database, folder)).toBe(2)
    expect(await migrate(database, folder)).toBe(0)
    const longer = await folderOf(['SELECT 1', 'SELECT 1', 'CREATE TABLE c (n int)'])
    expect(await migrate(database, longer)).toBe(1)
    expect(await database.sql`SELECT * FROM a, b, c`).toHaveLength(0)
  })

  test('applies everything exactly once when called by five processes at once', async () => {
    const database = await empty()
    const folder = await folderOf([
      'CREATE TABLE a (n int)',
      'INSERT INTO a VALUES (1)--> statement-breakpoint\nSELECT pg_sleep(0.05)',
    ])
    const others = [1, 2, 3, 4].map(() => connect(database.url, { connectionsMax: 1 }))
    const counts = await Promise.all(
      [database.sql, ...others].map((sql) => migrate({ sql }, folder)),
    )
    for (const sql of others) await sql.end()
    expect(counts.sort()).toEqual([0, 0, 0, 0, 2])
    expect(await database.sql`SELECT n FROM a`).toHaveLength(1)
  })

  test('changes nothing when one of them fails, and says what failed', async () => {
    const database = await empty()
    const folder = await folderOf(['CREATE TABLE a (n int)', 'CREATE TABLE a (n int)'])
    await expect(migrate(database, folder)).rejects.toThrow(
      /nothing was changed.*"a" already exists/,
    )
    const [row] = await database.sql`SELECT to_regclass('a') AS name`
    expect(row?.name).toBeNull()
    expect(await migrate(database, await folderOf(['CREATE TABLE a (n int)']))).toBe(1)
  })

  test('leaves no connection and no lock behind', async () => {
    const database = await empty()
    await migrate(database, await folderOf(['CREATE TABLE a (n int)']))
    const rest = await database.sql`
      SELECT pid FROM pg_locks WHERE locktype = 'advisory'
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
    expect(rest).toHaveLength(0)
  })

  test('finds its own folder, wherever it is called from', async () => {
    const database = await empty()
    const cwd = process.cwd()
    process.chdir(tmpdir())
    try {
      expect(await migrate(database)).toBeGreaterThan(0)
    } finally {
      process.chdir(cwd)
    }
  })

  test('waits for a table in use in short turns, and lets others work in between', async () => {
    const database = await empty()
    await database.sql`CREATE TABLE a (n int)`
    const folder = await folderOf(['ALTER TABLE a ADD COLUMN m int'])
    const [busy, reader] = [1, 2].map(() => connect(database.url, { connectionsMax: 1 }))
    const released = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const holding = busy!.begin(async (tx) => {
      await tx`SELECT FROM a`
      held.resolve()
      await released.promise
    })
    await held.promise
    const migrated = migrate(database, folder)
    const waitsMs: number[] = []
    const longestMs = () => Math.max(0, ...waitsMs)
    for (let i = 0; i < 30 || longestMs() <= 100; i++) {
      const startMs = performance.now()
      await reader!`SELECT n FROM a`
      waitsMs.push(performance.now() - startMs)
      await Bun.sleep(100)
    }
    expect(longestMs()).toBeLessThan(2500)
    released.resolve()
    await holding
    expect(await migrated).toBe(1)
    await Promise.all([busy!.end(), reader!.end()])
  })
})

describe('freshDatabase', () => {
  test('is migrated already, separate from the others, and gone once closed', async () => {
    const one = await freshDatabase()
    const two = await freshDatabase()
    undo.push(() => two.close())
    expect(await migrate(one)).toBe(0)
    await one.sql`CREATE TABLE mine (n int)`
    expect((await two.sql`SELECT to_regclass('mine') AS name`)[0]?.name).toBeNull()
    await one.close()
    await one.close()
    const rest =
      await two.sql`SELECT 1 FROM pg_database WHERE datname = ${new URL(one.url).pathname.slice(1)}`
    expect(rest).toHaveLength(0)
  })
})
