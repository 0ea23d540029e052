/** @jsxImportSource preact */
import type { Clock } from '~/clock.ts'
import { ServiceError } from '~/domain/errors.ts'
import { freshnessAt } from '~/domain/freshness.ts'
import type { AddressOf } from '~/http/edge/address.ts'
import { askedUrl, type HomeDeps } from '~/http/edge/home.ts'
import type { Fetch } from '~/http/handler.ts'
import { errorReply } from '~/http/reply.ts'
import type { Log } from '~/log.ts'
import type { AddressLimits } from '~/memory/address-limits.ts'
import type { Memory } from '~/memory/memory.ts'
import { type AgeLimits, View } from '~/memory/view.ts'
import { type Page, type PageDeps, pageReply } from './page.tsx'
import { failedPage, unavailablePage } from './refusals.tsx'
import { SECURITY_HEADERS } from './security-headers.ts'

export type PublicDeps = {
  readonly memory: Memory
  readonly clock: Clock
  readonly log: Log
  readonly ageLimits: AgeLimits
  readonly pages: PageDeps
  readonly limits: AddressLimits
  readonly addressOf: AddressOf
  readonly isProxied: HomeDeps['isProxied']
}

/** What a visitor without a key may see: always the hourly tier. */
export type PublicAsk = {
  readonly request: Request
  readonly url: URL
  readonly view: View
  readonly nowMs: number
}

/** The path of ours that answers instead, with its query. */
export type Moved = { readonly to: string; readonly isForGood?: boolean }

/** A page for anybody, limited by address; a failure is logged and answered by a page. */
export const publicPage = (
  deps: PublicDeps,
  path: string,
  answer: (ask: PublicAsk) => Page | Moved | Promise<Page | Moved>,
): Fetch =>
  limited(deps, {
    over: (request, seconds) => pageReply(deps.pages, request, tooBusyPage(path, seconds)),
    async answer(ask) {
      try {
        const answered = await answer(ask)
        if ('to' in answered) return movedReply(deps, answered)
        return await pageReply(deps.pages, ask.request, answered)
      } catch (err) {
        const isAway = err instanceof ServiceError && err.code === 'database_unavailable'
        if (!isAway) deps.log.error({ err }, 'a page failed')
        return pageReply(deps.pages, ask.request, (isAway ? unavailablePage : failedPage)(path))
      }
    },
  })

const movedReply = ({ pages }: PublicDeps, { to, isForGood = false }: Moved): Response =>
  new Response(null, {
    status: isForGood ? 308 : 302,
    headers: { location: pages.mount + to, 'cache-control': 'no-cache', ...SECURITY_HEADERS },
  })

/** A handler under the limit and view of public pages. */
function limited(
  { memory, clock, ageLimits, limits, addressOf, isProxied }: PublicDeps,
  { answer, over }: Limited,
): Fetch {
  return (request) => {
    const nowMs = clock.now()
    const waitMs = limits.take(addressOf(request), nowMs)
    if (waitMs > 0) return over(request, Math.ceil(waitMs / 1000))
    const view = new View(memory.current, freshnessAt('hourly', nowMs, memory.isSample), ageLimits)
    return answer({ request, url: askedUrl(request, isProxied), view, nowMs })
  }
}

/** A handler like that for a file; whoever is over the limit is told in a line of text. */
export const limitedFile = (deps: PublicDeps, answer: Limited['answer']): Fetch =>
  limited(deps, {
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
  })

type Limited = {
  answer(ask: PublicAsk): Response | Promise<Response>
  over(request: Request, seconds: number): Response | Promise<Response>
}

const secondsText = (seconds: number): string => (seconds === 1 ? '1 second' : `${seconds} seconds`)

function tooBusyPage(path: string, seconds: number): Page {
  return {
    title: 'Too many requests',
    path,
    status: 429,
    headers: { 'retry-after': String(seconds), 'cache-control': 'no-store' },
    body: (
      <div class="stack-tight">
        <h1>Too many requests</h1>
        <p class="lead">
          Your address asked for more pages in a minute than we can answer. Come back in{' '}
          {secondsText(seconds)}. A program can have its own key and limit:{' '}
          <a href="/docs">see the API</a>.
        </p>
      </div>
    ),
  }
}
