import { type ErrorCode, ServiceError } from '~/domain/errors.ts'

/** Errors of a request that the APIs distinguish. */
const FAULTS = [
  ...['key', 'quota', 'path', 'parameter', 'base', 'quotes', 'date', 'range', 'amount'],
  ...['timeframe', 'start', 'end', 'order', 'none', 'failure'],
] as const
export type Fault = (typeof FAULTS)[number]

const CODES: Partial<Record<Fault, ErrorCode>> = {
  path: 'unknown_path',
  base: 'unsupported_currency',
  quotes: 'unsupported_currency',
  none: 'unknown_file',
}

/** An error of which an API has a kind of its own. */
export class CompatError extends ServiceError {
  constructor(
    readonly fault: Fault,
    message: string,
  ) {
    super(CODES[fault] ?? 'invalid_parameter', message)
  }
}

const KINDS: Partial<Record<ErrorCode, Fault>> = {
  missing_key: 'key',
  invalid_key: 'key',
  revoked_key: 'key',
  quota_exceeded: 'quota',
  unknown_path: 'path',
  unsupported_currency: 'quotes',
  unknown_provider: 'parameter',
  invalid_parameter: 'parameter',
}

/** Returns the meaning of an error to an API. */
export function faultOf(error: unknown): Fault {
  if (error instanceof CompatError) return error.fault
  return (error instanceof ServiceError && KINDS[error.code]) || 'failure'
}
