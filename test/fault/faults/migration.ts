import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { migrate } from '~/store/migrate.ts'
import { type Fault, UNNOTICED } from '../fault.ts'
import { databaseAt } from '../template.ts'

const FOLDER = join(import.meta.dir, '../../../drizzle')
const TABLES = ['observations', 'rollups', 'currencies', 'providers', 'accounts', 'keys', 'usage']

/** Statements that the next release may run: another column on every table, and an index. */
const STATEMENTS = [
  ...[...TABLES, 'idempotency'].map(
    (table) => `ALTER TABLE ${table} ADD COLUMN next_release text;`,
  ),
  'CREATE INDEX next_release ON observations (recorded_at);',
]

/** The next release's migration runs twice at once, while the services of this release run. */
export const migration: Fault = {
  name: 'migration under load',
  rules: UNNOTICED,
  async play({ scene, must, last }) {
    const folder = await nextRelease(scene.folder)
    const databases = [1, 2].map(() => databaseAt(scene.template.serviceUrl(scene.server.port)))
    const applied = await Promise.all(databases.map((database) => migrate(database, folder)))
    await Promise.all(databases.map((database) => database.close()))
    must(applied.sort().join() === '0,1', `migrations applied: ${applied.join(' and ')}`)
    await last({ small: 1.5, full: 8 })
  },
}

async function nextRelease(folder: string): Promise<string> {
  const next = join(folder, 'drizzle')
  await cp(FOLDER, next, { recursive: true })
  const path = join(next, 'meta/_journal.json')
  const journal = JSON.parse(await readFile(path, 'utf8'))
  const last = journal.entries.at(-1)
  journal.entries.push({ ...last, idx: last.idx + 1, when: last.when + 1, tag: 'next_release' })
  await writeFile(path, JSON.stringify(journal))
  const breakpoint = '\n--> statement-breakpoint\n'
  await writeFile(join(next, 'next_release.sql'), STATEMENTS.join(breakpoint))
  return next
}
