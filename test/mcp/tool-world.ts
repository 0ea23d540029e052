import {
  type ClientOptions,
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { JsonSchemaType, JsonSchemaValidator } from '@modelcontextprotocol/sdk/validation'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { type Listener, listen } from '~/runtime/listener.ts'
import { answerable } from '../http/questions.ts'
import type { World } from '../support/world.ts'

/** A client of the SDK's first line, or one of its second with this way of negotiating. */
export type ClientKind = 'first' | VersionNegotiationMode

export type Answer = {
  readonly isError: boolean
  // biome-ignore lint/suspicious/noExplicitAny: a test says of a body what it expects
  readonly body: any
  readonly result: CallToolResult
}

/** The SDK's own check of results, compiled once for each schema and not for each client. */
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
const newValidator = jsonSchemaValidator as NonNullable<ClientOptions['jsonSchemaValidator']>

/** A world behind a real port, as `serve` sets it up, and clients of its tools. */
export class ToolWorld {
  readonly world: World
  readonly url: string
  readonly #listener: Listener
  readonly #clients: (Client | NewClient)[] = []

  constructor(options: ConstructorParameters<typeof World>[0] = {}) {
    this.world = answerable(options)
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const handle = (request: Request) => this.world.app.fetch(request)
    this.#listener = listen({ host: '127.0.0.1', port: 0 }, { handle, log })
    this.url = `${this.#listener.origin}/mcp`
  }

  async stop(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()))
    await this.#listener.stop()
  }

  /** One of the SDK's clients, connected. */
  async connect(key: string, kind: ClientKind = 'first'): Promise<Connected> {
    const tools = await connectedTo(this.url, key, kind)
    this.#clients.push(tools.client)
    return tools
  }

  /** One HTTP request with the headers that a client of the transport sends. */
  fetch(init: RequestInit & { key?: string | undefined } = {}): Promise<Response> {
    const { key, ...rest } = init
    const headers = new Headers({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    })
    if (key !== undefined) headers.set('x-api-key', key)
    for (const [name, value] of new Headers(rest.headers)) headers.set(name, value)
    return fetch(this.url, { method: 'POST', ...rest, headers })
  }

  /** Sends one JSON-RPC message of 2025. */
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

const NAMED = { name: 'test', version: '1.0.0' }

async function connected(url: URL, key: string, kind: ClientKind): Promise<Client | NewClient> {
  const requestInit = { headers: { 'x-api-key': key } }
  if (kind === 'first') {
    const client = new Client(NAMED, { jsonSchemaValidator })
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
    return client
  }
  const options = { versionNegotiation: { mode: kind }, jsonSchemaValidator: newValidator }
  const client = new NewClient(NAMED, options)
  await client.connect(new NewTransport(url, { requestInit }))
  return client
}

/** One of the SDK's clients, connected to the tools at an address. */
export async function connectedTo(url: string, key: string, kind: ClientKind = 'first') {
  return new Connected(await connected(new URL(url), key, kind))
}

class Connected {
  constructor(readonly client: Client | NewClient) {}

  async call(name: string, args: Record<string, unknown> = {}): Promise<Answer> {
    const result = (await this.client.callTool({ name, arguments: args })) as CallToolResult
    const [content] = result.content
    if (content?.type !== 'text') throw new Error('a tool returns one text')
    return { isError: result.isError === true, body: JSON.parse(content.text), result }
  }
}

/** An `initialize` of the newest version. */
export const INITIALIZE = {
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1.0.0' },
  },
}

type Asked = { readonly method: string; readonly params?: Readonly<Record<string, unknown>> }

/** The headers and the body of a request by a client of 2026-07-28. */
export function modern({ method, params }: Asked, { version = '2026-07-28' } = {}) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const named = params?.name ?? params?.uri
  const headers = {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(named !== undefined && { 'mcp-name': String(named) }),
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } })
  return { headers, body }
}
