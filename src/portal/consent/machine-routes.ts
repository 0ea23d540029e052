import {
  CONSENT_DAYS,
  consentEndMs,
  keyHashOf,
  REFRESH_TOKEN_PREFIX,
  tokenSecret,
} from '~/domain/api-key.ts'
import { ServiceError } from '~/domain/errors.ts'
import { bodyText } from '~/http/body.ts'
import { AddressedFile, ANYWHERE } from '~/http/docs/addressed-file.ts'
import { type HomeDeps, homeOf } from '~/http/edge/home.ts'
import { noteError } from '~/http/reply.ts'
import type { Route } from '~/http/route.ts'
import type { PageRequestDeps } from '~/portal/member/page-request.tsx'
import { outageOf } from '~/portal/outage.ts'
import { countAttempt, TooManyAttempts } from '~/service/attempts.ts'
import {
  type ConnectionDeps,
  disconnect,
  keepUnconnected,
} from '~/service/connection/connections.ts'
import { ApplicationFault, applicationIn } from '~/wire/connection/application.ts'
import {
  discoveryMetadata,
  isOurResource,
  OAUTH_PATHS,
  presentRegistration,
  resourceMetadata,
  serverMetadata,
} from '~/wire/connection/metadata.ts'
import { ANY_ORIGIN, CrossOriginHeaders } from '~/wire/cross-origin-headers.ts'
import { streamedBody } from '~/wire/streamed-body.ts'

export type MachineDeps = PageRequestDeps &
  ConnectionDeps &
  HomeDeps & {
    readonly oauth: {
      /** The response to an application that exchanges a code, or renews its token. */
      token(form: URLSearchParams): Promise<{ status: number; body: unknown }>
    }
    readonly newClientId: () => string
  }

const FORM_BYTES_MAX = 16_384
const REGISTRATION_BYTES_MAX = 8 * 1024

/** Requests of applications on their way to a connection, without a page. */
export function machineRoutes(deps: MachineDeps): Route[] {
  const { mount } = deps.pages
  const document = (path: string, body: (home: string) => unknown): Route => {
    const shown = { rule: 'minutes', headers: SHARED_WITH_PAGES } as const
    const file = new AddressedFile(deps, () => JSON.stringify(body(ANYWHERE)), shown)
    return { method: 'GET', path, handle: (request) => file.reply(request) }
  }
  const { tools, resource, server, discovery } = OAUTH_PATHS
  // Below a path, RFC 8414 and RFC 9728 put the path of the service behind the well-known one.
  const below = mount === '' ? [] : [mount]
  const places = (path: string, tail = '') => [path, ...below.map((at) => `${path}${at}${tail}`)]
  const answered = [
    ...[...places(resource, tools), resource + tools].map((at) => document(at, resourceMetadata)),
    ...places(server).map((at) => document(at, serverMetadata)),
    ...places(discovery).map((at) => document(at, discoveryMetadata)),
    document(OAUTH_PATHS.keys, () => ({ keys: [] })),
    machine(deps, OAUTH_PATHS.token, tokenReply),
    machine(deps, OAUTH_PATHS.register, registerReply),
    machine(deps, OAUTH_PATHS.revoke, revokeReply),
  ]
  return answered.flatMap((route) => [route, preflight(route)])
}

const preflight = ({ method, path }: Route): Route => ({
  ...{ method: 'OPTIONS', path },
  handle: () => preflightReply(method),
})

type Answer = (deps: MachineDeps, request: Request, nowMs: number) => Promise<Response>

const machine = (deps: MachineDeps, path: string, answer: Answer): Route => ({
  method: 'POST',
  path,
  async handle(request) {
    const nowMs = deps.clock.now()
    try {
      const waitMs = deps.machines.take(deps.addressOf(request), nowMs)
      if (waitMs > 0) throw new TooManyAttempts(Math.ceil(waitMs / 1000))
      return await answer(deps, request, nowMs)
    } catch (error) {
      return faultOf(deps, error).reply()
    }
  },
})

function faultOf(deps: MachineDeps, error: unknown): OAuthFault {
  if (error instanceof OAuthFault) return error
  if (error instanceof ApplicationFault) return new OAuthFault(error.code, error.message)
  if (error instanceof TooManyAttempts)
    return new OAuthFault(
      'slow_down',
      'too many requests came from your address; wait',
      429,
      error.retryAfterSeconds,
    )
  const code = error instanceof ServiceError ? error.code : null
  if (code === 'body_too_large' || code === 'malformed_body')
    return new OAuthFault('invalid_request', (error as Error).message)
  const outage = outageOf(deps, error)
  noteError(outage ?? error, deps.log)
  if (outage)
    return new OAuthFault(
      'temporarily_unavailable',
      'not available at the moment; try again',
      503,
      5,
    )
  return new OAuthFault('server_error', 'something failed on our side; try again later', 500)
}

/** The fields of a form. Throws OAuthFault for another body, or a field that is given twice. */
async function formOf(request: Request, repeatable: readonly string[] = []) {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw new OAuthFault('invalid_request', 'send a form: application/x-www-form-urlencoded')
  const form = new URLSearchParams(await bodyText(request, FORM_BYTES_MAX))
  const names = [...form.keys()].filter((name) => !repeatable.includes(name))
  if (new Set(names).size < names.length)
    throw new OAuthFault('invalid_request', 'a parameter is given twice')
  return form
}

const PASSED_ON = [
  'grant_type',
  'code',
  'redirect_uri',
  'client_id',
  'code_verifier',
  'refresh_token',
]

async function tokenReply(deps: MachineDeps, request: Request, nowMs: number): Promise<Response> {
  const form = await formOf(request, ['resource'])
  const home = homeOf(request, deps)
  if (form.getAll('resource').some((resource) => !isOurResource(resource, home)))
    throw new OAuthFault('invalid_target', `tokens are for ${home}${OAUTH_PATHS.tools} alone`)
  await assertConnected(deps, form.get('refresh_token'), nowMs)
  const passed = PASSED_ON.flatMap((name) => {
    const value = form.get(name)
    return value === null || value.includes('\0') ? [] : [[name, value]]
  })
  const { status, body } = await deps.oauth.token(new URLSearchParams(passed))
  const { expires_at: _, ...answer } = body as Record<string, unknown>
  // The library has a word and a status of its own for a code whose verifier is wrong.
  if (status !== 401 || answer.error === 'invalid_client') return machineReply(answer, status)
  return machineReply({ ...answer, error: 'invalid_grant' }, 400)
}

/** Throws OAuthFault if the connection that would be renewed has ended, or its consent. */
async function assertConnected(
  deps: MachineDeps,
  token: string | null,
  nowMs: number,
): Promise<void> {
  const secret = token === null ? null : tokenSecret(token, REFRESH_TOKEN_PREFIX)
  if (secret === null) return
  const held = await deps.connections.heldBy(keyHashOf(secret))
  if (held?.isEnded !== false)
    throw new OAuthFault('invalid_grant', 'the connection ended; ask the person to connect again')
  if (consentEndMs(held.consentedMs) <= nowMs)
    throw new OAuthFault(
      'invalid_grant',
      `the person allowed this more than ${CONSENT_DAYS} days ago; ask them to connect again`,
    )
}

async function registerReply(
  deps: MachineDeps,
  request: Request,
  nowMs: number,
): Promise<Response> {
  const described = applicationIn(parsed(await bodyText(request, REGISTRATION_BYTES_MAX)))
  const known = await deps.connections.registeredAlready(described, nowMs)
  const clientId = known ?? deps.newClientId()
  if (known === null) {
    const about = { what: 'registration', email: null, device: null } as const
    const counting = { store: deps.attempts, fingerprint: deps.fingerprint }
    await countAttempt(counting, { ...about, address: deps.addressOf(request), nowMs })
    await keepUnconnected(deps, clientId, { described, nowMs })
  }
  return machineReply(presentRegistration(clientId, described, nowMs), 201)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ApplicationFault('invalid_client_metadata', 'send a JSON object')
  }
}

/** Ends the connection of a token; the response does not reveal whether there was one. */
async function revokeReply(deps: MachineDeps, request: Request, nowMs: number): Promise<Response> {
  const form = await formOf(request)
  const [token, clientId] = [form.get('token'), form.get('client_id')]
  if (!token || !clientId) throw new OAuthFault('invalid_request', 'send token and client_id')
  const secret = tokenSecret(token, token.slice(0, REFRESH_TOKEN_PREFIX.length))
  if (secret !== null) await disconnect(deps, { tokenHash: keyHashOf(secret), clientId }, nowMs)
  return machineReply({})
}

const PREFLIGHT = new CrossOriginHeaders({
  sent: 'authorization, content-type, mcp-protocol-version, x-request-id',
  read: 'retry-after, x-request-id',
})

/** The response to a browser's preflight for a page of another origin. */
const preflightReply = (methods: string): Response =>
  PREFLIGHT.shared(PREFLIGHT.preflightReply(methods), ANY_ORIGIN)

const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' }

/** Lets pages of any origin read what applications read: nothing here goes by cookies. */
const SHARED_WITH_PAGES = { 'access-control-allow-origin': '*' }

/** A response to an application, which must not be cached. */
const machineReply = (body: unknown, status = 200): Response =>
  new Response(streamedBody(JSON.stringify(body)), {
    status,
    headers: { 'content-type': 'application/json', ...SHARED_WITH_PAGES, ...NO_STORE },
  })

/** A refusal in the words of OAuth. https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
class OAuthFault extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status = 400,
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message)
    this.name = 'OAuthFault'
  }

  reply(): Response {
    const reply = machineReply({ error: this.code, error_description: this.message }, this.status)
    if (this.retryAfterSeconds !== null)
      reply.headers.set('retry-after', String(this.retryAfterSeconds))
    return reply
  }
}
