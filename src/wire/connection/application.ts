import { isKeyName, KEY_NAME_LENGTH_MAX, KEY_NAME_RULE } from '~/domain/account.ts'

/** Description of an application by itself. */
export type Application = {
  readonly name: string
  /** The application's page, if any. */
  readonly uri: string | null
  /** Addresses that people may be sent back to. */
  readonly redirectUris: readonly string[]
}

/** Error in the description of an application, in the words of RFC 7591. */
export class ApplicationFault extends Error {
  constructor(
    readonly code: 'invalid_client_metadata' | 'invalid_redirect_uri',
    message: string,
  ) {
    super(message)
    this.name = 'ApplicationFault'
  }
}

const REDIRECTS_MAX = 10
const URL_LENGTH_MAX = 500
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
/** Editors that people connect, whose links are named by no domain. */
const EDITORS = new Set(
  'claude cursor kiro trae vscode vscode-insiders vscodium windsurf zed'.split(' '),
)
/** A scheme named by a domain in reverse. https://www.rfc-editor.org/rfc/rfc8252#section-7.1 */
const REVERSE_DOMAIN = /^[a-z]{2,63}(\.[a-z0-9-]{1,63})+$/
/** A host allowed in a page's security policy; an app's address may have none. */
const HOST = /^([a-z0-9._-]*|\[[0-9a-f:.]+\])$/i

/**
 * Reads an application from its metadata document. Whatever it requests, it gets what we support:
 * codes with PKCE, no secret. Throws `ApplicationFault`.
 *
 * https://www.rfc-editor.org/rfc/rfc7591#section-2
 */
export function applicationIn(document: unknown): Application {
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new ApplicationFault('invalid_client_metadata', 'send a JSON object')
  const { client_name, client_uri, redirect_uris, grant_types, response_types } =
    document as Record<string, unknown>
  if (!allows(grant_types, 'authorization_code') || !allows(response_types, 'code'))
    throw new ApplicationFault(
      'invalid_client_metadata',
      'only the authorization code is supported: leave out grant_types and response_types',
    )
  const redirectUris = redirectsIn(redirect_uris)
  return { name: nameIn(client_name, redirectUris), uri: pageIn(client_uri), redirectUris }
}

const allows = (value: unknown, wanted: string): boolean =>
  value === undefined || (Array.isArray(value) && value.includes(wanted))

function redirectsIn(value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > REDIRECTS_MAX)
    throw new ApplicationFault(
      'invalid_redirect_uri',
      `redirect_uris must list 1 to ${REDIRECTS_MAX} addresses`,
    )
  for (const one of value) assertRedirect(one)
  return [...new Set(value as string[])]
}

function assertRedirect(value: unknown): asserts value is string {
  const url = typeof value === 'string' && value.length <= URL_LENGTH_MAX ? URL.parse(value) : null
  const isPlain = url && !/[#\s\p{Cc}]/u.test(value as string) && !url.username && !url.password
  if (!isPlain || !HOST.test(url.hostname))
    throw new ApplicationFault(
      'invalid_redirect_uri',
      `each of redirect_uris must be an address of at most ${URL_LENGTH_MAX} characters, without ` +
        'a fragment, a user or a password, and its host letters, digits, dots and hyphens',
    )
  if (!leadsToApplication(url))
    throw new ApplicationFault(
      'invalid_redirect_uri',
      'redirect_uris must be https, http on this computer (localhost, 127.0.0.1), or open an app ' +
        'by a scheme that is a domain in reverse (com.example.app) or that of a known editor',
    )
}

function leadsToApplication({ protocol, hostname }: URL): boolean {
  if (protocol === 'https:') return true
  if (protocol === 'http:') return LOOPBACK.includes(hostname)
  const scheme = protocol.slice(0, -1)
  return EDITORS.has(scheme) || REVERSE_DOMAIN.test(scheme)
}

/** Reports whether an application may have people sent to this address. */
export function isRedirect(address: string): boolean {
  try {
    assertRedirect(address)
    return true
  } catch {
    return false
  }
}

function nameIn(value: unknown, redirectUris: readonly string[]): string {
  if (value === undefined) return hostOf(redirectUris[0]!).slice(0, KEY_NAME_LENGTH_MAX)
  const name = typeof value === 'string' ? value.trim() : ''
  if (isKeyName(name)) return name
  throw new ApplicationFault('invalid_client_metadata', `client_name must have ${KEY_NAME_RULE}`)
}

const hostOf = (url: string): string => new URL(url).host || new URL(url).protocol.slice(0, -1)

/** The page of an application; one that could not be linked to is left out. */
function pageIn(value: unknown): string | null {
  const url = typeof value === 'string' && value.length <= URL_LENGTH_MAX ? URL.parse(value) : null
  return url?.protocol === 'https:' ? url.href : null
}

/**
 * Reports whether a `client_id` is the address of a document that describes the application.
 *
 * https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/
 */
export function isDocumentAddress(clientId: string): boolean {
  const url = clientId.length <= URL_LENGTH_MAX ? URL.parse(clientId) : null
  if (url?.protocol !== 'https:' || url.username || url.password || url.hash) return false
  return url.href === clientId && url.pathname !== '/'
}

/** The application that the document at `address` describes. Throws ApplicationFault. */
export function applicationAt(address: string, text: string): Application {
  const document = parsed(text)
  const { client_id, token_endpoint_auth_method = 'none' } = (document ?? {}) as Described
  if (client_id !== address)
    throw new ApplicationFault('invalid_client_metadata', 'its client_id is not its own address')
  if (token_endpoint_auth_method !== 'none')
    throw new ApplicationFault(
      'invalid_client_metadata',
      'its token_endpoint_auth_method is not supported; use none',
    )
  return applicationIn(document)
}

type Described = { client_id?: unknown; token_endpoint_auth_method?: unknown }

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ApplicationFault('invalid_client_metadata', 'it is not JSON')
  }
}
