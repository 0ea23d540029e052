import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createFeedStateStore } from '~/store/feed-state-store.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { versionOf } from '~/store/schema-version.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { PeopleWorld } from '../../portal/people-world.ts'
import { addAccount } from '../../runtime/replica-scene.ts'
import { inArrays, observation, otherHandle, stockedDatabase } from '../../store/samples.ts'
import { currency, PROVIDERS, provider } from '../../support/catalogue.ts'
import { corridor, documentOf } from '../../support/command.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { scratchFolder } from '../../support/scratch.ts'
import { TEST_MS_MAX, until } from '../../support/until.ts'

const NOTES = 'a\tb\\c\n\\.\n"d"\r\u2028\u{1f600}'

let origin: FreshDatabase
let world: PeopleWorld
let folder: string
let file: string
let key: string

beforeAll(async () => {
  folder = await scratchFolder()
  file = join(folder, 'corridor.backup')
  origin = await stockedDatabase()
  const nowMs = Date.now()
  const rows = Array.from({ length: 300 }, (_, i) => {
    const { id, rateType } = PROVIDERS[i % PROVIDERS.length]!
    const rate = String(100 + (i % 11))
    return observation({ providerId: id, rateType, rate, effectiveMs: nowMs - i * 3_600_000 })
  })
  await importObservations({ database: origin, rows: inArrays(rows, 50) })
  const named = observation({ notes: NOTES, rate: '129.123456789012345678', effectiveMs: nowMs })
  await importObservations({ database: origin, rows: inArrays([named]) })
  for (const isActive of [false, true, false])
    await createCatalogueStore(origin).apply({
      currencies: [currency('ZAR', { sortOrder: 7, isActive: !isActive })],
      providers: [provider('p2p-b', { rateType: 'p2p', isActive })],
    })
  await createFeedStateStore(origin).save({ runs: 1 } as never)
  ;[key] = (await addAccount(origin, { role: 'treasury' })).keys as [string]
  world = await PeopleWorld.on({ ...origin, ...otherHandle(origin) })
  await withdrawOne()
  const bound = await addAccount(origin, { role: 'treasury' })
  await createAccountStore(origin).update(bound.id, { providers: ['p2p-a', 'retail-a'] })
}, TEST_MS_MAX)
afterAll(async () => {
  await world.service.stop()
  await origin.close()
})

/** Records two rows through the API, and withdraws the newer one. */
async function withdrawOne(): Promise<void> {
  const row = { provider_id: 'retail-a', from: 'GBP', to: 'KES', effective_from: OLD, rate: 170 }
  const { ids } = await sent('/rates', [row, { ...row, rate: 1.7 }])
  const wish = { observations: [ids[1]], reason: 'a decimal point too many' }
  expect(await sent('/rates/withdrawals', wish)).toMatchObject({ withdrawn: [ids[1]] })
}

async function sent(path: string, body: object) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  return (await fetch(`${world.origin}/api/v1${path}`, init)).json()
}

const OLD = new Date(Date.now() - 2 * 86_400_000).toISOString()
const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)

const READS = [
  '/rates?from=USD&to=KES',
  '/convert?from=USD&to=KES&amount=100',
  '/currencies',
  '/corridors',
  '/providers',
  '/rates/provider?provider=retail-a',
  '/rates/history?from=USD&to=KES&period=30d&limit=100',
  '/rates/history?from=GBP&to=KES&period=30d&withdrawn=true',
  '/time-series?from=USD&to=KES&interval=PT1H&period=7d',
  `/historical?from=USD&to=KES&date=${YESTERDAY}`,
  '/change?from=USD&to=KES&period=7d',
]

/** The responses of a service to a fixed set of requests, without their timestamps. */
async function answersOf(service: PeopleWorld): Promise<string[]> {
  const texts: string[] = []
  for (const path of READS) {
    const reply = await fetch(`${service.origin}/api/v1${path}`, { headers: { 'x-api-key': key } })
    expect([path, reply.status]).toEqual([path, 200])
    texts.push((await reply.text()).replace(/"timestamp":"[^"]*"/, ''))
  }
  return texts
}

async function tableTexts({ sql }: FreshDatabase) {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' order by 1`
  const texts: Record<string, unknown> = {}
  for (const { name } of tables.filter(({ name }) => isSteady(name)))
    texts[name] = await sql`select t::text from ${sql(name)} t order by 1`.values()
  return texts
}

const CHANGING = [
  ...['backups', 'changes', 'open_streams', 'portal_attempts'],
  ...['usage', 'usage_meters', 'usage_shares'],
]

/** Tables that a restore makes from others, or leaves empty: it restores archived rows as rows. */
const DERIVED = ['archived_months', 'long_prices', 'observation_blocks']

const isSteady = (name: string) => !CHANGING.includes(name)

/** The tables that a backup holds, empty ones too. */
async function tablesIn(path: string): Promise<ReadonlySet<string>> {
  const text = Buffer.from(Bun.gunzipSync(new Uint8Array(await readFile(path)))).toString()
  const heads = text.matchAll(/^{"name":"(\w+)","columns":/gm)
  return new Set([...heads].map(([, name]) => name!))
}

/** Adds an alert that was evaluated at a late position of the log; returns its id. */
async function addAlert({ sql }: FreshDatabase): Promise<string> {
  const [alert] = await sql<{ id: string }[]>`
    insert into alerts (account_id, created_at, source, target, field, op, value, webhook_url,
      is_once, is_true, judged_position, secret)
    select id, now(), 'USD', 'KES', 'best', 'above', 130.5, 'https://127.0.0.1:9/', false, false,
      9e15, 'sealed'
    from accounts where plan = 'enterprise' limit 1 returning id`
  return alert!.id
}

describe('backup and restore', () => {
  test(
    'a restored service returns the same bytes, and continues from there',
    async () => {
      const { key: own } = await world.member()
      const alert = await addAlert(origin)
      const before = await answersOf(world)
      const taken = documentOf(await corridor(['backup', file, '--json'], origin.url))
      expect(taken.tables).toBeGreaterThan(15)
      expect((await stat(file)).mode & 0o777).toBe(0o600)
      const named = await tablesIn(file)
      const restored = await freshDatabase()
      const { rows } = documentOf(await corridor(['restore', file, '--json'], restored.url))
      expect(rows).toBeGreaterThan(300)
      const tables = await tableTexts(restored)
      expect(Object.keys(tables).filter((name) => !named.has(name))).toEqual(DERIVED)
      expect(tables).toEqual(await tableTexts(origin))
      expect(tables.withdrawals).toHaveLength(1)
      expect(tables.recorders).toHaveLength(1)
      expect(String(tables.accounts)).toContain('{p2p-a,retail-a}')
      expect(String(tables.keys)).toContain(own!.slice(-4))
      expect(tables.provider_activity).toHaveLength(3)
      expect(tables.currency_activity).toHaveLength(2)
      const again = await PeopleWorld.on({ ...restored, ...otherHandle(restored) })
      again.clock.advance(world.clock.now() - again.clock.now())
      expect(await answersOf(again)).toEqual(before)
      expect(await again.asked(own!)).toBe(200)
      const body = JSON.stringify({ provider_id: 'retail-a', from: 'USD', to: 'KES', rate: 131 })
      const headers = { 'x-api-key': key, 'content-type': 'application/json' }
      const url = `${again.origin}/api/v1/rates`
      expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(201)
      await until('the restored alert fires', async () => {
        const deliveries =
          await restored.sql`select from alert_deliveries where alert_id = ${alert}`
        return deliveries.length === 1
      })
      await again.service.stop()
      const verified = await corridor(['rollups', 'verify', '--json'], restored.url)
      expect(documentOf(verified).differences).toBe(0)
      await restored.close()
    },
    TEST_MS_MAX,
  )

  test('a backup shows one time, whatever is recorded meanwhile', async () => {
    const path = join(folder, 'beside.backup')
    const store = createObservationStore(origin)
    const recording = Promise.all(
      Array.from({ length: 30 }, () =>
        store.record({ observations: [observation(), observation()], idempotency: null }),
      ),
    )
    documentOf(await corridor(['backup', path, '--json'], origin.url))
    await recording
    const restored = await freshDatabase()
    documentOf(await corridor(['restore', path, '--json'], restored.url))
    const verified = await corridor(['rollups', 'verify', '--json'], restored.url)
    expect(documentOf(verified).differences).toBe(0)
    await restored.close()
  })

  test('a service that runs during a restore serves the restored data', async () => {
    const path = join(folder, 'running.backup')
    documentOf(await corridor(['backup', path, '--json'], origin.url))
    const restored = await freshDatabase()
    const running = await PeopleWorld.on({ ...restored, ...otherHandle(restored) })
    expect(await running.asked(key)).toBe(401)
    documentOf(await corridor(['restore', path, '--json'], restored.url))
    await until('the keys', async () => (await running.asked(key)) === 200)
    const rates = async () => {
      const headers = { 'x-api-key': key }
      const reply = await fetch(`${running.origin}/api/v1/rates?from=USD&to=KES`, { headers })
      return reply.status === 200 ? ((await reply.json()) as { count: number }).count : 0
    }
    await until('the quotes', async () => (await rates()) > 1)
    await running.service.stop()
    await restored.close()
  })

  test('of two backups to one file, one is complete and the other says so', async () => {
    const path = join(folder, 'twice.backup')
    await writeFile(`${path}.part`, 'left by another')
    const both = await Promise.all([1, 2].map(() => corridor(['backup', path], origin.url)))
    expect(both.map(({ status }) => status).sort()).toEqual([0, 1])
    const said = both.find(({ status }) => status === 1)!.said.at(-1)
    expect(said).toContain('exists already')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    const restored = await freshDatabase()
    expect((await corridor(['restore', path], restored.url)).status).toBe(0)
    await restored.close()
    await rm(`${path}.part`)
  })

  test('refuses to write over a file, and to restore over data', async () => {
    const over = await corridor(['backup', file], origin.url)
    expect([over.status, over.said.at(-1)]).toEqual([1, expect.stringContaining('name a new file')])
    const onto = await corridor(['restore', file], origin.url)
    expect([onto.status, onto.said.at(-1)]).toEqual([1, expect.stringContaining('an empty one')])
    const away = await corridor(['backup', join(folder, 'none', 'x')], origin.url)
    expect([away.status, away.said.at(-1)]).toEqual([1, expect.stringContaining('be written')])
    expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  test('restores nothing from a file that is not a backup, is cut off, or has another schema', async () => {
    const restored = await freshDatabase()
    const bytes = await readFile(file)
    const text = Buffer.from(Bun.gunzipSync(new Uint8Array(bytes))).toString()
    const cases: [string, Uint8Array | Buffer, string][] = [
      ['no file', Buffer.alloc(0), 'damaged or cut off'],
      ['no gzip', Buffer.from('what is this'), 'damaged or cut off'],
      ['cut off', bytes.subarray(0, bytes.length / 2), 'damaged or cut off'],
      [
        'another value',
        Bun.gzipSync(Buffer.from(text.replace('\tt\t', '\t?\t'))),
        'damaged or cut',
      ],
      ['another text', Bun.gzipSync(Buffer.from('{}\n')), 'not a backup of corridor'],
      ['half', Bun.gzipSync(Buffer.from(text.slice(0, text.length / 2))), 'cut off'],
      ['no end', Bun.gzipSync(Buffer.from(`${text.split('\n')[0]}\n`)), 'cut off'],
      [
        'old',
        Bun.gzipSync(Buffer.from(text.replace(/"schema":\d+/, '"schema":1'))),
        'another schema',
      ],
    ]
    for (const [name, content, message] of cases) {
      const path = join(folder, name)
      await writeFile(path, new Uint8Array(content))
      const { status, said } = await corridor(['restore', path], restored.url)
      expect([name, status, said.at(-1)]).toEqual([name, 1, expect.stringContaining(message)])
    }
    const missing = await corridor(['restore', join(folder, 'nowhere')], restored.url)
    expect(missing.said.at(-1)).toContain('no such file')
    expect(await restored.sql`select from currencies`).toHaveLength(0)
    await restored.close()
  })

  /** Tables that the version of that test did not have yet. */
  const NEWER = [
    ...['offers', 'day_files', 'quote_source_state'],
    ...['oauth_clients', 'oauth_consents', 'oauth_refresh_tokens', 'oauth_access_tokens'],
    ...['alerts', 'alert_deliveries', 'portal_two_factors', 'portal_passkeys'],
    ...['recorders', 'withdrawals', 'reference_answers', 'connector_state'],
    ...['log_state', 'log_tiles', 'log_leaves', 'log_spans', 'log_checkpoints', 'log_keys'],
    ...['catalogue_history', 'late_commits', 'day_file_editions'],
    ...['files', 'file_parts'],
    ...['upload_drafts', 'upload_layouts', 'uploads'],
  ]

  test('restores what versions without offers wrote', async () => {
    const restored = await freshDatabase()
    const path = join(folder, 'older.backup')
    const lines = Buffer.from(Bun.gunzipSync(new Uint8Array(await readFile(file))))
      .toString()
      .split('\n')
    for (const name of NEWER) {
      const from = lines.findIndex((line) => line.startsWith(`{"name":"${name}"`))
      lines.splice(from, lines.indexOf('\\.', from) - from + 1)
    }
    lines[0] = JSON.stringify({ corridor: 1, schema: versionOf('0010_last_four') })
    const at = lines.findIndex((line) => line.startsWith('{"name":"observations"'))
    const { name, columns } = JSON.parse(lines[at]!) as { name: string; columns: string[] }
    const kept = columns.slice(0, columns.indexOf('offer_id'))
    lines[at] = JSON.stringify({ name, columns: kept })
    for (let i = at + 1; lines[i] !== '\\.'; i++)
      lines[i] = lines[i]!.split('\t').slice(0, kept.length).join('\t')
    await writeFile(path, Bun.gzipSync(Buffer.from(lines.join('\n'))))
    documentOf(await corridor(['restore', path, '--json'], restored.url))
    const same = await freshDatabase()
    documentOf(await corridor(['restore', file, '--json'], same.url))
    await same.sql`delete from alerts`
    const [begun] = await restored.sql`
      select (select count(*) from catalogue_history where since = '-infinity') as begun,
        (select count(*) from currencies) + (select count(*) from providers) as entries`
    expect(begun!.begun).toBe(begun!.entries)
    // The recorder of a price, its route and delay, and versions of the catalogue were not stored
    // then.
    const unsaid = async (database: FreshDatabase) => {
      const tables = Object.entries(await tableTexts(database))
      const isUnsaid =
        /^(observations|recorders|withdrawals|catalogue_history|late_commits|log_\w+)$/
      const rows = await database.sql`
        select (to_jsonb(o) - 'recorded_by' - 'recorded_via')::text from observations o order by id`
      return [...tables.filter(([name]) => !isUnsaid.test(name)), [...rows]]
    }
    expect(await unsaid(restored)).toEqual(await unsaid(same))
    await restored.close()
    await same.close()
  })
})
