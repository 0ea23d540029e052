import { FeedError } from '~/domain/feed/feed.ts'
import { documentText, refuseWebPage } from './document.ts'
import { retryAfterMsOf, transportError } from './transport.ts'

/** The outside world that fetching needs; `systemPace` and `fetch` are the real one. */
export type FetcherDeps = {
  readonly clock: { now(): number }
  fetch(url: string, init: BunFetchRequestInit): Promise<Response>
  sleep(ms: number): Promise<unknown>
  /** A random number from 0 to below 1. */
  random(): number
  /** A signal that aborts after `ms` milliseconds. */
  deadline(ms: number): AbortSignal
}

export const systemPace: Pick<FetcherDeps, 'fetch' | 'sleep' | 'random' | 'deadline'> = {
  fetch: (url, init) => fetch(url, init),
  sleep: (ms) => Bun.sleep(ms),
  random: Math.random,
  deadline: (ms) => AbortSignal.timeout(ms),
}

/**
 * What to send an upstream so that it need not repeat an unchanged document. Valid for one address.
 */
export type Validators = {
  readonly url: string
  readonly etag: string | null
  readonly lastModified: string | null
}

export type DocumentRequest = {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Headers for the configured host only; a redirect to another host goes without them. */
  readonly secretHeaders: Readonly<Record<string, string>>
  readonly validators: Validators | null
  /** The documented reason in the body of an error response; may throw. */
  refusal?(text: string): string | null
}

/** A document, or null if it has not changed since `validators`. */
type Fetched = {
  readonly text: string | null
  readonly validators: Validators | null
}

const ATTEMPTS_MAX = 3
/** The limit on one attempt as a whole: connecting, every redirect and the last byte. */
export const ATTEMPT_MS_MAX = 10_000
const REDIRECTS_MAX = 3
const BACKOFF_MS = 500
/** The longest wait before a retry; for a longer one a later run asks. */
const RETRY_WAIT_MS_MAX = 30_000

/**
 * Asks for a document, up to three times if the failure may be transient.
 *
 * Waits half a second, then a second, each shortened by up to half at random, or as long as
 * Retry-After says if that is at most half a minute. Redirects are followed within one scheme,
 * three at most. Throws a FeedError, whose text names no address.
 */
export async function fetchDocument(request: DocumentRequest, deps: FetcherDeps): Promise<Fetched> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptOnce(request, deps)
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

async function attemptOnce(request: DocumentRequest, deps: FetcherDeps): Promise<Fetched> {
  const signal = deps.deadline(ATTEMPT_MS_MAX)
  try {
    const { response, url } = await followed(request, { deps, signal })
    if (response.status === 304 && request.validators)
      return { text: null, validators: request.validators }
    if (response.status !== 200) throw await statusError(response, { request, deps })
    const text = await documentText(response)
    refuseWebPage(text, response)
    return { text, validators: validatorsOf(response, url) }
  } catch (error) {
    if (error instanceof FeedError || !signal.aborted) throw error
    const seconds = ATTEMPT_MS_MAX / 1000
    throw new FeedError('timeout', `did not answer within ${seconds} s`, { isTransient: true })
  }
}

type Attempt = { readonly deps: FetcherDeps; readonly signal: AbortSignal }

async function followed(request: DocumentRequest, { deps, signal }: Attempt) {
  const seen = new Set<string>()
  let url = request.url
  while (true) {
    seen.add(url.href)
    const response = await deps.fetch(url.href, {
      headers: headersFor(request, url),
      signal,
      redirect: 'manual',
      decompress: false,
      keepalive: false,
    })
    const location = response.headers.get('location')
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null)
      return { response, url }
    await response.body?.cancel()
    url = nextHop(url, location)
    if (seen.has(url.href)) throw new FeedError('redirect', 'redirects in a circle')
    if (seen.size > REDIRECTS_MAX)
      throw new FeedError('redirect', `redirects more than ${REDIRECTS_MAX} times`)
  }
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

function headersFor(request: DocumentRequest, url: URL): Record<string, string> {
  const { validators, headers, secretHeaders } = request
  const isHome = url.origin === request.url.origin
  const isKnown = validators?.url === url.href
  return {
    ...headers,
    'accept-encoding': 'gzip',
    ...(isHome ? secretHeaders : {}),
    ...(isKnown && validators.etag ? { 'if-none-match': validators.etag } : {}),
    ...(isKnown && validators.lastModified ? { 'if-modified-since': validators.lastModified } : {}),
  }
}

function validatorsOf(response: Response, url: URL): Validators | null {
  const etag = response.headers.get('etag')
  const lastModified = response.headers.get('last-modified')
  return etag || lastModified ? { url: url.href, etag, lastModified } : null
}

type Asked = { readonly request: DocumentRequest; readonly deps: FetcherDeps }

async function statusError(response: Response, { request, deps }: Asked): Promise<FeedError> {
  const { status } = response
  const word = await documentText(response)
    .then((text) => request.refusal?.(text) ?? null)
    .catch(() => null)
  const retryAfterMs = retryAfterMsOf(response.headers.get('retry-after'), deps.clock.now())
  const wait = retryAfterMs === null ? '' : `, to be asked again in ${retryAfterMs / 1000} s`
  const message = `answered ${status}${word ? ` (${word})` : ''}${wait}`
  const isTransient = status === 408 || status === 429 || status >= 500
  if (status === 401 || status === 403) return new FeedError('unauthorized', message)
  const fault = status === 429 ? 'rate_limited' : 'http_error'
  return new FeedError(fault, message, { isTransient, retryAfterMs })
}
