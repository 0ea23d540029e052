import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { BARE_ENV } from '../support/child.ts'
import { Said } from '../support/exposition.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'

setDefaultTimeout(TEST_MS_MAX)

const MAIN = join(import.meta.dir, '../../src/main.ts')
const DESCRIPTORS = 200
const CROWD = 300
/** Time within which a client must be refused. */
const REFUSAL_MS_MAX = 1_000
const TICKS_PER_SECOND = 100
const WATCHED_MS = 2_000
/** Share of a core that a service may use; a busy accept loop takes all of it. */
const CORE_PART_MAX = 0.6

let database: FreshDatabase
let service: Awaited<ReturnType<typeof serve>>
const sockets: Socket[] = []

beforeEach(async () => {
  database = await freshDatabase()
  service = await serve()
})

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  service.child.kill('SIGKILL')
  await service.child.exited
  await database.close()
})

/**
 * `corridor serve` with few file descriptors, and its log lines about connections: a job that
 * connects to the database just before connections are freed fails, and runs again.
 */
async function serve() {
  const limited = `ulimit -n ${DESCRIPTORS}; exec "$0" "$@"`
  const child = Bun.spawn(['sh', '-c', limited, process.execPath, MAIN, 'serve'], {
    env: {
      ...BARE_ENV,
      PORT: '0',
      PUBLIC_URL: 'http://c.example',
      REFERENCE_FEED: 'none',
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'json',
      DATABASE_URL: database.url,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const logged: string[] = []
  void (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stderr) logged.push(decoder.decode(chunk))
  })()
  const { value } = await child.stdout.getReader().read()
  const port = Number(/:(\d+)\//.exec(new TextDecoder().decode(value))?.[1])
  const messages = () =>
    [...logged.join('').matchAll(/"msg":"((?!job )[^"]*)"/g)].map(([, message]) => message)
  return { child, port, messages }
}

const REQUEST = 'GET /api/v1/status HTTP/1.1\r\nHost: x\r\n\r\n'

/** Many connections at once, each of which sends `said`. */
function crowd(said: string) {
  const seen = { answers: 0, ends: 0 }
  for (let i = 0; i < CROWD; i++) {
    const socket = connect(service.port, '127.0.0.1', () => void (said && socket.write(said)))
    socket.on('data', () => void seen.answers++)
    socket.on('error', () => {})
    socket.on('close', () => void seen.ends++)
    sockets.push(socket)
  }
  return seen
}

/** Status of the response to a new client, or the reason for none. */
async function newClient(msMax = 5_000) {
  const init = { headers: { connection: 'close' }, signal: AbortSignal.timeout(msMax) }
  return fetch(`http://127.0.0.1:${service.port}/api/v1/status`, init).then(
    (reply) => reply.status,
    (error) => (error.name === 'TimeoutError' ? 'no answer' : 'refused'),
  )
}

async function cpuTicks(): Promise<number> {
  const stat = await readFile(`/proc/${service.child.pid}/stat`, 'utf8')
  const [, user, system] = /\) (?:\S+ ){11}(\d+) (\d+)/.exec(stat)!
  return Number(user) + Number(system)
}

/** Share of a core that the service takes for a while. */
async function coreParts(): Promise<number> {
  const before = await cpuTicks()
  await delay(WATCHED_MS)
  return ((await cpuTicks()) - before) / TICKS_PER_SECOND / (WATCHED_MS / 1000)
}

describe('more connections than there are file descriptors', () => {
  test('make room for new ones while they are idle, and everyone is served', async () => {
    const seen = crowd(REQUEST)
    await until('an answer for each', async () => seen.answers === CROWD)
    expect(await newClient()).toBe(200)
    expect(await coreParts()).toBeLessThan(CORE_PART_MAX)
    expect(service.messages()).toEqual([
      'close to the limit of file descriptors: idle connections are closed',
    ])
    const reply = await fetch(`http://127.0.0.1:${service.port}/metrics`)
    const metrics = new Said(await reply.text())
    expect(metrics.value('process_max_fds')).toBe(DESCRIPTORS)
    expect(metrics.value('process_open_fds')).toBeGreaterThan(10)
    expect(metrics.value('corridor_connections_crowded_total')).toBe(1)
    expect(metrics.value('corridor_accepting')).toBe(1)
  })

  test('make the service refuse new ones at once and serve the open ones, without burning a core', async () => {
    let early!: Socket
    let received = ''
    // A machine so busy that silent connections have timed out meanwhile tries again.
    await until('the refusal of a new client', async () => {
      for (const socket of sockets.splice(0)) socket.destroy()
      early = connect(service.port, '127.0.0.1')
      sockets.push(early)
      early.on('data', (chunk) => {
        received += String(chunk)
      })
      early.write('GET /api/v1/status HTTP/1.1\r\nHost: x\r\n')
      await until('the connection', async () => !early.connecting)
      const seen = crowd('')
      await until('the refusal of the rest', async () => seen.ends > 0)
      return (await newClient(REFUSAL_MS_MAX)) === 'refused'
    })
    early.write('\r\n')
    await until('the answer', async () => received.startsWith('HTTP/1.1 200'))
    expect(await coreParts()).toBeLessThan(CORE_PART_MAX)
    const again = 'new connections are accepted again'
    const said = new Set(service.messages())
    said.delete(again)
    expect([...said]).toEqual([
      'close to the limit of file descriptors: idle connections are closed',
      'out of file descriptors: new connections are refused',
    ])
    for (const socket of sockets.splice(0)) socket.destroy()
    await until('a new client', async () => (await newClient()) === 200)
    await until('its message', async () => service.messages().at(-1) === again)
    service.child.kill('SIGTERM')
    expect(await service.child.exited).toBe(0)
  })
})
