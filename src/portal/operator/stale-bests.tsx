/** @jsxImportSource preact */
import { boardHref } from '~/portal/board/path.ts'
import { percentText, spanText } from '~/portal/format.ts'
import { Seen } from '~/portal/moment.tsx'
import { type Column, RowTable } from '~/portal/row-table.tsx'
import type { StaleBest } from '~/service/stale-bests.ts'

/** How many corridors are listed, those with the oldest prices. */
const SHOWN_MAX = 100

type Props = {
  readonly staleBests: readonly StaleBest[]
  /** The age from which a price is stale; null where none is. */
  readonly staleAfterMs: number | null
  readonly nowMs: number
}

/** The corridors whose best price is old, with whether it was believable on its own day. */
export function StaleBests({ staleBests, staleAfterMs, nowMs }: Props) {
  const shown = staleBests.slice(0, SHOWN_MAX)
  return (
    <section class="stack-tight" aria-labelledby="stale-title">
      <h2 id="stale-title">Corridors led by an old price</h2>
      <p class="muted">{staleText(staleAfterMs)}</p>
      {shown.length === 0 ? (
        <p>No corridor is led by an old price.</p>
      ) : (
        <RowTable
          label="Table of corridors led by an old price"
          columns={columns(nowMs)}
          rows={shown}
          keyOf={({ from, to }) => `${from} ${to}`}
        />
      )}
      {staleBests.length > shown.length && (
        <p class="muted">And {staleBests.length - shown.length} more.</p>
      )}
    </section>
  )
}

const staleText = (staleAfterMs: number | null): string =>
  staleAfterMs === null
    ? 'No price counts as old: QUOTE_STALE_AFTER is off.'
    : `A price counts as old after ${spanText(staleAfterMs)} (QUOTE_STALE_AFTER). One that was ` +
      'above the mid on its own day may have been wrong from the start.'

const columns = (nowMs: number): Column<StaleBest>[] => [
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
  {
    head: 'Against the mid of its day',
    label: 'Against its mid',
    cell: ({ vsMidAtQuoteBps }) => <AgainstMid bps={vsMidAtQuoteBps} />,
  },
]

function AgainstMid({ bps }: { bps: number | null }) {
  if (bps === null) return <span class="muted">no mid that day</span>
  if (bps > 0) return <span class="tag tag-warn">{percentText(bps)} above</span>
  return <span>{percentText(-bps)} below</span>
}
