import { ServiceError } from '~/domain/errors.ts'

/** Codes by which the driver and the sockets report a server that is unreachable or gone. */
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
 * The SQLSTATEs of a server that cannot work at present: connection exceptions, out of resources,
 * shutting down or starting, failing disks, refused access, and a standby that refuses writes after
 * a failover. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const AWAY = /^(08...|53...|57P0.|58...|28...|3D000|25006|55006)$/

/**
 * SQLSTATE of a coordinator whose connection to a server broke in the middle of a transaction: its
 * own, or that of the library by which it connects.
 */
const INTERNAL = 'XX000'
const WORKER_AWAY = new RegExp(
  '^(failure on connection marked as essential|server closed the connection unexpectedly|' +
    'could not (receive|send) data|no connection to the server|' +
    'SSL (SYSCALL error|connection has been closed))',
)

const DISK_FULL = '53100'
/** Messages of servers and systems about a disk, or a share of it, that is full. */
const NO_ROOM = /no space left on device|disk quota exceeded|disk is full/i

/** Depth to which errors are searched for their causes. */
const CAUSES_MAX = 5

/**
 * The result of the work; an error that means the database is unreachable becomes
 * `database_unavailable` with `message`, and the driver's error as its cause. Every other error
 * stays as it is.
 */
export async function orUnavailable<T>(work: Promise<T>, message: string): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ServiceError || !isOutage(error)) throw error
    const unavailable = new ServiceError('database_unavailable', message)
    unavailable.cause = error
    throw unavailable
  }
}

/** Reports whether an error means that the database is unreachable, not that it refused. */
export const isOutage = (error: unknown): boolean =>
  isCausedBy(error, ({ code, message }) => {
    if (typeof code === 'string' && (UNREACHABLE.has(code) || AWAY.test(code))) return true
    return code === INTERNAL && WORKER_AWAY.test(message)
  })

/** Reports whether an error means that the database has no room on its disk. */
export const isFull = (error: unknown): boolean =>
  isCausedBy(error, ({ code, message }) => code === DISK_FULL || NO_ROOM.test(message))

type Cause = { readonly code?: unknown; readonly message: string }

function isCausedBy(error: unknown, isLike: (cause: Cause) => boolean): boolean {
  let current = error
  for (let depth = 0; depth < CAUSES_MAX && current instanceof Error; depth++) {
    if (isLike(current)) return true
    current = current instanceof AggregateError ? current.errors[0] : current.cause
  }
  return false
}
