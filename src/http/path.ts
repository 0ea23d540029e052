/** The path that every request to the API begins with. */
export const BASE_PATH = '/api/v1'

export const baseUrl = (origin: string): string => `${origin}${BASE_PATH}`

/** The position from which the path of a request's URL is searched: after `http://`. */
const AUTHORITY = 'http://'.length

/** The path of a request's URL as it was sent: nothing is decoded and no dots are resolved. */
export function pathOf(url: string): string {
  const start = pathStart(url)
  return url.slice(start, pathEnd(url, start))
}

/**
 * The request as it is, or without a Host if that cannot be part of a URL. The check would cost too
 * much for a direct handler, which needs no whole URL.
 */
export function parsable(request: Request): Request {
  const { url } = request
  if (URL.canParse(url)) return request
  return new Request(`http://localhost${url.slice(pathStart(url))}`, request)
}

/** The place of the path's first letter; the end of a URL without one. */
export function pathStart(url: string): number {
  const start = url.indexOf('/', AUTHORITY)
  return start < 0 ? url.length : start
}

/** The place behind the path that begins at `start`. */
export function pathEnd(url: string, start: number): number {
  const end = url.indexOf('?', start)
  return end < 0 ? url.length : end
}
