import type { Config } from '~/config.ts'
import type { ToolServer, ToolServerOptions } from '~/mcp/endpoint.ts'

/** Hosts that mean every address; nobody calls a service by such a name. */
const WILDCARDS = ['0.0.0.0', '::']

/** The options of the tool server, which is known by the names in the settings. */
export function toolServerOptions(config: Config): ToolServerOptions {
  const { host, publicUrl, mcpAllowedHosts, mcpAllowedOrigins, mcpSessionsMax } = config
  const own = WILDCARDS.includes(host) ? [] : [host.includes(':') ? `[${host}]` : host]
  const url = publicUrl === null ? [] : [new URL(publicUrl)]
  return {
    allowedHosts: [...mcpAllowedHosts, ...own, ...url.map(({ hostname }) => hostname)],
    allowedOrigins: [...mcpAllowedOrigins, ...url.map(({ origin }) => origin)],
    sessionsMax: mcpSessionsMax,
  }
}

/** What the tool server needs. */
type Deps = ConstructorParameters<typeof ToolServer>[0]

/**
 * The tool server, which is loaded and made for the first request to it: a service that no agent
 * asks starts a third sooner without.
 */
export class Tools {
  #server: ToolServer | null = null
  #loading: Promise<ToolServer> | null = null

  constructor(private readonly deps: Deps) {}

  async handle(request: Request): Promise<Response> {
    this.#loading ??= this.#load()
    return (this.#server ?? (await this.#loading)).handle(request)
  }

  get sessions(): number {
    return this.#server?.sessions.size ?? 0
  }

  get streams(): number {
    return this.#server?.sessions.streams ?? 0
  }

  get waiting(): number {
    return this.#server?.waiting ?? 0
  }

  /** Forgets sessions that are no longer used. */
  prune(): void {
    this.#server?.prune()
  }

  /** Ends every session and every open stream. */
  close(): void {
    this.#server?.close()
  }

  async #load(): Promise<ToolServer> {
    const { ToolServer } = await import('~/mcp/endpoint.ts')
    this.#server = new ToolServer(this.deps)
    return this.#server
  }
}
