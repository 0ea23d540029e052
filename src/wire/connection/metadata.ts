import { ALERTS_SCOPE, TOOLS_SCOPE } from '~/wire/challenge.ts'
import type { Application } from './application.ts'

const RENEWAL_SCOPE = 'offline_access'

/** Scopes of every connected application, and all possible ones. */
export const LEAST_SCOPES = [TOOLS_SCOPE, RENEWAL_SCOPE]
export const SCOPES = [TOOLS_SCOPE, ALERTS_SCOPE, RENEWAL_SCOPE]

/** The paths that applications use. */
export const OAUTH_PATHS = {
  tools: '/mcp',
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
  keys: '/oauth/keys',
  resource: '/.well-known/oauth-protected-resource',
  server: '/.well-known/oauth-authorization-server',
  discovery: '/.well-known/openid-configuration',
} as const

/** URL of the tool server's description, below the address of the service. */
export const resourceMetadataUrl = (home: string): string =>
  `${home}${OAUTH_PATHS.resource}${OAUTH_PATHS.tools}`

/** The tool server as a protected resource. https://www.rfc-editor.org/rfc/rfc9728 */
export const resourceMetadata = (home: string) => ({
  resource: home + OAUTH_PATHS.tools,
  authorization_servers: [home],
  scopes_supported: [TOOLS_SCOPE, ALERTS_SCOPE],
  bearer_methods_supported: ['header'],
  resource_name: 'Corridor',
  resource_documentation: `${home}/docs`,
})

/** Metadata for connecting applications. https://www.rfc-editor.org/rfc/rfc8414 */
export const serverMetadata = (home: string) => ({
  issuer: home,
  authorization_endpoint: home + OAUTH_PATHS.authorize,
  token_endpoint: home + OAUTH_PATHS.token,
  registration_endpoint: home + OAUTH_PATHS.register,
  revocation_endpoint: home + OAUTH_PATHS.revoke,
  scopes_supported: SCOPES,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  service_documentation: `${home}/docs`,
})

/**
 * The server's metadata in the form of OpenID, the only one that clients look for below the path of
 * a service that has one. There are no identity tokens, so no key signs any.
 */
export const discoveryMetadata = (home: string) => ({
  ...serverMetadata(home),
  jwks_uri: home + OAUTH_PATHS.keys,
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
})

/** The response to an application's registration. https://www.rfc-editor.org/rfc/rfc7591 */
export const presentRegistration = (
  clientId: string,
  { name, uri, redirectUris }: Application,
  nowMs: number,
) => ({
  client_id: clientId,
  client_id_issued_at: Math.floor(nowMs / 1000),
  client_name: name,
  ...(uri !== null && { client_uri: uri }),
  redirect_uris: redirectUris,
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  scope: SCOPES.join(' '),
})

/** Reports whether a `resource` that an application names is the tool server. */
export const isOurResource = (resource: string, home: string): boolean =>
  [home, home + OAUTH_PATHS.tools].includes(resource.replace(/\/$/, ''))
