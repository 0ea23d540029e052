import { ServiceError } from '~/domain/errors.ts'

/** Reports whether something failed that may work when it is requested again shortly. */
export const isForNow = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && ['database_unavailable', 'overloaded'].includes(error.code)

export type OutageDeps = {
  /** Says whether an error means that the database is unreachable. */
  readonly isOutage: (error: unknown) => boolean
}

/** The refusal that an error amounts to if it may pass shortly; null for any other error. */
export function outageOf({ isOutage }: OutageDeps, error: unknown): ServiceError | null {
  if (isForNow(error)) return error
  if (!isOutage(error)) return null
  const unavailable = new ServiceError('database_unavailable', 'the database cannot be reached')
  unavailable.cause = error
  return unavailable
}
