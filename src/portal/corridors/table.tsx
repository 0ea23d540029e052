import { corridorKey } from '~/domain/corridor.ts'
import { boardHref } from '~/portal/board/path.ts'
import { PriceAge } from '~/portal/moment.tsx'
import { PATHS } from '~/portal/paths.ts'
import { CardTable, type Column } from '~/portal/row-table.tsx'
import { Sparkline } from '~/portal/sparkline.tsx'
import { Name, useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import type { Trend } from '~/service/trends.ts'
import { type CorridorLine, DESCENDS_FIRST, type ListQuery, type Sort } from './list.ts'

type Props = {
  readonly lines: readonly CorridorLine[]
  readonly query: ListQuery
  /** The trend of each corridor by its key; null if the past cannot be read. */
  readonly trends: ReadonlyMap<string, Trend> | null
  readonly nowMs: number
}

/** The corridors, to be sorted by most columns; a second click reverses the order. */
export const CorridorTable = ({ lines, ...shown }: Props) => (
  <CardTable
    look="corridor-table"
    columns={columnsOf(useWords(), shown)}
    rows={lines}
    keyOf={corridorKey}
  />
)

function columnsOf(words: Words, { query, trends, nowMs }: Omit<Props, 'lines'>) {
  const { say, bpsText } = words
  const by = (sort: Sort) => sortBy(query, sort)
  const columns: Column<CorridorLine>[] = [
    { head: say('corridors.corridor'), sort: by('corridor'), cell: (line) => <Codes {...line} /> },
    {
      ...{ head: say('corridors.best'), label: say('chart.best'), class: 'number best' },
      cell: ({ best }) => <Best best={best} />,
    },
    {
      ...{ head: say('corridors.mid'), label: say('table.against-mid'), class: 'number' },
      sort: by('mid'),
      cell: ({ best }) => (best?.vsMidBps == null ? NOTHING : bpsText(best.vsMidBps, true)),
    },
    {
      ...{ head: say('providers.title'), class: 'number', sort: by('providers') },
      cell: ({ providers }) => providers,
    },
    {
      ...{ head: say('corridors.spread'), label: say('corridors.below'), class: 'number' },
      sort: by('spread'),
      cell: ({ avgSpreadBps }) => (avgSpreadBps === null ? NOTHING : bpsText(avgSpreadBps)),
    },
    {
      ...{ head: say('corridors.age'), label: say('table.seen'), class: 'number' },
      sort: by('age'),
      cell: ({ best }) =>
        best ? <PriceAge ms={best.atMs} isStale={best.isStale} nowMs={nowMs} /> : NOTHING,
    },
    {
      ...{ head: say('chart-period.30d'), label: '', class: 'trend' },
      cell: (line) => <Trendline line={line} trend={trends?.get(corridorKey(line))} />,
    },
  ]
  return columns
}

function sortBy(query: ListQuery, sort: Sort) {
  const isSorted = query.sort === sort
  const order = query.isDescending ? 'descending' : 'ascending'
  const isDescending = isSorted ? !query.isDescending : DESCENDS_FIRST[sort]
  const href = listHref({ ...query, sort, isDescending, page: 1 })
  return { href, order: isSorted ? order : null } as const
}

export function listHref({ currency, sort, isDescending, page }: ListQuery): string {
  const params = new URLSearchParams({ sort, order: isDescending ? 'desc' : 'asc' })
  if (currency !== null) params.set('currency', currency)
  if (page > 1) params.set('page', String(page))
  return `${PATHS.corridors}?${params}`
}

const Codes = ({ from, to }: CorridorLine) => (
  <a href={boardHref({ from, to })} dir="ltr">
    {from} <span aria-hidden="true">→</span>
    <span class="visually-hidden"> {useWords().say('corridors.to')} </span> {to}
  </a>
)

function Best({ best }: Pick<CorridorLine, 'best'>) {
  const { say, rateText } = useWords()
  if (!best) return <span class="muted">{say('corridors.official')}</span>
  return (
    <span class={best.isStale ? 'muted' : undefined}>
      {rateText(best.rate)}
      <span class="aside">
        <Name>{best.providerName}</Name>
      </span>
    </span>
  )
}

const NOTHING = <span class="muted">–</span>

/** A trend that ends with what holds now: of the present day it knows the new prices only. */
const upToNow = ({ mid, best }: Trend, now: CorridorLine['best']): Trend => ({
  mid,
  best: now === null || now.isStale ? best : [...best.slice(0, -1), now.rate],
})

const SPARK = { width: 96, height: 24 }

type TrendProps = { readonly line: CorridorLine; readonly trend: Trend | undefined }

function Trendline({ line: { from, to, best }, trend }: TrendProps) {
  const { say, percentText } = useWords()
  if (!trend) return null
  const mids = trend.mid.filter((mid) => mid !== null)
  const [first, last] = [mids[0], mids.at(-1)]
  const label =
    first && last
      ? say('corridors.trend', {
          from,
          to,
          percent: percentText((last / first - 1) * 100, true),
        })
      : say('corridors.trend-none', { from, to })
  return <Sparkline {...upToNow(trend, best)} {...SPARK} label={label} />
}
