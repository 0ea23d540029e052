import { monotonicMs } from '~/clock.ts'
import { REQUEST_ID_HEADER, requestIdOf } from '~/http/edge/request-id.ts'
import { safeQuery } from '~/http/edge/safe-query.ts'
import type { Log } from '~/log.ts'
import { OTHER, type RequestFigures, type RouteLabel } from '~/telemetry/request-figures.ts'
import { inScope, RequestScope } from '~/telemetry/request-scope.ts'
import type { Tracing } from '~/telemetry/tracing.ts'
import type { Fetch, Handler } from './handler.ts'
import { errorReply, type Headers } from './reply.ts'
import type { ObservedRoute, Route } from './route.ts'

export type ObservedDeps = {
  readonly requests: RequestFigures
  /** The tracing; null if nothing is traced. */
  readonly tracing: Tracing | null
  readonly log: Log
}

type Watch = ObservedDeps & {
  /** Headers for browsers on every response. */
  readonly guards: Headers
}

/** The route with its responses counted, timed, given an id and, if notable, logged. */
export function observed(route: Route, prefix: string, deps: Watch): ObservedRoute {
  const label = { method: route.method, route: `${prefix}${route.countedAs ?? route.path}` }
  const observe = route.isHot && !deps.tracing ? watched : observedHandler
  return { ...route, fetch: observe(route.handle, label, deps) }
}

/**
 * A handler with its responses counted, timed, given an id and, if notable, logged. Anything that
 * it throws or rejects with becomes a 500 and is counted under its label too.
 */
export const observedHandler = (handle: Handler, label: RouteLabel, deps: Watch): Fetch =>
  watched(guarded(handle, label, deps), label, deps)

/** Observes a handler that puts the request's id in its replies and never throws. */
function watched(handle: Handler, label: RouteLabel, deps: Watch): Fetch {
  const end = endOf(label, deps)
  return (request) => {
    const startMs = monotonicMs()
    const scope = new RequestScope(requestIdOf(request))
    const reply = handle(request, scope)
    return reply instanceof Promise
      ? reply.then((later) => end(request, { reply: later, scope, startMs }))
      : end(request, { reply, scope, startMs })
  }
}

/** The handler in the scope of its request, with ids in its responses and failures handled. */
function guarded(handle: Handler, label: RouteLabel, { tracing, log, guards }: Watch): Handler {
  const answer: Handler = (request, scope) => {
    const work = () => inScope(scope, handle, request)
    return tracing ? tracing.served({ label, requestId: scope.id, request, work }) : work()
  }
  return (request, scope) => {
    const ended = (reply: Response) => named(reply, scope, guards)
    const failed = (error: unknown) => inScope(scope, () => ended(errorReply(error, log)), request)
    try {
      const reply = answer(request, scope)
      return reply instanceof Promise ? reply.then(ended, failed) : ended(reply)
    } catch (error) {
      return failed(error)
    }
  }
}

/** A whole app under observation: a response of no observed handler counts as `other`. */
export function observedApp(fetch: Fetch, deps: Watch): Fetch {
  const end = endOf(OTHER, deps)
  const ended = (request: Request, { reply, scope, startMs }: Ending) =>
    end(request, { reply: named(reply, scope, deps.guards), scope, startMs })
  return (request) => {
    const startMs = monotonicMs()
    const checked = (reply: Response): Response =>
      reply.headers.has(REQUEST_ID_HEADER)
        ? reply
        : ended(request, { reply, scope: new RequestScope(requestIdOf(request)), startMs })
    const reply = fetch(request)
    return reply instanceof Promise ? reply.then(checked) : checked(reply)
  }
}

function named(reply: Response, { id }: RequestScope, guards: Headers): Response {
  reply.headers.set(REQUEST_ID_HEADER, id)
  for (const name in guards) reply.headers.set(name, guards[name]!)
  return reply
}

type Ending = { readonly reply: Response; readonly scope: RequestScope; readonly startMs: number }

const FAILED_STATUS_MIN = 500
/** The status of a service that is down or overloaded, which metrics show better than the log. */
const EXPECTED_STATUS = 503
/** The status of a caller with too many requests, whom the log line names. */
const REFUSED_STATUS = 429
const US_PER_MS = 1000

function endOf(label: RouteLabel, { requests, log }: ObservedDeps) {
  const figures = requests.of(label)
  const tellsAll = log.isLevelEnabled?.('debug') ?? false
  return (request: Request, { reply, scope, startMs }: Ending): Response => {
    const { status } = reply
    const ms = monotonicMs() - startMs
    figures.count(status, ms)
    if (status >= FAILED_STATUS_MIN) figures.countFailure(scope.code)
    if (tellsAll || scope.failure || isBug(status))
      tell(log, { ...label, status, ms }, { request, scope })
    return reply
  }
}

const isBug = (status: number): boolean => status >= FAILED_STATUS_MIN && status !== EXPECTED_STATUS

type Outcome = RouteLabel & { readonly status: number; readonly ms: number }

function tell(
  log: Log,
  outcome: Outcome,
  { request, scope }: { request: Request; scope: RequestScope },
) {
  const { id, failure, caller } = scope
  const ms = Math.round(outcome.ms * US_PER_MS) / US_PER_MS
  const who = outcome.status === REFUSED_STATUS ? caller : null
  const line = { request_id: id, ...outcome, ms, ...who, query: safeQuery(request.url) }
  if (failure) log[failure.level]({ ...line, err: failure.err }, failure.message)
  else if (isBug(outcome.status)) log.warn(line, 'request not served')
  else log.debug(line, 'request')
}
