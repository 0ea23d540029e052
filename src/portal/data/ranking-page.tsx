import type { View } from '~/memory/view.ts'
import { CopyBox } from '~/portal/copy-box.tsx'
import { Select } from '~/portal/form.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { pairPath } from '~/portal/place/pair.ts'
import { providerPath } from '~/portal/providers/path.ts'
import { type PublicAsk, type PublicDeps, publicPage } from '~/portal/public-page.tsx'
import { CardTable, type Column } from '~/portal/row-table.tsx'
import { moneyOf } from '~/portal/words/format.ts'
import { prefixOf } from '~/portal/words/language.ts'
import { Name, useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import { CHART_ROWS_MAX, CHART_WIDTH, chartHeight, rankingTitle, rowName } from './chart.ts'
import {
  countryOptions,
  ENDS,
  RANKED,
  type RankingQuery,
  rankingHref,
  rankingQuery,
} from './query.ts'
import { AMOUNT_USD, countWithin, type Row, rankingOf } from './ranking.ts'
import { SCALE } from './ranking-files.ts'

/** The maximum number of rows that the page lists; the file has all. */
const ROWS_MAX = 100

/** The page of the dearest and the cheapest pairs of countries and providers. */
export const rankingRoute = (deps: PublicDeps) =>
  publicPage(deps, PATHS.ranking, (ask) => rankingPage(ask, deps.publicUrl ?? ask.url.origin))

function rankingPage({ view, url, words }: PublicAsk, base: string): Page {
  const { say } = words
  const query = rankingQuery(url.searchParams)
  const rows = rankingOf(view, query)
  return {
    title: say('ranking.title'),
    path: PATHS.ranking,
    known: {
      base,
      path: rankingHref(query, ''),
      picture: {
        url: base + prefixOf(words.language) + rankingHref(query, '.png'),
        alt: rankingTitle(words, query),
        width: SCALE * CHART_WIDTH,
        height: SCALE * chartHeight(rows.length),
      },
    },
    description: say('ranking.lead', { amount: words.askedText(AMOUNT_USD, moneyOf('USD')) }),
    body: (
      <div class="stack">
        <div class="stack-tight">
          <h1>{say('ranking.title')}</h1>
          <p class="lead">
            {say('ranking.lead', { amount: words.askedText(AMOUNT_USD, moneyOf('USD')) })}
          </p>
          <Question view={view} query={query} />
        </div>
        {rows.length === 0 ? (
          <Notice kind="plain" title={say('prices.none')} />
        ) : (
          <Ranked {...{ rows, query, base }} />
        )}
      </div>
    ),
  }
}

function Question({ view, query }: { view: View; query: RankingQuery }) {
  const { words, say } = useWords()
  const options = (end: 'sourceCountry' | 'targetCountry') => [
    { value: '', text: say('ranking.any') },
    ...countryOptions(words, view, end),
  ]
  return (
    <form class="form-row form-row-tight filter-form" action={PATHS.ranking} method="get">
      <Select
        name="of"
        label={say('ranking.of')}
        value={query.of}
        options={RANKED.map((value) => ({ value, text: say(`ranking-of.${value}`) }))}
      />
      <Select
        name="order"
        label={say('ranking.order')}
        value={query.order}
        options={ENDS.map((value) => ({ value, text: say(`ranking-order.${value}`) }))}
      />
      <Select
        name="source"
        label={say('ranking.source')}
        value={query.source?.code ?? ''}
        options={options('sourceCountry')}
        isOptional
      />
      <Select
        name="target"
        label={say('ranking.target')}
        value={query.target?.code ?? ''}
        options={options('targetCountry')}
        isOptional
      />
      <button type="submit" class="button button-quiet">
        {say('filters.show')}
      </button>
    </form>
  )
}

type RankedProps = {
  readonly rows: readonly Row[]
  readonly query: RankingQuery
  readonly base: string
}

function Ranked({ rows, query, base }: RankedProps) {
  const { words, say } = useWords()
  return (
    <>
      {query.of === 'pairs' && (
        <p>
          {say('ranking.goals', {
            count: rows.length,
            sdg3: countWithin(rows, 'sdg3'),
            sdg5: countWithin(rows, 'sdg5'),
            g20: countWithin(rows, 'g20'),
          })}
        </p>
      )}
      <Chart {...{ rows, query, base }} />
      <section class="stack-tight" aria-labelledby="ranking-table">
        <h2 id="ranking-table">{rankingTitle(words, query)}</h2>
        <CardTable
          headedBy="ranking-table"
          columns={columnsOf(words, query)}
          rows={rows.slice(0, ROWS_MAX)}
          keyOf={(row) => rowName(words, row)}
        />
        <p class="small">
          {rows.length > ROWS_MAX &&
            `${say('send.first', { shown: ROWS_MAX, count: rows.length })} `}
          <a href={rankingHref(query, '.csv')}>{say('ranking.csv')}</a>
        </p>
      </section>
    </>
  )
}

/** The first rows as a picture, and how to save it or show it elsewhere. */
function Chart({ rows, query, base }: RankedProps) {
  const { words, say } = useWords()
  const title = rankingTitle(words, query)
  const shown = base + prefixOf(words.language) + rankingHref(query, '.svg')
  const page = base + prefixOf(words.language) + rankingHref(query, '')
  const markup =
    `<a href="${Bun.escapeHTML(page)}"><img src="${Bun.escapeHTML(shown)}" ` +
    `width="${CHART_WIDTH}" alt="${Bun.escapeHTML(title)}"></a>`
  return (
    <section class="stack-tight" aria-label={say('ranking.chart')}>
      <a class="ranking-chart" href={rankingHref(query, '.svg')}>
        <img
          src={words.prefix + rankingHref(query, '.svg')}
          alt={say('ranking.chart-alt', { title, count: Math.min(rows.length, CHART_ROWS_MAX) })}
          width={CHART_WIDTH}
          height={chartHeight(rows.length)}
        />
      </a>
      <ul class="links small">
        <li>
          <a href={rankingHref(query, '.svg')} download>
            {say('ranking.save', { form: 'SVG' })}
          </a>
        </li>
        <li>
          <a href={rankingHref(query, '.png')} download>
            {say('ranking.save', { form: 'PNG' })}
          </a>
        </li>
      </ul>
      <details>
        <summary>{say('ranking.embed')}</summary>
        <div class="details-body">
          <CopyBox id="embed" label={say('ranking.chart')} text={markup} />
        </div>
      </details>
    </section>
  )
}

function columnsOf(words: Words, { of }: RankingQuery): Column<Row>[] {
  const { say, percentText } = words
  const ofPairs = (column: Column<Row>) => (of === 'pairs' ? [column] : [])
  return [
    { head: say(`ranking-of.${of}`), cell: (row) => <RowLink of={row} /> },
    { head: say('ranking.average'), class: 'number wide', cell: ({ pct }) => percentText(pct) },
    ...ofPairs({
      ...{ head: say('ranking.cheapest'), class: 'number wide' },
      cell: ({ pair }) => {
        const smart = pair?.found.costs.smart
        return smart ? percentText(smart.pct) : '–'
      },
    }),
    {
      ...{ head: say(of === 'pairs' ? 'ranking.offers' : 'ranking.pairs'), class: 'number' },
      cell: ({ count }) => count,
    },
    ...ofPairs({
      ...{ head: say('ranking.goal'), class: 'number' },
      cell: ({ pair }) => say(pair?.found.costs.meets?.sdg3 ? 'ranking.met' : 'ranking.missed'),
    }),
  ]
}

const RowLink = ({ of: row }: { of: Row }) => (
  <a href={row.pair ? pairPath(row.pair) : providerPath(row.provider!.id)}>
    <Name>{rowName(useWords(), row)}</Name>
  </a>
)
