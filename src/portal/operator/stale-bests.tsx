/** @jsxImportSource preact */
import { boardHref } from '~/portal/board/path.ts'
import { percentText, spanText } from '~/portal/format.ts'
import { Seen } from '~/portal/moment.tsx'
import { TableFrame } from '~/portal/table-frame.tsx'
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
        <TableFrame label="Table of corridors led by an old price">
          <table class="table table-rows">
            <thead>
              <tr>
                <th scope="col">Corridor</th>
                <th scope="col">Provider</th>
                <th scope="col">Seen</th>
                <th scope="col">Against the mid of its day</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((one) => (
                <Row key={`${one.from} ${one.to}`} one={one} nowMs={nowMs} />
              ))}
            </tbody>
          </table>
        </TableFrame>
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

const Row = ({ one, nowMs }: { one: StaleBest; nowMs: number }) => (
  <tr>
    <th scope="row" class="nowrap">
      <a href={boardHref({ from: one.from, to: one.to })}>
        {one.from} → {one.to}
      </a>
    </th>
    <td data-label="Provider">{one.provider.name}</td>
    <td data-label="Seen">
      <Seen ms={one.atMs} nowMs={nowMs} />
    </td>
    <td data-label="Against its mid">
      <AgainstMid bps={one.vsMidAtQuoteBps} />
    </td>
  </tr>
)

function AgainstMid({ bps }: { bps: number | null }) {
  if (bps === null) return <span class="muted">no mid that day</span>
  if (bps > 0) return <span class="tag tag-warn">{percentText(bps)} above</span>
  return <span>{percentText(-bps)} below</span>
}
