import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { openDescriptors } from '~/telemetry/descriptors.ts'
import { EventReader } from '../../support/event-reader.ts'
import { until } from '../../support/until.ts'
import { LiveServer } from '../live-server.ts'

let server: LiveServer
const sockets: Socket[] = []

const start = (endSeconds?: number) => {
  server = new LiveServer(undefined, endSeconds)
  server.world.quote({ providerId: 'retail-a', rate: 128, fee: 0, feeCurrency: 'USD' })
}
const stop = async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server.world.streams.open.stop()
  await server.stop()
}
beforeEach(() => start())
afterEach(stop)

/** More than any connection buffers whose client does not read. */
const STEPS_MAX = 50_000

const PATH = '/api/v1/stream?corridors=USD/KES'

async function stream(key: string): Promise<EventReader> {
  const reader = new EventReader(
    await fetch(`${server.origin}${PATH}`, { headers: { 'x-api-key': key } }),
  )
  await reader.event('hello')
  return reader
}

let position = 10

/** Commits a quote, as the log of changes reports it. */
async function commit(): Promise<void> {
  const { live, clock } = server.world
  const rest = {
    feeCurrency: 'USD',
    evidence: 'observed',
    offer: null,
    rateType: 'retail',
  } as const
  const quote = { id: ++position, atMs: clock.now(), from: 'USD', to: 'KES', fee: 0 }
  const quotes = [{ ...quote, ...rest, providerId: 'retail-a', rate: position }]
  const days = { referencesAt: async () => [] }
  await live.apply({ position, kind: 'observations', atMs: clock.now(), quotes }, days)
}

/** Changes all keys of an account, or its plan. */
function publish(id: string, { revokedMs, plan }: { revokedMs?: number; plan?: 'free' | 'pro' }) {
  const { memory, clock } = server.world
  const { keys } = memory.current
  const accounts = plan ? [{ ...keys.account(id)!, plan }] : []
  const own = revokedMs === undefined ? [] : keys.keysOf(id).map((key) => ({ ...key, revokedMs }))
  memory.publish({ access: { accounts, keys: own } }, clock.now())
}

const openCount = () => server.world.streams.slots.figures.open

describe('a stream', () => {
  test('ends within a second of the revocation of its key, with a reason', async () => {
    const { id, key } = server.world.account('pro')
    const [reader, other] = [await stream(key), await stream(server.world.key())]
    const startMs = performance.now()
    publish(id, { revokedMs: server.world.clock.now() })
    await reader.over
    expect(performance.now() - startMs).toBeLessThan(1000)
    expect(reader.events.at(-1)).toMatchObject({ name: 'ended', data: { code: 'revoked_key' } })
    expect([other.isOver, openCount()]).toEqual([false, 1])
  })

  test('ends when its key expires', async () => {
    const { id, key } = server.world.account('pro')
    publish(id, { revokedMs: server.world.clock.now() + 5000 })
    const reader = await stream(key)
    await Bun.sleep(1200)
    expect(reader.isOver).toBe(false)
    server.world.clock.advance(5000)
    await reader.over
    expect(reader.events.at(-1)!.data.code).toBe('revoked_key')
  })

  test('ends when its account changes the plan', async () => {
    const { id, key } = server.world.account('free')
    const reader = await stream(key)
    publish(id, { plan: 'pro' })
    await reader.over
    expect(reader.events.at(-1)).toMatchObject({ name: 'ended', data: { code: 'plan_changed' } })
  })

  test('ends with the process, with the time to reconnect, and the next one is refused', async () => {
    const key = server.world.key()
    const readers = await Promise.all(Array.from({ length: 10 }, () => stream(key)))
    server.world.streams.open.stop()
    await Promise.all(readers.map(({ over }) => over))
    const waits = readers.map(({ retryMs }) => retryMs!)
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(500)
    expect(Math.max(...waits)).toBeLessThanOrEqual(5000)
    expect(new Set(waits).size).toBeGreaterThan(1)
    expect(openCount()).toBe(0)
    const refused = await fetch(`${server.origin}${PATH}`, { headers: { 'x-api-key': key } })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  })

  test('is refused if the process begins to stop while a slot is being taken', async () => {
    const { open, slots } = server.world.streams
    const take = slots.take.bind(slots)
    slots.take = async (...asked) => {
      const slot = await take(...asked)
      open.stop()
      return slot
    }
    const headers = { 'x-api-key': server.world.key() }
    const late = await fetch(`${server.origin}${PATH}`, { headers })
    expect(late.status).toBe(503)
    expect(await late.json()).toMatchObject({ code: 'streams_unavailable' })
    expect(openCount()).toBe(0)
  })

  test("has a comment every 15 seconds, with the reader's position", async () => {
    const reader = await stream(server.world.key())
    const before = reader.comments.length
    for (let i = 0; i < 151; i++) server.world.streams.open.tick()
    await until('a comment', async () => reader.comments.length > before)
    expect(reader.comments.length - before).toBeLessThanOrEqual(3)
    expect(reader.comments.at(-1)).toMatch(/^\d+-$/)
  })

  /** Leaves a stream unread while another stream gets quotes until the first one is cut. */
  async function cut() {
    const others = openCount() + 1
    const reader = await stream(server.world.key())
    const idle = connect(server.port, '127.0.0.1')
    sockets.push(idle)
    idle.on('error', () => {})
    idle.write(`GET ${PATH} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${server.world.key()}\r\n\r\n`)
    await new Promise((resolve) => idle.once('data', resolve))
    idle.pause()
    expect(openCount()).toBe(others + 1)
    let committed = 0
    const rates = () =>
      reader.events.filter(({ name }) => name === 'quote').map(({ data }) => data.rate)
    while (openCount() > others && committed < STEPS_MAX) {
      for (let i = 0; i < 500 && openCount() > others; i++, committed++) await commit()
      await until(
        'everything is sent',
        async () => openCount() === others || rates().length === committed,
      )
    }
    expect(openCount()).toBe(others)
    const isAllTold = async () => new Set(rates()).size === committed && !reader.isOver
    return { idle, isAllTold }
  }

  /** Reads a connection from now on; returns its last bytes on request. */
  function tailOf(idle: Socket): () => string {
    let text = ''
    idle.on('data', (bytes) => {
      text = (text + bytes.toString()).slice(-2000)
    })
    idle.resume()
    return () => text
  }

  const LAST_CHUNK = '\r\n0\r\n\r\n'

  test('is cut if its client does not read, with a last event, and delays no other', async () => {
    const { idle, isAllTold } = await cut()
    const tail = tailOf(idle)
    await until('the end', async () => tail().endsWith(LAST_CHUNK))
    expect(tail()).toContain('event: slow\ndata: {"error":')
    await until('the other reader has it all', isAllTold)
  }, 120_000)

  test('closes its connection if its client does not read the last event either', async () => {
    await stop()
    start(1)
    const { idle } = await cut()
    const open = openDescriptors()!
    await until('the connection closed', async () => openDescriptors()! < open)
    expect(idle.destroyed).toBe(false)
  }, 120_000)
})
