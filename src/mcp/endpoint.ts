import { isJsonContentType } from '@modelcontextprotocol/sdk/shared/mediaType.js'
import { ErrorCode, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js'
import type { Clock } from '~/clock.ts'
import { granted, ServiceError } from '~/domain/errors.ts'
import { callerOf, type KeyAccess } from '~/service/access.ts'
import { quotaAt } from '~/service/metering.ts'
import { credentialOf } from '~/wire/credential.ts'
import { quotaHeaders } from '~/wire/quota.ts'
import { SuccessHeaders } from '~/wire/success-headers.ts'
import { AnswerCache } from '~/wire/text/answer-cache.ts'
import { replyForm } from './accept.ts'
import { BODY_BYTES_MAX, messageText } from './body.ts'
import { type CallDeps, resultForm } from './call.ts'
import type { Asker } from './exchange.ts'
import { Guard, type GuardOptions } from './guard.ts'
import type { HistoryToolDeps } from './history.ts'
import { type Incoming, invalidRequest, RpcFault, readMessages } from './message.ts'
import { faultReply, messagesReply, optionsReply, withOrigin } from './reply.ts'
import { type Answered, type Answerer, answererOf } from './server.ts'
import { type Session, Sessions, sessionStream } from './sessions.ts'
import { toolsOf } from './tools.ts'

export type ToolServerOptions = GuardOptions & {
  /** How many sessions are kept at most; with 0 every client is served without one. */
  readonly sessionsMax: number
}

type ToolServerDeps = Omit<CallDeps, 'answers'> &
  KeyAccess & {
    readonly clock: Clock
    readonly past: HistoryToolDeps
    readonly options: ToolServerOptions
  }

const METHODS = ['GET', 'POST', 'DELETE', 'OPTIONS']
const SESSION_HEADER = 'mcp-session-id'

/**
 * The streamable HTTP transport at one address, for clients with sessions and without.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
 *
 * `initialize` opens a session where there is room for one and the address does not say
 * `sessions=off`; every other request is answered with or without a session id. Until the key is
 * known, failures are those of REST; after that they are JSON-RPC errors.
 */
export class ToolServer {
  readonly sessions: Sessions
  readonly #answerer: Answerer
  readonly #guard: Guard
  readonly #successHeaders = new SuccessHeaders({ isTiered: false })

  constructor(private readonly deps: ToolServerDeps) {
    this.sessions = new Sessions(deps.options.sessionsMax)
    const calling = { ...deps, answers: new AnswerCache({ form: resultForm }) }
    this.#answerer = answererOf(calling, toolsOf(deps.past))
    this.#guard = new Guard(deps.options)
  }

  /** How many requests are not answered yet. */
  get waiting(): number {
    return this.#answerer.waiting
  }

  /** Answers one HTTP request; never rejects. */
  async handle(request: Request): Promise<Response> {
    const reply = await this.#reply(request).catch((error) => faultReply(error, this.deps.log))
    const origin = request.headers.get('origin')
    return origin !== null && this.#guard.isAllowedOrigin(origin)
      ? withOrigin(reply, origin)
      : reply
  }

  /** Forgets sessions that are no longer used. */
  prune(): void {
    this.sessions.prune(this.deps.clock.now())
  }

  /** Ends every session and every open stream. */
  close(): void {
    this.sessions.closeAll()
  }

  async #reply(request: Request): Promise<Response> {
    const { method } = request
    if (!METHODS.includes(method)) throw methodNotAllowed()
    if (method === 'OPTIONS') {
      this.#guard.check(request)
      return optionsReply(METHODS)
    }
    const nowMs = this.deps.clock.now()
    const caller = granted(await callerOf(this.deps, credentialOf(request.headers), nowMs))
    const asker = { caller, nowMs }
    try {
      return await this.#answered(request, asker)
    } catch (error) {
      return this.#withQuota(faultReply(error, this.deps.log), asker)
    }
  }

  async #answered(request: Request, asker: Asker): Promise<Response> {
    this.#guard.check(request)
    if (request.method === 'POST') return this.#post(request, asker)
    if (request.method === 'GET') return this.#withQuota(this.#stream(request, asker), asker)
    return this.#withQuota(this.#end(request, asker), asker)
  }

  /** Adds to a reply what is left of a known caller's budget. */
  #withQuota(reply: Response, { caller, nowMs }: Asker): Response {
    const quota = quotaHeaders(quotaAt(this.deps.metering, caller, nowMs), nowMs)
    for (const [name, value] of Object.entries(quota))
      if (!reply.headers.has(name)) reply.headers.set(name, value)
    return reply
  }

  async #post(request: Request, asker: Asker): Promise<Response> {
    const form = replyForm(request.headers.get('accept'))
    if (form === null)
      throw new RpcFault(406, OTHER, 'accept application/json or text/event-stream, best both')
    if (!isJsonContentType(request.headers.get('content-type')))
      throw new RpcFault(415, OTHER, 'send the message with Content-Type: application/json')
    const text = await messageText(request)
    if (text === null)
      throw new RpcFault(413, OTHER, `a body may have at most ${BODY_BYTES_MAX} bytes`)
    const incoming = readMessages(text)
    const isInitializing = incoming.requests[0]?.method === 'initialize'
    const session = this.#sessionOf(request, asker)
    if (isInitializing && session) throw invalidRequest('this session is initialized already')
    if (!isInitializing) assertVersion(request.headers)
    const replies = await this.#answers(incoming, asker)
    const opened = isInitializing ? this.#opened(request, asker, replies[0]!) : null
    const headers = this.#headers(asker, opened)
    return messagesReply({ replies, form, isBatch: incoming.isBatch, headers })
  }

  #answers({ requests }: Incoming, asker: Asker): Promise<Answered[]> {
    return Promise.all(requests.map((message) => this.#answerer.answer(message, asker)))
  }

  #opened({ url }: Request, { caller, nowMs }: Asker, reply: Answered): Session | null {
    if (reply.isError || new URL(url).searchParams.get('sessions') === 'off') return null
    return this.sessions.open(caller.account.id, nowMs)
  }

  #stream(request: Request, asker: Asker): Response {
    if (!request.headers.get('accept')?.toLowerCase().includes('text/event-stream'))
      throw new RpcFault(406, OTHER, 'a GET opens a stream: accept text/event-stream')
    const session = this.#sessionOf(request, asker)
    if (!session)
      throw new RpcFault(405, OTHER, 'without a session there is no stream to open; use POST', {
        allow: 'POST, OPTIONS',
      })
    assertVersion(request.headers)
    const headers = {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
    }
    const stream = sessionStream(session, () => this.deps.clock.now())
    return new Response(stream, { headers: { ...headers, 'x-accel-buffering': 'no' } })
  }

  #end(request: Request, asker: Asker): Response {
    const session = this.#sessionOf(request, asker)
    if (!session) throw invalidRequest(`DELETE ends a session: send its id in ${SESSION_HEADER}`)
    this.sessions.close(session)
    return new Response(null, { status: 204 })
  }

  /** The session that the request names; null when it names none. */
  #sessionOf({ headers }: Request, { caller, nowMs }: Asker): Session | null {
    const id = headers.get(SESSION_HEADER)
    if (id === null) return null
    const session = this.sessions.find({ id, accountId: caller.account.id }, nowMs)
    if (session) return session
    throw new RpcFault(404, SESSION_NOT_FOUND, 'there is no such session; initialize a new one')
  }

  /** The headers of a JSON reply that may have opened a session. */
  #headers({ caller, nowMs }: Asker, opened: Session | null): Headers {
    const quota = quotaAt(this.deps.metering, caller, nowMs)
    const usual = this.#successHeaders.of({ plan: caller.account.plan, quota, nowMs })
    if (opened === null) return usual
    const headers = new Headers(usual)
    headers.set(SESSION_HEADER, opened.id)
    return headers
  }
}

/** The code that the SDK's own transport uses for faults without a JSON-RPC code. */
const OTHER = ErrorCode.ConnectionClosed
const SESSION_NOT_FOUND = -32001

const methodNotAllowed = (): ServiceError =>
  new ServiceError('method_not_allowed', `use ${METHODS.join(', ')}`, { allowed: METHODS })

function assertVersion(headers: Request['headers']): void {
  const version = headers.get('mcp-protocol-version')
  if (version === null || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return
  throw new RpcFault(
    400,
    OTHER,
    `unsupported protocol version; use one of ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}`,
  )
}
