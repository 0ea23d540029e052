import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/postgres-js'
import { COMMAND_LINE } from '~/domain/audit.ts'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { keptFromMs } from '~/jobs/prune-observations.ts'
import { freePort } from '~/runtime/listener.ts'
import { connect, type Database, type Sql } from '~/store/database.ts'
import { locksOf } from '~/store/distributed/obstacles.ts'
import { migrate } from '~/store/migrate.ts'
import { makeEarlierMonths } from '~/store/month/earlier.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createUploadStore } from '~/store/recording/upload-store.ts'
import { createWithdrawalStore } from '~/store/recording/withdrawal-store.ts'
import { writeBackup } from '~/store/transfer/backup.ts'
import { Replica } from '../fault/replica.ts'
import { SharedClock } from '../fault/shared-clock.ts'
import { observation } from '../store/samples.ts'
import { corridor, documentOf } from '../support/command.ts'
import { freshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'
import { until } from '../support/until.ts'
import { type Reply, replyOf } from '../support/world.ts'
import { type Cluster, openCluster, programsWithCitus } from './cluster.ts'

const ROWS = 2000
const LONG_EACH = 20
const UPLOAD_ROWS = 1500
const BULK_ROWS = 2000
/** Rates from here on belong to one test alone. */
const FIRST_RATE = 1_000_000
const OFFER_EACH = 7
const CORRIDORS = ['USD/KES', 'USD/NGN', 'GBP/KES', 'EUR/XOF', 'ZAR/KES']
const PROVIDERS = ['wise', 'remitly']
const MIGRATIONS = new URL('../../drizzle', import.meta.url).pathname

const begunMs = Date.now()

let cluster: Cluster
let folder: string
let csv: string

beforeAll(async () => {
  const programs = programsWithCitus()
  if (!programs) throw new Error('no installed PostgreSQL has the extension citus')
  folder = await scratchFolder()
  csv = join(folder, 'rows.csv')
  await Bun.write(csv, rowsFrom(begunMs))
  cluster = await openCluster({ programs })
}, 120_000)
afterAll(() => cluster?.close())

/** Prices of the last three months, some valid for a year, some with an offer of their own. */
function rowsFrom(nowMs: number): string {
  const lines = Array.from({ length: ROWS }, (_, i) => {
    const [from, to] = CORRIDORS[i % CORRIDORS.length]!.split('/')
    const atMs = nowMs - (i + 1) * HOUR_MS
    const until = i % LONG_EACH === 0 ? new Date(nowMs + 300 * DAY_MS).toISOString() : ''
    const channel = i % OFFER_EACH === 0 ? 'internet' : ''
    const provider = PROVIDERS[i % PROVIDERS.length]
    return [provider, from, to, 100 + i, new Date(atMs).toISOString(), until, channel].join()
  })
  return ['provider_id,from,to,rate,effective_from,valid_until,channel', ...lines, ''].join('\n')
}

const done = async (...args: string[]) => {
  const finished = await corridor(args, cluster.url)
  expect([args, finished.status, finished.said.join('\n')]).toEqual([args, 0, expect.any(String)])
  return finished
}

const refused = async (...args: string[]): Promise<string> => {
  const { status, said } = await corridor(args, cluster.url)
  expect(status).toBe(1)
  return said.join('\n')
}

async function asked<T>(work: (sql: Sql) => Promise<T>, url = cluster.url): Promise<T> {
  const sql = connect(url, { connectionsMax: 1 })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Locks of a server, each once. */
const LOCKS = `select count(distinct (locktype, database, relation, page, tuple, virtualxid,
  transactionid, classid, objid, objsubid)::text)::int as figure from pg_locks`

/** The maximum of a server's metric, sampled continuously. */
class Watched {
  #most = 0
  #isOver = false
  readonly #looking: Promise<void>

  constructor(question: string, url: string) {
    this.#looking = asked(async (sql) => {
      while (!this.#isOver) {
        const [row] = await sql.unsafe(question)
        this.#most = Math.max(this.#most, row!.figure)
      }
    }, url)
  }

  /** Ends the sampling and returns the maximum. */
  async most(): Promise<number> {
    this.#isOver = true
    await this.#looking
    return this.#most
  }
}

const rowsOf = (table: string) =>
  asked(async (sql) => {
    const [row] = await sql.unsafe(`select count(*)::int as count from ${table}`)
    return row!.count as number
  })

/** The lines of a backup in an order that does not depend on their location. */
async function linesOf(file: string): Promise<string[]> {
  const bytes = Bun.gunzipSync(await Bun.file(file).bytes())
  return new TextDecoder().decode(bytes).split('\n').sort()
}

const backup = async (name: string, url = cluster.url): Promise<string> => {
  const file = join(folder, name)
  expect((await corridor(['backup', file], url)).status).toBe(0)
  return file
}

describe('corridor distribute', () => {
  test('requires the schema, then every worker, and then that all others stop', async () => {
    expect(await refused('distribute')).toContain('run corridor migrate first')
    await done('migrate')
    await done('catalogue', 'starter')
    await done('observations', 'import', csv)
    const [worker] = cluster.workers
    await worker!.stop('fast')
    expect(await refused('distribute')).toContain(`:${worker!.port} does not let this user in`)
    await worker!.start()
    const said = await asked(async (sql) => {
      await sql`select 1`
      return refused('distribute')
    })
    expect(said).toContain('1 connections of other programs of corridor are open')
    expect(await refused('distribute', '--shards', '1024')).toContain('max_locks_per_transaction')
  }, 60_000)

  test('moves every row, and reports what it gave up', async () => {
    const before = await linesOf(await backup('before'))
    const dry = documentOf(await done('distribute', '--shards', '8', '--dry-run', '--json'))
    expect(dry).toMatchObject({ state: 'possible', shards: 8 })
    const locks = new Watched(LOCKS, cluster.workers[0]!.url)
    const report = documentOf(await done('distribute', '--shards', '8', '--json'))
    const parts = await rowsOf("pg_inherits where inhparent = 'observations'::regclass")
    const reckoned = locksOf(parts, 8 / cluster.workers.length)
    const seen = await locks.most()
    expect(seen).toBeGreaterThan(reckoned / 3)
    expect(seen).toBeLessThanOrEqual(reckoned)
    expect(report).toMatchObject({
      state: 'done',
      shards: 8,
      rows: { observations: ROWS, long_prices: ROWS / LONG_EACH, offers: 10 },
      widened: ['provider_corridors.provider_corridors_pkey'],
    })
    expect(report.given_up).toContain('providers.providers_activity')
    expect(await linesOf(await backup('after'))).toEqual(before)
  }, 120_000)

  test('does it only once', async () => {
    expect(documentOf(await done('distribute', '--shards', '4', '--json'))).toMatchObject({
      state: 'done before',
      shards: 8,
    })
  })

  test('leaves no row behind on the coordinator', async () => {
    const [row] = await asked(
      (sql) => sql`select sum(pg_relation_size(oid))::int as bytes from pg_class
        where relname in ('observations', 'rollups', 'offers', 'providers') or
          relnamespace = 'observation_months'::regnamespace and relkind = 'r'`,
    )
    expect(row).toEqual({ bytes: 0 })
  })

  test('protects observations from changes, and from offers that do not exist', async () => {
    const says = (statement: string) =>
      asked((sql) =>
        sql.unsafe(statement).then(
          () => 'done',
          (error) => error.message as string,
        ),
      )
    expect(await says('update observations set rate = 1')).toContain('append-only')
    expect(await says('delete from observations where corridor_id = 1')).toContain('append-only')
    expect(await says('truncate observations')).toContain('append-only')
    const recorded = (offer: number) =>
      says(`insert into observations
          (effective_from, corridor_id, provider_corridor_id, rate_type, rate, offer_id)
        select now(), corridor_id, id, 'retail', 1, ${offer} from provider_corridors limit 1`)
    expect(await recorded(987)).toContain('has no offer 987')
    expect(await rowsOf('observations')).toBe(ROWS)
  })
})

describe('on a distributed history', () => {
  test('an import records new rows and their roll-ups', async () => {
    const again = documentOf(await done('observations', 'import', csv, '--json'))
    expect(again).toMatchObject({ inserted: 0 })
    const all = ['observations', 'import', csv, '--allow-duplicates', '--json']
    expect(documentOf(await done(...all))).toMatchObject({ inserted: ROWS })
    expect(await rowsOf('observations')).toBe(2 * ROWS)
    expect(await rowsOf('long_prices')).toBe((2 * ROWS) / LONG_EACH)
    await done('rollups', 'verify')
  }, 60_000)

  test('wrong roll-ups are found and corrected', async () => {
    await asked((sql) => sql`update rollups set samples = samples + 1 where corridor_id = 2`)
    expect(await refused('rollups', 'verify')).toContain('roll-ups are wrong')
    await done('rollups', 'rebuild')
    await done('rollups', 'verify')
  }, 60_000)

  test('switching a provider off and on is recorded', async () => {
    const noted = () =>
      asked((sql) => sql`select provider_id, is_active from provider_activity order by since, id`)
    expect([...(await noted())]).toEqual([])
    const entry = (is_active: boolean) => ({ ...PROVIDER, is_active })
    for (const isActive of [true, false, false, true]) {
      const file = join(folder, 'catalogue.json')
      await Bun.write(file, JSON.stringify({ currencies: [], providers: [entry(isActive)] }))
      await done('catalogue', 'apply', file)
    }
    expect([...(await noted())]).toEqual([
      { provider_id: PROVIDER.id, is_active: false },
      { provider_id: PROVIDER.id, is_active: true },
    ])
  }, 60_000)

  test('accounts, keys, references and sources are stored as before', async () => {
    const made = documentOf(await done('account', 'create', '--email', 'a@b.co', '--json'))
    await done('key', 'create', '--account', made.account_id, '--name', 'second')
    await done('account', 'update', made.account_id, '--plan', 'pro')
    const file = join(folder, 'references.csv')
    await Bun.write(file, 'fetched_at,source,currency,per_usd\n2026-01-01T00:00:00Z,x,KES,129\n')
    await done('reference', 'import', file)
    await done('reference', 'status')
    await done('sources', 'status')
  }, 60_000)

  test('an upload of all corridors is recorded with its rows, and withdrawn as a whole', async () => {
    const made = documentOf(await done('account', 'create', '--email', 'u@v.co', '--json'))
    const sql = connect(cluster.url, { connectionsMax: 4 })
    const database = { sql, db: drizzle(sql), kind: 'external', where: '', close: () => sql.end() }
    const [nowMs, accountId] = [Date.now(), made.account_id as string]
    const observations = Array.from({ length: UPLOAD_ROWS }, (_, i) => {
      const [from, to] = CORRIDORS[i % CORRIDORS.length]!.split('/') as [string, string]
      return observation({ providerId: 'wise', from, to, effectiveMs: nowMs - i * HOUR_MS })
    })
    const upload = { id: crypto.randomUUID(), accountId, person: 'u@v.co', fileName: 'a.csv' }
    const recording = await createObservationStore(database as Database).record({
      observations,
      origin: { recorder: { accountId, keyId: null }, via: 'upload' },
      idempotency: { accountId, key: 'upload', bodyHash: '0'.repeat(64), nowMs },
      upload: { ...upload, recordedMs: nowMs },
    })
    expect(recording).toMatchObject({ kind: 'recorded' })
    const kept = (await createUploadStore(database as Database).upload(upload.id))!
    expect(kept.ids).toEqual('ids' in recording ? [...recording.ids!] : [])
    const { withdrawn } = await createWithdrawalStore(database as Database).withdraw({
      ...{ ids: kept.ids, upload: kept, reason: 'wrong', atMs: nowMs },
      recorder: { accountId, keyId: null },
    })
    expect(withdrawn).toHaveLength(UPLOAD_ROWS)
    await sql.end({ timeout: 1 })
    await done('rollups', 'verify')
  }, 60_000)

  test('a backup shows one time, whatever is recorded meanwhile', async () => {
    const { writes, files } = await asked(async (sql) => {
      let writes = 0
      let isOver = false
      const writing = (async () => {
        for (; !isOver; writes++) await sql.begin((tx) => recordInAll(tx as unknown as Sql))
      })()
      const files = [await backup('busy-1'), await backup('busy-2'), await backup('busy-3')]
      isOver = true
      await writing
      return { writes, files }
    })
    expect(writes).toBeGreaterThan(3)
    for (const file of files) {
      const marked = (await linesOf(file)).filter((line) => line.includes('in all corridors'))
      expect(marked.length % CORRIDORS.length).toBe(0)
    }
  }, 120_000)

  test('a later migration is applied, once', async () => {
    const later = join(folder, 'drizzle')
    await cp(MIGRATIONS, later, { recursive: true })
    const path = join(later, 'meta/_journal.json')
    const journal = await Bun.file(path).json()
    const when = journal.entries.at(-1).when + 1
    journal.entries.push({ idx: 99, version: '7', when, tag: '0099_later', breakpoints: true })
    await Bun.write(path, JSON.stringify(journal))
    await Bun.write(join(later, '0099_later.sql'), LATER)
    await asked(async (sql) => {
      expect(await migrate({ sql }, later)).toBe(1)
      expect(await migrate({ sql }, later)).toBe(0)
      const [placed] = await sql`
        select count(*)::int as shards from pg_dist_shard where logicalrelid = 'moods'::regclass`
      expect(placed).toEqual({ shards: 8 })
    })
    expect(await rowsOf('moods')).toBe(CORRIDORS.length)
    expect(await rowsOf('observations where source_note is null')).toBe(
      await rowsOf('observations'),
    )
    await asked((sql) => sql`delete from drizzle.__drizzle_migrations where created_at = ${when}`)
    await asked((sql) => sql`drop table moods`)
    await asked((sql) => sql`alter table observations drop column source_note`)
  }, 60_000)

  test('months are not archived', async () => {
    for (const way of [[], ['--undo'], ['--dry-run']])
      expect(await refused('observations', 'archive', '--older-than', '1m', ...way)).toContain(
        'months can be archived only in a database on one server',
      )
    expect(await rowsOf('observation_blocks')).toBe(0)
  })

  test('months are created and receive the rows of the last partition', async () => {
    const made = await asked((sql) =>
      sql.begin(async (tx) => {
        const [row] = await tx`select make_observation_months(now() + interval '4 months') as made`
        return row!.made as number
      }),
    )
    expect(made).toBeGreaterThan(0)
    await done('rollups', 'verify')
  }, 60_000)
})

describe('a service on a distributed history', () => {
  test('starts while a worker is unreachable, reports what is missing, and completes it', async () => {
    const { key } = documentOf(await done('account', 'create', '--email', 'c@d.co', '--json'))
    const service = await serviceOf('late')
    const answers = async (path: string) => {
      const { status, headers } = await fetch(`${service.origin}/api/v1${path}`, {
        headers: { 'x-api-key': key },
      })
      return { status, isToRetry: headers.has('retry-after') }
    }
    const all = () =>
      Promise.all(
        CORRIDORS.map((one) => answers(`/rates?from=${one.slice(0, 3)}&to=${one.slice(4)}`)),
      )
    const ready = () => fetch(`${service.origin}/readyz`).then((answer) => answer.json())
    const [worker] = cluster.workers
    const away = await corridorsOn(worker!.port)
    expect(away.size).toBeGreaterThan(0)
    expect(away.size).toBeLessThan(CORRIDORS.length)
    await worker!.stop('immediate')
    try {
      await service.start()
      expect(await all()).toEqual(
        CORRIDORS.map((one) => {
          const isAway = away.has(one)
          return { status: isAway ? 503 : 200, isToRetry: isAway }
        }),
      )
      expect(await ready()).toMatchObject({
        status: 'ready',
        missing: expect.stringContaining(
          `the prices of ${away.size} corridors could not be loaded`,
        ),
      })
      const { origin } = service
      const metrics = await fetch(`${origin}/metrics`).then((answer) => answer.text())
      for (const [name, value] of [
        ['workers{state="answers"}', cluster.workers.length - 1],
        ['workers{state="away"}', 1],
        ['corridors_away', away.size],
        ['corridors_unloaded', away.size],
      ])
        expect(metrics).toContain(`\ncorridor_database_${name} ${value}\n`)
      await worker!.start()
      await until('nothing is missing', async () => !('missing' in (await ready())))
      expect(await all()).toEqual(CORRIDORS.map(() => ({ status: 200, isToRetry: false })))
    } finally {
      await service.kill()
    }
  }, 60_000)
})

/** A service that has not started yet. */
async function serviceOf(name: string): Promise<Replica> {
  const settings = {
    ...{ DATABASE_URL: cluster.url, DATA_DIR: folder, REFERENCE_FEED: 'none' },
    CLOCK_FILE: join(folder, `${name}-clock`),
    ...{ QUOTE_SUSPECT_PCT: 'off', QUOTE_IMPLAUSIBLE_TIMES: 'off', QUOTA_ENTERPRISE: '1000000' },
  }
  await SharedClock.create(settings.CLOCK_FILE, 0)
  return new Replica(name, freePort('127.0.0.1'), settings, join(folder, `${name}.log`))
}

/** A service, and a client that may record, for a test. */
async function withTreasury(name: string, work: (ask: Asking) => Promise<void>): Promise<void> {
  const email = ['--email', `${name}@d.co`, '--plan', 'enterprise', '--role', 'treasury']
  const { key } = documentOf(await done('account', 'create', ...email, '--json'))
  const service = await serviceOf(name)
  try {
    await service.start()
    await work(async (path, rows, idempotencyKey) => {
      const post = { 'content-type': 'application/json', 'idempotency-key': `${idempotencyKey}` }
      const answer = await fetch(`${service.origin}/api/v1${path}`, {
        headers: { 'x-api-key': key, ...(rows && post) },
        ...(rows && { method: 'POST', body: JSON.stringify(rows) }),
      })
      return replyOf(answer)
    })
  } finally {
    await service.kill()
  }
}

/** Sends a GET, or a POST of rows. */
type Asking = (
  path: string,
  rows?: readonly object[],
  idempotencyKey?: string,
) => Promise<Pick<Reply, 'status' | 'body'>>

/** Rows of the last minutes, of one corridor after the other. */
const rowsOfNow = (count: number, rate: number) =>
  Array.from({ length: count }, (_, i) => {
    const [from, to] = CORRIDORS[i % CORRIDORS.length]!.split('/')
    const effective_from = new Date(Date.now() - Math.floor(i / CORRIDORS.length) * 60_000)
    return { provider_id: 'wise', from, to, rate, effective_from }
  })

describe('POST /rates/bulk on a distributed history', () => {
  test('records rows of all corridors once, and none of a request with a wrong row', async () => {
    const before = await rowsOf('observations')
    const rows = rowsOfNow(BULK_ROWS, 120)
    await withTreasury('bulk', async (ask) => {
      const first = await ask('/rates/bulk', rows, 'first')
      expect([first.status, first.body.inserted]).toEqual([200, BULK_ROWS])
      expect(new Set(first.body.ids).size).toBe(BULK_ROWS)
      const again = await ask('/rates/bulk', rows, 'first')
      expect([again.status, again.body.ids]).toEqual([200, first.body.ids])
      const wrong = await ask('/rates/bulk', [...rows, { ...rows[0], rate: -1 }], 'wrong')
      expect([wrong.status, wrong.body.error_count]).toEqual([422, 1])
      for (const pair of CORRIDORS) {
        const of = `from=${pair.slice(0, 3)}&to=${pair.slice(4)}`
        const { body } = await ask(`/rates?${of}&offers=all`)
        const own = { provider_id: 'wise', rate: 120 }
        expect([pair, body.providers]).toEqual([
          pair,
          expect.arrayContaining([expect.objectContaining(own)]),
        ])
      }
    })
    expect(await rowsOf('observations')).toBe(before + BULK_ROWS)
    await done('rollups', 'verify')
  }, 60_000)
})

describe('a worker that joins a distributed history', () => {
  test('gets shards while batches are recorded, none of which is lost or incomplete', async () => {
    const node = await cluster.addWorker()
    const recorded: number[] = []
    await withTreasury('moving', async (ask) => {
      let isOver = false
      const writing = (async () => {
        for (let rate = FIRST_RATE; !isOver; rate++) {
          const rows = rowsOfNow(CORRIDORS.length, rate)
          const posted = async () => (await ask('/rates', rows, `${rate}`)).status === 201
          await until('a batch is recorded', posted)
          recorded.push(rate)
        }
      })()
      await asked((sql) => sql`select citus_rebalance_start()`)
      await asked((sql) => sql`select citus_rebalance_wait()`)
      const atRest = recorded.length
      await until('more is recorded', async () => recorded.length > atRest + 1)
      isOver = true
      await writing
      const known = encodeURIComponent(new Date(Date.now() - 1).toISOString())
      for (const pair of CORRIDORS) {
        const of = `from=${pair.slice(0, 3)}&to=${pair.slice(4)}`
        const now = await ask(`/rates/history?${of}&period=1d&limit=500&order=desc`)
        const then = await ask(
          `/rates/history?${of}&period=1d&limit=500&order=desc&known_at=${known}`,
        )
        expect([then.status, then.body.data]).toEqual([200, now.body.data])
        expect(now.body.data[0].rate).toBe(recorded.at(-1))
      }
    })
    const moved = await corridorsOn(node.port)
    expect(moved.size).toBeGreaterThan(0)
    const counts = await asked(
      (sql) => sql`select rate::int as rate, count(*)::int as count from observations
        where rate >= ${FIRST_RATE}::int group by rate order by rate`,
    )
    expect([...counts]).toEqual(recorded.map((rate) => ({ rate, count: CORRIDORS.length })))
    await done('rollups', 'verify')
  }, 120_000)
})

/** The corridors whose rows a worker has. */
const corridorsOn = (port: number): Promise<Set<string>> =>
  asked(async (sql) => {
    const rows = await sql<{ name: string }[]>`
      select source || '/' || target as name from corridors
      join pg_dist_placement on shardid =
        get_shard_id_for_distribution_column('observations', corridors.id)
      join pg_dist_node using (groupid) where nodeport = ${port}`
    return new Set(rows.map(({ name }) => name))
  })

describe('pruning a distributed history', () => {
  const PRUNE = ['observations', 'prune', '--older-than', '1y', '--json']
  /** Age in days of the newest old price; the limit is in the middle of them. */
  const OLD_DAYS = 350
  /** Age in days of the first month; some prices are before it. */
  const MONTHS_DAYS = 400

  const firstMonth = (url: string) =>
    asked(async (sql) => {
      const [row] = await sql`select since from oldest_observation_month()`
      return (row!.since as Date).getTime()
    }, url)

  /** The number of transactions that created the months. */
  const transactions = () =>
    rowsOf(`(select distinct xmin::text from pg_class
      where relkind = 'r' and relnamespace = 'observation_months'::regnamespace
        and relname like 'm%') made`)

  /** The start of the month that the limit lies in, before which months can be dropped. */
  const monthOfLimit = () => {
    const limit = new Date(keptFromMs(Date.now(), 1))
    return Date.UTC(limit.getUTCFullYear(), limit.getUTCMonth())
  }

  /** Records the missing old prices, and recreates the dropped months. */
  async function fill(): Promise<void> {
    const old = join(folder, 'old.csv')
    await Bun.write(old, rowsFrom(begunMs - OLD_DAYS * DAY_MS))
    await done('observations', 'import', old)
    const before = await transactions()
    const made = await asked((sql) => makeEarlierMonths({ sql }, begunMs - MONTHS_DAYS * DAY_MS))
    expect(made).toBeGreaterThan(0)
    expect((await transactions()) - before).toBe(made!)
    expect(await firstMonth(cluster.url)).toBeLessThan(monthOfLimit())
  }

  test('drops months, keeps the same rows as a plain history, and counts them', async () => {
    await fill()
    const plain = await freshDatabase()
    const file = await backup('unpruned')
    expect((await corridor(['restore', file], plain.url)).status).toBe(0)
    expect(await firstMonth(plain.url)).toBe(await firstMonth(cluster.url))
    const both = async (...args: string[]) => [
      documentOf(await done(...args)),
      documentOf(await corridor(args, plain.url)),
    ]
    const [wouldBe, wouldBeThere] = await both(...PRUNE, '--dry-run')
    expect(wouldBe.prunable).toBeGreaterThan(100)
    expect(wouldBe.prunable).toBe(wouldBeThere.prunable)
    const [pruned, prunedThere] = await both(...PRUNE)
    expect([pruned.pruned, prunedThere.pruned]).toEqual([wouldBe.prunable, wouldBe.prunable])
    for (const url of [cluster.url, plain.url]) expect(await firstMonth(url)).toBe(monthOfLimit())
    const left = async (name: string, url: string) =>
      (await linesOf(await backup(name, url))).filter((line) => !line.includes(COMMAND_LINE))
    expect(await left('pruned', cluster.url)).toEqual(await left('pruned-there', plain.url))
    await done('rollups', 'verify')
    expect((await corridor(['rollups', 'verify'], plain.url)).status).toBe(0)
    expect(documentOf(await done(...PRUNE)).pruned).toBe(0)
    await plain.close()
  }, 120_000)

  test('keeps the months for a backup in progress', async () => {
    await fill()
    const [months, before] = [await firstMonth(cluster.url), await linesOf(await backup('full'))]
    const { prunable } = documentOf(await done(...PRUNE, '--dry-run'))
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const written: string[] = []
    const writing = asked((sql) =>
      writeBackup({ sql }, async (text) => {
        written.push(Buffer.from(text).toString())
        begun.resolve()
        await goOn.promise
      }),
    )
    await begun.promise
    expect(documentOf(await done(...PRUNE)).pruned).toBe(prunable)
    expect(await firstMonth(cluster.url)).toBe(months)
    goOn.resolve()
    await writing
    expect(written.join('').split('\n').sort()).toEqual(before)
    expect(documentOf(await done(...PRUNE)).pruned).toBe(0)
    expect(await firstMonth(cluster.url)).toBe(monthOfLimit())
    await done('rollups', 'verify')
  }, 120_000)
})

describe('the way back', () => {
  test('a backup of a distributed history is restored into a plain database', async () => {
    const file = await backup('back')
    const plain = await freshDatabase()
    expect((await corridor(['restore', file], plain.url)).status).toBe(0)
    expect((await corridor(['rollups', 'verify'], plain.url)).status).toBe(0)
    expect(await linesOf(await backup('plain', plain.url))).toEqual(await linesOf(file))
    await plain.close()
  }, 60_000)

  test('a backup of a plain database is restored into a distributed one, completely or not at all', async () => {
    const file = join(folder, 'back')
    expect(await refused('restore', file)).toContain('the database has data')
    const other = new URL(cluster.url)
    other.pathname = '/second'
    await secondDatabase()
    for (const args of [['migrate'], ['distribute', '--shards', '4'], ['restore', file]])
      expect([args, (await corridor(args, other.href)).status]).toEqual([args, 0])
    expect((await corridor(['rollups', 'verify'], other.href)).status).toBe(0)
    expect(await linesOf(await backup('second', other.href))).toEqual(await linesOf(file))
    const [logged] = await asked(
      (sql) => sql`select corridor_ids, ids, unseen from changes where kind = 'observations'`,
      other.href,
    )
    expect(logged).toMatchObject({ ids: null, unseen: 'open' })
    expect(logged!.corridor_ids).toHaveLength(CORRIDORS.length)
  }, 120_000)
})

/** One more database on every server of the cluster, joined as the first one is. */
async function secondDatabase(): Promise<void> {
  const urls = [cluster.url, ...cluster.workers.map(({ url }) => url)]
  const password = `password=${new URL(cluster.url).password}`
  const on = async (url: string, work: (sql: Sql) => Promise<unknown>) => {
    const sql = connect(url, { connectionsMax: 1 })
    await work(sql).finally(() => sql.end({ timeout: 1 }))
  }
  const second = (url: string) => url.replace(/\/corridor$/, '/second')
  for (const url of urls) {
    await on(url, (sql) => sql`create database second`)
    await on(second(url), (sql) => sql`create extension citus`)
    await on(
      second(url),
      (sql) => sql`insert into pg_dist_authinfo values (0, 'corridor', ${password})`,
    )
  }
  await on(second(cluster.url), async (sql) => {
    await sql`select citus_set_coordinator_host('127.0.0.1', ${Number(new URL(cluster.url).port)})`
    for (const { port } of cluster.workers) await sql`select citus_add_node('127.0.0.1', ${port})`
  })
}

const PROVIDER = { id: 'busy', name: 'Busy', rate_type: 'retail', provider_type: 'imto' }

/** One observation of each corridor, and its roll-up, in one transaction over all workers. */
async function recordInAll(tx: Sql): Promise<void> {
  await tx`set local citus.multi_shard_modify_mode = 'sequential'`
  const series = await tx<{ id: number; corridor_id: number }[]>`
    select distinct on (corridor_id) corridor_id, id from provider_corridors order by 1, 2`
  for (const { id, corridor_id } of series)
    await tx`insert into observations
        (effective_from, corridor_id, provider_corridor_id, rate_type, rate, notes)
      values (now(), ${corridor_id}, ${id}, 'retail', 1, 'in all corridors')`
  await tx`insert into rollups (corridor_id, hour, best_rate, samples)
    select corridor_id, date_bin('1 hour', now(), 'epoch'), 1, 1 from provider_corridors
    group by corridor_id
    on conflict (corridor_id, hour) do update set samples = rollups.samples + 1,
      best_rate = greatest(rollups.best_rate, 1)`
}

/** Changes that a later version may make to the schema, by the rules of CONTRIBUTING.md. */
const LATER = `
ALTER TABLE observations ADD COLUMN source_note text;--> statement-breakpoint
CREATE INDEX observations_source_note ON observations (corridor_id, source_note);--> statement-breakpoint
CREATE TABLE moods (
  corridor_id integer NOT NULL, provider_corridor_id integer NOT NULL, mood text,
  CONSTRAINT moods_pkey PRIMARY KEY (provider_corridor_id, corridor_id)
);--> statement-breakpoint
DO $$ BEGIN
  IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
    IF EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'observations'::regclass) THEN
      PERFORM create_distributed_table('moods', 'corridor_id', colocate_with => 'observations');
    END IF;
  END IF;
END $$;--> statement-breakpoint
INSERT INTO moods (corridor_id, provider_corridor_id, mood)
SELECT corridor_id, min(id), 'good' FROM provider_corridors GROUP BY corridor_id;`
