import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { JsonSchemaType, JsonSchemaValidator } from '@modelcontextprotocol/sdk/validation'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { type Listener, listen } from '~/runtime/listener.ts'
import { answerable } from '../http/questions.ts'
import type { World } from '../support/world.ts'

/** Both ways a client may go about sessions, by what its address says. */
export const MODES = [
  { mode: 'with a session', query: '' },
  { mode: 'without a session', query: '?sessions=off' },
] as const

export type Answer = {
  readonly isError: boolean
  // biome-ignore lint/suspicious/noExplicitAny: a test says of a body what it expects
  readonly body: any
  readonly result: CallToolResult
}

/** The SDK's own check of answers, compiled once for each schema and not for each client. */
class SharedValidator extends AjvJsonSchemaValidator {
  readonly #known = new Map<string, JsonSchemaValidator<unknown>>()

  override getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    const text = JSON.stringify(schema)
    const known = this.#known.get(text) ?? super.getValidator(schema)
    this.#known.set(text, known)
    return known as JsonSchemaValidator<T>
  }
}

const jsonSchemaValidator = new SharedValidator()

/** A world behind a real port, as `serve` puts it there, and clients to ask its tools. */
export class ToolWorld {
  readonly world: World
  readonly url: string
  readonly #listener: Listener
  readonly #clients: Client[] = []

  constructor(options: ConstructorParameters<typeof World>[0] = {}) {
    this.world = answerable(options)
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const handle = (request: Request) => this.world.app.fetch(request)
    this.#listener = listen({ host: '127.0.0.1', port: 0 }, { handle, log })
    this.url = `${this.#listener.origin}/mcp`
  }

  async stop(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()))
    this.world.tools.close()
    await this.#listener.stop()
  }

  /** The SDK's own client, connected. */
  async connect(key: string, query = ''): Promise<Connected> {
    const headers = { 'x-api-key': key }
    const url = new URL(`${this.url}${query}`)
    const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } })
    const client = new Client({ name: 'test', version: '1.0.0' }, { jsonSchemaValidator })
    await client.connect(transport)
    this.#clients.push(client)
    return new Connected(client, transport)
  }

  /** One HTTP request with the headers that a client of the transport sends. */
  fetch(init: RequestInit & { key?: string | undefined; query?: string } = {}): Promise<Response> {
    const { key, query = '', ...rest } = init
    const headers = new Headers({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    })
    if (key !== undefined) headers.set('x-api-key', key)
    for (const [name, value] of new Headers(rest.headers)) headers.set(name, value)
    return fetch(`${this.url}${query}`, { method: 'POST', ...rest, headers })
  }

  /** One JSON-RPC message without a session. */
  async ask(key: string, message: object, headers: Record<string, string> = {}) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })
    const reply = await this.fetch({ key, body, headers })
    const text = await reply.text()
    const isJson = reply.headers.get('content-type') === 'application/json'
    return { status: reply.status, headers: reply.headers, body: isJson ? JSON.parse(text) : text }
  }

  async used(key: string): Promise<number> {
    return (await this.world.get('/admin/usage', key)).body.used
  }
}

class Connected {
  constructor(
    readonly client: Client,
    readonly transport: StreamableHTTPClientTransport,
  ) {}

  async call(name: string, args: Record<string, unknown> = {}): Promise<Answer> {
    const result = (await this.client.callTool({ name, arguments: args })) as CallToolResult
    const [content] = result.content
    if (content?.type !== 'text') throw new Error('a tool answers with one text')
    return { isError: result.isError === true, body: JSON.parse(content.text), result }
  }
}

/** What an `initialize` of the newest version looks like. */
export const INITIALIZE = {
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1.0.0' },
  },
}

/** Waits until something holds, looking again each time the event loop comes round. */
export async function until(holds: () => boolean): Promise<void> {
  const endMs = performance.now() + 5000
  while (!holds()) {
    if (performance.now() > endMs) throw new Error('it did not come to pass')
    await new Promise((resolve) => setImmediate(resolve))
  }
}
