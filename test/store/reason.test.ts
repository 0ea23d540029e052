import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { DrizzleQueryError } from 'drizzle-orm/errors'
import { connect } from '~/store/database.ts'
import { reasonOf } from '~/store/reason.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'

const SECRET = 'secret-7f'

let database: FreshDatabase

beforeAll(async () => {
  database = await freshDatabase()
  await database.sql`insert into accounts (id, email, plan, role)
    values (${crypto.randomUUID()}, ${SECRET}, 'free', 'member')`
}, TEST_MS_MAX)
afterAll(() => database.close())

/** The reasons of one failure, through drizzle and directly from the driver. */
async function reasons(statement: string): Promise<string> {
  const reason = (work: PromiseLike<unknown>) => work.then(() => 'none', reasonOf)
  const direct = await reason(database.sql.unsafe(statement))
  const wrapped = await reason(database.db.execute(sql.raw(statement)))
  expect(wrapped).toBe(direct)
  return direct
}

describe('reasonOf', () => {
  test.each([
    [
      'a table that is missing',
      `select '${SECRET}' from nowhere`,
      'relation "nowhere" does not exist: this version works with another schema; ' +
        'run corridor migrate',
    ],
    [
      'a value that is there already',
      `insert into accounts (id, email, plan, role) select gen_random_uuid(), '${SECRET}',
        'free', 'member'`,
      'the database says: duplicate key value violates unique constraint "accounts_email" (23505)',
    ],
    [
      'a value that does not fit',
      `select '${SECRET}'::uuid`,
      'the database refused a value or a statement (22P02)',
    ],
    ['nonsense', `selec ${SECRET}`, 'the database refused a value or a statement (42601)'],
    [
      'what the schema refuses',
      'delete from audit_log',
      'the database says: audit_log is append-only: record a newer row instead of changing an ' +
        'old one (23001)',
    ],
  ])('of %s has no statement and no values', async (_what, statement, reason) => {
    const said = await reasons(statement)
    expect(said).toBe(reason)
    expect(said).not.toContain(SECRET)
    expect(said).not.toMatch(/query|params|\n/)
  })

  test("is the connection's if the server is unreachable", async () => {
    const away = Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' })
    expect(reasonOf(new DrizzleQueryError('select 1', [SECRET], away))).toBe(away.message)
  })

  test('is the message of our own error, in one line', () => {
    expect(reasonOf(new Error('do this\n  or that'))).toBe('do this or that')
  })

  test('is never a statement, whatever cause is missing', () => {
    for (const bare of [new DrizzleQueryError('select 1', [SECRET]), undefined, 'text'])
      expect(reasonOf(bare)).toBe('the database failed without a reason')
  })

  test('a connection that is gone is named as such, with what to do', async () => {
    const gone = connect(database.url)
    await gone.end()
    const reason = await gone`select 1`.then(() => 'none', reasonOf)
    expect(reason).toContain('the connection to the database was lost (write CONNECTION_ENDED')
    expect(reason).toContain('repeat the command')
    expect(reasonOf(new Error('read ECONNRESET'))).toContain('was lost (read ECONNRESET)')
  })
})
