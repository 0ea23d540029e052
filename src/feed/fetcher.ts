import { FeedError, type Validators } from '~/domain/feed/feed.ts'
import { ask, Unaskable } from '~/outbound/ask.ts'
import { type Outside, type Answer as Response, systemOutside } from '~/outbound/connection.ts'
import { type AllowedPlaces, ANYWHERE, NOWHERE } from '~/outbound/places.ts'
import {
  DOCUMENT_BYTES_MAX,
  documentBytes,
  documentText,
  excerptOf,
  refuseWebPage,
} from './document.ts'
import { retryAfterMsOf, transportError } from './transport.ts'

/** The outside world that fetching needs; `systemPace` is the real one. */
export type FetcherDeps = Outside & {
  readonly clock: { now(): number }
  sleep(ms: number): Promise<unknown>
  /** A random number from 0 to below 1. */
  random(): number
  /** A signal that aborts after `ms` milliseconds. */
  deadline(ms: number): AbortSignal
}

export const systemPace: Omit<FetcherDeps, 'clock'> = {
  ...systemOutside,
  sleep: (ms) => Bun.sleep(ms),
  random: Math.random,
  deadline: (ms) => AbortSignal.timeout(ms),
}

export type DocumentRequest = {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Headers for the configured host only; a redirect to another host goes without them. */
  readonly secretHeaders: Readonly<Record<string, string>>
  readonly validators: Validators | null
  /** The form to send by POST; a GET if neither it nor `json` is present. */
  readonly form?: string
  /** The JSON to send by POST. */
  readonly json?: string
  /** The documented reason in the body of an error response; may throw. */
  refusal?(text: string): string | null
}

/** Limits of a response: its size, its duration, and its hosts. */
export type Limits = {
  readonly bytesMax: number
  /** The limit on one attempt as a whole: connecting, every redirect and the last byte. */
  readonly attemptMsMax: number
  /**
   * The private places that may be asked; without it the host of the request, wherever it lies, and
   * public ones that it redirects to.
   */
  readonly allowed?: AllowedPlaces
}

/** A response, or null if it has not changed since `validators`. */
type Answer = {
  readonly bytes: Uint8Array | null
  readonly contentType: string
  /** The cookies that the last response sets, as `name=value`. */
  readonly cookies: readonly string[]
  readonly validators: Validators | null
}

/** A document, or null if it has not changed since `validators`. */
type Fetched = {
  readonly text: string | null
  readonly validators: Validators | null
}

const ATTEMPTS_MAX = 3
export const ATTEMPT_MS_MAX = 10_000
const REDIRECTS_MAX = 3
const BACKOFF_MS = 500
const EXCERPT_LENGTH_MAX = 300
/** The longest wait before a retry; for a longer one a later run asks. */
const RETRY_WAIT_MS_MAX = 30_000

const DOCUMENT_LIMITS: Limits = { bytesMax: DOCUMENT_BYTES_MAX, attemptMsMax: ATTEMPT_MS_MAX }

/** Asks for a document of data, as `fetchAnswer` does; a web page in its place is a failure. */
export async function fetchDocument(request: DocumentRequest, deps: FetcherDeps): Promise<Fetched> {
  const { bytes, contentType, validators } = await fetchAnswer(request, DOCUMENT_LIMITS, deps)
  if (bytes === null) return { text: null, validators }
  const text = documentText(bytes)
  refuseWebPage(text, contentType)
  return { text, validators }
}

/**
 * Requests a document, up to three times if the failure may be transient.
 *
 * Waits half a second, then a second, each shortened by up to half at random, or as long as
 * Retry-After says if that is at most half a minute. Redirects are followed within one scheme,
 * three at most. Throws a FeedError, whose message names no address.
 */
export async function fetchAnswer(
  request: DocumentRequest,
  limits: Limits,
  deps: FetcherDeps,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptOnce({ request, limits, deps })
    } catch (error) {
      const failure = error instanceof FeedError ? error : transportError(error)
      const pauseMs = (BACKOFF_MS * 2 ** (attempt - 1) * (1 + deps.random())) / 2
      const waitMs = Math.max(pauseMs, failure.retryAfterMs ?? 0)
      if (!failure.isTransient || attempt >= ATTEMPTS_MAX || waitMs > RETRY_WAIT_MS_MAX)
        throw failure
      await deps.sleep(waitMs)
    }
  }
}

type Asked = {
  readonly request: DocumentRequest
  readonly limits: Limits
  readonly deps: FetcherDeps
}

async function attemptOnce(asked: Asked): Promise<Answer> {
  const { request, limits, deps } = asked
  const signal = deps.deadline(limits.attemptMsMax)
  try {
    const { response, url } = await followed(asked, signal)
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]!)
    const contentType = response.headers.get('content-type') ?? ''
    if (response.status === 304 && request.validators)
      return { bytes: null, contentType, cookies, validators: request.validators }
    if (response.status !== 200) throw await statusError(response, asked)
    const bytes = await documentBytes(response, limits.bytesMax)
    return { bytes, contentType, cookies, validators: validatorsOf(response, url) }
  } catch (error) {
    if (error instanceof FeedError || !signal.aborted) throw error
    const seconds = limits.attemptMsMax / 1000
    throw new FeedError('timeout', `did not respond within ${seconds} s`, { isTransient: true })
  }
}

async function followed(asked: Asked, signal: AbortSignal) {
  const seen = new Set<string>()
  const { form, json } = asked.request
  let { url } = asked.request
  let body: Posted | undefined
  if (form !== undefined) body = { type: FORM_TYPE, text: form }
  if (json !== undefined) body = { type: JSON_TYPE, text: json }
  while (true) {
    seen.add(url.href)
    const response = await askedAt(asked, { url, body, signal })
    const location = response.headers.get('location')
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null)
      return { response, url }
    response.end()
    url = nextHop(url, location)
    if (response.status < 307) body = undefined
    if (seen.has(url.href)) throw new FeedError('redirect', 'redirects in a circle')
    if (seen.size > REDIRECTS_MAX)
      throw new FeedError('redirect', `redirects more than ${REDIRECTS_MAX} times`)
  }
}

type Posted = { readonly type: string; readonly text: string }

type Hop = {
  readonly url: URL
  readonly body: Posted | undefined
  readonly signal: AbortSignal
}

async function askedAt({ request, limits, deps }: Asked, hop: Hop): Promise<Response> {
  const { url, body, signal } = hop
  const isHome = url.host === request.url.host
  const allowed = limits.allowed ?? (isHome ? ANYWHERE : NOWHERE)
  const posted = body === undefined ? {} : { method: 'POST', body: body.text }
  try {
    const sent = { url, headers: headersFor(request, hop), signal, ...posted }
    return await ask(deps, sent, { allowed, isSecureOnly: false })
  } catch (error) {
    if (error instanceof Unaskable) throw unaskable(error, isHome)
    throw error
  }
}

function unaskable({ reason }: Unaskable, isHome: boolean): FeedError {
  if (reason === 'unknown')
    return isHome
      ? new FeedError('unreachable', 'could not be reached (ENOTFOUND)', { isTransient: true })
      : new FeedError('redirect', 'redirects to a host that cannot be found')
  return isHome
    ? new FeedError('misconfigured', 'has an address in a private network')
    : new FeedError('redirect', 'redirects to an address in a private network')
}

function nextHop(from: URL, location: string): URL {
  const to = URL.parse(location, from.href)
  if (!to) throw new FeedError('redirect', 'redirects to an invalid address')
  if (to.protocol !== from.protocol) {
    const scheme = /^[a-z]{1,8}:$/.test(to.protocol) ? to.protocol.slice(0, -1) : 'another scheme'
    throw new FeedError('redirect', `redirects from ${from.protocol.slice(0, -1)} to ${scheme}`)
  }
  to.hash = ''
  return to
}

function headersFor(
  { url: home, validators, headers, secretHeaders }: DocumentRequest,
  { url, body }: Hop,
): Record<string, string> {
  const isHome = url.origin === home.origin
  const isKnown = validators?.url === url.href
  return {
    ...headers,
    'accept-encoding': 'gzip',
    ...(body !== undefined && { 'content-type': body.type }),
    ...(isHome ? secretHeaders : {}),
    ...(isKnown && validators.etag ? { 'if-none-match': validators.etag } : {}),
    ...(isKnown && validators.lastModified ? { 'if-modified-since': validators.lastModified } : {}),
  }
}

const FORM_TYPE = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'

function validatorsOf(response: Response, url: URL): Validators | null {
  const etag = response.headers.get('etag')
  const lastModified = response.headers.get('last-modified')
  return etag || lastModified ? { url: url.href, etag, lastModified } : null
}

async function statusError(
  response: Response,
  { request, limits, deps }: Asked,
): Promise<FeedError> {
  const { status } = response
  const body = documentBytes(response, limits.bytesMax).then((bytes) => documentText(bytes))
  const word = await body.then((text) => request.refusal?.(text) ?? null).catch(() => null)
  const excerpt = await body.then((text) => excerptOf(text, EXCERPT_LENGTH_MAX)).catch(() => null)
  const retryAfterMs = retryAfterMsOf(response.headers.get('retry-after'), deps.clock.now())
  const wait = retryAfterMs === null ? '' : `, retry after ${retryAfterMs / 1000} s`
  const message = `returned ${status}${word ? ` (${word})` : ''}${wait}`
  const isTransient = status === 408 || status === 429 || status >= 500
  if (status === 401 || status === 403)
    return new FeedError('unauthorized', message, { status, excerpt })
  const fault = status === 429 ? 'rate_limited' : 'http_error'
  return new FeedError(fault, message, { isTransient, retryAfterMs, status, excerpt })
}
