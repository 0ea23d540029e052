import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { addersFor } from '~/command/commands.ts'
import { connect, type Sql } from '~/store/database.ts'
import { requireRights } from '~/store/rights.ts'
import { type FeedUpstream, feedUpstreams, well } from '../runtime/feed-scene.ts'
import { type Replay, startReplay } from '../source/replay.ts'
import { ROOT } from '../support/child.ts'
import { corridor, corridorWith, documentOf } from '../support/command.ts'
import { emptyDatabase, type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'
import { endServed, serve } from '../support/serve-child.ts'
import { TEST_MS_MAX } from '../support/until.ts'

setDefaultTimeout(TEST_MS_MAX)

const RIGHTS = join(ROOT, 'ops/compose/service-rights.sql')
/** Users belong to the whole server, which other files use at the same time. */
const SERVICE = `service_${process.pid}`
const OWNER = `owner_${process.pid}`
const USERS = [OWNER, SERVICE]

let databases: FreshDatabase[]
let folder: string
let grants: string
let feed: FeedUpstream
let replay: Replay

const urlOf = (database: FreshDatabase, user: string) => {
  const url = new URL(database.url)
  url.username = user
  url.password = 'made-it'
  return url.href
}

/** A database of the owner, in which the other user has only the rights that the file grants. */
async function grantedDatabase(): Promise<FreshDatabase> {
  const database = await emptyDatabase()
  databases.push(database)
  const name = new URL(database.url).pathname.slice(1)
  await database.sql.unsafe(`alter database ${name} owner to ${OWNER}`)
  documentOf(await corridor(['migrate', '--json'], urlOf(database, OWNER)))
  await asOwner(database, (sql) => sql.unsafe(grants))
  return database
}

async function asOwner(database: FreshDatabase, work: (sql: Sql) => Promise<unknown>) {
  const sql = connect(urlOf(database, OWNER), { connectionsMax: 1 })
  await work(sql)
  await sql.end()
}

beforeAll(async () => {
  databases = [await freshDatabase()]
  const [{ sql }] = databases as [FreshDatabase]
  for (const user of USERS) await sql.unsafe(`create role ${user} login password 'made-it'`)
  grants = (await readFile(RIGHTS, 'utf8')).replaceAll('corridor_service', SERVICE)
  folder = await scratchFolder()
  feed = (await feedUpstreams(['open-er-api']))[0]!
  well({ ...feed, body: feed.body.replace('1722211352', String(Math.floor(Date.now() / 1000))) })
  replay = await startReplay()
})

afterAll(async () => {
  await endServed()
  feed.upstream.stop()
  replay.stop()
  for (const { sql } of databases)
    await sql.unsafe(`reassign owned by ${USERS} to current_user; drop owned by ${USERS}`)
  for (const user of USERS) await databases[0]!.sql.unsafe(`drop role ${user}`)
  for (const database of databases) await database.close()
})

/** The names of all commands in the help except for groups. */
async function commandNames(): Promise<string[]> {
  const program = new Command('corridor')
  for (const add of await addersFor(undefined)) add(program, TERMINAL)
  const isHidden = (command: Command) => (command as unknown as { _hidden: boolean })._hidden
  const named = (command: Command, before: readonly string[]): string[] => {
    const path = [...before, command.name()]
    const below = command.commands.flatMap((one) => named(one, path))
    return below.length > 0 && command.registeredArguments.length === 0
      ? below
      : [path.join(' '), ...below]
  }
  return program.commands.filter((one) => !isHidden(one)).flatMap((one) => named(one, []))
}

const TERMINAL = { env: {}, isTerminal: false, print: () => {}, say: () => {} }

type Known = Readonly<Record<string, string>>

/** Arguments of each command, after those before it have run; a sentence if it must fail. */
const CALLS: Readonly<Record<string, (known: Known) => [args: string[], refusal?: string]>> = {
  migrate: () => [[]],
  distribute: () => [['--dry-run'], 'has no extension citus'],
  'catalogue starter': () => [[]],
  'catalogue apply': ({ catalogue }) => [[catalogue!]],
  'account create': () => [['--email', 'a@example.org']],
  'account update': ({ account }) => [[account!, '--plan', 'pro', '--role', 'treasury']],
  'account reset-second-factor': ({ account }) => [[account!]],
  'account list': () => [[]],
  'key create': ({ account }) => [['--account', account!, '--name', 'n']],
  'key list': ({ account }) => [['--account', account!]],
  'key revoke': ({ key }) => [[key!]],
  'observations import': ({ quotes }) => [[quotes!, '--months']],
  'observations archive': () => [['--older-than', '1y']],
  'observations prune': () => [['--older-than', '1y']],
  'rollups verify': () => [[]],
  'rollups rebuild': () => [[]],
  'reference import': ({ mids }) => [[mids!]],
  'reference fetch': () => [[]],
  'reference status': () => [[]],
  'connectors run': () => [['prices']],
  'connectors status': () => [[]],
  'sources list': () => [[]],
  'sources fetch': () => [['cbk']],
  'sources status': () => [[]],
  'log init': () => [['--origin', 'rates.example']],
  'log key': () => [[]],
  'log verify': () => [[]],
  backup: ({ backup }) => [[backup!]],
  'backup verify': ({ backup }) => [[backup!]],
  restore: ({ backup }) => [[backup!], 'restore as the user that owns the tables'],
}
/** Commands that use no database, or one of their own; and `serve`, which has a test of its own. */
const WITHOUT = [
  ...['serve', 'demo', 'mcp', 'reference replay'],
  ...['connectors list', 'connectors check', 'connectors schema'],
]

const AGO_MS = 500 * 86_400_000
/** Age of a file that a connector accepts: a younger one may still be incomplete. */
const WRITTEN_AGO_MS = 3_600_000

async function files(): Promise<Known> {
  const at = new Date(Date.now() - AGO_MS).toISOString()
  const texts = {
    catalogue: JSON.stringify({
      currencies: [{ code: 'USD', name: 'US Dollar', type: 'both', is_active: true }],
      providers: [{ id: 'ours', name: 'Ours' }],
    }),
    quotes: `provider_id,from,to,rate,effective_from\nours,USD,KES,100,${at}\n`,
    'prices.yaml':
      'name: prices\nprovider: ours\nfrom: { url: "file:quotes" }\nformat: csv\n' +
      'row: { from: from, to: to, rate: rate }\nterms: ours\n',
    mids: `fetched_at,source,currency,per_usd\n${at},feed,KES,100\n`,
  }
  const known: Record<string, string> = { backup: join(folder, 'made.backup') }
  for (const [name, text] of Object.entries(texts)) {
    known[name] = join(folder, name)
    await writeFile(known[name]!, text)
    await utimes(known[name]!, new Date(), new Date(Date.now() - WRITTEN_AGO_MS))
  }
  return known
}

/** Gives an account a person who can sign in to it. */
const letSignIn = (database: FreshDatabase, account: string) => database.sql`
  insert into portal_users (id, name, email, email_verified, created_at, updated_at, account_id)
  values ('person', 'Person', 'a@example.org', true, now(), now(), ${account})`

describe('a user with the rights of ops/compose/service-rights.sql', () => {
  test('runs every command, except for the one that fills an empty database', async () => {
    const names = await commandNames()
    expect([...Object.keys(CALLS), ...WITHOUT].sort()).toEqual(names.sort())
    const used = await grantedDatabase()
    const empty = await grantedDatabase()
    let known = await files()
    for (const [name, call] of Object.entries(CALLS)) {
      const [args, refusal] = call(known)
      const env = {
        DATABASE_URL: urlOf(name === 'restore' ? empty : used, SERVICE),
        REFERENCE_FEED: 'open-er-api',
        REFERENCE_MIN_SHARE: '1%',
        REFERENCE_FEED_URL: feed.upstream.origin,
        QUOTE_SOURCES_VIA: replay.via,
        CONNECTORS: folder,
      }
      const run = await corridorWith(env, [...name.split(' '), ...args, '--json'])
      if (refusal)
        expect([name, run.status, run.said.at(-1)]).toEqual([
          name,
          1,
          expect.stringContaining(refusal),
        ])
      else {
        expect([name, run.status, run.said]).toEqual([name, 0, expect.any(Array)])
        if (name === 'account create') {
          known = { ...known, account: documentOf(run).account_id }
          await letSignIn(used, known.account!)
        }
        if (name === 'key create') known = { ...known, key: documentOf(run).key_id }
      }
    }
  })

  test('serves', async () => {
    const database = await grantedDatabase()
    const { url, child } = await serve({
      DATABASE_URL: urlOf(database, SERVICE),
      RETENTION_YEARS: '1',
    })
    expect((await fetch(new URL('/readyz', url))).status).toBe(200)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  })

  test('gets the names of missing rights at the start if everyone else lost theirs too', async () => {
    const database = await grantedDatabase()
    const name = new URL(database.url).pathname.slice(1)
    await database.sql.unsafe(`
      revoke temporary on database ${name} from public;
      revoke execute on all functions in schema public from public`)
    const service = connect(urlOf(database, SERVICE), { connectionsMax: 1 })
    const lacking = await requireRights(service, { prunes: false }).catch(({ message }) => message)
    expect(lacking).toContain(`GRANT TEMPORARY ON DATABASE ${name} TO ${SERVICE}`)
    expect(lacking).toContain('observation_months()')
    expect(lacking).not.toContain('add_observation_months')
    await asOwner(database, (sql) => sql.unsafe(lacking.replace(/^.*?tables: /, '')))
    await requireRights(service, { prunes: true })
    await service.end()
  })
})
