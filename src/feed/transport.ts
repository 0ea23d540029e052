import { FeedError } from '~/domain/feed/feed.ts'

const TLS_CODE = /CERT|TLS|SSL|EPROTO|SIGNED|ISSUER|VERIF/

/**
 * The FeedError for a failed `fetch`. Only the code of the runtime's error is included: its message
 * and its `path` contain the address. TLS failures do not pass by themselves; others may.
 */
export function transportError(error: unknown): FeedError {
  const code = codeOf(error)
  if (TLS_CODE.test(code)) return new FeedError('insecure', `cannot be trusted over TLS (${code})`)
  return new FeedError('unreachable', `could not be reached (${code})`, { isTransient: true })
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : 'no code'
}

/** A Retry-After header, seconds or a date, in ms from `nowMs`; null when it gives neither. */
export function retryAfterMsOf(header: string | null, nowMs: number): number | null {
  if (header === null) return null
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000
  const atMs = Date.parse(header)
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs)
}
