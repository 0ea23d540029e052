import { type McpServerFactory, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Clock } from '~/clock.ts'
import { granted, ServiceError } from '~/domain/errors.ts'
import type { Log } from '~/log.ts'
import { type ListenDeps, listenHandler } from '~/mcp/listen/listen.ts'
import type { AlertDeps } from '~/service/alert/alerts.ts'
import { callerOfTools, type ToolAccess } from '~/service/connection/access-tokens.ts'
import { quotaAt } from '~/service/metering.ts'
import { preferred } from '~/wire/accept.ts'
import { credentialOf } from '~/wire/credential.ts'
import { CrossOriginHeaders } from '~/wire/cross-origin-headers.ts'
import { ERROR_STATUS, errorHeaders } from '~/wire/errors.ts'
import { quotaHeaders } from '~/wire/quota.ts'
import { streamedBody } from '~/wire/streamed-body.ts'
import { AnswerCache } from '~/wire/text/answer-cache.ts'
import { type Asker, askerOf, authInfoOf } from './asker.ts'
import { HTTP_FAULT, messageOf } from './body.ts'
import { failureBody } from './call.ts'
import { RpcFault } from './fault.ts'
import { Guard, type GuardOptions } from './guard.ts'
import { handlerOf } from './handler.ts'
import type { HistoryToolDeps } from './history.ts'
import { serversOf } from './server.ts'
import { toolsOf } from './tools.ts'

type ToolServerDeps = Omit<ListenDeps, 'answers'> &
  ToolAccess & {
    readonly clock: Clock
    readonly past: HistoryToolDeps
    readonly alerting: AlertDeps
    readonly options: GuardOptions
    /** The address that the service is called at, without a slash at the end. */
    homeOf(request: Request): string
    addressOf(request: Request): string
  }

const METHODS = ['POST', 'OPTIONS']

/**
 * The MCP server at one address, without sessions: each request has all that its response needs.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 *
 * Until the key is known, failures are those of REST; after that they are JSON-RPC errors.
 */
export class ToolServer {
  readonly #guard: Guard
  readonly #handle: ReturnType<typeof handlerOf>

  constructor(private readonly deps: ToolServerDeps) {
    const { log, past, alerting, options } = deps
    const callDeps = { ...deps, answers: new AnswerCache() }
    const serverOf = serversOf(callDeps, toolsOf(past, alerting))
    const serverFor: McpServerFactory = ({ authInfo, era }) => serverOf(askerOf(authInfo), era)
    const onerror = (err: Error) => log.debug({ err }, 'tool server')
    this.#guard = new Guard(options)
    this.#handle = handlerOf({
      ...{ serverFor, onerror },
      listening: (handle) => listenHandler(callDeps, { serverFor, onerror, handle }),
    })
  }

  /** Responds to one HTTP request; never rejects. */
  async handle(request: Request): Promise<Response> {
    const reply = await this.#reply(request).catch((error) => faultReply(error, this.deps.log))
    const origin = request.headers.get('origin')
    return origin !== null && this.#guard.isAllowedOrigin(origin)
      ? withOrigin(reply, origin)
      : reply
  }

  async #reply(request: Request): Promise<Response> {
    const { method, headers } = request
    if (!METHODS.includes(method)) throw methodNotAllowed()
    if (method === 'OPTIONS') {
      this.#guard.check(request)
      return optionsReply(METHODS)
    }
    const nowMs = this.deps.clock.now()
    const address = () => this.deps.addressOf(request)
    const shown = { credential: credentialOf(headers), nowMs, address }
    const caller = granted(await callerOfTools(this.deps, shown))
    const home = this.deps.homeOf(request)
    const answered = this.#answered(request, { caller, nowMs, home })
    const reply = await whole(await answered.catch((error) => faultReply(error, this.deps.log)))
    const quota = quotaHeaders(quotaAt(this.deps.metering, caller, nowMs), nowMs)
    for (const [name, value] of Object.entries(quota)) reply.headers.set(name, value)
    return reply
  }

  async #answered(request: Request, by: Omit<Asker, 'sent'>): Promise<Response> {
    this.#guard.check(request)
    const accept = request.headers.get('accept')
    if (preferred(accept, ['application/json']) === null)
      throw new RpcFault(406, HTTP_FAULT, 'accept application/json')
    const sent = await messageOf(request)
    return this.#handle(request, { parsedBody: sent, authInfo: authInfoOf({ ...by, sent }) })
  }
}

/** A reply whose head goes out in one piece, however long its body is. */
const whole = async (reply: Response): Promise<Response> =>
  reply.headers.get('content-type') === 'application/json'
    ? new Response(streamedBody(await reply.text()), reply)
    : reply

const methodNotAllowed = (): ServiceError =>
  new ServiceError('method_not_allowed', `use ${METHODS.join(' or ')}`, { allowed: METHODS })

type Extra = Readonly<Record<string, string>>

const jsonReply = (body: unknown, status: number, headers: Extra = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })

/** The reply to a failure: REST's body before the key is known, a JSON-RPC error after. */
function faultReply(error: unknown, log: Log): Response {
  if (error instanceof RpcFault) {
    const { code, message, status } = error
    return jsonReply({ jsonrpc: '2.0', id: null, error: { code, message } }, status)
  }
  const body = failureBody(error, log)
  if (!(error instanceof ServiceError)) {
    const fault = { code: ProtocolErrorCode.InternalError, message: body.error }
    return jsonReply({ jsonrpc: '2.0', id: null, error: fault }, 500)
  }
  return jsonReply(body, ERROR_STATUS[error.code], errorHeaders(error))
}

const HEADERS = new CrossOriginHeaders({
  sent:
    'accept, authorization, content-type, mcp-method, mcp-name, mcp-protocol-version, ' +
    'traceparent, tracestate, x-api-key, x-request-id',
  read:
    'ratelimit, ratelimit-policy, retry-after, www-authenticate, x-ratelimit-limit, ' +
    'x-ratelimit-remaining, x-ratelimit-reset, x-request-id',
})

/** The reply to OPTIONS, with or without a browser's preflight behind it. */
function optionsReply(methods: readonly string[]): Response {
  const reply = HEADERS.preflightReply(methods.join(', '))
  reply.headers.set('allow', methods.join(', '))
  return reply
}

/** Lets a page of this origin read the reply. */
const withOrigin = (reply: Response, origin: string): Response => HEADERS.shared(reply, origin)
