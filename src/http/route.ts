import { Elysia } from 'elysia'
import { ServiceError } from '~/domain/errors.ts'
import type { Log } from '~/log.ts'
import type { Operation } from '~/wire/openapi/operation.ts'
import type { Fetch, Handler } from './handler.ts'
import { pathOf } from './path.ts'
import { errorReply } from './reply.ts'

export type Route = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS'
  readonly path: string
  /** The path as documents write it, where a part of it may be anything. */
  readonly shownAs?: string
  /** Reports whether a path is for this route, if several have the same `path` and method. */
  readonly fits?: (path: string) => boolean
  /** The path under which its responses are counted; its own unless another is given. */
  readonly countedAs?: string
  readonly handle: Handler
  /**
   * Says whether `handle` responds from memory, puts the request's id in its response and never
   * throws, so that nothing need be set up around it.
   */
  readonly isHot?: boolean
  /** Says whether the response goes on until a side ends it, so that HEAD is impossible. */
  readonly isEndless?: boolean
  /** The route's description in the document; a path outside the API has none. */
  readonly operation?: Operation
}

export type ObservedRoute = Route & { readonly fetch: Fetch }

/**
 * The routes as an Elysia module: each path serves its own methods (HEAD wherever GET) and responds
 * to any other with 405 and `Allow`, before anything else is checked.
 */
export function routed(
  routes: readonly ObservedRoute[],
  { prefix, log }: { prefix: string; log: Log },
) {
  const app = new Elysia({ name: `http${prefix}`, prefix })
  for (const [path, own] of Map.groupBy(routes, (route) => route.path)) {
    const allowed: string[] = []
    const refused = () => errorReply(methodNotAllowed(allowed), log)
    for (const [method, ofMethod] of Map.groupBy(own, (route) => route.method)) {
      const { fetch, isEndless } = together(ofMethod)
      app.route(method, path, ({ request }) => fetch(request), { parse: 'none' })
      allowed.push(method)
      if (method !== 'GET') continue
      // the router would treat HEAD as GET unless it is given a handler
      app.route('HEAD', path, ({ request }) => (isEndless ? refused() : headAsked(fetch, request)))
      if (!isEndless) allowed.push('HEAD')
    }
    app.all(path, refused, { parse: 'none' })
  }
  return app
}

/** Routes of one path and method as one: the first that a path fits, else the first of all. */
function together(ofMethod: readonly ObservedRoute[]): ObservedRoute {
  const [first] = ofMethod as readonly [ObservedRoute, ...ObservedRoute[]]
  if (ofMethod.length === 1) return first
  const chosen = (path: string) => ofMethod.find(({ fits }) => fits?.(path)) ?? first
  return { ...first, fetch: (request) => chosen(pathOf(request.url)).fetch(request) }
}

function methodNotAllowed(allowed: string[]): ServiceError {
  const message = `this path does not support that method; use ${allowed.join(' or ')}`
  return new ServiceError('method_not_allowed', message, { allowed })
}

/** A 304 has no length: the header would state that of the response with a body. */
const NOT_MODIFIED = 304

const headAsked = async (fetch: Fetch, request: Request) => headOf(await fetch(request))

/** A GET's response without its body, for HEAD; a body whose length is known is not read. */
async function headOf(reply: Response): Promise<Response> {
  const headers = new Headers(reply.headers)
  if (headers.has('content-length')) await reply.body?.cancel()
  else if (reply.status !== NOT_MODIFIED)
    headers.set('content-length', String((await reply.arrayBuffer()).byteLength))
  return new Response(null, { status: reply.status, headers })
}
