import type { Handler } from './access.ts'
import type { Route } from './route.ts'

/**
 * The handlers of exact paths that are read with GET, by path, to be found without a router, which
 * would cost more than most answers.
 */
export function directHandlers(
  routes: readonly Route[],
  { prefix }: { prefix: string },
): ReadonlyMap<string, Handler> {
  const reads = routes.filter(({ method }) => method === 'GET')
  return new Map(reads.map(({ path, handle }) => [prefix + path, handle]))
}

/** Where the path of a request's URL begins to be looked for: behind `http://`. */
const AUTHORITY = 'http://'.length

const SLASH = '/'.charCodeAt(0)
const QUESTION = '?'.charCodeAt(0)

/** The path of a request's URL as it was sent: nothing is decoded and no dots are resolved. */
export function pathOf(url: string): string {
  let start = AUTHORITY
  while (start < url.length && url.charCodeAt(start) !== SLASH) start++
  let end = start
  while (end < url.length && url.charCodeAt(end) !== QUESTION) end++
  return url.slice(start, end)
}
