import { DrizzleQueryError } from 'drizzle-orm/errors'
import postgres from 'postgres'

/** Depth to which errors are searched for their causes. */
const CAUSES_MAX = 5

/**
 * The reason of a failure, in one line for a person: an error's own message, or the reason why the
 * database refused a statement, without any part of the statement or its values.
 */
export function reasonOf(error: unknown): string {
  let current = error
  for (let depth = 0; depth < CAUSES_MAX && current instanceof DrizzleQueryError; depth++)
    current = current.cause
  if (current instanceof postgres.PostgresError) return refusalOf(current)
  if (current instanceof DrizzleQueryError || !(current instanceof Error))
    return 'the database failed without a reason'
  const message = current.message.replace(/\s*\n\s*/g, ' ')
  return LOST.test(message)
    ? `the connection to the database was lost (${message}): once it accepts connections again, ` +
        'see what was done, and repeat the command'
    : message
}

/** Messages of the driver, and of the socket below it, about a connection that is gone. */
const LOST = /^(write CONNECT(ION_(CLOSED|DESTROYED|ENDED)|_TIMEOUT) |read ECONNRESET|write EPIPE)/

type Refusal = { readonly code: string; readonly message: string }

/**
 * SQLSTATEs whose messages repeat values or parts of the statement: data that does not fit its
 * type, and syntax. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const REPEATING = /^(22...|42601)$/
const OTHER_SCHEMA = /^(42P01|42703|42883|3F000)$/
const FORBIDDEN = '42501'

function refusalOf({ code, message }: Refusal): string {
  if (REPEATING.test(code)) return `the database refused a value or a statement (${code})`
  if (code === FORBIDDEN)
    return `${message}: the database user needs the GRANTs of docs/operate.md, after each migrate`
  if (OTHER_SCHEMA.test(code))
    return `${message}: this version works with another schema; run corridor migrate`
  return `the database says: ${message} (${code})`
}
