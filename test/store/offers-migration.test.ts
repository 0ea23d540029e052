import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { migrate } from '~/store/migrate.ts'
import { fillPlain, plainAnswers, withoutAdded } from '../contract/plain-answers.ts'
import { folderBefore } from '../support/migrations.ts'
import { emptyDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'

/** Responses of the last version before offers, recorded from its own service. */
const BEFORE = join(import.meta.dir, '../contract/plain-answers.json')

type Entry = { readonly send_amount?: number }
type Cost = { readonly fee_pct: number; readonly margin_pct: number }

/**
 * A response with costs whose shown parts add up, which they did not in that version, and with the
 * present wording of its note.
 */
function asOfNow(answer: string): string {
  const body = JSON.parse(answer.slice(4).replace('"Nobody quotes', '"No provider quotes'))
  const added = function (this: Entry, name: string, value: Cost | null) {
    if (name !== 'cost' || !value) return value
    const totalPct = Number((value.fee_pct + value.margin_pct).toFixed(6))
    const total = (totalPct / 100) * (this.send_amount ?? body.amount)
    return { ...value, total_pct: totalPct, total: Number(total.toPrecision(12)) }
  }
  return answer.slice(0, 4) + JSON.stringify(body, added)
}

test(
  'after 0011_offers a filled database serves the same bytes as before, except for added fields',
  async () => {
    const database = await emptyDatabase()
    await migrate(database, await folderBefore('0011_offers'))
    // The helper that fills it names the columns and logs its changes as today's version does.
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
      expect(withoutAdded(answer, before[question]!)).toBe(asOfNow(before[question]!))
    await database.close()
  },
  TEST_MS_MAX,
)
