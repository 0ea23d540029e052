import type { Country } from '~/domain/offer/country.ts'
import { QuestionForm } from '~/portal/board/form.tsx'
import { boardQuery } from '~/portal/board/query.ts'
import { presentPage } from '~/portal/cite/known-page.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { FlagLinks } from '~/portal/place/flag-links.tsx'
import { type LivePair, livePairs } from '~/portal/place/live-pairs.ts'
import { flagPath } from '~/portal/place/names.ts'
import type { PublicAsk, PublicDeps } from '~/portal/public-page.tsx'
import { useWords } from '~/portal/words/spoken.tsx'

/** The list of every pair of countries with prices. */
export const pairIndexRoute = (deps: PublicDeps) =>
  presentPage(deps, PATHS.send, (_, ask) => pairIndexPage(ask))

/** The maximum number of pairs that the page lists; a search by name finds the others. */
const PAIRS_MAX = 2000

function pairIndexPage({ view, url, words }: PublicAsk): Page {
  const { say } = words
  const pairs = livePairs(view)
  const listed = pairs.slice(0, PAIRS_MAX)
  return {
    title: say('index.title'),
    path: PATHS.send,
    description: say('index.description'),
    body: (
      <div class="stack">
        <div class="stack-tight">
          <h1>{say('index.title')}</h1>
          <p class="lead">{say('index.lead', { count: pairs.length })}</p>
          <QuestionForm
            view={view}
            fields={boardQuery(words, view, url.searchParams)}
            hidden={[]}
          />
        </div>
        {listed.length === 0 && <Notice kind="plain" title={say('prices.none')} />}
        {[...Map.groupBy(listed, ({ source }) => source)].map(([source, own]) => (
          <From key={source.code} source={source} pairs={own} />
        ))}
        {pairs.length > PAIRS_MAX && (
          <p class="muted small">{say('list.first', { shown: PAIRS_MAX, count: pairs.length })}</p>
        )}
      </div>
    ),
  }
}

type FromProps = { readonly source: Country; readonly pairs: readonly LivePair[] }

/** The pairs of one country from which money is sent. */
function From({ source, pairs }: FromProps) {
  const { say, inSentence } = useWords()
  const id = `from-${source.code}`
  return (
    <section class="stack-tight" aria-labelledby={id}>
      <h2 id={id}>
        <img class="flag" src={flagPath(source)} alt="" width="24" height="18" loading="lazy" />
        {` ${say('index.from', { source: inSentence(source) })}`}
      </h2>
      <FlagLinks pairs={pairs} end="target" />
    </section>
  )
}
