import { afterEach, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { BODY_BYTES_MAX } from '~/mcp/body.ts'
import { World } from '../support/world.ts'
import { INITIALIZE, modern, ToolWorld } from './tool-world.ts'

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

const CALL = {
  method: 'tools/call',
  params: { name: 'get_rates', arguments: { from: 'USD', to: 'KES' } },
}
const messageOf = (message: object, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, ...message })

const JSON_TYPE = 'application/json'
const QUOTA_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

describe('the key', () => {
  const requests: [string, RequestInit][] = [
    ['POST', { body: messageOf(CALL) }],
    ['POST of no JSON', { body: '{' }],
    ['POST with a foreign Origin', { body: '{', headers: { origin: 'https://evil.example' } }],
  ]

  test.each(requests)(
    'returns 401 for %s without one, with a wrong one and with a revoked one',
    async (_, init) => {
      const tools = toolWorld()
      const { id, keyId, key } = tools.world.account('free')
      const row = tools.world.memory.current.keys.keysOf(id).find((own) => own.id === keyId)!
      const revoked = { ...row, revokedMs: tools.world.clock.now() }
      tools.world.memory.publish({ access: { accounts: [], keys: [revoked] } }, 0)
      const codes: string[] = []
      for (const shown of [undefined, 'crd_nonsense', key]) {
        const reply = await tools.fetch({ ...init, key: shown })
        expect(reply.status).toBe(401)
        expect(reply.headers.get('content-type')).toBe('application/json')
        const body = (await reply.json()) as { code: string }
        expect(body).toEqual((await tools.world.get('/providers', shown)).body)
        codes.push(body.code)
        for (const name of QUOTA_HEADERS) expect(reply.headers.get(name)).toBeNull()
      }
      expect(codes).toEqual(['missing_key', 'invalid_key', 'revoked_key'])
    },
  )

  test.each([
    ['406', { headers: { accept: 'text/html' }, body: '{}' }],
    ['415', { headers: { 'content-type': 'text/plain' }, body: '{}' }],
    ['400', { body: '{' }],
    ['400', { body: modern(CALL, { version: '2099-01-01' }).body }],
    ['403', { headers: { origin: 'https://evil.example' }, body: messageOf(CALL) }],
    ['413', { body: ' '.repeat(70_000) }],
  ])('%s with one shows what is left of the budget', async (status, init) => {
    const tools = toolWorld()
    const reply = await tools.fetch({ ...(init as RequestInit), key: tools.world.key('free') })
    expect(String(reply.status)).toBe(status)
    const left = QUOTA_HEADERS.map((name) => reply.headers.get(name))
    expect(left.slice(0, 2)).toEqual(['50', '50'])
  })

  test('is checked again with every request of a client', async () => {
    const tools = toolWorld()
    const { id, keyId, key } = tools.world.account('free')
    const { client } = await tools.connect(key)
    const row = tools.world.memory.current.keys.keysOf(id).find((own) => own.id === keyId)!
    const revoked = { ...row, revokedMs: tools.world.clock.now() }
    tools.world.memory.publish({ access: { accounts: [], keys: [revoked] } }, 0)
    await expect(client.ping()).rejects.toThrow('revoked')
  })
})

describe('Host and Origin', () => {
  const HOSTS: [string, number][] = [
    ['localhost', 200],
    ['LOCALHOST:80', 200],
    ['127.0.0.1:3000', 200],
    ['[::1]:3000', 200],
    ['rates.example', 200],
    ['rates.example:8443', 200],
    ['evil.example', 403],
    ['localhost.evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['rates.example.evil.example', 403],
    ['evil.example:localhost', 403],
    ['169.254.1.1', 403],
    ['[::2]', 403],
  ]

  test.each(HOSTS)('Host: %s gets %d', async (host, status) => {
    const tools = toolWorld({ tools: { allowedHosts: ['Rates.Example'] } })
    const reply = await tools.ask(tools.world.key(), CALL, { host })
    expect(reply.status).toBe(status)
    if (status === 403)
      expect(reply.body).toEqual({
        error: expect.stringContaining('MCP_ALLOWED_HOSTS'),
        code: 'forbidden',
      })
  })

  const ORIGINS: [string, number][] = [
    ['http://localhost:6274', 200],
    ['https://127.0.0.1', 200],
    ['http://[::1]:5173', 200],
    ['https://agents.example', 200],
    ['http://agents.example', 403],
    ['https://agents.example:8443', 403],
    ['https://evil.example', 403],
    ['http://localhost.evil.example', 403],
    ['null', 403],
    ['localhost', 403],
    ['file://localhost', 403],
  ]

  test.each(ORIGINS)('Origin: %s gets %d', async (origin, status) => {
    const tools = toolWorld({ tools: { allowedOrigins: ['https://agents.example'] } })
    const key = tools.world.key('free')
    const reply = await tools.ask(key, CALL, { origin })
    expect(reply.status).toBe(status)
    const isAllowed = status === 200
    expect(reply.headers.get('access-control-allow-origin')).toBe(isAllowed ? origin : null)
    expect(reply.headers.get('vary')).toBe(isAllowed ? 'Origin' : null)
    expect(await tools.used(key)).toBe(isAllowed ? 1 : 0)
  })

  test('any host and origin is accepted if the operator sets *', async () => {
    const tools = toolWorld({ tools: { allowedHosts: ['*'], allowedOrigins: ['*'] } })
    const headers = { host: 'any.example', origin: 'https://any.example' }
    expect((await tools.ask(tools.world.key(), CALL, headers)).status).toBe(200)
  })
})

describe('OPTIONS', () => {
  const preflight = { method: 'OPTIONS', headers: { origin: 'http://localhost:6274' } }

  test('returns 204 without a key, with what a page of an allowed origin may send and read', async () => {
    for (const corsOrigins of [[], ['https://app.example']]) {
      const { status, headers } = await toolWorld({ corsOrigins }).fetch(preflight)
      expect(status).toBe(204)
      expect(headers.get('allow')).toBe('POST, OPTIONS')
      expect(headers.get('access-control-allow-origin')).toBe('http://localhost:6274')
      expect(headers.get('access-control-allow-methods')).toBe('POST, OPTIONS')
      for (const name of ['x-api-key', 'content-type', 'mcp-method', 'mcp-name'])
        expect(headers.get('access-control-allow-headers')).toContain(name)
      expect(headers.get('access-control-expose-headers')).toContain('x-ratelimit-remaining')
    }
  })

  test('returns 403 for any other origin, even if REST allows every one', async () => {
    const headers = { origin: 'https://evil.example' }
    const tools = toolWorld({ corsOrigins: ['*'] })
    const reply = await tools.fetch({ method: 'OPTIONS', headers })
    expect(reply.status).toBe(403)
    expect(reply.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('does not change the CORS of REST', async () => {
    const world = new World({ corsOrigins: ['https://app.example'] })
    const reply = await world.get('/status', undefined, {
      headers: { origin: 'https://app.example' },
    })
    expect(reply.headers.get('access-control-allow-origin')).toBe('https://app.example')
  })
})

describe('the method', () => {
  test('returns 405 for any other, before the key, with Allow', async () => {
    const tools = toolWorld()
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD']) {
      const reply = await tools.fetch({ method })
      expect([method, reply.status]).toEqual([method, 405])
      expect(reply.headers.get('allow')).toBe('POST, OPTIONS')
    }
  })
})

describe('the form of a response', () => {
  const ACCEPTS = [
    undefined,
    'application/json, text/event-stream',
    'text/event-stream, application/json',
    'application/json',
    '*/*',
    'application/json;q=0.5, text/event-stream',
  ]

  test.each(ACCEPTS)('is JSON with Accept: %s', async (accept) => {
    const tools = toolWorld()
    for (const { headers, body } of [{ headers: {}, body: messageOf(CALL) }, modern(CALL)]) {
      const request = new Request(tools.url, { method: 'POST', headers, body })
      request.headers.set('x-api-key', tools.world.key())
      request.headers.set('content-type', 'application/json')
      if (accept !== undefined) request.headers.set('accept', accept)
      const reply = await tools.world.app.fetch(request)
      expect([reply.status, reply.headers.get('content-type')]).toEqual([200, JSON_TYPE])
      const { result } = (await reply.json()) as { result: { content: [{ text: string }] } }
      expect(JSON.parse(result.content[0].text)).toMatchObject({ corridor: 'USD/KES' })
    }
  })

  test('is 406 if that is not accepted', async () => {
    const tools = toolWorld()
    for (const accept of ['text/html', 'application/json;q=0', 'text/event-stream']) {
      const reply = await tools.ask(tools.world.key(), CALL, { accept })
      expect([accept, reply.status]).toEqual([accept, 406])
      expect(reply.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32000 } })
    }
  })

  test('is streamed if it is long, since its head would be sent word by word', async () => {
    const tools = toolWorld()
    const key = tools.world.key()
    const body = `[${[1, 2].map((id) => messageOf({ method: 'tools/list' }, id))}]`
    const reply = await tools.fetch({ key, body })
    expect((await reply.text()).length).toBeGreaterThan(20_000)
    expect(reply.headers.get('transfer-encoding')).toBe('chunked')
    const short = await tools.fetch({ key, body: messageOf({ method: 'ping' }) })
    expect(short.headers.get('content-length')).toBe(String((await short.text()).length))
  })

  test('shows what is left of the budget, whatever the outcome', async () => {
    const tools = toolWorld()
    const key = tools.world.key('free')
    const wrong = { ...CALL, params: { name: 'get_rates' } }
    for (const message of [CALL, wrong, { method: 'ping' }]) {
      const { headers } = await tools.ask(key, message)
      expect(QUOTA_HEADERS.map((name) => headers.get(name))).toEqual(['50', '49', '1772755200'])
    }
  })
})

describe('a body', () => {
  const WRONG: [string, string, number][] = [
    ['nothing', '', -32700],
    ['no JSON', '{', -32700],
    ['a number', '5', -32600],
    ['null', 'null', -32600],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ['no method', '{"jsonrpc":"2.0","id":1}', -32600],
    ['a method of another type', '{"jsonrpc":"2.0","id":1,"method":5}', -32600],
    ['an id of null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ['an id with decimals', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
    ['params in a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600],
    ['lists in lists', '['.repeat(50_000), -32600],
    ['an empty batch', '[]', -32600],
    ['a batch with something else in it', `[${messageOf({ method: 'ping' })},5]`, -32600],
    ['initialize in a batch', `[${messageOf(INITIALIZE)},${messageOf(CALL, 2)}]`, -32600],
  ]

  test.each(WRONG)('of %s (%p) is 400 with the code %d', async (_name, body, code) => {
    const tools = toolWorld()
    const key = tools.world.key('free')
    const reply = await tools.fetch({ key, body })
    expect(reply.status).toBe(400)
    const error = { code, message: expect.any(String) }
    expect(await reply.json()).toMatchObject({ jsonrpc: '2.0', error })
    expect(await tools.used(key)).toBe(0)
  })

  test(`may have ${BODY_BYTES_MAX} bytes and no more, announced or not`, async () => {
    const tools = toolWorld()
    const key = tools.world.key()
    const message = messageOf({ method: 'ping' })
    const fits = message + ' '.repeat(BODY_BYTES_MAX - message.length)
    expect((await tools.fetch({ key, body: fits })).status).toBe(200)
    expect((await tools.fetch({ key, body: `${fits} ` })).status).toBe(413)
    const chunks = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(10_000).fill(32)),
    })
    const reply = await tools.fetch({ key, body: chunks })
    expect(reply.status).toBe(413)
  })

  test('of another type than JSON is 415', async () => {
    const tools = toolWorld()
    const key = tools.world.key()
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'text/json'])
      expect((await tools.ask(key, CALL, { 'content-type': type })).status).toBe(415)
    const charset = { 'content-type': 'application/json; charset=utf-8' }
    expect((await tools.ask(key, CALL, charset)).status).toBe(200)
  })

  test('of notifications and responses only is 202 without a body', async () => {
    const tools = toolWorld()
    const key = tools.world.key()
    const note = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    const answer = { jsonrpc: '2.0', id: 7, result: {} }
    for (const body of [note, answer, [note, answer]]) {
      const reply = await tools.fetch({ key, body: JSON.stringify(body) })
      expect([reply.status, await reply.text()]).toEqual([202, ''])
    }
  })

  test('with several messages gets a response to each request under its own id', async () => {
    const tools = toolWorld()
    const key = tools.world.key('free')
    const note = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
    const calls = [messageOf(CALL, 'a'), note, messageOf(CALL, 7), messageOf({ method: 'nope' }, 8)]
    const reply = await tools.fetch({ key, body: `[${calls}]` })
    const replies = (await reply.json()) as {
      id: unknown
      result?: object
      error?: { code: number }
    }[]
    expect(replies.map(({ id }) => id)).toEqual(['a', 7, 8])
    expect(replies[2]!.error?.code).toBe(-32601)
    expect(await tools.used(key)).toBe(2)
    const pings = (count: number) =>
      `[${Array.from({ length: count }, (_, i) => messageOf({ method: 'ping' }, i))}]`
    expect((await tools.fetch({ key, body: pings(100) })).status).toBe(200)
    expect((await tools.fetch({ key, body: pings(101) })).status).toBe(400)
  })
})

describe('the protocol version', () => {
  const NEGOTIATED: [string, string][] = [
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['1999-01-01', '2025-11-25'],
    ['2099-01-01', '2025-11-25'],
  ]

  test.each(NEGOTIATED)('%s in a request gives %s', async (asked, given) => {
    const tools = toolWorld()
    const params = { ...INITIALIZE.params, protocolVersion: asked }
    const { body } = await tools.ask(tools.world.key(), { ...INITIALIZE, params })
    expect(body.result).toMatchObject({
      protocolVersion: given,
      serverInfo: { name: 'corridor' },
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: expect.stringContaining('rate_type'),
    })
  })

  test('2026-07-28 comes with each request, and server/discover lists the capabilities', async () => {
    const tools = toolWorld()
    const key = tools.world.key('free')
    const reply = await tools.fetch({ key, ...modern({ method: 'server/discover' }) })
    expect(reply.headers.get('mcp-session-id')).toBeNull()
    expect(await reply.json()).toMatchObject({
      result: {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {}, resources: {}, prompts: {} },
        instructions: expect.stringContaining('rate_type'),
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'corridor' } },
      },
    })
    const next = await tools.fetch({ key, ...modern(CALL, { version: '2027-01-01' }) })
    expect([next.status, await next.json()]).toEqual([
      400,
      expect.objectContaining({
        error: expect.objectContaining({
          data: expect.objectContaining({ supported: ['2026-07-28'] }),
        }),
      }),
    ])
    expect(await tools.used(key)).toBe(0)
  })

  test('2026-07-28 needs its headers, which must agree with the body', async () => {
    const tools = toolWorld()
    const key = tools.world.key('free')
    const { headers, body } = modern(CALL)
    const wrong: object[] = [
      { ...headers, 'mcp-name': 'convert' },
      { ...headers, 'mcp-method': 'tools/list' },
      { ...headers, 'mcp-protocol-version': '2025-11-25' },
      { 'mcp-protocol-version': '2026-07-28' },
    ]
    for (const others of wrong) {
      const reply = await tools.fetch({ key, headers: others as Record<string, string>, body })
      expect([reply.status, await reply.json()]).toMatchObject([400, { error: { code: -32020 } }])
    }
    expect(await tools.used(key)).toBe(0)
  })

  test('of an unknown header is 400, and without one any request is accepted', async () => {
    const tools = toolWorld()
    const key = tools.world.key()
    const asked = (version: string) => tools.ask(key, CALL, { 'mcp-protocol-version': version })
    expect((await asked('2025-06-18')).status).toBe(200)
    const reply = await asked('1999-01-01')
    expect([reply.status, reply.body.error.message]).toEqual([
      400,
      expect.stringContaining('2025-11-25'),
    ])
    expect((await tools.ask(key, CALL)).status).toBe(200)
  })
})

describe('the time for which a result may be cached', () => {
  const hintsOf = async (tools: ToolWorld, key: string, message: Parameters<typeof modern>[0]) => {
    const reply = await tools.fetch({ key, ...modern(message) })
    const { result } = (await reply.json()) as { result: { ttlMs: number; cacheScope: string } }
    return [result.ttlMs, result.cacheScope]
  }
  const READ = { method: 'resources/read', params: { uri: 'corridor://catalogue' } }

  test('is until the next hour for prices of an hourly key, and zero for others', async () => {
    const tools = toolWorld({ at: '2026-03-05T14:25:30.500Z' })
    const left = 34.5 * 60_000 - 500
    const read = (plan: 'free' | 'enterprise') => hintsOf(tools, tools.world.key(plan), READ)
    expect(await read('free')).toEqual([left, 'private'])
    expect(await read('enterprise')).toEqual([0, 'private'])
    tools.world.clock.advance(left)
    expect(await read('free')).toEqual([3_600_000, 'private'])
  })

  test('is an hour for lists, which are the same for every client', async () => {
    const tools = toolWorld()
    const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']
    for (const method of [...lists, 'server/discover'])
      expect(await hintsOf(tools, tools.world.key('free'), { method })).toEqual([
        3_600_000,
        'public',
      ])
  })

  test('is not sent to clients of 2025', async () => {
    const tools = toolWorld()
    const { body } = await tools.ask(tools.world.key('free'), READ)
    expect(Object.keys(body.result)).toEqual(['contents'])
  })
})

test('a subscription to lists is acknowledged and ends at once, since they never change', async () => {
  const tools = toolWorld()
  const params = { notifications: { toolsListChanged: true, resourcesListChanged: true } }
  const asked = modern({ method: 'subscriptions/listen', params })
  const reply = await tools.fetch({ key: tools.world.key(), ...asked })
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  const text = await reply.text()
  expect(text).toContain('notifications/subscriptions/acknowledged')
  expect(text).toContain('"resultType":"complete"')
})

describe('clients that share the server', () => {
  test('are separate, although they use the same ids concurrently', async () => {
    const tools = toolWorld()
    const keys = [tools.world.key('free'), tools.world.key('enterprise')]
    const replies = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const to = ['KES', 'NGN', 'UGX', 'XOF'][i % 4]!
        const params = { name: 'get_rates', arguments: { from: 'USD', to } }
        const { body } = await tools.ask(keys[i % 2]!, { method: 'tools/call', params })
        const { corridor, data_freshness } = JSON.parse(body.result.content[0].text)
        return (
          body.id === 1 &&
          corridor === `USD/${to}` &&
          data_freshness === (i % 2 ? 'realtime' : 'hourly')
        )
      }),
    )
    expect(replies.every(Boolean)).toBe(true)
    const prompts = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const args = { from: 'GBP', to: 'KES', amount: `${i}00` }
        const params = { name: 'compare_providers', arguments: args }
        const { body } = await tools.ask(keys[i % 2]!, { method: 'prompts/get', params })
        return body.id === 1 && body.result.messages[0].content.text.includes(`amount ${i}00`)
      }),
    )
    expect(prompts.every(Boolean)).toBe(true)
    expect([await tools.used(keys[0]!), await tools.used(keys[1]!)]).toEqual([20, 20])
  })

  test('that disconnect in the middle of a body cost no unit', async () => {
    const tools = toolWorld()
    const { port } = new URL(tools.url)
    const key = tools.world.key('free')
    for (let i = 0; i < 20; i++) {
      const socket = connect(Number(port), '127.0.0.1')
      await new Promise<void>((resolve) => socket.on('connect', () => resolve()))
      const head = ['POST /mcp HTTP/1.1', 'Host: localhost', `X-API-Key: ${key}`]
      const type = ['Content-Type: application/json', 'Content-Length: 1000', '', '{"jsonrpc"']
      socket.write([...head, ...type].join('\r\n'))
      socket.destroy()
    }
    expect((await tools.ask(key, CALL)).status).toBe(200)
    expect(await tools.used(key)).toBe(1)
  })
})
