import type { Clock } from '~/clock.ts'
import { freshnessAt } from '~/domain/freshness.ts'
import { askedUrl, type HomeDeps } from '~/http/edge/home.ts'
import type { Fetch } from '~/http/handler.ts'
import { errorReply, noteError } from '~/http/reply.ts'
import type { Route } from '~/http/route.ts'
import type { Log } from '~/log.ts'
import type { Memory } from '~/memory/memory.ts'
import { type AgeLimits, View } from '~/memory/view.ts'
import { isForNow } from './outage.ts'
import { type Page, type PageDeps, pageReply } from './page.tsx'
import type { PageLimits } from './page-limits.ts'
import { PATHS } from './paths.ts'
import { failedPage, unavailablePage } from './refusals.tsx'
import { SECURITY_HEADERS } from './security-headers.ts'
import { pagePath, wordsFor } from './words/asked.ts'
import { linkTo } from './words/spoken.tsx'
import type { Words } from './words/words.ts'

export type PublicDeps = {
  readonly memory: Memory
  readonly clock: Clock
  readonly log: Log
  readonly ageLimits: AgeLimits
  readonly pages: PageDeps
  readonly limits: PageLimits
  readonly isProxied: HomeDeps['isProxied']
  /** The public address of the service; null for whatever address it was read from. */
  readonly publicUrl: string | null
}

/** Request of a visitor without a key: always the hourly tier. */
export type PublicAsk = {
  readonly request: Request
  readonly url: URL
  readonly view: View
  readonly words: Words
  readonly nowMs: number
}

/** The path of ours to redirect to, with its query. */
export type Moved = { readonly to: string; readonly isForGood?: boolean }

type Answer = (ask: PublicAsk) => Page | Moved | Promise<Page | Moved>

/** The route of a page for anyone: at its own path, or at that of one of several pages below it. */
export const publicPage = (deps: PublicDeps, path: string, answer: Answer, at = path): Route => ({
  ...{ method: 'GET', path: at },
  handle: publicHandler(deps, path, answer),
})

/** Shows a page to anyone, limited by address; a failure is logged and shown as a page. */
export const publicHandler = (deps: PublicDeps, path: string, answer: Answer): Fetch =>
  limited(deps, {
    over(request, seconds) {
      const words = wordsFor(request, deps.pages)
      return pageReply(deps.pages, request, { words, ...tooBusyPage(words, path, seconds) })
    },
    async answer(ask) {
      const { request, words } = ask
      try {
        const answered = await answer(ask)
        if ('to' in answered) return movedReply(deps, ask, answered)
        return await pageReply(deps.pages, request, { words, ...knownAt(deps, ask), ...answered })
      } catch (err) {
        noteError(err, deps.log)
        const page = (isForNow(err) ? unavailablePage : failedPage)(words, path)
        return pageReply(deps.pages, request, { words, ...page })
      }
    },
  })

/** Description of a page without a particular query. */
function knownAt({ pages, publicUrl }: PublicDeps, { request, url }: PublicAsk) {
  if (url.search !== '') return {}
  const path = pagePath(request, pages.mount)
  return { known: { base: publicUrl ?? url.origin, path, picture: null } }
}

const movedReply = (
  { pages }: PublicDeps,
  { words }: PublicAsk,
  { to, isForGood = false }: Moved,
): Response =>
  new Response(null, {
    status: isForGood ? 308 : 302,
    headers: {
      location: pages.mount + words.prefix + to,
      'cache-control': 'no-cache',
      ...SECURITY_HEADERS,
    },
  })

function limited(deps: PublicDeps, { answer, over }: Limited): Fetch {
  const { memory, clock, ageLimits, limits, isProxied } = deps
  return (request) => {
    const nowMs = clock.now()
    const waitMs = limits.take(request, nowMs)
    if (waitMs > 0) return over(request, Math.ceil(waitMs / 1000))
    const view = new View(memory.current, freshnessAt('hourly', nowMs, memory.isSample), ageLimits)
    const words = wordsFor(request, deps.pages)
    return answer({ request, url: askedUrl(request, isProxied), view, words, nowMs })
  }
}

/** As `publicPage`, for a file; a client over the limit gets a line of text. */
export const publicFile = (deps: PublicDeps, path: string, answer: Limited['answer']): Route => ({
  ...{ method: 'GET', path },
  handle: limited(deps, {
    over: (_request, seconds) =>
      new Response(`too many requests from your address; come back in ${seconds} s\n`, {
        status: 429,
        headers: { 'content-type': 'text/plain; charset=utf-8', 'retry-after': String(seconds) },
      }),
    async answer(ask) {
      try {
        return await answer(ask)
      } catch (error) {
        return errorReply(error, deps.log)
      }
    },
  }),
})

type Limited = {
  answer(ask: PublicAsk): Response | Promise<Response>
  over(request: Request, seconds: number): Response | Promise<Response>
}

function tooBusyPage({ say, rich }: Words, path: string, seconds: number): Page {
  return {
    title: say('refused.busy'),
    path,
    status: 429,
    headers: { 'retry-after': String(seconds), 'cache-control': 'no-store' },
    body: (
      <div class="stack-tight">
        <h1>{say('refused.busy')}</h1>
        <p class="lead">{rich('refused.busy-why', { seconds, link: linkTo(PATHS.reference) })}</p>
      </div>
    ),
  }
}
