import type { Config } from '~/config.ts'
import type { ToolServerOptions } from '~/mcp/endpoint.ts'

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
