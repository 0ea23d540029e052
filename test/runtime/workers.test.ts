import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { restartWaitMs } from '~/runtime/workers.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { CURRENCIES, provider } from '../support/catalogue.ts'
import { corridor, corridorProcess, documentOf } from '../support/command.ts'
import { DatabaseProxy } from '../support/database-proxy.ts'
import { cleanUp, endServer, preparedDataDir, serverPid } from '../support/embedded-process.ts'
import { Said } from '../support/exposition.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import type { ProcessLog } from '../support/process-log.ts'
import { isRunning } from '../support/running.ts'
import { endServed, launchServe, serve } from '../support/serve-child.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'

setDefaultTimeout(TEST_MS_MAX)

const STOP_MS_MAX = 10_000
const ANSWER_MS_MAX = 20_000
/** Failed connections in a time that is enough to restart a worker. */
const RESTARTS_WATCHED = 20

async function stocked(): Promise<FreshDatabase> {
  const database = await freshDatabase()
  const providers = [provider('one')]
  await createCatalogueStore(database).apply({ currencies: CURRENCIES, providers })
  return database
}

/** Starts a service with two workers. */
const serveTwo = (settings: Record<string, string>) => serve({ WORKERS: '2', ...settings })

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  const pids = text.trim().split(' ').filter(Boolean).map(Number)
  const command = (one: number) => readFile(`/proc/${one}/cmdline`, 'utf8').catch(() => '')
  const commands = await Promise.all(pids.map(command))
  return pids.filter((_, i) => commands[i]!.split('\0').includes('worker'))
}

/**
 * Reports whether a request on a connection of its own gets a response in time, from any worker.
 */
const isAnswered = (url: string, msMax = ANSWER_MS_MAX): Promise<boolean> =>
  fetch(`${url}/status`, { headers: { connection: 'close' }, signal: AbortSignal.timeout(msMax) })
    .then(({ ok }) => ok)
    .catch(() => false)

const times = <T>(count: number, work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, work))

/** Takes a port once it is free; frees it again whenever another process was quicker. */
async function squatterAt(port: number, free: () => Promise<void>): Promise<Server> {
  for (;;) {
    await free()
    const server = createServer((socket) => socket.destroy())
    const isTaken = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (isTaken) return server
  }
}

describe('corridor serve with WORKERS', () => {
  let database: FreshDatabase
  let service: Awaited<ReturnType<typeof serve>>

  beforeAll(async () => {
    database = await stocked()
    service = await serveTwo({ DATABASE_URL: database.url })
  })
  afterAll(async () => {
    await endServed()
    await database.close()
  })

  test('serves a scrape for all workers, whichever one it reaches', async () => {
    const { url } = service
    expect(await times(40, () => isAnswered(url))).not.toContain(false)
    const init = { headers: { connection: 'close' } }
    const asked = { route: '/api/v1/status', status: '200' }
    const scrape = async () => {
      let counts: Said['lines'] = []
      await until('metrics of all workers, which came in time', async () => {
        const reply = await fetch(new URL('/metrics', url), init)
        const text = await reply.text()
        if (reply.ok) counts = new Said(text).all('corridor_http_requests_total', asked)
        return counts.length === 2
      })
      return counts
    }
    for (const counts of await times(6, scrape)) {
      expect(counts.map(({ labels }) => labels.worker)).toEqual(['0', '1'])
      expect(counts.reduce((sum, { value }) => sum + value, 0)).toBe(40)
    }
  })

  test('shows every worker what one of them recorded', async () => {
    const { url } = service
    const args = ['--email', 'a@b.example', '--plan', 'enterprise', '--role', 'treasury', '--json']
    const { key } = documentOf(await corridor(['account', 'create', ...args], database.url))
    const headers = { 'x-api-key': key, connection: 'close', 'content-type': 'application/json' }
    const row = { provider_id: 'one', from: 'USD', to: 'KES', rate: 129.5 }
    const body = JSON.stringify(row)
    const recorded = await fetch(`${url}/rates`, { method: 'POST', headers, body })
    expect(recorded.status).toBe(201)
    const count = async () => {
      const reply = await fetch(`${url}/rates?from=USD&to=KES`, { headers })
      return ((await reply.json()) as { count: number }).count
    }
    await until('the row in every worker', async () =>
      (await times(20, count)).every((held) => held === 1),
    )
  })

  test('serves from all of its processes on one port', async () => {
    const { url, pid } = service
    const workers = await childrenOf(pid)
    expect(workers).toHaveLength(2)
    expect(await times(20, () => isAnswered(url))).not.toContain(false)
    process.kill(workers[0]!, 'SIGSTOP')
    const answered = await times(40, () => isAnswered(url, 2000))
    process.kill(workers[0]!, 'SIGCONT')
    expect(new Set(answered)).toEqual(new Set([true, false]))
  })

  test('restarts a worker that ended, and serves meanwhile', async () => {
    const { url, pid } = service
    const [first, second] = await childrenOf(pid)
    process.kill(first!, 'SIGKILL')
    await until('the burial of the worker', async () => !existsSync(`/proc/${first}`))
    expect(await times(10, () => isAnswered(url))).not.toContain(false)
    await until('another worker', async () => (await childrenOf(pid)).length === 2)
    const now = await childrenOf(pid)
    expect(now).toContain(second!)
    expect(now).not.toContain(first!)
  })

  test('takes its workers with it when it is killed', async () => {
    const { child, url, pid } = service
    const workers = await childrenOf(pid)
    expect(workers).toHaveLength(2)
    child.kill('SIGKILL')
    await child.exited
    await until('the end of the workers', async () =>
      (await Promise.all(workers.map(isRunning))).every((running) => !running),
    )
    expect(await isAnswered(url)).toBe(false)
  })
})

describe('corridor serve with WORKERS on an embedded database', () => {
  let dataDir: string
  let service: Awaited<ReturnType<typeof serve>>

  beforeAll(async () => {
    dataDir = await preparedDataDir()
    service = await serveTwo({ DATA_DIR: dataDir })
  })
  afterAll(async () => {
    await endServed()
    await cleanUp()
  })

  const isReady = async () => {
    const init = { headers: { connection: 'close' } }
    return (await fetch(new URL('/readyz', service.url), init)).ok
  }
  const everyWorkerIsReady = () =>
    until('the database in every worker', async () => (await times(20, isReady)).every(Boolean))

  test('finds it again after it was killed, in every worker', async () => {
    const before = await serverPid(dataDir)
    await endServer(dataDir, 'SIGKILL')
    await everyWorkerIsReady()
    expect(await serverPid(dataDir)).not.toBe(before)
  })

  test('finds it after it had to take another port, in every worker', async () => {
    const file = join(dataDir, 'postgres', 'data', 'postmaster.pid')
    const port = Number((await readFile(file, 'utf8')).split('\n')[3])
    const squatter = await squatterAt(port, async () => {
      await until('a server', async () => (await serverPid(dataDir)) !== null)
      await endServer(dataDir, 'SIGKILL')
    })
    await everyWorkerIsReady()
    squatter.close()
  })

  test('SIGTERM ends all of it with status 0', async () => {
    const { child, url, pid } = service
    const workers = await childrenOf(pid)
    expect(workers).toHaveLength(2)
    expect(await isAnswered(url)).toBe(true)
    const startMs = performance.now()
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    expect(performance.now() - startMs).toBeLessThan(STOP_MS_MAX)
    expect(await Promise.all(workers.map(isRunning))).toEqual([false, false])
    expect(await serverPid(dataDir)).toBeNull()
  })
})

describe('corridor serve with WORKERS and a database that becomes unreachable', () => {
  let database: FreshDatabase
  let proxy: DatabaseProxy
  let settings: Record<string, string>

  beforeAll(async () => {
    database = await stocked()
    proxy = await DatabaseProxy.to(database.url)
    const url = new URL(database.url)
    url.port = String(proxy.port)
    settings = { WORKERS: '2', DATABASE_URL: url.href }
  })
  beforeEach(() => {
    proxy.isDropping = false
  })
  afterEach(endServed)
  afterAll(async () => {
    proxy.close()
    await database.close()
  })

  const lose = () => {
    proxy.isDropping = true
    proxy.cut()
  }
  const count = (log: ProcessLog, words: string) => log.text.split(words).length - 1

  test('waits for it if it becomes unreachable before the workers serve', async () => {
    const { log, answering } = launchServe(settings)
    await until('an open database', async () => log.text.includes('the database is open'))
    lose()
    await until('a wait', async () => log.text.includes('a worker waits for the database'))
    proxy.isDropping = false
    const { url } = await answering
    expect(await times(10, () => isAnswered(url))).not.toContain(false)
  })

  test('starts workers that ended meanwhile once it is back, and the others serve', async () => {
    const { url, pid, log } = await serve(settings)
    const [first] = await childrenOf(pid)
    lose()
    process.kill(first!, 'SIGKILL')
    await until('the burial of the worker', async () => !existsSync(`/proc/${first}`))
    const { connections } = proxy
    await until('attempts', async () => proxy.connections > connections + RESTARTS_WATCHED)
    expect(await childrenOf(pid)).toHaveLength(1)
    expect(await times(10, () => isAnswered(url))).not.toContain(false)
    proxy.isDropping = false
    await until('the worker', async () => log.text.includes('a new worker responds in its place'))
    expect(count(log, 'a worker ended')).toBe(1)
  })
})

test('an unsupervised worker has an error with how to start it', async () => {
  const { status, said } = await corridorProcess(['worker'], { databaseUrl: '' })
  expect(status).toBe(1)
  expect(said).toEqual(['corridor: workers are started by `corridor serve` with WORKERS'])
})

test.each([
  [0, 250],
  [1, 500],
  [6, 16_000],
  [7, 30_000],
  [5000, 30_000],
])('a worker waits after %d early ends in a row: %d ms', (failures, waitMs) => {
  expect(restartWaitMs(failures)).toBe(waitMs)
})
