import type { Handler } from './access.ts'
import type { Route } from './route.ts'

/** The position from which the path of a request's URL is searched: after `http://`. */
const AUTHORITY = 'http://'.length

type Direct = { readonly path: string; readonly handle: Handler }

/**
 * The handlers of exact paths for GET, found by the length of the path, without a text of its own.
 * A router would cost more than most answers.
 */
export class DirectRoutes {
  readonly #byLength = new Map<number, Direct[]>()

  constructor(routes: readonly Route[], { prefixes }: { prefixes: readonly string[] }) {
    for (const { method, path, handle } of routes)
      if (method === 'GET')
        for (const prefix of prefixes) this.#add({ path: prefix + path, handle })
  }

  #add(direct: Direct): void {
    const alike = this.#byLength.get(direct.path.length) ?? []
    this.#byLength.set(direct.path.length, [...alike, direct])
  }

  /** The handler of the path of a request's URL. */
  of(url: string): Handler | undefined {
    const start = pathStart(url)
    const alike = this.#byLength.get(pathEnd(url, start) - start)
    if (alike) for (const { path, handle } of alike) if (standsAt(path, url, start)) return handle
    return undefined
  }
}

/** Whether the path stands there, compared from its end, where paths differ. */
function standsAt(path: string, url: string, start: number): boolean {
  let i = path.length - 1
  while (i >= 0 && path.charCodeAt(i) === url.charCodeAt(start + i)) i--
  return i < 0
}

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

function pathStart(url: string): number {
  const start = url.indexOf('/', AUTHORITY)
  return start < 0 ? url.length : start
}

function pathEnd(url: string, start: number): number {
  const end = url.indexOf('?', start)
  return end < 0 ? url.length : end
}
