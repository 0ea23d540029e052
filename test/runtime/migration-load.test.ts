import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { migrate } from '~/store/migrate.ts'
import { otherHandle, stockedDatabase } from '../store/samples.ts'
import { ROOT } from '../support/child.ts'
import { LOADED } from '../support/log.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'
import { addAccount, Replica } from './replica-scene.ts'

setDefaultTimeout(TEST_MS_MAX)

/** Changes that the next version may make to every table that this version uses. */
const ADDITIONS = [
  'alter table "observations" add column "later" text',
  'alter table "rollups" add column "later" integer default 0 not null',
  'alter table "usage" add column "later" integer',
  'alter table "keys" add column "later" text',
  'alter table "providers" add column "later" text',
  'alter table "idempotency" add column "later" text',
  'create table "later" ("id" integer primary key, "account_id" uuid references "accounts"("id"))',
  'create index "later_recorded" on "observations" ("recorded_at")',
]

let database: FreshDatabase
let replica: Replica
let key: string

beforeAll(async () => {
  database = await stockedDatabase()
  key = (await addAccount(database, { role: 'treasury' })).keys[0]!
  replica = await Replica.start(database, { settings: { QUOTA_ENTERPRISE: '1000000' } })
})
afterAll(async () => {
  await replica.service.stop()
  await database.close()
})

/** The current migrations, and another one. */
async function nextVersion(): Promise<string> {
  const folder = await scratchFolder()
  await cp(join(ROOT, 'drizzle'), folder, { recursive: true })
  const path = join(folder, 'meta', '_journal.json')
  const journal = JSON.parse(await readFile(path, 'utf8'))
  const { idx, when } = journal.entries.at(-1)
  const tag = 'next_version'
  journal.entries.push({ idx: idx + 1, version: '7', when: when + 1, tag, breakpoints: true })
  await writeFile(path, JSON.stringify(journal))
  await writeFile(join(folder, `${tag}.sql`), ADDITIONS.join(';--> statement-breakpoint\n'))
  return folder
}

test('a migration that only adds loses no request of the previous version, which keeps serving', async () => {
  const asks = [
    (n: number) => replica.get(`/rates/history?from=USD&to=KES&limit=${(n % 500) + 1}`, key),
    (n: number) => replica.get(`/time-series?from=USD&to=KES&period=${['1d', '7d'][n % 2]}`, key),
    () => replica.get('/rates?from=USD&to=KES', key),
    (n: number) => replica.post({ ...row, rate: n + 1 }, key, { 'idempotency-key': `batch-${n}` }),
  ]
  let isOver = false
  const statuses: number[] = []
  const clients = asks.map(async (ask) => {
    for (let n = 0; !isOver; n++) statuses.push((await ask(n)).status)
  })
  const untilAnswered = (count: number) => {
    const wanted = statuses.length + count
    return until(`${count} further answers`, async () => statuses.length > wanted)
  }
  await untilAnswered(20)
  const operator = otherHandle(database)
  expect(await migrate(operator, await nextVersion())).toBe(1)
  await untilAnswered(200)
  isOver = true
  await Promise.all(clients)
  expect(statuses.filter((status) => status !== 200 && status !== 201)).toEqual([])
  expect(replica.log.said).toEqual([LOADED])
  await operator.close()
})

const row = { provider_id: 'retail-a', from: 'USD', to: 'KES' }
