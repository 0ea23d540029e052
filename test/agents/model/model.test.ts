import { afterEach, describe, expect, test } from 'bun:test'
import { Tools } from '../player/player.ts'
import type { Door } from './chat.ts'
import { doorOf, modelPlayer } from './model.ts'

type Call = { readonly name: string; readonly args: object }
// biome-ignore lint/suspicious/noExplicitAny: a test says of a body what it expects
type Body = any

let open: { stop(isForced: boolean): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.map((server) => server.stop(true)))
  open = []
})

/**
 * An endpoint that returns these calls in turn, in the form of its path, and records its requests.
 */
function endpoint(path: string, turns: readonly (readonly Call[])[]) {
  const received: { headers: Headers; body: Body }[] = []
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      received.push({ headers: request.headers, body: await request.json() })
      const calls = turns[received.length - 1]
      if (!calls) return new Response('{"error":"no more turns"}', { status: 500 })
      return Response.json(path.endsWith('/messages') ? blocks(calls) : choices(calls))
    },
  })
  open.push(server)
  const door: Door = { url: new URL(path, server.url).href, key: 'secret', model: 'small' }
  return { door, received }
}

const blocks = (calls: readonly Call[]) => ({
  content: calls.map(({ name, args }, i) => ({
    ...{ type: 'tool_use', id: `call-${i}`, name, input: args },
  })),
})

const choices = (calls: readonly Call[]) => ({
  choices: [
    {
      message: {
        role: 'assistant',
        tool_calls: calls.map(({ name, args }, i) => ({
          id: `call-${i}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(args) },
        })),
      },
    },
  ],
})

/** Tools that return the arguments of every call. */
function echo() {
  const client = {
    callTool: async ({ name, arguments: args }: { name: string; arguments: object }) => ({
      content: [{ type: 'text', text: JSON.stringify({ name, args }) }],
    }),
  }
  return new Tools(client as never)
}

const OFFERED = [
  { name: 'convert', description: 'What arrives.', inputSchema: { type: 'object' as const } },
]
const QUESTION = { template: 'best', slots: {}, text: 'Who is best?' }
const CONVERT = { name: 'convert', args: { amount: 200 } }
const ANSWER = {
  name: 'give_answer',
  args: { declined: false, figure: 34_228, name: 'Sendwave', caveats: ['nearest'] },
}

describe.each(['/v1/chat/completions', '/v1/messages'])('a model at %s', (path) => {
  test('calls tools, reads their results, and returns its last message as the answer', async () => {
    const { door, received } = endpoint(path, [[CONVERT], [ANSWER]])
    const tools = echo()
    const reply = await modelPlayer(door, OFFERED, 'Kinds are never compared.')(QUESTION, tools)
    expect(reply).toEqual({
      ...{ isDeclined: false, figure: 34_228, name: 'Sendwave', caveats: ['nearest'] },
      ...{ date: null, list: [] },
    })
    expect(tools.calls).toBe(1)
    const [first, second] = received.map(({ body }) => JSON.stringify(body))
    for (const part of [
      'Who is best?',
      'Kinds are never compared.',
      'give_answer',
      'What arrives.',
    ])
      expect(first).toContain(part)
    expect(second).toContain('{\\"name\\":\\"convert\\",\\"args\\":{\\"amount\\":200}}')
    expect(received[0]!.body.model).toBe('small')
    const { headers } = received[0]!
    expect([headers.get('x-api-key'), headers.get('authorization')]).toContain(
      path.endsWith('/messages') ? 'secret' : 'Bearer secret',
    )
  })

  test('may decline', async () => {
    const { door } = endpoint(path, [[{ name: 'give_answer', args: { declined: true } }]])
    expect((await modelPlayer(door, OFFERED, '')(QUESTION, echo())).isDeclined).toBe(true)
  })

  test('declines by making no calls, or by never ending them', async () => {
    const silent = endpoint(path, [[]])
    expect((await modelPlayer(silent.door, OFFERED, '')(QUESTION, echo())).isDeclined).toBe(true)
    const endless = endpoint(
      path,
      Array.from({ length: 20 }, () => [CONVERT]),
    )
    const tools = echo()
    expect((await modelPlayer(endless.door, OFFERED, '')(QUESTION, tools)).isDeclined).toBe(true)
    expect(tools.calls).toBe(8)
  })

  test('that returns an error ends the run with its message', async () => {
    const { door } = endpoint(path, [])
    const asked = modelPlayer(door, OFFERED, '')(QUESTION, echo())
    await expect(asked).rejects.toThrow('500 {"error":"no more turns"}')
  })
})

describe('doorOf', () => {
  test('returns address, key and model, and null without an address', () => {
    expect(doorOf({})).toBeNull()
    const env = { AGENTS_MODEL_URL: 'http://localhost/v1/messages', AGENTS_MODEL_KEY: 'k' }
    expect(doorOf({ ...env, AGENTS_MODEL: 'm' })).toEqual({
      ...{ url: 'http://localhost/v1/messages', key: 'k', model: 'm' },
    })
    expect(() => doorOf(env)).toThrow('AGENTS_MODEL_URL needs')
  })
})
