import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type Listener, listen } from '~/runtime/listener.ts'
import { KeptLog } from '../support/log.ts'
import { TEST_MS_MAX } from '../support/until.ts'

setDefaultTimeout(TEST_MS_MAX)

const IDLE_MS = 2000
/** Timeouts are checked every few seconds. */
const CLOSED_MS_MAX = IDLE_MS + 5000
/** The server's own timeout for headers. */
const HEADERS_MS_MAX = 16_000
const CROWD = 300

let listener: Listener
const bodies: string[] = []

function listening(idleTimeoutMs: number): Listener {
  const handle = async (request: Request) => {
    if (request.url.endsWith('/big')) return new Response(new Uint8Array(64 * 1_048_576))
    if (request.method !== 'POST') return new Response('ok')
    const text = await request.text().catch(() => 'broken off')
    bodies.push(text)
    return new Response(text)
  }
  return listen({ host: '127.0.0.1', port: 0, idleTimeoutMs }, { handle, log: new KeptLog() })
}

beforeAll(() => {
  listener = listening(IDLE_MS)
})
afterAll(() => listener.stop())

type Client = { socket: Socket; closed: Promise<number>; received(): string }

/**
 * A connection that sends `text` and then a byte now and then; `closed` resolves with its duration.
 */
function client(text: string, drip?: string, { origin } = listener): Client {
  const startMs = performance.now()
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  let received = ''
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1', 0, 100)
  })
  socket.on('error', () => {})
  socket.write(text)
  const timer = drip ? setInterval(() => socket.write(drip), 500) : null
  const closed = new Promise<number>((resolve) => {
    socket.on('close', () => {
      if (timer) clearInterval(timer)
      resolve(performance.now() - startMs)
    })
  })
  return { socket, closed, received: () => received }
}

const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n'

/** Runs all tests at the same time, since each waits on connections of its own. */
describe.concurrent('listen', () => {
  test('closes a connection whose body does not come, or comes in drops', async () => {
    const waits = [client(POST).closed, client(POST, 'x').closed]
    for (const ms of await Promise.all(waits)) expect(ms).toBeLessThan(CLOSED_MS_MAX)
    expect(bodies).not.toContain('x')
  })

  test('closes a connection that is idle after its response', async () => {
    const idle = client('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(await idle.closed).toBeLessThan(CLOSED_MS_MAX)
    expect(idle.received()).toStartWith('HTTP/1.1 200')
  })

  test('closes a connection whose headers never end, however steadily they come', async () => {
    const half = 'GET / HTTP/1.1\r\nHost: a\r\n'
    const waits = [client('').closed, client(half).closed, client(half, 'X-A: b\r\n').closed]
    for (const ms of await Promise.all(waits)) expect(ms).toBeLessThan(HEADERS_MS_MAX)
  })

  test('returns 431 for headers without end', async () => {
    const huge = client(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`)
    await huge.closed
    expect(huge.received()).toStartWith('HTTP/1.1 431')
  })

  test('drops a response that its client does not read', async () => {
    const unread = client('GET /big HTTP/1.1\r\nHost: a\r\n\r\n')
    unread.socket.pause()
    await Bun.sleep(CLOSED_MS_MAX)
    let bytes = 0
    unread.socket.on('data', (chunk) => {
      bytes += chunk.length
    })
    unread.socket.resume()
    await unread.closed
    expect(bytes).toBeLessThan(64 * 1_048_576)
  })

  test('serves others at once while a crowd of half-open connections waits', async () => {
    const patient = listening(30_000)
    const crowd = Array.from({ length: CROWD }, (_, i) =>
      client(i % 2 ? POST : 'GET / HTTP/1.1\r\n', undefined, patient),
    )
    await Promise.all(crowd.map(({ socket }) => once(socket, 'connect')))
    let givenUp = 0
    for (const { closed } of crowd) void closed.then(() => givenUp++)
    for (let i = 0; i < 100; i++) expect(await (await fetch(patient.origin)).text()).toBe('ok')
    // a request queued behind the crowd would wait until the server closes a connection
    expect(givenUp).toBe(0)
    for (const { socket } of crowd) socket.destroy()
    await patient.stop()
  })
})
