/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact'
import { corridorKey } from '~/domain/corridor.ts'
import { boardHref } from '~/portal/board/path.ts'
import { percentText, rateText } from '~/portal/format.ts'
import { PATHS } from '~/portal/paths.ts'
import { PriceAge } from '~/portal/price-age.tsx'
import { Sparkline } from '~/portal/sparkline.tsx'
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
  return (
    <div class="table-frame">
      <table class="table table-cards corridor-table">
        <thead>
          <tr>
            <Head sort="corridor" query={query}>
              Corridor
            </Head>
            <th scope="col" class="number">
              Best rate, before fees
            </th>
            <Head sort="mid" query={query} isNumber>
              Against mid that day
            </Head>
            <Head sort="providers" query={query} isNumber>
              Providers
            </Head>
            <Head sort="spread" query={query} isNumber>
              Average below best
            </Head>
            <Head sort="age" query={query} isNumber>
              Best rate seen
            </Head>
            <th scope="col">30 days</th>
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
  const { from, to, best } = line
  return (
    <tr>
      <th scope="row">
        <a href={boardHref({ from, to })}>
          {from} <span aria-hidden="true">→</span>
          <span class="visually-hidden"> to </span> {to}
        </a>
      </th>
      <td class="number best" data-label="Best rate">
        {best ? (
          <span class={best.isStale ? 'muted' : undefined}>
            {rateText(best.rate)}
            <span class="beside">{best.providerName}</span>
          </span>
        ) : (
          <span class="muted">official rate only</span>
        )}
      </td>
      <td class="number" data-label="Against mid">
        {best?.vsMidBps == null ? NOTHING : percentText(best.vsMidBps, true)}
      </td>
      <td class="number" data-label="Providers">
        {line.providers}
      </td>
      <td class="number" data-label="Below best">
        {line.avgSpreadBps === null ? NOTHING : percentText(line.avgSpreadBps)}
      </td>
      <td class="number" data-label="Seen">
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
  const mids = trend.mid.filter((mid) => mid !== null)
  const [first, last] = [mids[0], mids.at(-1)]
  const moved = first && last ? `mid ${percentText((last / first - 1) * 10_000, true)}` : 'no mid'
  return <Sparkline {...trend} {...SPARK} label={`${from} to ${to}, 30 days: ${moved}`} />
}
