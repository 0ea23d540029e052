import { ServiceError } from '~/domain/errors.ts'

/** What the driver and the sockets below it say of a server that is not there, or is no longer. */
const UNREACHABLE = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])

/**
 * What a server says that cannot do its work now: connection exceptions, out of resources, shut
 * down or starting, failing disks, turning us away, and a standby that refuses writes after a
 * failover. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const AWAY = /^(08...|53...|57P0.|58...|28...|3D000|25006|55006)$/

/** Further than this no error is wrapped in another. */
const CAUSES_MAX = 5

/**
 * The same work; an error that means the database is away becomes `database_unavailable` with
 * `message` and the driver's error as its cause. Every other error stays what it is.
 */
export async function orUnavailable<T>(work: Promise<T>, message: string): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!isOutage(error)) throw error
    const unavailable = new ServiceError('database_unavailable', message)
    unavailable.cause = error
    throw unavailable
  }
}

/** Whether an error tells of the database being away, and not of what was asked of it. */
export function isOutage(error: unknown): boolean {
  let current = error
  for (let depth = 0; depth < CAUSES_MAX && current instanceof Error; depth++) {
    const { code } = current as { code?: unknown }
    if (typeof code === 'string' && (UNREACHABLE.has(code) || AWAY.test(code))) return true
    current = current instanceof AggregateError ? current.errors[0] : current.cause
  }
  return false
}
