import { AsyncLocalStorage } from 'node:async_hooks'
import type { ErrorCode } from '~/domain/errors.ts'
import type { Log } from '~/log.ts'

/** A failure of the service itself while it handled a request. */
type Failure = {
  /** `error` for a bug, `warn` for something that is down. */
  readonly level: 'warn' | 'error'
  readonly message: string
  readonly err: unknown
}

export type CallerIds = { readonly account_id: string; readonly key_id: string }

/** One request, within reach of everything done on its behalf, however deep. */
export class RequestScope {
  /** The first failure; the code that responds to the request logs it, in one line. */
  failure: Failure | null = null
  /** The error code returned to a caller that was not served. */
  code: ErrorCode | null = null
  /** The ids of a known caller that was refused. */
  caller: CallerIds | null = null

  constructor(readonly id: string) {}
}

const scopes = new AsyncLocalStorage<RequestScope>()

/** Does `work` on behalf of a request. */
export const inScope = <T>(
  scope: RequestScope,
  work: (request: Request, scope: RequestScope) => T,
  of: Request,
): T => scopes.run(scope, work, of, scope)

/** Notes why a request is not served, for the metrics. */
export function noteCode(code: ErrorCode): void {
  const scope = scopes.getStore()
  if (scope) scope.code = code
}

/** Notes the caller, for the line of a refused request. */
export function noteCaller(caller: CallerIds): void {
  const scope = scopes.getStore()
  if (scope) scope.caller = caller
}

/**
 * Notes a failure for the line that ends its request. Outside a request, or as a second failure in
 * one, it is logged at once.
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
