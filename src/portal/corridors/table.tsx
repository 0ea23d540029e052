/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact'
import { corridorKey } from '~/domain/corridor.ts'
import { boardHref } from '~/portal/board/path.ts'
import { PriceAge } from '~/portal/moment.tsx'
import { PATHS } from '~/portal/paths.ts'
import { Sparkline } from '~/portal/sparkline.tsx'
import { Name, useWords } from '~/portal/words/spoken.tsx'
import type { Trend } from '~/service/trends.ts'
import { type CorridorLine, DESCENDS_FIRST, type ListQuery, type Sort } from './list.ts'

type Props = {
  readonly lines: readonly CorridorLine[]
  readonly query: ListQuery
  /** The trend of each corridor by its key; null if the past cannot be read. */
  readonly trends: ReadonlyMap<string, Trend> | null
  readonly nowMs: number
}

export function CorridorTable({ lines, query, trends, nowMs }: Props) {
  const { say } = useWords()
  return (
    <div class="table-frame">
      <table class="table table-cards corridor-table">
        <thead>
          <tr>
            <Head sort="corridor" query={query}>
              {say('corridors.corridor')}
            </Head>
            <th scope="col" class="number">
              {say('corridors.best')}
            </th>
            <Head sort="mid" query={query} isNumber>
              {say('corridors.mid')}
            </Head>
            <Head sort="providers" query={query} isNumber>
              {say('providers.title')}
            </Head>
            <Head sort="spread" query={query} isNumber>
              {say('corridors.spread')}
            </Head>
            <Head sort="age" query={query} isNumber>
              {say('corridors.age')}
            </Head>
            <th scope="col">{say('chart-period.30d')}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <Row
              key={`${line.from}${line.to}`}
              trend={trends?.get(corridorKey(line))}
              {...{ line, nowMs }}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

type HeadProps = { sort: Sort; query: ListQuery; isNumber?: boolean; children: ComponentChildren }

/** The head of a column that the list can be sorted by; a second click reverses the order. */
function Head({ sort, query, isNumber, children }: HeadProps) {
  const isSorted = query.sort === sort
  const order = query.isDescending ? 'descending' : 'ascending'
  const isDescending = isSorted ? !query.isDescending : DESCENDS_FIRST[sort]
  return (
    <th
      scope="col"
      class={isNumber ? 'number' : undefined}
      aria-sort={isSorted ? order : undefined}
    >
      <a href={listHref({ ...query, sort, isDescending, page: 1 })}>
        {children}
        {isSorted && <span aria-hidden="true">{query.isDescending ? ' ↓' : ' ↑'}</span>}
      </a>
    </th>
  )
}

export function listHref({ currency, sort, isDescending, page }: ListQuery): string {
  const params = new URLSearchParams({ sort, order: isDescending ? 'desc' : 'asc' })
  if (currency !== null) params.set('currency', currency)
  if (page > 1) params.set('page', String(page))
  return `${PATHS.corridors}?${params}`
}

type RowProps = { line: CorridorLine; trend: Trend | undefined; nowMs: number }

function Row({ line, trend, nowMs }: RowProps) {
  const { say, rateText, percentText } = useWords()
  const { from, to, best } = line
  return (
    <tr>
      <th scope="row">
        <a href={boardHref({ from, to })} dir="ltr">
          {from} <span aria-hidden="true">→</span>
          <span class="visually-hidden"> {say('corridors.to')} </span> {to}
        </a>
      </th>
      <td class="number best" data-label={say('chart.best')}>
        {best ? (
          <span class={best.isStale ? 'muted' : undefined}>
            {rateText(best.rate)}
            <span class="beside">
              <Name>{best.providerName}</Name>
            </span>
          </span>
        ) : (
          <span class="muted">{say('corridors.official')}</span>
        )}
      </td>
      <td class="number" data-label={say('table.against-mid')}>
        {best?.vsMidBps == null ? NOTHING : percentText(best.vsMidBps, true)}
      </td>
      <td class="number" data-label={say('providers.title')}>
        {line.providers}
      </td>
      <td class="number" data-label={say('corridors.below')}>
        {line.avgSpreadBps === null ? NOTHING : percentText(line.avgSpreadBps)}
      </td>
      <td class="number" data-label={say('table.seen')}>
        {best ? <PriceAge ms={best.atMs} isStale={best.isStale} nowMs={nowMs} /> : NOTHING}
      </td>
      <td class="trend">{trend && <Trendline trend={upToNow(trend, best)} {...{ from, to }} />}</td>
    </tr>
  )
}

const NOTHING = <span class="muted">–</span>

/** A trend that ends with what holds now: of the present day it knows the new prices only. */
const upToNow = ({ mid, best }: Trend, now: CorridorLine['best']): Trend => ({
  mid,
  best: now === null || now.isStale ? best : [...best.slice(0, -1), now.rate],
})

const SPARK = { width: 96, height: 24 }

function Trendline({ from, to, trend }: { from: string; to: string; trend: Trend }) {
  const { say, percentText } = useWords()
  const mids = trend.mid.filter((mid) => mid !== null)
  const [first, last] = [mids[0], mids.at(-1)]
  const label =
    first && last
      ? say('corridors.trend', {
          from,
          to,
          percent: percentText((last / first - 1) * 10_000, true),
        })
      : say('corridors.trend-none', { from, to })
  return <Sparkline {...trend} {...SPARK} label={label} />
}
