import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '~/clock.ts'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { connect, type Sql } from '~/store/database.ts'
import { createLogStore } from '~/store/evidence/log-store.ts'
import { migrate } from '~/store/migrate.ts'
import { makeMonths } from '~/store/month/ahead.ts'
import { makeEarlierMonths } from '~/store/month/earlier.ts'
import { renewStatistics } from '~/store/month/statistics.ts'
import { createConnectionStore } from '~/store/portal/connection-store.ts'
import { requireRights, TABLE_RIGHTS } from '~/store/rights.ts'
import { Application, form, asked as toolsAsked } from '../portal/consent/application.ts'
import { PeopleWorld, pathOf } from '../portal/people-world.ts'
import { corridor, corridorProcess, documentOf } from '../support/command.ts'
import { emptyDatabase, type FreshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'
import { sealAll } from './evidence/scene.ts'
import { otherHandle } from './samples.ts'

const PAGE = join(import.meta.dir, '../../docs/operate.md')
const RIGHTS = join(import.meta.dir, '../../ops/compose/service-rights.sql')
const OWNER = 'corridor_owner'
const SERVICE = 'corridor_service'

let root: FreshDatabase
let service: FreshDatabase
let owner: Sql
let grants: string
let world: PeopleWorld
let folder: string

const urlOf = (user: string, password: string): string => {
  const url = new URL(root.url)
  url.username = user
  url.password = password
  return url.href
}

/** The SQL block of docs/operate.md below a first line with this beginning. */
async function documentedSql(mark: string): Promise<string> {
  const page = await readFile(PAGE, 'utf8')
  const block = new RegExp(`\`\`\`sql\\n(-- ${mark}[\\s\\S]*?)\`\`\``).exec(page)
  return block![1]!
}

beforeAll(async () => {
  root = await emptyDatabase()
  const { sql } = root
  await sql`create role ${sql(OWNER)} login password 'made-it'`
  await sql`alter database ${sql(new URL(root.url).pathname.slice(1))} owner to ${sql(OWNER)}`
  folder = await scratchFolder()
  const migrated = await corridorProcess(['migrate', '--json'], {
    databaseUrl: urlOf(OWNER, 'made-it'),
  })
  expect(documentOf(migrated).applied).toBeGreaterThan(4)
  owner = connect(urlOf(OWNER, 'made-it'), { connectionsMax: 1 })
  await sql.unsafe(await documentedSql('a user for the service'))
  grants = await readFile(RIGHTS, 'utf8')
  await owner.unsafe(grants)
  const url = urlOf(SERVICE, 'choose-another')
  service = { ...root, ...otherHandle({ ...root, url }), url }
  world = await PeopleWorld.on(service)
}, TEST_MS_MAX)

afterAll(async () => {
  await world.service.stop()
  await owner.end()
  const { sql } = root
  await sql.unsafe(`reassign owned by ${OWNER}, ${SERVICE} to current_user;
    drop owned by ${OWNER}, ${SERVICE}; drop role ${SERVICE}; drop role ${OWNER}`)
  await root.close()
})

const run = (...args: string[]) => corridor(args, service.url)

async function fileOf(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

const CATALOGUE = JSON.stringify({
  currencies: [
    { code: 'USD', name: 'US Dollar', type: 'source' },
    { code: 'KES', name: 'Kenyan Shilling', type: 'target' },
  ],
  providers: [{ id: 'wise', name: 'Wise' }],
})

const asked = async (path: string, key: string, init: RequestInit = {}) => {
  const headers = { 'x-api-key': key, 'content-type': 'application/json', ...init.headers }
  return fetch(`${world.origin}/api/v1${path}`, { ...init, headers })
}

describe('a role with the rights that docs/operate.md names', () => {
  test(
    'runs every command',
    async () => {
      const catalogue = await fileOf('catalogue.json', CATALOGUE)
      for (const _ of ['new', 'known'])
        expect(documentOf(await run('catalogue', 'apply', catalogue, '--json')).providers).toBe(1)
      const daysAgo = (days: number) => new Date(systemClock.now() - days * DAY_MS).toISOString()
      const quotes = await fileOf(
        'quotes.csv',
        'provider_id,from,to,rate,effective_from\n' +
          `wise,USD,KES,100,${daysAgo(501)}\nwise,USD,KES,101,${daysAgo(500)}\n` +
          `wise,USD,KES,129.5,${daysAgo(1)}\n`,
      )
      expect(documentOf(await run('observations', 'import', quotes, '--json')).inserted).toBe(3)
      const mids = await fileOf(
        'mids.csv',
        `fetched_at,source,currency,per_usd\n${daysAgo(1)},feed,KES,129.1\n`,
      )
      expect(documentOf(await run('reference', 'import', mids, '--json')).rates).toBe(1)
      for (const is_active of [false, true]) {
        const changed = JSON.parse(CATALOGUE)
        changed.providers[0].is_active = is_active
        const file = await fileOf('changed.json', JSON.stringify(changed))
        documentOf(await run('catalogue', 'apply', file, '--json'))
      }
      const changes = await service.sql`select is_active from provider_activity order by id`
      expect([...changes]).toEqual([{ is_active: false }, { is_active: true }])
      await service.sql`update rollups set samples = 7`
      expect(documentOf(await run('rollups', 'rebuild', '--json')).repaired).toBe(3)
      const prune = ['observations', 'prune', '--older-than', '1y', '--json']
      expect(documentOf(await run(...prune)).pruned).toBe(1)
      expect(documentOf(await run('rollups', 'verify', '--json')).differences).toBe(0)
      expect(documentOf(await run('account', 'list', '--json'))).toEqual([])
    },
    TEST_MS_MAX,
  )

  test('creates months of observations, and renews their statistics', async () => {
    expect(await makeMonths(service, systemClock.now() + 110 * DAY_MS)).toBeGreaterThan(0)
    expect(await makeEarlierMonths(service, systemClock.now() - 40 * DAY_MS)).toBeGreaterThan(0)
    expect(await renewStatistics(service, { anyway: true })).toBe(true)
  })

  test('serves: reads, records, counts, and receives the changes of others', async () => {
    const made = ['account', 'create', '--email', 'a@example.com', '--plan', 'enterprise']
    const account = documentOf(await run(...made, '--role', 'treasury', '--json'))
    const { key } = account
    await until('the key is known', async () => (await asked('/currencies', key)).status === 200)
    for (const path of [
      '/rates?from=USD&to=KES',
      '/rates/history?from=USD&to=KES&period=90d',
      '/time-series?from=USD&to=KES&interval=P1D&period=30d',
      '/historical?from=USD&to=KES&date=2026-01-01',
      '/change?from=USD&to=KES&period=7d',
      '/fetch-one?from=USD&to=KES',
    ])
      expect([path, (await asked(path, key)).status]).toEqual([path, 200])
    const body = JSON.stringify({ provider_id: 'wise', from: 'USD', to: 'KES', rate: 130 })
    for (const _ of ['first', 'again']) {
      const init = { method: 'POST', body, headers: { 'idempotency-key': 'one' } }
      expect((await asked('/rates', key, init)).status).toBe(201)
    }
    expect(await (await asked('/rates?from=USD&to=KES', key)).text()).toContain('130')
    await until('usage is written', async () => {
      const [row] = await root.sql`select sum(requests)::int as requests from usage`
      return row!.requests > 6
    })
    const other = ['key', 'create', '--account', account.account_id, '--name', 'n', '--json']
    const { key_id, key: second } = documentOf(await run(...other))
    await until('the key is known', async () => (await asked('/providers', second)).status === 200)
    documentOf(await run('key', 'revoke', key_id, '--json'))
    world.clock.advance(HOUR_MS)
    await until('its end is, too', async () => (await asked('/providers', second)).status === 401)
  })

  test('stores the methodology, and seals it', async () => {
    const log = createLogStore(service)
    await log.noteMethodology([{ name: '/methodology/9', row: { text: 'a' } }])
    await sealAll(service)
    const id = await log.lastChange('/methodology/9')
    expect(await log.indexOf('catalogue', id!)).toBeGreaterThanOrEqual(0)
  })

  test('signs people up, in and out, and lets an operator change them', async () => {
    const { visitor, key, email } = await world.member()
    expect(await world.asked(key!)).toBe(200)
    await visitor.submit('/developer', {}, '/sign-out')
    const { visitor: admin } = await world.admin()
    expect((await admin.get('/operator')).status).toBe(200)
    await world.visitor().submit('/forgotten', { email })
    await until('the email is sent', async () => world.linksTo(email).length > 1)
    expect((await visitor.get(pathOf(world.linksTo(email).at(-1)!))).status).toBe(200)
  })

  test('connects applications, ends connections and deletes the rest', async () => {
    const member = await world.member()
    const application = await Application.registered(world)
    const { access_token, refresh_token } = await application.tokens(member)
    expect((await toolsAsked(world, access_token)).status).toBe(200)
    const renewed = await application.renew(refresh_token)
    expect(renewed.status).toBe(200)
    const token = renewed.body.access_token as string
    const { clientId: client_id } = application
    expect((await form(world, '/oauth/revoke', { token, client_id })).status).toBe(200)
    expect((await toolsAsked(world, token)).status).toBe(401)
    await createConnectionStore(service, []).prune(world.clock.now() + 2 * DAY_MS)
    expect(await root.sql`select 1 from oauth_clients`).toHaveLength(0)
  })

  test('is refused everything that creates, changes or empties a table', async () => {
    for (const statement of [
      'create table mine (n int)',
      'create schema mine',
      'create function public.mine() returns int language sql as $$ select 1 $$',
      'alter table observations add column n int',
      'alter table observations disable trigger all',
      'drop trigger observations_append_only on observations',
      'drop table prunings',
      'create index mine on observations (rate)',
      'truncate observations',
      'truncate usage',
      'update observations set rate = 1',
      'delete from observations',
      `set corridor.pruning = 'on'; delete from observations`,
      'set session_replication_role = replica',
      'update reference_rates set per_usd = 1',
      'delete from reference_snapshots',
      'update audit_log set actor = null',
      'delete from prunings',
      'update provider_activity set is_active = true',
      'delete from currency_activity',
      'delete from accounts',
      'delete from keys',
      'delete from usage',
      'insert into drizzle.__drizzle_migrations (hash, created_at) values (1, 1)',
      `set role ${OWNER}`,
    ]) {
      const outcome = await service.sql.unsafe(statement).then(
        () => 'done',
        ({ message }: Error) => message,
      )
      expect([statement, outcome]).toEqual([
        statement,
        expect.stringMatching(/permission denied|must be owner/),
      ])
    }
  })

  test('has exactly the rights that the service needs, on every table', async () => {
    const rows = await service.sql<{ table: string; right: string }[]>`
      select schemaname || '.' || tablename as "table", "right"
      from pg_tables,
        unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[])
          with ordinality as rights("right", place)
      where schemaname in ('public', 'drizzle')
        and has_table_privilege(format('%I.%I', schemaname, tablename)::regclass, "right")
      order by 1, place`
    const found = Map.groupBy(rows, ({ table }) => table)
    const held = [...found].map(([table, own]) => [table, own.map(({ right }) => right)])
    expect(Object.fromEntries(held)).toEqual(TABLE_RIGHTS)
    const tables = await service.sql`
      select from pg_tables where schemaname in ('public', 'drizzle')`
    expect(tables).toHaveLength(Object.keys(TABLE_RIGHTS).length)
  })

  test('has every privilege that the start of a service checks', async () => {
    await requireRights(service.sql, { prunes: true })
    await requireRights(owner, { prunes: true })
  })

  test('learns at the start of a service which privileges are missing, and what to run', async () => {
    await owner.unsafe(`
      revoke all on portal_sessions, keys from ${SERVICE};
      revoke update, delete on rollups from ${SERVICE};
      revoke usage on schema drizzle from ${SERVICE};
      revoke execute on function prune_observations, drop_observation_month from ${SERVICE}`)
    const missing =
      'GRANT USAGE ON SCHEMA drizzle TO corridor_service; ' +
      'GRANT SELECT, INSERT, UPDATE ON public.keys TO corridor_service; ' +
      'GRANT SELECT, INSERT, UPDATE, DELETE ON public.portal_sessions TO corridor_service; ' +
      'GRANT UPDATE, DELETE ON public.rollups TO corridor_service'
    try {
      const settings = { databaseUrl: service.url, env: { PORT: '0', REFERENCE_FEED: 'none' } }
      const { status, stdout, said } = await corridorProcess(['serve'], settings)
      expect([status, stdout, JSON.parse(said.at(-1)!)]).toEqual([
        1,
        '',
        {
          level: 'error',
          time: expect.any(String),
          msg:
            'corridor ends: the database user corridor_service lacks privileges that the service needs; ' +
            `run as the user that owns the tables: ${missing}`,
        },
      ])
      const pruning = await requireRights(service.sql, { prunes: true }).catch((error) => error)
      expect(pruning.message).toEndWith(
        '; GRANT EXECUTE ON FUNCTION ' +
          'drop_observation_month(timestamp with time zone,timestamp with time zone), ' +
          'prune_observations(integer,timestamp with time zone,integer) TO corridor_service',
      )
      await owner.unsafe(missing)
      await requireRights(service.sql, { prunes: false })
    } finally {
      await owner.unsafe(grants)
    }
    await requireRights(service.sql, { prunes: true })
  })

  test('is refused a command with an error without statement or value', async () => {
    await owner.unsafe(`revoke select on accounts from ${SERVICE}`)
    try {
      const made = await run('account', 'create', '--email', 'secret@example.com')
      expect([made.status, made.stdout, made.said]).toEqual([
        1,
        '',
        [
          'corridor: permission denied for table accounts: the database user needs the GRANTs of ' +
            'docs/operate.md, after each migrate',
        ],
      ])
    } finally {
      await owner.unsafe(grants)
    }
  })

  test('finds the schema current, or else learns who must migrate', async () => {
    expect(await migrate(service)).toBe(0)
    await owner`delete from drizzle.__drizzle_migrations`
    await expect(migrate(service)).rejects.toThrow(
      'run `corridor migrate` as the user that owns the tables',
    )
  })
})
