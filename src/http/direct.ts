import type { Fetch } from './handler.ts'
import { pathEnd, pathStart } from './path.ts'
import type { ObservedRoute } from './route.ts'

type Direct = Pick<ObservedRoute, 'path' | 'fetch'>

/** Ending of a path that means all paths below it. */
const BELOW = '*'

/**
 * The handlers of exact paths for GET, found by the length of the path, without a string of its
 * own, and of all paths below one. A router would cost more than most responses.
 */
export class DirectRoutes {
  readonly #byLength = new Map<number, Direct[]>()
  readonly #below: Direct[] = []

  constructor(
    routes: readonly (Direct & Pick<ObservedRoute, 'method'>)[],
    { prefixes }: { prefixes: readonly string[] },
  ) {
    for (const { method, path, fetch } of routes)
      if (method === 'GET') for (const prefix of prefixes) this.#add({ path: prefix + path, fetch })
  }

  #add(direct: Direct): void {
    if (direct.path.endsWith(BELOW)) {
      this.#below.push({ ...direct, path: direct.path.slice(0, -BELOW.length) })
      return
    }
    this.#byLength.getOrInsert(direct.path.length, []).push(direct)
  }

  /** The handler of the path of a request's URL. */
  of(url: string): Fetch | undefined {
    const start = pathStart(url)
    const candidates = this.#byLength.get(pathEnd(url, start) - start)
    if (candidates)
      for (const { path, fetch } of candidates) if (standsAt(path, url, start)) return fetch
    return this.#below.find(({ path }) => url.startsWith(path, start))?.fetch
  }
}

/** Reports whether the path is there, compared from its end, where paths differ. */
function standsAt(path: string, url: string, start: number): boolean {
  let i = path.length - 1
  while (i >= 0 && path.charCodeAt(i) === url.charCodeAt(start + i)) i--
  return i < 0
}
