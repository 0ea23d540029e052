import type { Route } from '~/http/route.ts'
import { type Page, pageReply } from '~/portal/page.tsx'
import { wordsFor } from '~/portal/words/asked.ts'
import type { Words } from '~/portal/words/words.ts'
import { TooManyAttempts } from '~/service/attempts.ts'
import type { Origin } from '~/service/person/people.ts'
import { faultPage, fieldOf, type PageRequestDeps } from './page-request.tsx'

/** A request for a page open to anyone with a link or from a page of ours. */
export type OpenRequest = {
  readonly request: Request
  readonly words: Words
  /** The token in the address; empty for none. */
  readonly token: string
  readonly origin: Origin
}

type Answer = (asked: OpenRequest) => Promise<Page>

/** A page for which no session and no earlier page is needed, limited by address. */
export const openRoute = (
  deps: PageRequestDeps,
  { method, path }: Pick<Route, 'method' | 'path'>,
  answer: Answer,
): Route => ({
  method,
  path,
  async handle(request) {
    const words = wordsFor(request, deps.pages)
    const page = await answered(deps, request, { words, path, answer })
    return pageReply(deps.pages, request, { words, ...page, isPrivate: true })
  },
})

type Asked = { readonly words: Words; readonly path: string; readonly answer: Answer }

async function answered(
  deps: PageRequestDeps,
  request: Request,
  { words, path, answer }: Asked,
): Promise<Page> {
  try {
    const address = deps.addressOf(request)
    const nowMs = deps.clock.now()
    const waitMs = deps.forms.take(address, nowMs)
    if (waitMs > 0) throw new TooManyAttempts(Math.ceil(waitMs / 1000))
    const token = fieldOf(new URL(request.url).searchParams, 'token')
    const origin = { address, nowMs, devices: '', userAgent: '', language: words.language }
    return await answer({ request, words, token, origin })
  } catch (error) {
    return faultPage(deps, { path, words, isMember: false }, error)
  }
}
