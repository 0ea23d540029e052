import type { Config } from '~/config.ts'
import { homeOf } from '~/http/edge/home.ts'
import type { ToolServer } from '~/mcp/endpoint.ts'
import type { GuardOptions } from '~/mcp/guard.ts'

/** The names by which the tool server is known, and the address that it is called at. */
export const toolServerPlaces = (config: Config) => {
  const { publicUrl, trustedProxies } = config
  const homes = { publicUrl, isProxied: trustedProxies > 0 }
  return {
    options: toolServerOptions(config),
    homeOf: (request: Request) => homeOf(request, homes),
  }
}

/** Hosts that mean every address; no client calls a service by such a name. */
const WILDCARDS = ['0.0.0.0', '::']

/** The options of the tool server, which is known by the names in the settings. */
export function toolServerOptions(config: Config): GuardOptions {
  const { host, publicUrl, mcpAllowedHosts, mcpAllowedOrigins } = config
  const own = WILDCARDS.includes(host) ? [] : [host.includes(':') ? `[${host}]` : host]
  const url = publicUrl === null ? [] : [new URL(publicUrl)]
  return {
    allowedHosts: [...mcpAllowedHosts, ...own, ...url.map(({ hostname }) => hostname)],
    allowedOrigins: [...mcpAllowedOrigins, ...url.map(({ origin }) => origin)],
  }
}

type Deps = ConstructorParameters<typeof ToolServer>[0]

/**
 * The tool server, which is loaded and created for the first request to it: without it, a service
 * that no agent queries starts a third sooner.
 */
export class Tools {
  #server: ToolServer | null = null
  #loading: Promise<ToolServer> | null = null

  constructor(private readonly deps: Deps) {}

  async handle(request: Request): Promise<Response> {
    this.#loading ??= this.#load()
    return (this.#server ?? (await this.#loading)).handle(request)
  }

  async #load(): Promise<ToolServer> {
    const { ToolServer } = await import('~/mcp/endpoint.ts')
    this.#server = new ToolServer(this.deps)
    return this.#server
  }
}
