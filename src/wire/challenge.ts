import type { ServiceError } from '~/domain/errors.ts'

/** What a connected application may do. */
export const TOOLS_SCOPE = 'mcp'

/**
 * The challenge of a 401 of the tool server, by which clients find out where people sign in.
 * `metadataUrl` is the address of the description of the protected resource.
 *
 * https://www.rfc-editor.org/rfc/rfc9728#section-5.1
 */
export function toolsChallenge({ code }: ServiceError, metadataUrl: string): string {
  const fault = code === 'missing_key' ? '' : 'error="invalid_token", '
  const bearer = `Bearer realm="corridor", ${fault}scope="${TOOLS_SCOPE}"`
  return `${bearer}, resource_metadata="${metadataUrl}", ApiKey realm="corridor"`
}
