import { monotonicMs } from '~/clock.ts'
import type { Log } from '~/log.ts'
import { OTHER, type RequestFigures, type RouteLabel } from '~/telemetry/request-figures.ts'
import { inScope, RequestScope } from '~/telemetry/request-scope.ts'
import type { Tracing } from '~/telemetry/tracing.ts'
import type { Handler } from './access.ts'
import { errorReply } from './reply.ts'
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts'
import type { Route } from './route.ts'
import { safeQuery } from './safe-query.ts'

export type ObservedDeps = {
  readonly requests: RequestFigures
  /** Null where nothing is traced. */
  readonly tracing: Tracing | null
  readonly log: Log
}

/** The same route, whose answers are counted, timed, named by an id and, where it matters, told. */
export const observed = (route: Route, prefix: string, deps: ObservedDeps): Route => ({
  ...route,
  handle: observedHandler(
    route.handle,
    { method: route.method, route: `${prefix}${route.path}` },
    deps,
  ),
})

/**
 * The same for a handler alone. Whatever it throws, and whenever, is answered with 500: that too is
 * counted under its label.
 */
export function observedHandler(handle: Handler, label: RouteLabel, deps: ObservedDeps): Handler {
  const { tracing, log } = deps
  const end = endOf(label, deps)
  const answer = tracing
    ? (request: Request, scope: RequestScope) =>
        tracing.served({
          label,
          requestId: scope.id,
          request,
          work: () => inScope(scope, handle, request),
        })
    : (request: Request, scope: RequestScope) => inScope(scope, handle, request)
  return (request) => {
    const startMs = monotonicMs()
    const scope = new RequestScope(requestIdOf(request))
    const failed = (error: unknown) =>
      inScope(scope, () => end(request, { reply: errorReply(error, log), scope, startMs }), request)
    try {
      const reply = answer(request, scope)
      return reply instanceof Promise
        ? reply.then((settled) => end(request, { reply: settled, scope, startMs }), failed)
        : end(request, { reply, scope, startMs })
    } catch (error) {
      return failed(error)
    }
  }
}

/** The same for a whole app: what no observed handler of it has answered counts as `other`. */
export function observedApp(fetch: Handler, deps: ObservedDeps): Handler {
  const end = endOf(OTHER, deps)
  return (request) => {
    const startMs = monotonicMs()
    const checked = (reply: Response): Response =>
      reply.headers.has(REQUEST_ID_HEADER)
        ? reply
        : end(request, { reply, scope: new RequestScope(requestIdOf(request)), startMs })
    const reply = fetch(request)
    return reply instanceof Promise ? reply.then(checked) : checked(reply)
  }
}

type Ending = { readonly reply: Response; readonly scope: RequestScope; readonly startMs: number }

const FAILED_STATUS_MIN = 500

function endOf(label: RouteLabel, { requests, log }: ObservedDeps) {
  const figures = requests.of(label)
  const tellsAll = log.isLevelEnabled?.('debug') ?? false
  return (request: Request, { reply, scope, startMs }: Ending): Response => {
    const { status } = reply
    const ms = monotonicMs() - startMs
    figures.count(status, ms)
    reply.headers.set(REQUEST_ID_HEADER, scope.id)
    if (tellsAll || status >= FAILED_STATUS_MIN || scope.failure)
      tell(log, { ...label, status, ms }, { request, scope })
    return reply
  }
}

type Told = RouteLabel & { readonly status: number; readonly ms: number }

function tell(log: Log, told: Told, { request, scope }: { request: Request; scope: RequestScope }) {
  const { id, failure } = scope
  const line = { request_id: id, ...told, query: safeQuery(request.url) }
  if (failure) log[failure.level]({ ...line, err: failure.err }, failure.message)
  else if (told.status >= FAILED_STATUS_MIN) log.warn(line, 'request not served')
  else log.debug(line, 'request')
}
