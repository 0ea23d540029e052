export type HomeDeps = {
  /** The public address of the service by its settings; null for the address of each request. */
  readonly publicUrl: string | null
  /** Says whether a proxy in front can be trusted to say how it was called. */
  readonly isProxied: boolean
}

/** The home of a service whose request names no host that is valid in an address. */
const NOWHERE = 'http://localhost'

/** A host name or address, an IPv6 one in brackets, with an optional port. */
const HOST = /^(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/**
 * The address that everything of the service is below, without a slash at the end: the public one
 * of its settings, else the one that the request was sent to, by its Host.
 *
 * `X-Forwarded-Host` is not read: proxies pass on whatever a client wrote there.
 */
export function homeOf({ headers, url }: Request, { publicUrl, isProxied }: HomeDeps): string {
  if (publicUrl !== null) return publicUrl
  const scheme = isProxied && isForwardedHttps(headers) ? 'https' : 'http'
  const host = headers.get('host') ?? hostIn(url)
  const written = `${scheme}://${host}`
  return HOST.test(host) && URL.canParse(written) ? new URL(written).origin : NOWHERE
}

/** The URL of a request as its caller wrote it: with https if a trusted proxy says so. */
export function askedUrl({ headers, url }: Request, isProxied: boolean): URL {
  const asked = new URL(url)
  if (isProxied && isForwardedHttps(headers)) asked.protocol = 'https:'
  return asked
}

/** Reports whether the last proxy says that it was called over https. */
export const isForwardedHttps = (headers: Headers): boolean =>
  headers.get('x-forwarded-proto')?.split(',').at(-1)?.trim() === 'https'

const hostIn = (url: string): string => (URL.canParse(url) ? new URL(url).host : '')
