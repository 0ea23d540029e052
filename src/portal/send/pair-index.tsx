/** @jsxImportSource preact */
import type { Route } from '~/http/route.ts'
import { QuestionForm } from '~/portal/board/form.tsx'
import { boardQuery } from '~/portal/board/query.ts'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { FlagLinks } from '~/portal/place/flag-links.tsx'
import { livePairs } from '~/portal/place/live-pairs.ts'
import { flagPath, inSentence } from '~/portal/place/names.ts'
import { type PublicAsk, type PublicDeps, publicPage } from '~/portal/public-page.tsx'

/** The list of every pair of countries with prices. */
export const pairIndexRoutes = (deps: PublicDeps): Route[] => [
  { method: 'GET', path: PATHS.send, handle: publicPage(deps, PATHS.send, pairIndexPage) },
]

/** How many pairs the page lists; a search by name finds the others. */
const PAIRS_MAX = 2000

function pairIndexPage({ view, url }: PublicAsk): Page {
  const pairs = livePairs(view)
  const listed = pairs.slice(0, PAIRS_MAX)
  return {
    title: 'Send money between countries',
    path: PATHS.send,
    description: 'What it costs to send money from one country to another, by every provider.',
    scripts: ['place'],
    body: (
      <div class="stack">
        <div class="stack-tight">
          <h1>Send money between countries</h1>
          <p class="lead">
            {pairs.length === 1 ? 'One pair' : `${pairs.length} pairs`} of countries with prices.
            Write where you send from and to, or choose below.
          </p>
          <QuestionForm view={view} fields={boardQuery(view, url.searchParams)} hidden={[]} />
        </div>
        {listed.length === 0 && <Notice kind="plain" title="No prices yet" />}
        {[...Map.groupBy(listed, ({ source }) => source)].map(([source, own]) => (
          <section class="stack-tight" key={source.code} aria-labelledby={`from-${source.code}`}>
            <h2 id={`from-${source.code}`}>
              <img
                class="flag"
                src={flagPath(source)}
                alt=""
                width="24"
                height="18"
                loading="lazy"
              />{' '}
              From {inSentence(source)}
            </h2>
            <FlagLinks pairs={own} end="target" />
          </section>
        ))}
      </div>
    ),
  }
}
