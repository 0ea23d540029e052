import { parse } from 'csv-parse/sync'
import type { RawAnswer } from './client.ts'
import type { Asked } from './requests.ts'

/** Traces of internals that must never appear. */
const LEAK = /\n\s+at \S+ \(|node_modules|\/src\/[a-z]|drizzle|PostgresError|TypeError|SyntaxError/
/** Status of the runtime for a version of HTTP that does not exist. */
const VERSION_UNKNOWN = 505
const UNAVAILABLE =
  /^(mid_unavailable|database_unavailable|overloaded|replica_behind|streams_unavailable)$/
/** An error in the form of an API whose clients expect no JSON. */
const ONE_LINE = /^[^\n]+\n?$/
/** Beginning of a stream of events. */
const EVENTS = /^(event|data|id|retry)?:/

/** Error of a response, in a few words; null for none. */
export function faultOf(asked: Asked, answer: RawAnswer | null, secrets: readonly string[]) {
  if (!answer) return asked.isSound ? 'no answer' : null
  const { status, text } = answer
  if (!(status >= 200 && status < 600)) return `status ${status}`
  if (secrets.some((secret) => text.includes(secret))) return 'a secret in the body'
  if (status === VERSION_UNKNOWN && !asked.isSound) return null
  if (status >= 500 && !isUnavailable(answer, asked)) return `status ${status}`
  if (!asked.isSound) return null
  if (status < 400) return asked.kind === 'api' ? successFault(asked, answer) : null
  if (LEAK.test(text)) return `status ${status} reveals internals`
  return asked.isHead ? null : errorFault(asked, answer)
}

function isUnavailable({ status, headers, text }: RawAnswer, { isHead, kind }: Asked): boolean {
  if (status !== 503 || !headers.has('retry-after')) return false
  const type = headers.get('content-type') ?? ''
  const hasNoCode = kind === 'compat' || (kind === 'page' && type.startsWith('text/html'))
  return isHead || hasNoCode || UNAVAILABLE.test(parsed(text)?.code)
}

function successFault({ isHead }: Asked, { status, headers, text }: RawAnswer): string | null {
  if (isHead || status === 204 || status === 304) return null
  const type = headers.get('content-type') ?? ''
  if (type.startsWith('application/json'))
    return parsed(text) === undefined ? `status ${status} without JSON` : null
  if (type.startsWith('text/event-stream'))
    return EVENTS.test(text) ? null : `status ${status} with no events: ${text.slice(0, 80)}`
  const isWhole = headers.has('content-encoding') || rowsFit(type, text)
  return isWhole ? null : `status ${status} as ${type} with rows that do not fit`
}

function errorFault({ kind }: Asked, { status, headers, text }: RawAnswer): string | null {
  const type = headers.get('content-type') ?? 'none'
  if (type.startsWith('text/html') && kind === 'page') return null
  if (kind === 'compat' && (type.startsWith('text/plain') ? ONE_LINE.test(text) : parsed(text)))
    return null
  const body = parsed(text)
  const isOurs = typeof body?.error === 'string' && /^[a-z]+(_[a-z]+)*$/.test(body?.code)
  const isRpc = Array.isArray(body)
    ? body.every((one) => one?.jsonrpc === '2.0')
    : body?.jsonrpc === '2.0' && typeof body?.error?.message === 'string'
  if (type.startsWith('application/json') && (isOurs || (kind === 'mcp' && isRpc))) return null
  return `status ${status} as ${type}: ${JSON.stringify(text.slice(0, 80))}`
}

/** Reports whether every row of a file has as many cells as the first, or is JSON. */
function rowsFit(type: string, text: string): boolean {
  if (type.startsWith('application/x-ndjson'))
    return text
      .split('\n')
      .slice(0, -1)
      .every((line) => parsed(line) !== undefined)
  if (!type.startsWith('text/csv')) return true
  try {
    return parse(text, { record_delimiter: '\r\n' }).length > 0
  } catch {
    return false
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a response can be anything
function parsed(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
