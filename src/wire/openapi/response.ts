import type { ErrorCode } from '~/domain/errors.ts'
import { TIERS } from '~/domain/freshness.ts'
import {
  CHALLENGE,
  ERROR_MEANING,
  ERROR_STATUS,
  errorSchemas,
  UNAUTHORIZED,
} from '~/wire/errors.ts'
import { NO_STORE } from '~/wire/quota.ts'
import { errorsByStatus, type Operation } from './operation.ts'
import { ROW_HEADERS, rowMedia } from './rows.ts'
import type { Components, Json } from './schema.ts'

/** Responses of a real run, by operation, status, and name of the example or medium. */
export type Examples = Record<string, Record<string, Record<string, unknown>>>

const header = (description: string, schema: Json) => ({ description, schema })

/** A header that a response may lack. */
const rarely = (description: string, schema: Json) => ({ description, required: false, schema })

const COUNT = { type: 'integer', minimum: 0 }
const TEXT = { type: 'string' }
const MOMENT = { type: 'string', format: 'date-time' }
const matching = (pattern: string): Json => ({ type: 'string', pattern })
const oneOf = (...values: readonly string[]): Json => ({ type: 'string', enum: values })

const QUOTA_HEADERS = {
  'X-RateLimit-Limit': header('Units that the plan has in a UTC day.', COUNT),
  'X-RateLimit-Remaining': header('Units left today.', COUNT),
  'X-RateLimit-Reset': header('Epoch seconds of the next UTC midnight.', COUNT),
  'RateLimit-Policy': header(
    'The quota in the form of the IETF draft: `"day";q=50;w=86400`.',
    matching('^"day";q=\\d+;w=86400$'),
  ),
  RateLimit: header(
    'What is left of the quota, in that form: units `r` and seconds `t`: `"day";r=49;t=3600`.',
    matching('^"day";r=\\d+;t=\\d+$'),
  ),
  'Cache-Control': header(
    'The response belongs to one account, so shared caches must not store it. Only a file that ' +
      'never changes may be reused without revalidation; a stream or token must not be stored at ' +
      'all.',
    oneOf('private, no-cache', 'private, max-age=31536000, immutable', NO_STORE),
  ),
}

export const headerComponents: Json = {
  ...QUOTA_HEADERS,
  'X-Data-Freshness': header('The tier of the response.', oneOf(...TIERS)),
  'X-Corridor-Position': header(
    'The position of the response in the log of changes: it includes every commit up to there, ' +
      "and after recording the caller's own. Send it as min_position to see at least as much.",
    COUNT,
  ),
  'Retry-After': header('Seconds to wait before trying again.', COUNT),
  ETag: header('The entity tag of the response, for If-None-Match.', matching('^W/"[\\w-]+"$')),
  'X-As-Of': rarely('The cutoff of the hourly tier; absent in the realtime one.', MOMENT),
  'X-Note': rarely(
    'The `note` of the response, for formats that have only rows; non-ASCII characters are ' +
      'percent-encoded.',
    TEXT,
  ),
  'X-Mid-Rate': rarely('The `mid_rate` of rows, also when there are no rows.', TEXT),
  'X-Mid-Source': rarely('The `mid_source` of rows, encoded as X-Note is.', TEXT),
  'X-Mid-Fetched-At': rarely('The `mid_fetched_at` of rows.', MOMENT),
  'Content-Disposition': rarely(
    'The name of the file, if the response is one.',
    matching('^attachment; filename="[\\w.-]+"$'),
  ),
  'X-Accel-Buffering': header('Makes proxies pass on each event at once.', oneOf('no')),
  Link: rarely('The next page, as `rel="next"`; absent on the last.', TEXT),
  'X-Request-Id': header(
    'The id of the request: the one it was sent with, or a new one.',
    matching('^[A-Za-z0-9._-]{1,128}$'),
  ),
  'X-Content-Type-Options': header('Browsers must not guess another type.', oneOf('nosniff')),
  'Strict-Transport-Security': rarely(
    'Sent if the service is reached over https, so that browsers use only https.',
    matching('^max-age=\\d+$'),
  ),
  'WWW-Authenticate': header(
    'The challenge of a 401: a key as Authorization: Bearer or in X-API-Key.',
    oneOf(CHALLENGE['www-authenticate']),
  ),
  Allow: header('The methods that the path supports.', matching('^[A-Z]+(, [A-Z]+)*$')),
}

/** Responses that are the same wherever they occur. */
const SHARED: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  405: 'MethodNotAllowed',
  429: 'QuotaExceeded',
}

const TOO_MANY = 429
/** Without the database the owner of a token is unknown. */
const AWAY = 503

/** A header that is absent without a valid key, since there is no budget to report. */
const unlessUnknown = (name: string): Json => ({
  ...QUOTA_HEADERS[name as keyof typeof QUOTA_HEADERS],
  required: false,
})

/** The name of a shared response; without a unit spent, only callers without a key get a 429. */
function sharedName({ isMetered, errors = [] }: Operation, status: number): string | undefined {
  if (errors.some((code) => ERROR_STATUS[code] === status)) return undefined
  return status === TOO_MANY && !isMetered ? 'TooManyFailures' : SHARED[status]
}

/** Lines of a file that are shown: a header of CSV and two rows are enough to see what it is. */
const EXAMPLE_LINES = 3

/** Writes the responses of operations and collects the shared ones. */
export class Responses {
  readonly shared: Json = {}

  constructor(
    private readonly components: Components,
    private readonly examples: Examples,
  ) {}

  of(operation: Operation): Json {
    const { status } = operation.success
    const responses: Json = { [status]: this.#success(operation) }
    if (operation.isTagged)
      responses[304] = {
        description:
          'The response that If-None-Match names is still valid. Costs as much as a full response.',
        headers: headersOf(operation, 304),
      }
    for (const [failure, codes] of errorsByStatus(operation)) {
      const response = this.#failure(operation, failure, codes)
      const name = sharedName(operation, failure)
      if (name) this.shared[name] ??= response
      responses[failure] = name ? { $ref: `#/components/responses/${name}` } : response
    }
    return responses
  }

  #success(operation: Operation): Json {
    const { success, list, file, events } = operation
    const json = () => ({
      schema: this.components.schema(success.body),
      ...this.#examplesOf(operation, success.status),
    })
    const binary = file && { description: file.description, type: 'string', format: 'binary' }
    const rows = list ? Object.entries(rowMedia(list, this.components)) : []
    const others = rows.map(([medium, media]) => [
      medium,
      { ...media, ...this.#textExample(operation, medium) },
    ])
    if (events)
      return {
        description: 'The stream. `$defs` has the body of each event, by its name.',
        headers: headersOf(operation, success.status),
        content: { 'text/event-stream': this.#stream(events) },
      }
    return {
      description: success.status === 201 ? 'Committed, and served from now on.' : 'The response.',
      headers: headersOf(operation, success.status),
      content: file
        ? { [file.medium]: { schema: binary } }
        : { 'application/json': json(), ...Object.fromEntries(others) },
    }
  }

  #stream(events: NonNullable<Operation['events']>): Json {
    const bodies = Object.entries(events).map(([name, body]) => [
      name,
      this.components.schema(body),
    ])
    return { schema: { type: 'string', $defs: Object.fromEntries(bodies) } }
  }

  #failure(operation: Operation, status: number, codes: readonly ErrorCode[]): Json {
    const refs = codes.map((code) => this.components.schema(errorSchemas[code]))
    const mapping = Object.fromEntries(codes.map((code, i) => [code, refs[i]!.$ref]))
    const schema =
      refs.length === 1
        ? refs[0]
        : { oneOf: refs, discriminator: { propertyName: 'code', mapping } }
    return {
      description: codes.map((code) => `\`${code}\`: ${ERROR_MEANING[code]}`).join('\n\n'),
      headers: headersOf(operation, status),
      content: { 'application/json': { schema, ...this.#examplesOf(operation, status, codes) } },
    }
  }

  #textExample({ id, success }: Operation, medium: string): Json {
    const recorded = this.examples[id]?.[success.status]?.[medium]
    if (recorded === undefined) return {}
    const lines = String(recorded).split(/(?<=\n)/)
    return { examples: { rows: { value: lines.slice(0, EXAMPLE_LINES).join('') } } }
  }

  /** The examples of an operation's responses; those of errors are named by their code. */
  #examplesOf({ id }: Operation, status: number, codes: readonly string[] | null = null): Json {
    const recorded = { ...this.examples.anywhere?.[status], ...this.examples[id]?.[status] }
    const examples = Object.entries(recorded)
      .filter(([name]) => (codes ? codes.includes(name) : !name.includes('/')))
      .map(([name, value]) => [name, { value }])
    return examples.length > 0 ? { examples: Object.fromEntries(examples) } : {}
  }
}

/** The headers of an operation's response, with the budget wherever usage is shown or spent. */
function headersOf(operation: Operation, status: number): Json {
  const { access, isMetered, isTiered, isTagged, isPositioned, list, mayCarry = [] } = operation
  const isSuccess = status < 400
  const tellsQuota = isMetered ? ![401, 405].includes(status) : isSuccess && access === 'key'
  const names = [
    ...['X-Request-Id', 'X-Content-Type-Options', 'Strict-Transport-Security'],
    ...(status === UNAUTHORIZED ? ['WWW-Authenticate'] : []),
    ...(tellsQuota ? Object.keys(QUOTA_HEADERS) : []),
    ...(isTiered && isSuccess ? ['X-Data-Freshness'] : []),
    ...(isPositioned && isSuccess ? ['X-Corridor-Position'] : []),
    ...(isTagged && isSuccess ? ['ETag'] : []),
    ...(isSuccess ? mayCarry : []),
    ...(list && isSuccess ? ROW_HEADERS : []),
    ...([429, 503, 507].includes(status) ? ['Retry-After'] : []),
    ...(status === 405 ? ['Allow'] : []),
  ]
  const isUnknown = status === TOO_MANY || (operation.takesToken && status === AWAY)
  const isBudget = (name: string) => isUnknown && name in QUOTA_HEADERS
  return Object.fromEntries(
    names.map((name) => [
      name,
      isBudget(name) ? unlessUnknown(name) : { $ref: `#/components/headers/${name}` },
    ]),
  )
}
