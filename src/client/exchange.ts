import type { Call } from './call.ts'
import { CorridorError } from './corridor-error.ts'
import type { ErrorBody } from './operation.ts'
import type { CallOptions } from './options.ts'
import { retryAfterSeconds, TIMER_MS_MAX } from './patience.ts'

const NO_CONTENT = 204
const EXCERPT_LENGTH_MAX = 200

/** Sends a request by openapi-fetch and reads the response. */
export type Send = (
  method: string,
  path: string,
  init: object,
) => Promise<{ data?: unknown; error?: unknown; response: Response }>

type Terms = Pick<CallOptions, 'signal' | 'timeoutMs'> & { readonly idempotencyKey: string | null }

type Reply = Awaited<ReturnType<Send>>

type Outcome = { readonly value: unknown; readonly position: number | null }

/**
 * Sends one try; returns its value or the error. Rejects with the reason of the caller's signal,
 * and for a request body that cannot become JSON.
 */
export async function exchanged(
  send: Send,
  call: Call,
  { signal, timeoutMs, idempotencyKey }: Terms,
): Promise<Outcome | CorridorError> {
  signal?.throwIfAborted()
  const init = initOf(call, idempotencyKey)
  const late = new AbortController()
  const timer =
    typeof timeoutMs === 'number' &&
    setTimeout(() => late.abort(), Math.min(timeoutMs, TIMER_MS_MAX))
  try {
    const both = signal ? AbortSignal.any([late.signal, signal]) : late.signal
    return outcomeOf(
      call,
      await send(call.method, call.path, { ...init, signal: both }),
      idempotencyKey,
    )
  } catch (cause) {
    signal?.throwIfAborted()
    const failed = (code: 'timeout' | 'unreachable', message: string) =>
      new CorridorError(message, { code, idempotencyKey, cause })
    if (late.signal.aborted) return failed('timeout', `no response within ${timeoutMs} ms`)
    return failed('unreachable', `the service cannot be reached: ${reasonOf(cause)}`)
  } finally {
    if (timer) clearTimeout(timer)
  }
}

function initOf(call: Call, idempotencyKey: string | null): object {
  const given = Object.entries(call.parameters ?? {})
  const isInPath = ([name]: [string, unknown]) => call.path.includes(`{${name}}`)
  return {
    params: {
      path: Object.fromEntries(given.filter(isInPath)),
      query: Object.fromEntries(given.filter((entry) => !isInPath(entry))),
    },
    headers: {
      ...(!call.isRaw && { Accept: 'application/json' }),
      ...call.headers,
      ...(idempotencyKey !== null && { 'Idempotency-Key': idempotencyKey }),
    },
    ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
    bodySerializer: (text: string) => text,
    parseAs: call.isRaw ? 'stream' : 'text',
  }
}

function outcomeOf(
  { isRaw }: Call,
  { data, error, response }: Reply,
  idempotencyKey: string | null,
): Outcome | CorridorError {
  const { status, headers } = response
  const facts = {
    // A browser hides a redirect: its status is 0.
    ...(status > 0 && { status }),
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: retryAfterSeconds(headers),
    idempotencyKey,
  }
  if (response.ok) {
    const position = positionIn(headers)
    if (isRaw) return { value: response, position }
    const value = status === NO_CONTENT ? undefined : parsed(data)
    if (value !== NO_JSON) return { value, position }
  }
  if (isErrorBody(error))
    return new CorridorError(error.error, { ...facts, code: error.code, details: error })
  if (response.type === 'opaqueredirect' || headers.has('location'))
    return new CorridorError(redirection(headers.get('location')), { ...facts, code: 'redirected' })
  return new CorridorError(strangeness(status, data ?? error), {
    ...facts,
    code: 'unexpected_answer',
  })
}

/** The position that a response states; null if it states none. */
function positionIn(headers: Headers): number | null {
  const text = headers.get('x-corridor-position')
  return text === null ? null : Number(text)
}

const NO_JSON = Symbol('no JSON')

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return NO_JSON
  }
}

const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof body === 'object' &&
  body !== null &&
  'code' in body &&
  typeof body.code === 'string' &&
  'error' in body &&
  typeof body.error === 'string'

const redirection = (location: string | null): string =>
  `the address sends callers on${location ? ` to ${location}` : ''}, where a key is not sent; ` +
  "give the service's own address as url"

const strangeness = (status: number, body: unknown): string =>
  `the address responded ${status}, but not as Corridor does; check the url. It said: ` +
  JSON.stringify(String(body ?? '').slice(0, EXCERPT_LENGTH_MAX))

/** The message of a failed fetch with that of its cause: Node's own says only that it failed. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const below = cause.cause instanceof Error ? cause.cause.message : ''
  return below ? `${cause.message}: ${below}` : cause.message
}
