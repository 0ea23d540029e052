import type { Handler } from './access.ts'
import type { Route } from './route.ts'

/** Where the path of a request's URL begins to be looked for: behind `http://`. */
const AUTHORITY = 'http://'.length

/**
 * The handlers of exact paths that are read with GET, without a router in between, which would
 * cost more than most answers. Gives undefined for everything else.
 */
export function directTo(
  routes: readonly Route[],
  { prefix }: { prefix: string },
): (request: Request) => Handler | undefined {
  const handlers = new Map<string, Handler>()
  for (const { method, path, handle } of routes)
    if (method === 'GET') handlers.set(prefix + path, handle)
  return (request) => (request.method === 'GET' ? handlers.get(pathOf(request.url)) : undefined)
}

/** As the router takes it: nothing is decoded and no dots are resolved. */
function pathOf(url: string): string {
  const start = url.indexOf('/', AUTHORITY)
  const end = url.indexOf('?', start)
  return end < 0 ? url.slice(start) : url.slice(start, end)
}
