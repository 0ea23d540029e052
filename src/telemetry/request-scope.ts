import { AsyncLocalStorage } from 'node:async_hooks'
import type { ErrorCode } from '~/domain/errors.ts'
import type { Log } from '~/log.ts'

/** What the service itself failed at while it answered. */
type Failure = {
  /** `error` for a bug, `warn` for what is away. */
  readonly level: 'warn' | 'error'
  readonly message: string
  readonly err: unknown
}

/** One request, for whatever is done on its behalf, however deep. */
export class RequestScope {
  /** The first thing that failed; whoever answers the request tells of it, in one line. */
  failure: Failure | null = null
  /** What a caller was told who was not served. */
  code: ErrorCode | null = null

  constructor(readonly id: string) {}
}

const scopes = new AsyncLocalStorage<RequestScope>()

/** Does `work` on behalf of a request. */
export const inScope = <T>(
  scope: RequestScope,
  work: (request: Request, scope: RequestScope) => T,
  of: Request,
): T => scopes.run(scope, work, of, scope)

/** Takes note of why a request is not served, so that it is counted by that. */
export function noteCode(code: ErrorCode): void {
  const scope = scopes.getStore()
  if (scope) scope.code = code
}

/**
 * Takes note of a failure for the line that ends its request. Outside of a request, and of a second
 * failure in one, it is logged at once.
 */
export function noteFailure(failure: Failure, log: Log): void {
  const scope = scopes.getStore()
  if (scope && scope.failure === null) {
    scope.failure = failure
    return
  }
  const { level, message, err } = failure
  log[level](scope ? { request_id: scope.id, err } : { err }, message)
}
