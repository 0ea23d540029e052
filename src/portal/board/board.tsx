/** @jsxImportSource preact */
import { homeOf } from '~/domain/offer/country.ts'
import type { Route } from '~/http/route.ts'
import { newAlertHref } from '~/portal/alert/path.ts'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { pairPath } from '~/portal/place/pair.ts'
import { type Moved, type PublicAsk, type PublicDeps, publicPage } from '~/portal/public-page.tsx'
import { namedPairHref } from '~/portal/send/path.ts'
import { type Conversions, convert } from '~/service/convert.ts'
import { inTime } from '~/service/deadline.ts'
import { doubtfulMidsOf } from '~/service/doubtful.ts'
import { type HeldSeries, type HeldSeriesDeps, heldSeriesOf } from '~/service/held-series.ts'
import { CallSection } from './call-section.tsx'
import { chartQuestion } from './chart-period.ts'
import { ChartSection } from './chart-section.tsx'
import { Countries } from './countries.tsx'
import { QuestionForm } from './form.tsx'
import { boardHref, goalParameter } from './path.ts'
import { Prices } from './prices.tsx'
import { type BoardQuery, type BoardQuestion, boardQuery } from './query.ts'
import { SERIES_PATH } from './series-file.ts'
import { BoardSummary } from './summary.tsx'

type BoardDeps = PublicDeps & {
  readonly past: HeldSeriesDeps
  /** The public address of the service; null for whatever address it was read from. */
  readonly publicUrl: string | null
  readonly basePath: string
  /** How many requests a new account has a day; null if nobody can sign up. */
  readonly dailyUnits: number | null
}

/** The market board: how much each provider pays out for an amount in one corridor. */
export const boardRoutes = (deps: BoardDeps): Route[] => [
  {
    method: 'GET',
    path: PATHS.board,
    handle: publicPage(deps, PATHS.board, (ask) => board(deps, ask)),
  },
]

/** How long a page waits for the past before it leaves it out. */
const CHART_WAIT_MS = 1500

async function board(deps: BoardDeps, ask: PublicAsk): Promise<Page | Moved> {
  const { view, url } = ask
  const query = boardQuery(view, url.searchParams)
  const { question, pair } = query
  if (view.catalogue.currencies.length === 0) return emptyPage()
  if (pair) return { to: namedPairHref(pair, query, url.searchParams) }
  if (!question) return unansweredPage(ask, query)
  const conversions = convert(view, question)
  const series = await chartSeries(deps, ask, question)
  return {
    title: `${question.from} to ${question.to}`,
    path: PATHS.board,
    scripts: ['chart', 'copy', 'place'],
    body: <Board {...{ deps, ask, query, question, conversions, series }} />,
  }
}

/** The series of the chart; null if the past cannot be read, or not soon enough. */
async function chartSeries(
  { past, log, ageLimits }: BoardDeps,
  { view, nowMs }: PublicAsk,
  question: BoardQuestion,
): Promise<HeldSeries | null> {
  try {
    const series = heldSeriesOf(past, view, chartQuestion(question, { nowMs, ageLimits }))
    return await inTime(series, { msMax: CHART_WAIT_MS, message: 'the chart took too long' })
  } catch (err) {
    log.warn({ err }, 'the board is shown without its chart')
    return null
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
  const { view, nowMs, url } = ask
  const from = view.catalogue.currency(question.from)!
  const to = view.catalogue.currency(question.to)!
  const summary = { conversions, from, to, ...summaryOf(view, question) }
  const waysOn = <WaysOn question={question} canSignUp={deps.dailyUnits !== null} />
  return (
    <div class="stack">
      <div class="stack-tight">
        <h1>
          {from.name} to {to.name}
        </h1>
        <p class="lead">
          How much arrives with each provider after its fee, with an independent mid rate.
        </p>
        <QuestionForm view={view} fields={query} hidden={[['period', query.period]]} />
      </div>
      {conversions.entries.length > 0 ? (
        <>
          <Countries {...{ view, question, from, to }} />
          <BoardSummary {...summary} />
          {waysOn}
          <Prices {...{ conversions, from, to, nowMs }} />
        </>
      ) : (
        <>
          <NoPrices view={view} from={from.code} to={to.code} />
          <BoardSummary {...summary} />
          {waysOn}
        </>
      )}
      <ChartSection
        from={from.code}
        to={to.code}
        period={question.period}
        series={series}
        hrefOf={(period) => `${boardHref({ ...question, period })}#chart`}
        csvHref={`${SERIES_PATH}?from=${from.code}&to=${to.code}&period=${question.period}`}
      />
      <CallSection
        question={question}
        apiUrl={`${deps.publicUrl ?? url.origin}${deps.basePath}`}
        nowMs={nowMs}
        dailyUnits={deps.dailyUnits}
      />
    </div>
  )
}

/** What the summary of a question needs besides its answer. */
const summaryOf = (view: PublicAsk['view'], question: BoardQuestion) => ({
  freshness: view.freshness,
  offers: view.offers(question.from, question.to),
  moved: doubtfulMidsOf(view.generation).filter(
    ({ currency, movePct }) => movePct !== null && [question.from, question.to].includes(currency),
  ),
  hrefOf: (amount: number) => boardHref({ ...question, goal: { amount, recipientGets: null } }),
})

type WaysOnProps = { readonly question: BoardQuestion; readonly canSignUp: boolean }

/** Where a question leads on: to what is near it, and to an alert on it. */
function WaysOn({ question, canSignUp }: WaysOnProps) {
  const { from, to, goal } = question
  return (
    <div class="page-head">
      <p class="small">
        <a href={boardHref(turned(question))}>
          The other way: {to} to {from}
        </a>
        <HomePair {...question} />
      </p>
      {canSignUp && (
        <a class="button button-quiet" href={newAlertHref({ from, to, amount: goal.amount })}>
          Tell me when…
        </a>
      )}
    </div>
  )
}

/** The way to the page of the countries whose own currencies these are. */
function HomePair({ from, to, goal }: BoardQuestion) {
  const source = homeOf(from)
  const target = homeOf(to)
  if (!source || !target) return null
  return (
    <>
      {' · '}
      <a href={`${pairPath({ source, target })}?${new URLSearchParams([goalParameter(goal)])}`}>
        By country: {source.name} to {target.name}
      </a>
    </>
  )
}

type NoPricesProps = { view: PublicAsk['view']; from: string; to: string }

/** Said where nobody quotes a corridor; it leads to the other direction if that is quoted. */
const NoPrices = ({ view, from, to }: NoPricesProps) => (
  <Notice kind="plain" title={`No prices from ${from} to ${to} yet`}>
    <p>
      No provider has given a price for this pair so far.{' '}
      {view.corridor(to, from).quotes.length > 0 && (
        <a href={boardHref({ from: to, to: from })}>
          There are prices from {to} to {from}.
        </a>
      )}
    </p>
    <a href={PATHS.corridors}>See the corridors with prices.</a>
  </Notice>
)

/**
 * The question about the other direction; an amount that should have arrived is then the one sent.
 */
const turned = ({ from, to, goal, period }: BoardQuestion): BoardQuestion => ({
  from: to,
  to: from,
  goal: { amount: goal.amount ?? goal.recipientGets, recipientGets: null },
  period,
})

const unansweredPage = ({ view }: PublicAsk, query: BoardQuery): Page => ({
  title: 'Market board',
  path: PATHS.board,
  status: Object.keys(query.faults).length > 0 ? 400 : 200,
  body: (
    <div class="stack-tight">
      <h1>Market board</h1>
      {Object.keys(query.faults).length > 0 ? (
        <Notice kind="bad" title="Please check what you entered">
          What is wrong is written below each field.
        </Notice>
      ) : (
        <Notice kind="plain" title="No prices yet">
          This page shows prices as of the top of the hour, and there was none. If you run the
          service, record some: this page has them once the next hour begins.
        </Notice>
      )}
      <QuestionForm view={view} fields={query} hidden={[['period', query.period]]} />
    </div>
  ),
})

const emptyPage = (): Page => ({
  title: 'Market board',
  path: PATHS.board,
  body: (
    <div class="stack-tight">
      <h1>Market board</h1>
      <p class="lead">
        There is nothing to compare yet: this service has no currencies and no providers. If you run
        it, add them with <code>corridor catalogue apply</code>, and prices with{' '}
        <code>corridor observations import</code>.
      </p>
    </div>
  ),
})
