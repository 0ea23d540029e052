import { afterEach, describe, expect, test } from 'bun:test'
import { SESSION_IDLE_MS, SESSIONS_PER_ACCOUNT_MAX, Sessions } from '~/mcp/sessions.ts'
import { INITIALIZE, ToolWorld, until } from './tool-world.ts'

let open: ToolWorld[] = []
const toolWorld = (options: ConstructorParameters<typeof ToolWorld>[0] = {}): ToolWorld => {
  const tools = new ToolWorld(options)
  open.push(tools)
  return tools
}

afterEach(async () => {
  await Promise.all(open.map((tools) => tools.stop()))
  open = []
})

const SESSION = 'mcp-session-id'

async function opened(tools: ToolWorld, key: string): Promise<string | null> {
  const { status, headers } = await tools.ask(key, INITIALIZE)
  expect(status).toBe(200)
  return headers.get(SESSION)
}

const pinged = async (tools: ToolWorld, key: string, id: string) =>
  (await tools.ask(key, { method: 'ping' }, { [SESSION]: id })).status

const streamed = (tools: ToolWorld, key: string, id: string, signal?: AbortSignal) =>
  tools.fetch({
    method: 'GET',
    key,
    headers: { accept: 'text/event-stream', [SESSION]: id },
    ...(signal && { signal }),
  })

describe('a session', () => {
  test('is opened by initialize and named in each request from then on', async () => {
    const tools = toolWorld()
    const key = tools.world.key()
    const id = (await opened(tools, key))!
    expect(id).toMatch(/^[\x21-\x7e]{32,}$/)
    expect(await pinged(tools, key, id)).toBe(200)
    const again = await tools.ask(key, INITIALIZE, { [SESSION]: id })
    expect([again.status, again.body.error.code]).toEqual([400, -32600])
  })

  test('is not opened by an initialize that fails, nor with sessions=off in the address', async () => {
    const tools = toolWorld()
    const key = tools.world.key()
    const failed = await tools.ask(key, { method: 'initialize', params: {} })
    expect(failed.body.error.code).toBeLessThan(0)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...INITIALIZE })
    const off = await tools.fetch({ key, body, query: '?sessions=off' })
    expect([off.status, off.headers.get(SESSION)]).toEqual([200, null])
    expect(tools.world.tools.sessions.size).toBe(0)
  })

  test('is 404 for every method if nobody opened it, so that the client starts again', async () => {
    const tools = toolWorld()
    const key = tools.world.key()
    const headers = { [SESSION]: crypto.randomUUID() }
    const asked = await tools.ask(key, { method: 'ping' }, headers)
    expect([asked.status, asked.body.error.code]).toEqual([404, -32001])
    expect((await tools.fetch({ method: 'GET', key, headers })).status).toBe(404)
    expect((await tools.fetch({ method: 'DELETE', key, headers })).status).toBe(404)
  })

  test('belongs to the account that opened it and all of its keys', async () => {
    const tools = toolWorld()
    const { id: accountId, key } = tools.world.account('free')
    const sister = tools.world.addKey(accountId, 'sister')
    const id = (await opened(tools, key))!
    const stranger = tools.world.key()
    expect(await pinged(tools, stranger, id)).toBe(404)
    expect((await streamed(tools, stranger, id)).status).toBe(404)
    const headers = { [SESSION]: id }
    expect((await tools.fetch({ method: 'DELETE', key: stranger, headers })).status).toBe(404)
    expect(await pinged(tools, sister.key, id)).toBe(200)
  })

  test('is ended by DELETE, with its stream', async () => {
    const tools = toolWorld()
    const key = tools.world.key()
    const id = (await opened(tools, key))!
    const stream = await streamed(tools, key, id)
    const ended = stream.text()
    const headers = { [SESSION]: id }
    expect((await tools.fetch({ method: 'DELETE', key, headers })).status).toBe(204)
    expect(await ended).toContain(': open')
    expect(await pinged(tools, key, id)).toBe(404)
    expect([tools.world.tools.sessions.size, tools.world.tools.sessions.streams]).toEqual([0, 0])
  })

  test("is ended by the SDK's client too", async () => {
    const tools = toolWorld()
    const { client, transport } = await tools.connect(tools.world.key())
    await client.ping()
    await transport.terminateSession()
    expect(tools.world.tools.sessions.size).toBe(0)
  })

  test('expires after its idle time, and not a millisecond before', async () => {
    const tools = toolWorld()
    const key = tools.world.key()
    const id = (await opened(tools, key))!
    tools.world.clock.advance(SESSION_IDLE_MS - 1)
    expect(await pinged(tools, key, id)).toBe(200)
    tools.world.clock.advance(SESSION_IDLE_MS - 1)
    tools.world.tools.prune()
    expect(tools.world.tools.sessions.size).toBe(1)
    tools.world.clock.advance(1)
    expect(await pinged(tools, key, id)).toBe(404)
    tools.world.tools.prune()
    expect(tools.world.tools.sessions.size).toBe(0)
  })

  test('is in use while its stream is open, and idle from the moment it closes', async () => {
    const tools = toolWorld()
    const key = tools.world.key()
    const id = (await opened(tools, key))!
    const leaving = new AbortController()
    await streamed(tools, key, id, leaving.signal)
    tools.world.clock.advance(3 * SESSION_IDLE_MS)
    tools.world.tools.prune()
    expect(await pinged(tools, key, id)).toBe(200)
    leaving.abort()
    await until(() => tools.world.tools.sessions.streams === 0)
    tools.world.clock.advance(SESSION_IDLE_MS)
    tools.world.tools.prune()
    expect(tools.world.tools.sessions.size).toBe(0)
  })
})

describe('the stream of a session', () => {
  test('is open at once and holds events', async () => {
    const tools = toolWorld()
    const key = tools.world.key()
    const id = (await opened(tools, key))!
    const reply = await streamed(tools, key, id)
    expect(reply.headers.get('content-type')).toBe('text/event-stream')
    const { value } = await reply.body!.getReader().read()
    expect(new TextDecoder().decode(value)).toBe(': open\n\n')
    expect(tools.world.tools.sessions.streams).toBe(1)
  })

  test('gives way to a newer one of the same session', async () => {
    const tools = toolWorld()
    const key = tools.world.key()
    const id = (await opened(tools, key))!
    const first = await streamed(tools, key, id)
    const second = await streamed(tools, key, id)
    await first.text()
    expect(second.status).toBe(200)
    expect(tools.world.tools.sessions.streams).toBe(1)
  })

  test('ends when the server closes, so that nobody waits for it', async () => {
    const tools = toolWorld()
    const key = tools.world.key()
    const stream = await streamed(tools, key, (await opened(tools, key))!)
    tools.world.tools.close()
    expect(await stream.text()).toContain(': open')
  })
})

describe('the number of sessions', () => {
  test('of an account is bounded: one more is served without a session', async () => {
    const tools = toolWorld()
    const key = tools.world.key()
    const ids: (string | null)[] = []
    for (let i = 0; i <= SESSIONS_PER_ACCOUNT_MAX; i++) ids.push(await opened(tools, key))
    expect(ids.filter((id) => id !== null)).toHaveLength(SESSIONS_PER_ACCOUNT_MAX)
    expect(ids.at(-1)).toBeNull()
    const { client, transport } = await tools.connect(key)
    expect(transport.sessionId).toBeUndefined()
    expect((await client.listTools()).tools).toHaveLength(10)
    expect(await opened(tools, tools.world.key())).not.toBeNull()
    await tools.fetch({ method: 'DELETE', key, headers: { [SESSION]: ids[0]! } })
    expect(await opened(tools, key)).not.toBeNull()
  })

  test('of all accounts is bounded, and expired ones make room', async () => {
    const tools = toolWorld({ tools: { sessionsMax: 3 } })
    for (let i = 0; i < 3; i++) expect(await opened(tools, tools.world.key())).not.toBeNull()
    expect(await opened(tools, tools.world.key())).toBeNull()
    tools.world.clock.advance(SESSION_IDLE_MS)
    expect(await opened(tools, tools.world.key())).not.toBeNull()
    expect(tools.world.tools.sessions.size).toBe(1)
  })

  test('may be bounded at none, and then every client is served without one', async () => {
    const tools = toolWorld({ tools: { sessionsMax: 0 } })
    const session = await tools.connect(tools.world.key())
    expect(session.transport.sessionId).toBeUndefined()
    expect((await session.call('list_providers')).isError).toBe(false)
  })

  test('returns to zero when clients go away silently', async () => {
    const tools = toolWorld()
    const { sessions } = tools.world.tools
    const keys = Array.from({ length: 4 }, () => tools.world.key())
    const leaving = new AbortController()
    const held: Response[] = []
    for (let i = 0; i < 80; i++) {
      const key = keys[i % 4]!
      held.push(await streamed(tools, key, (await opened(tools, key))!, leaving.signal))
    }
    expect(held.every(({ status }) => status === 200)).toBe(true)
    expect([sessions.size, sessions.streams]).toEqual([80, 80])
    leaving.abort()
    await until(() => sessions.streams === 0)
    tools.world.clock.advance(SESSION_IDLE_MS)
    tools.world.tools.prune()
    expect(sessions.size).toBe(0)
    for (let i = 0; i < SESSIONS_PER_ACCOUNT_MAX; i++)
      expect(await opened(tools, keys[0]!)).not.toBeNull()
  })

  test('returns to zero when SDK clients only close', async () => {
    const tools = toolWorld()
    const { sessions } = tools.world.tools
    const clients = await Promise.all(
      Array.from({ length: 20 }, () => tools.connect(tools.world.key())),
    )
    await until(() => sessions.streams === 20)
    await Promise.all(clients.map(({ client }) => client.close()))
    await until(() => sessions.streams === 0)
    tools.world.clock.advance(SESSION_IDLE_MS)
    tools.world.tools.prune()
    expect(sessions.size).toBe(0)
  })
})

describe('Sessions', () => {
  test('counts an account once for each session it closes, however often it closes it', () => {
    const sessions = new Sessions(100)
    const all = Array.from({ length: SESSIONS_PER_ACCOUNT_MAX }, () => sessions.open('a', 0)!)
    expect(sessions.open('a', 0)).toBeNull()
    sessions.close(all[0]!)
    sessions.close(all[0]!)
    expect(sessions.open('a', 0)).not.toBeNull()
    expect(sessions.open('a', 0)).toBeNull()
    sessions.closeAll()
    expect(sessions.size).toBe(0)
  })
})
