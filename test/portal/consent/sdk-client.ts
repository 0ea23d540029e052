import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { PASSWORD } from '../people-world.ts'
import { formsIn, Visitor } from '../visitor.ts'

const CALLBACK = 'http://127.0.0.1:33418/callback'

/** One request of a client, as a line: the method, the path, and the response. */
export type Step = string

/**
 * Data that a client stores for its person; `redirectToAuthorization` sends the person to the
 * service.
 */
export class Keeper {
  asked: URL | null = null
  #information: unknown
  #tokens: unknown
  #verifier = ''
  #discovered: unknown
  readonly redirectUrl = CALLBACK
  readonly clientMetadata = {
    client_name: 'Test agent',
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }

  constructor(readonly clientMetadataUrl?: string) {}

  clientInformation(): never {
    return this.#information as never
  }

  saveClientInformation(information: unknown): void {
    this.#information = information
  }

  tokens(): never {
    return this.held as never
  }

  saveTokens(tokens: unknown): void {
    this.#tokens = tokens
  }

  redirectToAuthorization(url: URL): void {
    this.asked = url
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    return this.#verifier
  }

  discoveryState(): never {
    return this.#discovered as never
  }

  saveDiscoveryState(discovered: unknown): void {
    this.#discovered = discovered
  }

  state(): string {
    return 'the state of the client'
  }

  get held(): { access_token: string; refresh_token: string } {
    return this.#tokens as never
  }
}

/** A client of the SDK that knows an address, and records every request that it sends. */
export class SdkClient {
  readonly steps: Step[] = []
  readonly keeper: Keeper
  #transport: FirstTransport | StreamableHTTPClientTransport | null = null

  constructor(
    readonly url: string,
    readonly line: 'first' | 'second',
    clientMetadataUrl?: string,
  ) {
    this.keeper = new Keeper(clientMetadataUrl)
  }

  /** Connects, or throws because the person has to decide first. */
  async connect(): Promise<{ listTools(): Promise<{ tools: { name: string }[] }> }> {
    const options = {
      authProvider: this.keeper as unknown as OAuthClientProvider,
      fetch: (url: string | URL | Request, init?: RequestInit) => this.#fetch(url, init),
    }
    const about = { name: 'test agent', version: '1' }
    if (this.line === 'first') {
      const transport = new FirstTransport(new URL(this.url), options as never)
      this.#transport = transport
      const client = new FirstClient(about)
      await client.connect(transport as never)
      return client as never
    }
    const transport = new StreamableHTTPClientTransport(new URL(this.url), options as never)
    this.#transport = transport
    const client = new Client(about, { versionNegotiation: { mode: 'auto' } })
    await client.connect(transport)
    return client as never
  }

  /** Passes on the address to which the person was redirected. */
  finish(address: URL): Promise<void> {
    const { searchParams } = address
    const code = searchParams.get('code')!
    const { line } = this
    return line === 'first'
      ? (this.#transport as FirstTransport).finishAuth(code)
      : (this.#transport as StreamableHTTPClientTransport).finishAuth(searchParams)
  }

  async #fetch(url: string | URL | Request, init?: RequestInit): Promise<Response> {
    const reply = await fetch(url, init)
    const { pathname } = new URL(url instanceof Request ? url.url : url)
    const body = typeof init?.body === 'string' ? JSON.parse(init.body) : null
    const what =
      body?.method ?? (init?.body instanceof URLSearchParams ? init.body.get('grant_type') : '')
    this.steps.push(`${init?.method ?? 'GET'} ${pathname} ${what ?? ''} -> ${reply.status}`)
    return reply
  }
}

/** Steps of a person in a browser, from the address that a client opens to the final redirect. */
export async function personAllows(address: URL, email: string, steps: Step[] = []): Promise<URL> {
  const browser = new Visitor(address.origin)
  const seen = (what: string, { status }: { status: number }) => steps.push(`${what} -> ${status}`)
  const first = await browser.get(address.pathname + address.search)
  seen(`browser GET ${address.pathname}`, first)
  const signIn = await browser.get(first.location!)
  const [own] = formsIn(signIn.html)
  const entered = await browser.post(own!.action, { ...own!.hidden, email, password: PASSWORD })
  seen('browser POST /sign-in', entered)
  const page = await browser.get(entered.location!)
  seen(`browser GET ${entered.location!.split('?')[0]}`, page)
  const form = formsIn(page.html).find(({ hidden }) => hidden.decision === 'allow')!
  const reply = await browser.post(form.action, form.hidden)
  seen(`browser POST ${form.action}`, reply)
  return new URL(reply.location!)
}
