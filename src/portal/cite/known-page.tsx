import { createContext } from 'preact'
import { ServiceError } from '~/domain/errors.ts'
import type { KnownDeps } from '~/http/known/past.ts'
import { Notice } from '~/portal/notice.tsx'
import { isForNow } from '~/portal/outage.ts'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { type Moved, type PublicAsk, type PublicDeps, publicPage } from '~/portal/public-page.tsx'
import { pagePath } from '~/portal/words/asked.ts'
import { useWords } from '~/portal/words/spoken.tsx'
import type { HeldSeriesDeps } from '~/service/held-series.ts'
import { knownAnswer } from '~/service/known/known.ts'
import { readKnownAt } from '~/wire/known/known.ts'

/** The parameter of the API and of pages. */
export const KNOWN_AT = 'known_at'

export const IsOfThen = createContext(false)

type KnownPageDeps = PublicDeps & KnownDeps & { readonly past: HeldSeriesDeps }

type Answer<D> = (deps: D, ask: PublicAsk) => Page | Moved | Promise<Page | Moved>

/** A public page also of an earlier time: `answer` then gets the view and the past of that time. */
export const knownPage = <D extends KnownPageDeps>(
  deps: D,
  path: string,
  answer: Answer<D>,
  place = path,
) => {
  const known = (ask: PublicAsk) => {
    const at = ask.url.searchParams.get(KNOWN_AT)
    return at === null ? answer(deps, ask) : pageThen(deps, path, { ask, at, answer })
  }
  return publicPage(deps, path, known, place)
}

type Asked<D> = { readonly ask: PublicAsk; readonly at: string; readonly answer: Answer<D> }

async function pageThen<D extends KnownPageDeps>(
  deps: D,
  path: string,
  { ask, at, answer }: Asked<D>,
): Promise<Page | Moved> {
  const now = nowHref(deps, ask)
  try {
    const asked = {
      knownMs: readKnownAt({ known_at: at }) ?? ask.nowMs,
      freshness: ask.view.freshness,
      limits: deps.ageLimits,
      ...{ isLive: true, isOfTier: true },
    }
    const found = await knownAnswer(deps.known, asked, (view, past) => {
      const then = { ...deps, past: { ...deps.past, ...past } }
      return answer(then, { ...ask, view, nowMs: view.freshness.nowMs })
    })
    const page = found.answer
    if ('to' in page) return page
    return { ...page, body: <Then ms={found.knownMs} now={now} body={page.body} /> }
  } catch (error) {
    if (error instanceof ServiceError && !isForNow(error))
      return refusedPage(ask, { path, now, why: 'known.refused-why' })
    throw error
  }
}

/** The path of ours of the page of now. */
function nowHref({ pages }: PublicDeps, { request, url }: PublicAsk): string {
  const others = new URLSearchParams(url.searchParams)
  others.delete(KNOWN_AT)
  return pagePath(request, pages.mount) + (others.size > 0 ? `?${others}` : '')
}

function Then({ ms, now, body }: { ms: number; now: string; body: Page['body'] }) {
  const { say, momentText } = useWords()
  return (
    <>
      <Notice kind="plain" title={say('known.title', { time: momentText(ms) })}>
        {say('known.why')} <a href={now}>{say('known.now')}</a>
      </Notice>
      <IsOfThen.Provider value={true}>{body}</IsOfThen.Provider>
    </>
  )
}

/** A public page of current prices alone, which refuses an earlier time. */
export const presentPage = <D extends PublicDeps>(
  deps: D,
  path: string,
  answer: Answer<D>,
  place = path,
) =>
  publicPage(
    deps,
    path,
    (ask) =>
      ask.url.searchParams.has(KNOWN_AT)
        ? refusedPage(ask, { path, now: nowHref(deps, ask), why: 'known.present' })
        : answer(deps, ask),
    place,
  )

type Refused = {
  readonly path: string
  readonly now: string
  readonly why: 'known.refused-why' | 'known.present'
}

function refusedPage({ words: { say } }: PublicAsk, { path, now, why }: Refused): Page {
  return {
    title: say('known.refused'),
    path,
    status: 400,
    isFramed: path === PATHS.embed,
    body: (
      <div class="stack-tight">
        <h1>{say('known.refused')}</h1>
        <p class="lead">
          {say(why)} <a href={now}>{say('known.now')}</a>
        </p>
      </div>
    ),
  }
}
