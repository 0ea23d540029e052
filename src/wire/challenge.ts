/** Rights of a connected application: the tools and, if its person allows that, alerts. */
export const TOOLS_SCOPE = 'mcp'
export const ALERTS_SCOPE = 'alerts'

type Refused = {
  /** Says whether the caller showed a key or a token. */
  readonly isShown: boolean
  /** The address of the description of the protected resource. */
  readonly metadataUrl: string
}

/** The challenge of a 401 of the MCP server. https://www.rfc-editor.org/rfc/rfc9728#section-5.1 */
export function toolsChallenge({ isShown, metadataUrl }: Refused): string {
  const fault = isShown ? 'error="invalid_token", ' : ''
  const bearer = `Bearer realm="corridor", ${fault}scope="${TOOLS_SCOPE}"`
  return `${bearer}, resource_metadata="${metadataUrl}", ApiKey realm="corridor"`
}
