import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { corridor, corridorWith, documentOf } from '../support/command.ts'
import { cleanUp, newDataDir } from '../support/embedded-process.ts'
import { emptyDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'
import { TEST_MS_MAX } from '../support/until.ts'

setDefaultTimeout(TEST_MS_MAX)

let folder: string
let file: string

beforeAll(async () => {
  folder = await scratchFolder()
  file = join(folder, 'quotes.csv')
  await writeFile(file, 'provider_id,from,to,rate\nwise,USD,KES,129\n')
})
afterAll(cleanUp, TEST_MS_MAX)

/** Commands that read, or change what must already exist. */
const commands = (): string[][] => [
  ['account', 'list'],
  ['account', 'update', 'a', '--plan', 'pro'],
  ['key', 'list', '--account', 'a'],
  ['key', 'create', '--account', 'a', '--name', 'n'],
  ['key', 'revoke', 'k'],
  ['observations', 'import', file],
  ['observations', 'import', file, '--skip-invalid'],
  ['observations', 'prune', '--older-than', '5y'],
  ['reference', 'status'],
  ['reference', 'fetch'],
  ['rollups', 'verify'],
  ['rollups', 'rebuild'],
  ['backup', join(folder, 'backup.gz')],
]

describe('without a database', () => {
  test('a command that reads, or changes what must exist, says where it looked and creates nothing', async () => {
    for (const args of commands()) {
      const dataDir = await newDataDir()
      const { status, stdout, said } = await corridorWith({ DATA_DIR: dataDir }, args)
      expect([args, status, stdout, said.length]).toEqual([args, 1, '', 1])
      expect(said[0]).toStartWith('corridor: there is no database: DATABASE_URL is not set')
      expect(said[0]).toContain(join(dataDir, 'postgres'))
      expect(existsSync(join(dataDir, '../..'))).toBe(false)
    }
    expect(await readdir(folder)).toEqual(['quotes.csv'])
  })

  test('a misspelt DATABASE_URL is named, and its value is not repeated', async () => {
    const env = { DATA_DIR: await newDataDir(), DATABSE_URL: 'postgres://me:se-cret@db/x' }
    const { said } = await corridorWith(env, ['account', 'list'])
    expect(said).toEqual([
      'warning: DATABSE_URL is not a setting: did you mean DATABASE_URL?',
      expect.stringContaining('there is no database'),
    ])
    expect(said.join()).not.toContain('se-cret')
  })

  test('a command that finds an empty DATA_DIR leaves it empty', async () => {
    const dataDir = await newDataDir()
    await mkdir(dataDir, { recursive: true })
    const { status } = await corridorWith({ DATA_DIR: dataDir }, ['account', 'list'])
    expect([status, await readdir(dataDir)]).toEqual([1, []])
  })

  test('a command that finds a PostgreSQL without our schema creates none', async () => {
    const database = await emptyDatabase()
    try {
      for (const args of commands()) {
        const { status, stdout, said } = await corridor(args, database.url)
        expect([args, status, stdout, said.length]).toEqual([args, 1, '', 1])
        expect(said[0]).toContain('there is no corridor schema in the database: PostgreSQL')
        expect(said[0]).not.toContain(new URL(database.url).password)
      }
      const made = await database.sql`
        select nspname from pg_namespace where nspname in ('drizzle')
        union all select relname from pg_class where relnamespace = 'public'::regnamespace`
      expect(made).toHaveLength(0)
    } finally {
      await database.close()
    }
  })

  test('a command that starts something creates a database, which the others then find', async () => {
    const env = { DATA_DIR: await newDataDir() }
    const made = await corridorWith(env, [
      'account',
      'create',
      '--email',
      'a@example.com',
      '--json',
    ])
    const { account_id } = documentOf(made)
    const listed = documentOf(await corridorWith(env, ['account', 'list', '--json']))
    expect(listed).toMatchObject([{ account_id, email: 'a@example.com' }])
  })
})
