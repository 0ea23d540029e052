export const REQUEST_ID_HEADER = 'x-request-id'

const GIVEN = /^[A-Za-z0-9._-]{1,128}$/
const PREFIX_RANGE = 36 ** 6

/** A prefix that no two processes are likely to share, for a search over all replicas. */
const prefix = `${Math.floor(Math.random() * PREFIX_RANGE).toString(36)}-`
let count = 0

/** A new id, not used before. */
export const newRequestId = (): string => prefix + ++count

/** The id that the caller gave the request if it is a valid one, else a new one. */
export function requestIdOf({ headers }: Request): string {
  const given = headers.get(REQUEST_ID_HEADER)
  return given !== null && GIVEN.test(given) ? given : newRequestId()
}
