import { homeOf } from '~/domain/offer/country.ts'
import type { KnownDeps } from '~/http/known/past.ts'
import { newAlertHref } from '~/portal/alert/path.ts'
import { Cite } from '~/portal/cite/cite.tsx'
import { knownPage } from '~/portal/cite/known-page.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { pairPath } from '~/portal/place/pair.ts'
import type { Moved, PublicAsk, PublicDeps } from '~/portal/public-page.tsx'
import { namedPairHref } from '~/portal/send/path.ts'
import { useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import { type Conversions, convert } from '~/service/convert.ts'
import { doubtfulMidsOf } from '~/service/doubtful.ts'
import type { HeldSeries, HeldSeriesDeps } from '~/service/held-series.ts'
import { CallSection } from './call-section.tsx'
import { ChartSection } from './chart-section.tsx'
import { chartSeries } from './chart-series.ts'
import { Countries } from './countries.tsx'
import { QuestionForm } from './form.tsx'
import { boardHref, goalParameter, knownParameters } from './path.ts'
import { Prices } from './prices.tsx'
import { type BoardQuery, type BoardQuestion, boardQuery } from './query.ts'
import { SERIES_PATH } from './series-file.ts'
import { BoardSummary } from './summary.tsx'

type BoardDeps = PublicDeps &
  KnownDeps & {
    readonly past: HeldSeriesDeps
    readonly basePath: string
    /** The number of requests that a new account has a day; null without sign-up. */
    readonly dailyUnits: number | null
  }

/** The market board: how much each provider pays out for an amount in one corridor. */
export const boardRoute = (deps: BoardDeps) => knownPage(deps, PATHS.board, board)

async function board(deps: BoardDeps, ask: PublicAsk): Promise<Page | Moved> {
  const { view, url, words } = ask
  const query = boardQuery(words, view, url.searchParams)
  const { question, pair } = query
  if (view.catalogue.currencies.length === 0) return emptyPage(words)
  if (pair) return { to: namedPairHref(pair, query, url.searchParams) }
  if (!question) return unansweredPage(ask, query)
  const conversions = convert(view, question)
  const series = await chartSeries(deps, ask, question)
  return {
    title: words.say('pair.title', { source: question.from, target: question.to }),
    path: PATHS.board,
    scripts: ['chart'],
    body: <Board {...{ deps, ask, query, question, conversions, series }} />,
  }
}

type Props = {
  deps: BoardDeps
  ask: PublicAsk
  query: BoardQuery
  question: BoardQuestion
  conversions: Conversions
  series: HeldSeries | null
}

function Board({ deps, ask, query, question, conversions, series }: Props) {
  const { view, words, nowMs, url } = ask
  const { say, capital, currencyName } = words
  const from = view.catalogue.currency(question.from)!
  const to = view.catalogue.currency(question.to)!
  const hasPrices = conversions.entries.length > 0
  return (
    <div class="stack">
      <div class="stack-tight">
        <h1>
          {capital(say('pair.title', { source: currencyName(from), target: currencyName(to) }))}
        </h1>
        <p class="lead">{say('board.lead')}</p>
        <QuestionForm
          view={view}
          fields={query}
          hidden={[['period', query.period], ...knownParameters(query)]}
        />
      </div>
      {hasPrices ? (
        <Countries {...{ view, question, from, to }} />
      ) : (
        <NoPrices view={view} {...question} />
      )}
      <BoardSummary {...{ conversions, from, to, ...summaryOf(view, question) }} />
      <WaysOn question={question} canSignUp={deps.dailyUnits !== null} />
      {hasPrices && <Prices {...{ conversions, from, to, nowMs }} />}
      <ChartSection
        {...{ ...question, series }}
        hrefOf={(period) => `${boardHref({ ...question, period })}#chart`}
        csvHref={`${SERIES_PATH}?from=${from.code}&to=${to.code}&period=${question.period}`}
      />
      <CallSection
        question={question}
        apiUrl={`${deps.publicUrl ?? url.origin}${deps.basePath}`}
        nowMs={nowMs}
        dailyUnits={deps.dailyUnits}
      />
      <Cite
        title={capital(say('pair.title', { source: question.from, target: question.to }))}
        href={boardHref({ ...question, knownAt: null })}
        base={deps.publicUrl ?? url.origin}
        {...{ conversions, view }}
      />
    </div>
  )
}

/** Data that the summary of a request needs besides its response. */
const summaryOf = (view: PublicAsk['view'], question: BoardQuestion) => ({
  freshness: view.freshness,
  offers: view.offers(question.from, question.to),
  moved: doubtfulMidsOf(view.generation).filter(
    ({ currency, movePct }) => movePct !== null && [question.from, question.to].includes(currency),
  ),
  hrefOf: (amount: number) => boardHref({ ...question, goal: { amount, recipientGets: null } }),
})

type WaysOnProps = { readonly question: BoardQuestion; readonly canSignUp: boolean }

/** Links to requests near this one, and to an alert on it. */
function WaysOn({ question, canSignUp }: WaysOnProps) {
  const { say } = useWords()
  const { from, to, goal } = question
  return (
    <div class="page-head">
      <p class="small">
        <a href={boardHref(turned(question))}>{say('board.other-way', { from: to, to: from })}</a>
        <HomePair {...question} />
      </p>
      {canSignUp && (
        <a class="button button-quiet" href={newAlertHref({ from, to, amount: goal.amount })}>
          {say('board.tell-me')}
        </a>
      )}
    </div>
  )
}

/** The way to the page of the countries whose own currencies these are. */
function HomePair({ from, to, goal, ...question }: BoardQuestion) {
  const { say, countryName } = useWords()
  const source = homeOf(from)
  const target = homeOf(to)
  if (!source || !target) return null
  const params = new URLSearchParams([goalParameter(goal), ...knownParameters(question)])
  return (
    <>
      {' · '}
      <a href={`${pairPath({ source, target })}?${params}`}>
        {say('board.by-country', { source: countryName(source), target: countryName(target) })}
      </a>
    </>
  )
}

type NoPricesProps = { view: PublicAsk['view'] } & Pick<BoardQuestion, 'from' | 'to' | 'knownAt'>

/** Message if a corridor has no quotes; it leads to the other direction if that is quoted. */
function NoPrices({ view, from, to, knownAt }: NoPricesProps) {
  const { say } = useWords()
  return (
    <Notice kind="plain" title={say('board.none', { from, to })}>
      <p>
        {say('board.none-lead')}{' '}
        {view.corridor(to, from).quotes.length > 0 && (
          <a href={boardHref({ from: to, to: from, knownAt })}>
            {say('board.none-turned', { from: to, to: from })}
          </a>
        )}
      </p>
      <a href={PATHS.corridors}>{say('board.see-corridors')}</a>
    </Notice>
  )
}

/** The query for the other direction; an amount that should have arrived becomes the one sent. */
const turned = ({ from, to, goal, ...other }: BoardQuestion): BoardQuestion => ({
  ...other,
  from: to,
  to: from,
  goal: { amount: goal.amount ?? goal.recipientGets, recipientGets: null },
})

const unansweredPage = ({ view, words: { say } }: PublicAsk, query: BoardQuery): Page => ({
  title: say('board.title'),
  path: PATHS.board,
  status: Object.keys(query.faults).length > 0 ? 400 : 200,
  body: (
    <div class="stack-tight">
      <h1>{say('board.title')}</h1>
      {Object.keys(query.faults).length > 0 ? (
        <Notice kind="bad" title={say('form.check')}>
          {say('form.check-why')}
        </Notice>
      ) : (
        <Notice kind="plain" title={say('prices.none')}>
          {say('board.no-prices-why')}
        </Notice>
      )}
      <QuestionForm
        view={view}
        fields={query}
        hidden={[['period', query.period], ...knownParameters(query)]}
      />
    </div>
  ),
})

const emptyPage = ({ say, rich }: Words): Page => ({
  title: say('board.title'),
  path: PATHS.board,
  body: (
    <div class="stack-tight">
      <h1>{say('board.title')}</h1>
      <p class="lead">
        {rich('board.empty', {
          catalogue: <code>corridor catalogue apply</code>,
          prices: <code>corridor observations import</code>,
        })}
      </p>
    </div>
  ),
})
