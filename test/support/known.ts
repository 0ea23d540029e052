import { ServiceError } from '~/domain/errors.ts'
import type { KnownDeps } from '~/http/known/past.ts'

/** Earlier knowledge of a world without a database. */
export const nothingKnown: KnownDeps['known'] = {
  at: () => Promise.reject(new ServiceError('database_unavailable', 'there is no database')),
}
