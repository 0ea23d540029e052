import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Client as NewClient } from '@modelcontextprotocol/client'
import { StdioClientTransport as NewTransport } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { LINE_BYTES_MAX } from '~/command/lines.ts'
import { bridge } from '~/command/tool-bridge.ts'
import { INITIALIZE, modern, ToolWorld } from '../mcp/tool-world.ts'
import { BARE_ENV, ROOT } from '../support/child.ts'
import { corridorWith } from '../support/command.ts'

let tools: ToolWorld
beforeAll(() => {
  tools = new ToolWorld()
})
afterAll(() => tools.stop())

const NAMED = { name: 'test', version: '1.0.0' }
const CALL = { name: 'get_rates', arguments: { from: 'USD', to: 'KES' } }
const CALLED = { method: 'tools/call', params: CALL }

type Options = { readonly key?: string; readonly url?: string }

/** Returns the bridge's responses to some input, and its messages on stderr. */
async function spoken(input: Iterable<string> | AsyncIterable<string>, options: Options = {}) {
  const { key = tools.world.key('free'), url = tools.url } = options
  // biome-ignore lint/suspicious/noExplicitAny: a test states what it expects of a response
  const answers: any[] = []
  const said: string[] = []
  const answer = (line: string) => void answers.push(JSON.parse(line))
  await bridge({ url, key, input: bytesOf(input), answer, say: (line) => void said.push(line) })
  return { answers, said }
}

async function* bytesOf(texts: Iterable<string> | AsyncIterable<string>) {
  for await (const text of texts) yield new TextEncoder().encode(text)
}

const lineOf = (message: object, id: unknown = 1) =>
  `${JSON.stringify({ ...message, jsonrpc: '2.0', id })}\n`

describe('corridor mcp --url', () => {
  const command = () => ({
    command: process.execPath,
    args: [join(ROOT, 'src/main.ts'), 'mcp', '--url', new URL(tools.url).origin],
    env: { ...(BARE_ENV as Record<string, string>), CORRIDOR_KEY: tools.world.key('free') },
  })

  test("lets the SDK's clients of 2025 and of 2026 ask a running service", async () => {
    const old = new Client(NAMED)
    await old.connect(new StdioClientTransport(command()))
    const options = { versionNegotiation: { mode: { pin: '2026-07-28' } } }
    const fresh = new NewClient(NAMED, options)
    await fresh.connect(new NewTransport(command()))
    for (const client of [old, fresh]) {
      expect((await client.listTools()).tools).toHaveLength(15)
      const { content } = await client.callTool(CALL)
      expect(content).toMatchObject([{ text: expect.stringContaining('"corridor":"USD/KES"') }])
      await client.close()
    }
  })

  test('fails at once without a key, and for an invalid address', async () => {
    const asked = (url: string) => corridorWith({}, ['mcp', '--url', url])
    expect(await asked('https://fx.example/x')).toMatchObject({
      status: 1,
      said: ['corridor: set CORRIDOR_KEY to a key of https://fx.example, and start again'],
    })
    for (const url of ['fx.example', 'ftp://fx.example']) expect((await asked(url)).status).toBe(2)
  })
})

describe('bridge', () => {
  test('repeats in headers what a revision requires there', async () => {
    const named = new Map<unknown, (string | null)[]>()
    const { handle } = tools.world.tools
    tools.world.tools.handle = async (request) => {
      const { id } = (await request.clone().json()) as { id: unknown }
      const names = ['mcp-protocol-version', 'mcp-method', 'mcp-name']
      named.set(
        id,
        names.map((name) => request.headers.get(name)),
      )
      return handle.call(tools.world.tools, request)
    }
    const uri = 'corridor://caf\u00e9\n'
    const read = JSON.parse(modern({ method: 'resources/read', params: { uri } }).body)
    const { promise: settled, resolve } = Promise.withResolvers<void>()
    async function* lines() {
      yield lineOf(INITIALIZE, 'open')
      await settled
      yield lineOf({ method: 'ping' }, 'old')
      yield lineOf(JSON.parse(modern(CALLED).body), 'new')
      yield lineOf(read, 'odd')
    }
    const answers: string[] = []
    const answer = (line: string) => {
      answers.push(line)
      resolve()
    }
    const key = tools.world.key('free')
    await bridge({ url: tools.url, key, input: bytesOf(lines()), answer, say() {} })
    tools.world.tools.handle = handle
    expect(Object.fromEntries(named)).toEqual({
      open: [null, null, null],
      old: ['2025-11-25', null, null],
      new: ['2026-07-28', 'tools/call', 'get_rates'],
      odd: ['2026-07-28', 'resources/read', `=?base64?${Buffer.from(uri).toString('base64')}?=`],
    })
    expect(answers).toHaveLength(4)
  })

  test('passes on batches, notifications and messages without a line end, in any pieces', async () => {
    const text = `\n[${lineOf(CALLED, 'a')},${lineOf({ method: 'ping' }, 2)}]`.replaceAll(
      '}\n',
      '}',
    )
    const note = `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\r\n`
    const { answers, said } = await spoken([
      ...`${note}${text}\n`,
      lineOf({ method: 'ping' }, 3).trim(),
    ])
    expect(said).toEqual([])
    expect(answers.flat().map(({ id }) => id)).toContainAllValues(['a', 2, 3])
  })

  test('responds to each invalid line, and continues', async () => {
    const long = lineOf({ method: 'ping', params: { more: 'x'.repeat(LINE_BYTES_MAX) } }, 'long')
    const large = lineOf({ method: 'ping', params: { more: 'x'.repeat(70_000) } }, 'large')
    const { answers } = await spoken([
      long,
      large,
      '{\n',
      '5\n',
      'null\n',
      lineOf({ method: 'ping' }, 'last'),
    ])
    expect(answers).toHaveLength(6)
    const messages = new Map(
      answers.map(({ id, error, result }) => [`${id} ${error?.code}`, error?.message ?? result]),
    )
    expect([...messages]).toContainAllValues([
      ['null -32000', `a line may have at most ${LINE_BYTES_MAX} bytes`],
      ['null -32700', 'the line is not valid JSON'],
      ['null -32600', 'the line is not a message'],
      ['large -32000', expect.stringContaining('at most 65536 bytes')],
      ['last undefined', {}],
    ])
  })

  test('passes on an event of megabytes, and refuses one beyond its bound', async () => {
    const eventOf = (bytes: number) => {
      const result = { text: 'x'.repeat(bytes) }
      return `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result })}\n\n`
    }
    const answerTo = async (event: string) => {
      const headers = { 'content-type': 'text/event-stream' }
      const server = Bun.serve({ port: 0, fetch: () => new Response(event, { headers }) })
      const { answers } = await spoken([lineOf({ method: 'ping' })], { url: server.url.href })
      await server.stop(true)
      return answers
    }
    const result = { text: 'x'.repeat(LINE_BYTES_MAX) }
    expect(await answerTo(eventOf(LINE_BYTES_MAX))).toEqual([{ jsonrpc: '2.0', id: 1, result }])
    const [refused] = await answerTo(eventOf(64 * LINE_BYTES_MAX))
    expect(refused.error.message).toEndWith('an event has more than 67108864 bytes')
  })

  test('reports a wrong key, an unreachable service and one that is something else', async () => {
    const messages = async (options: { key?: string; url?: string }) => {
      const { answers } = await spoken([lineOf({ method: 'ping' })], options)
      expect(answers).toHaveLength(1)
      expect(answers[0]).toMatchObject({ jsonrpc: '2.0', id: 1, error: { code: -32000 } })
      return answers[0].error.message
    }
    expect(await messages({ key: 'crd_wrong' })).toContain('this API key is not valid')
    expect(await messages({ url: 'http://127.0.0.1:1/mcp' })).toStartWith(
      'http://127.0.0.1:1/mcp: ',
    )
    const other = Bun.serve({ port: 0, fetch: () => new Response('<p>welcome</p>') })
    expect(await messages({ url: `http://127.0.0.1:${other.port}/` })).toContain(
      'not a tool server',
    )
    await other.stop(true)
    const note = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
    const { answers, said } = await spoken([note], { key: 'crd_wrong' })
    expect([answers, said]).toEqual([[], [expect.stringContaining('not valid')]])
  })

  test('keeps the key and a message from a service that redirects them', async () => {
    const received: string[] = []
    const elsewhere = Bun.serve({ port: 0, fetch: ({ url }) => Response.json(received.push(url)) })
    const target = `http://127.0.0.1:${elsewhere.port}/mcp`
    const moved = Bun.serve({ port: 0, fetch: () => Response.redirect(target, 307) })
    const { answers } = await spoken([lineOf({ method: 'ping' })], {
      url: `http://127.0.0.1:${moved.port}/`,
    })
    expect([answers.length, answers[0].error.code, received]).toEqual([1, -32000, []])
    await Promise.all([elsewhere.stop(true), moved.stop(true)])
  })
})

describe('a subscription by the bridge', () => {
  const subscribe = (id: string) => {
    const { body } = modern({ method: 'subscriptions/listen', params: { notifications: {} } })
    return lineOf(JSON.parse(body), id)
  }
  const cancel = (requestId: string) =>
    `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })}\n`

  /** A tool server whose subscriptions send one message and then what the test sends. */
  function streaming() {
    const open = new Map<string, ReadableStreamDefaultController>()
    const leaving = new Map<string, () => void>()
    const left = (id: string) => new Promise<void>((resolve) => leaving.set(id, resolve))
    const received: string[] = []
    const frame = (message: object) =>
      new TextEncoder().encode(`: alive\n\nevent: message\ndata: ${JSON.stringify(message)}\n\n`)
    const server = Bun.serve({
      port: 0,
      async fetch(request) {
        const { id, method } = (await request.json()) as { id: string; method: string }
        received.push(method)
        if (method !== 'subscriptions/listen')
          return Response.json({ jsonrpc: '2.0', id, result: {} })
        const body = new ReadableStream({
          start(controller) {
            open.set(id, controller)
            controller.enqueue(frame({ method: 'acknowledged', of: id }))
          },
          cancel: () => leaving.get(id)?.(),
        })
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
      },
    })
    const tell = (id: string, message: object) => open.get(id)!.enqueue(frame(message))
    const end = (id: string) => open.get(id)!.close()
    return { server, url: `${server.url}mcp`, received, left, tell, end }
  }

  /** A bridge whose input is written line by line, and its output. */
  function talk(url: string) {
    const input = new TransformStream<string, string>()
    const writer = input.writable.getWriter()
    // biome-ignore lint/suspicious/noExplicitAny: a test states what it expects of a response
    const answers: any[] = []
    let listen = () => {}
    const answer = (line: string) => {
      answers.push(JSON.parse(line))
      listen()
    }
    const bytes = bytesOf(input.readable)
    const done = bridge({ url, key: 'crd_key', input: bytes, answer, say() {} })
    const until = async (count: number) => {
      while (answers.length < count) await new Promise<void>((resolve) => (listen = resolve))
      return answers.slice(0, count)
    }
    return {
      write: (line: string) => writer.write(line),
      close: () => writer.close(),
      done,
      until,
      answers,
    }
  }

  test('is passed on as it comes, alongside other messages, until it is cancelled', async () => {
    const { server, url, received, left, tell } = streaming()
    const { write, close, done, until, answers } = talk(url)
    await write(subscribe('s1'))
    await until(1)
    await write(lineOf({ method: 'ping' }, 'p'))
    await until(2)
    tell('s1', { method: 'updated', n: 1 })
    await until(3)
    expect(answers).toEqual([
      { method: 'acknowledged', of: 's1' },
      { jsonrpc: '2.0', id: 'p', result: {} },
      { method: 'updated', n: 1 },
    ])
    const gone = left('s1')
    await write(cancel('s1'))
    await gone
    await write(cancel('unknown'))
    await close()
    await done
    expect([answers.length, received]).toEqual([
      4,
      ['subscriptions/listen', 'ping', 'notifications/cancelled'],
    ])
    await server.stop(true)
  })

  test('delays no other message, and ends with the input', async () => {
    const { server, url, left } = streaming()
    const { write, close, done, until } = talk(url)
    const ids = Array.from({ length: 40 }, (_, i) => `s${i}`)
    for (const id of ids) await write(subscribe(id))
    await until(40)
    await write(lineOf({ method: 'ping' }, 'p'))
    await until(41)
    const gone = Promise.all(ids.map(left))
    await close()
    await done
    await gone
    await server.stop(true)
  })

  test('that is lost gets an error, and one that is ended its result alone', async () => {
    const { server, url, tell, end } = streaming()
    const { write, close, done, until } = talk(url)
    await write(subscribe('s1'))
    await write(subscribe('s2'))
    await until(2)
    tell('s1', { jsonrpc: '2.0', id: 's1', result: { resultType: 'complete' } })
    await until(3)
    end('s1')
    end('s2')
    const [, , result, lost] = await until(4)
    expect(result.id).toBe('s1')
    expect(lost).toMatchObject({
      id: 's2',
      error: { message: expect.stringContaining('was lost') },
    })
    await close()
    await done
    await server.stop(true)
  })
})
