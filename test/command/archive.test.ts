import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createRetentionStore } from '~/store/past/retention-store.ts'
import { archive, fill, rowsIn } from '../store/archive/world.ts'
import { stockedDatabase } from '../store/samples.ts'
import { corridor, documentOf } from '../support/command.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'

let database: FreshDatabase

beforeAll(async () => {
  database = await stockedDatabase()
  await fill(database, { rows: 400, seed: 3 })
}, TEST_MS_MAX)
afterAll(() => database.close())

const run = (...args: string[]) => corridor(['observations', 'archive', ...args], database.url)

describe('observations archive', () => {
  test('refuses an invalid age', async () => {
    for (const age of ['0m', '5', '101y', '-1y', '1.5y', '6d']) {
      const { status, said } = await run('--older-than', age)
      expect([age, status]).toEqual([age, 2])
      expect(said.join()).toContain('1m to 1200m')
    }
    expect((await run()).status).toBe(2)
  })

  test('with --dry-run counts months and rows, and moves none', async () => {
    const before = await rowsIn(database)
    const counted = documentOf(await run('--older-than', '1m', '--dry-run', '--json'))
    expect(counted).toEqual({ months: expect.any(Number), rows: before.rows })
    expect(await rowsIn(database)).toEqual(before)
    const { stdout } = await run('--older-than', '90y', '--dry-run')
    expect(stdout).toBe('whole months of that age: 0, with 0 observations as rows\n')
  })

  test('has nothing to do if no month is that old', async () => {
    const { stdout, status } = await run('--older-than', '90y')
    expect([status, stdout]).toEqual([0, '0 observations archived; whole months of that age: 0\n'])
  })

  test('fails while another process archives or prunes', async () => {
    const both = [
      ['--older-than', '1m'],
      ['--older-than', '1m', '--undo'],
    ]
    for (const args of both) {
      const { status, said } = (await createRetentionStore(database).once(() => run(...args)))!
      expect(status).toBe(1)
      expect(said.at(-1)).toContain('another process is archiving or pruning')
    }
  })

  test('archives again at once what was announced before, and with --undo restores it', async () => {
    const before = await rowsIn(database)
    const first = (await archive(database, Date.now()))!
    await database.sql`update archived_months set announced_at = announced_at - interval '1 minute'`
    const { observations, unsealed } = documentOf(await run('--older-than', '1m', '--json'))
    expect([observations, unsealed]).toEqual([0, 0])
    expect(first.observations).toBeGreaterThan(100)
    const undone = documentOf(await run('--older-than', '1m', '--undo', '--json'))
    expect(undone).toEqual({ restored: first.observations })
    expect(await rowsIn(database)).toEqual(before)
  })

  test('says what to do if the disk is full', async () => {
    await archive(database, Date.now())
    await createRetentionStore(database).unarchive(Date.UTC(2025, 9))
    await database.sql.unsafe(`
      create function no_room() returns trigger language plpgsql as $$
      begin
        raise exception 'could not extend file' using errcode = '53100';
      end $$;
      create trigger no_room before insert on observations
        for each row execute function no_room()`)
    const { status, said } = await run('--older-than', '1m', '--undo')
    expect(status).toBe(1)
    expect(said.at(-1)).toContain("the database's disk is full")
    expect((await rowsIn(database)).archived).toBeGreaterThan(50)
  })
})
