import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { systemClock } from '~/clock.ts'
import { loadConfig } from '~/config.ts'
import { HOUR_MS } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import { type Service, startService } from '~/runtime/service.ts'
import type { Database } from '~/store/database.ts'
import { run } from '~/store/embedded/run.ts'
import { Server } from '../fault/server.ts'
import { createTemplate, databaseAt, type Template } from '../fault/template.ts'
import { PROVIDER } from '../fault/world.ts'
import { fetchUnderContract } from '../support/contract.ts'
import { Said } from '../support/exposition.ts'
import { KeptLog } from '../support/log.ts'
import { scratchFolder } from '../support/scratch.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'

setDefaultTimeout(TEST_MS_MAX)

/** Time for which a paused replica must stay in use, however busy the machine is. */
const LAG_MAX_MS = 6000
/** Time for a measurement, which runs each second. */
const MEASURED_MS = 1500
const HEARD_MS_MAX = 1000
const LEFT_OUT = 'warn: read replica left out: too far behind or away'
const IN_USE = 'info: read replica in use'

let template: Template
let primary: Server
let standby: Server
let onPrimary: Database
let onStandby: Database
let service: Service
const log = new KeptLog()

beforeAll(async () => {
  const folder = await scratchFolder()
  template = await createTemplate(folder)
  primary = await copied(folder, 'primary')
  standby = await copied(folder, 'standby')
  await writeFile(join(standby.data, 'standby.signal'), '')
  const conninfo = `primary_conninfo = '${template.adminUrl(primary.port)}'\n`
  await writeFile(join(standby.data, 'postgresql.auto.conf'), conninfo)
  await primary.start()
  await standby.start()
  onPrimary = databaseAt(template.adminUrl(primary.port))
  onStandby = databaseAt(template.adminUrl(standby.port))
  const config = loadConfig({
    PORT: '0',
    REFERENCE_FEED: 'none',
    MID_MAX_AGE: '30d',
    QUOTE_IMPLAUSIBLE_TIMES: 'off',
    QUOTA_PRO: '100000',
    QUOTA_ENTERPRISE: '100000',
    DATABASE_READ_URLS: template.serviceUrl(standby.port),
    READ_LAG_MAX: `${LAG_MAX_MS}ms`,
  })
  const database = databaseAt(template.serviceUrl(primary.port))
  service = await startService({ config, clock: systemClock, log, database, sample: null })
  await until('the replica in use', async () => log.said.includes(IN_USE))
}, 120_000)
afterEach(async () => {
  if (standby.isRunning) await onStandby.sql`select pg_wal_replay_resume()`.catch(() => {})
})
afterAll(async () => {
  await service.stop()
  await onPrimary.close()
  await onStandby.close()
  await standby.stop('immediate')
  await primary.stop('immediate')
}, 120_000)

async function copied(folder: string, name: string): Promise<Server> {
  const { home, postgres } = template
  const data = join(folder, name)
  const { code } = await run('/bin/cp', ['-a', home.data, data], null)
  expect(code).toBe(0)
  const logPath = join(folder, `${name}.log`)
  return new Server({ postgres, data, user: home.user, logPath })
}

/** Last log line about the replica. */
const lastTold = () => log.said.findLast((line) => line === LEFT_OUT || line === IN_USE)

const ask = (request: Request) => fetchUnderContract(service.origin)(request)

/** The rates of a corridor's history, newest first. */
async function ratesOf(corridor: string, key = template.keys.past.key): Promise<number[]> {
  const [from, to] = corridor.split('/')
  const path = `/api/v1/rates/history?from=${from}&to=${to}&order=desc&limit=50`
  const reply = await ask(new Request(service.origin + path, { headers: { 'x-api-key': key } }))
  expect(reply.status).toBe(200)
  const { data } = (await reply.json()) as { data: { rate: number }[] }
  return data.map(({ rate }) => rate)
}

async function record(corridor: string, rate: number, atMs?: number): Promise<void> {
  const [from, to] = corridor.split('/')
  const row = { provider_id: PROVIDER, from, to, rate }
  const body = atMs === undefined ? row : { ...row, effective_from: new Date(atMs).toISOString() }
  const headers = { 'x-api-key': template.keys.writer.key, 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  expect((await ask(new Request(`${service.origin}/api/v1/rates`, init))).status).toBe(201)
}

/** Inserts a row without notifying any service: only a read from the primary shows it. */
async function slipIn(corridor: string, rate: number): Promise<void> {
  const [from = '', to = ''] = corridor.split('/')
  await onPrimary.sql`
    insert into observations (effective_from, corridor_id, provider_corridor_id, rate_type, rate)
    select now(), p.corridor_id, p.id, 'retail', ${rate}::numeric from provider_corridors p
    join corridors c on c.id = p.corridor_id where c.source = ${from} and c.target = ${to}`
}

/** Number of times that the service has measured the servers' positions. */
async function measurements(): Promise<number> {
  const metrics = new Said(await (await fetch(`${service.origin}/metrics`)).text())
  const ran = { task: 'measure-replicas', outcome: 'success' }
  return metrics.value('corridor_job_runs_total', ran) ?? 0
}

/**
 * Resolves after three measurements: one may be in progress, one learns the position that the
 * replica has to reach, and one sees it there.
 */
async function measured(): Promise<void> {
  const before = await measurements()
  await until('measurements', async () => (await measurements()) >= before + 3)
}

/** Pauses replay on the replica, so that only its responses lack what follows. */
async function paused(): Promise<void> {
  await until('the replica up to date', async () => {
    const [here] = await onPrimary.sql`select pg_current_wal_lsn()::text as at`
    const [row] = await onStandby.sql`
      select pg_last_wal_replay_lsn() >= ${here!.at}::pg_lsn as is_there`
    return row!.is_there
  })
  await measured()
  await onStandby.sql`select pg_wal_replay_pause()`
  await until('the pause', async () => {
    const [row] = await onStandby.sql`select pg_get_wal_replay_pause_state() as state`
    return row!.state === 'paused'
  })
}

describe('queries about the past', () => {
  test('go to the replica, however long the primary is idle, until the replica is too far behind', async () => {
    await delay(LAG_MAX_MS)
    await paused()
    await slipIn('USD/ZAR', 7.1)
    // A measurement delayed by a busy machine leaves the replica out until the next.
    await until('the replica', async () => !(await ratesOf('USD/ZAR')).includes(7.1))
    await until('the primary instead', async () => (await ratesOf('USD/ZAR')).includes(7.1))
    await until('the word of it', async () => lastTold() === LEFT_OUT)
    await onStandby.sql`select pg_wal_replay_resume()`
    await until('the replica again', async () => lastTold() === IN_USE)
  })

  test('go to the primary for corridors that were just recorded, and to the replica for others', async () => {
    await paused()
    await slipIn('GBP/UGX', 7.2)
    await record('USD/KES', 101.5)
    expect(await ratesOf('USD/KES')).toContain(101.5)
    expect(await ratesOf('GBP/UGX')).not.toContain(7.2)
  })

  test('return to the replica once it has replayed the new rows', async () => {
    await record('USD/KES', 102.5)
    await paused()
    await slipIn('USD/KES', 7.3)
    const rates = await ratesOf('USD/KES')
    expect(rates).toContain(102.5)
    expect(rates).not.toContain(7.3)
  })

  test('never fill a cached window that a backfill changed from a replica without the backfill', async () => {
    const key = template.keys.hourly.key
    const before = await ratesOf('USD/NGN', key)
    await paused()
    await record('USD/NGN', 103.5, hourStartMs(Date.now()) - HOUR_MS)
    expect(await ratesOf('USD/NGN', key)).toEqual([103.5, ...before])
    await onStandby.sql`select pg_wal_replay_resume()`
    expect(await ratesOf('USD/NGN', key)).toEqual([103.5, ...before])
  })

  test('go to the primary for rows that another process records too, as soon as it reports them', async () => {
    const config = loadConfig({
      ...{ PORT: '0', REFERENCE_FEED: 'none', QUOTE_IMPLAUSIBLE_TIMES: 'off' },
    })
    const database = databaseAt(template.serviceUrl(primary.port))
    const options = { config, clock: systemClock, log: new KeptLog(), database, sample: null }
    const other = await startService(options)
    const headers = { 'x-api-key': template.keys.writer.key, 'content-type': 'application/json' }
    const row = { provider_id: PROVIDER, from: 'EUR', to: 'XOF', rate: 104.5 }
    const init = { method: 'POST', headers, body: JSON.stringify(row) }
    await paused()
    expect((await fetch(`${other.origin}/api/v1/rates`, init)).status).toBe(201)
    const startMs = performance.now()
    await until('the news', async () => (await ratesOf('EUR/XOF')).includes(104.5))
    expect(performance.now() - startMs).toBeLessThan(HEARD_MS_MAX)
    await other.stop()
  })

  test('go to the primary when the replica dies, and to the replica when it is back', async () => {
    await standby.stop('immediate')
    expect(await ratesOf('USD/KES')).toContain(102.5)
    await until('the replica left out', async () => lastTold() === LEFT_OUT)
    await standby.start()
    await until('the replica again', async () => lastTold() === IN_USE)
  })

  test('go to the replica while the primary is unreachable', async () => {
    await record('USD/ZAR', 105.5)
    await paused()
    await primary.stop('immediate')
    await delay(MEASURED_MS)
    expect(await ratesOf('USD/ZAR')).toContain(105.5)
    await primary.start()
  })

  test('never go to a replica that was promoted to a primary', async () => {
    await until('the primary', async () =>
      onPrimary.sql`select 1`.then(
        () => true,
        () => false,
      ),
    )
    await until('the replica in use', async () => lastTold() === IN_USE)
    await standby.promote()
    await until('the end of its recovery', async () => {
      const [row] = await onStandby.sql`select pg_is_in_recovery() as is_standby`
      return !row!.is_standby
    })
    await until('the replica left out', async () => lastTold() === LEFT_OUT)
    await onStandby.sql`insert into currencies values ('XTS', 'Test', 'both', 'fiat', null, null, true, 1)`
    expect(await ratesOf('USD/ZAR')).toContain(105.5)
  })
})
