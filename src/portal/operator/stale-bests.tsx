import { boardHref } from '~/portal/board/path.ts'
import { Seen } from '~/portal/moment.tsx'
import type { Column } from '~/portal/row-table.tsx'
import { ENGLISH } from '~/portal/words/words.ts'
import type { StaleBest } from '~/service/stale-bests.ts'
import { LongList } from './list-pages.tsx'

type Props = {
  readonly staleBests: readonly StaleBest[]
  /** The age from which a price is stale; null if none is. */
  readonly staleAfterMs: number | null
  readonly nowMs: number
  readonly params: URLSearchParams
}

/** The corridors whose best price is old, with whether it was believable on its own day. */
export function StaleBests({ staleBests, staleAfterMs, nowMs, params }: Props) {
  return (
    <section class="stack-tight" aria-labelledby="stale">
      <h2 id="stale">Corridors led by an old price</h2>
      <p class="muted">{staleText(staleAfterMs)}</p>
      {staleBests.length === 0 ? (
        <p>No corridor is led by an old price.</p>
      ) : (
        <LongList
          name="stale"
          label="Corridors led by an old price"
          noun="corridor"
          columns={columns(nowMs)}
          rows={staleBests}
          params={params}
          keyOf={({ from, to }) => `${from} ${to}`}
        />
      )}
    </section>
  )
}

const staleText = (staleAfterMs: number | null): string =>
  staleAfterMs === null
    ? 'No price counts as old: QUOTE_STALE_AFTER is off.'
    : `A price counts as old after ${ENGLISH.spanText(staleAfterMs)} (QUOTE_STALE_AFTER). ` +
      'One that was above the mid on its own day may have been wrong from the start.'

const columns = (nowMs: number): Column<StaleBest>[] => [
  ...priceColumns(nowMs),
  {
    head: 'Against the mid of its day',
    label: 'Against its mid',
    cell: ({ vsMidAtQuoteBps }) => <AgainstMid bps={vsMidAtQuoteBps} />,
  },
]

function AgainstMid({ bps }: { bps: number | null }) {
  if (bps === null) return <span class="muted">no mid that day</span>
  if (bps > 0) return <span class="tag tag-warn">{ENGLISH.bpsText(bps)} above</span>
  return <span>{ENGLISH.bpsText(-bps)} below</span>
}

type Priced = {
  readonly from: string
  readonly to: string
  readonly provider: { readonly name: string }
  readonly atMs: number
}

/** The columns that say which price a row is about. */
export const priceColumns = <Row extends Priced>(nowMs: number): Column<Row>[] => [
  {
    head: 'Corridor',
    class: 'nowrap',
    cell: ({ from, to }) => (
      <a href={boardHref({ from, to })}>
        {from} → {to}
      </a>
    ),
  },
  { head: 'Provider', cell: ({ provider }) => provider.name },
  { head: 'Seen', cell: ({ atMs }) => <Seen ms={atMs} nowMs={nowMs} /> },
]
