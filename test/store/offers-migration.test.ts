import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { migrate } from '~/store/migrate.ts'
import { fillPlain, plainAnswers, withoutAdded } from '../contract/plain-answers.ts'
import { folderBefore } from '../support/migrations.ts'
import { emptyDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'

/** What the last version before offers answered, recorded from its own service. */
const BEFORE = join(import.meta.dir, '../contract/plain-answers.json')

test(
  'after 0011_offers a filled database answers as before, byte for byte but for added members',
  async () => {
    const database = await emptyDatabase()
    await migrate(database, await folderBefore('0011_offers'))
    // What fills it names the columns and logs its changes as today's version does.
    await database.sql`alter table providers add time_zone text`
    await database.sql`create function log_change(text, bigint[], timestamptz) returns bigint
      language sql as 'select 1::bigint'`
    await fillPlain(database)
    await database.sql`drop function log_change`
    await database.sql`alter table providers drop time_zone`
    expect(await migrate(database)).toBeGreaterThan(0)
    const before: Record<string, string> = JSON.parse(await readFile(BEFORE, 'utf8'))
    const after = await plainAnswers(database)
    expect(Object.keys(after)).toHaveLength(100)
    for (const [question, answer] of Object.entries(after))
      expect(withoutAdded(answer, before[question]!)).toBe(before[question]!)
    await database.close()
  },
  TEST_MS_MAX,
)
