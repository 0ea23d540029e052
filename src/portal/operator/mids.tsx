/** @jsxImportSource preact */

import type { HeldBack } from '~/domain/feed/verdict.ts'
import type { Reference } from '~/domain/mid.ts'
import { roundAmount } from '~/domain/round.ts'
import { Seen } from '~/portal/moment.tsx'
import { type Column, RowTable } from '~/portal/row-table.tsx'

export type Mid = { readonly currency: string; readonly reference: Reference | null }

type Props = { mids: readonly Mid[]; held: readonly HeldBack[]; nowMs: number }

/** The mid in force for each currency, and its source. */
export function Mids({ mids, held, nowMs }: Props) {
  const missing = mids.filter(({ reference }) => !reference).map(({ currency }) => currency)
  const known = mids.flatMap(({ reference }) => (reference ? [reference] : []))
  return (
    <details>
      <summary>
        Mids of {known.length} of {mids.length} currencies
      </summary>
      <div class="stack-tight details-body">
        {missing.length > 0 && <p class="muted">None for {missing.join(', ')}.</p>}
        {known.length > 0 && (
          <RowTable
            label="Mids"
            columns={columns({ held, nowMs })}
            rows={known}
            keyOf={({ currency }) => currency}
          />
        )}
      </div>
    </details>
  )
}

const columns = ({ held, nowMs }: Omit<Props, 'mids'>): Column<Reference>[] => [
  {
    head: 'Currency',
    cell: ({ currency }) => (
      <>
        {currency}{' '}
        {held.some((one) => one.currency === currency) && (
          <span class="tag tag-warn">held back</span>
        )}
      </>
    ),
  },
  { head: 'Per US dollar', class: 'number', cell: ({ perUsd }) => roundAmount(perUsd) },
  { head: 'Source', cell: ({ source }) => source },
  {
    head: 'Basis',
    cell: ({ basis = 'single', dispersionBps = null }) => (
      <>
        <span class={basis === 'disputed' ? 'tag tag-warn' : undefined}>{basis}</span>
        {dispersionBps !== null && ` within ${dispersionBps.toFixed(1)} bps`}
      </>
    ),
  },
  { head: 'Seen', cell: ({ atMs }) => <Seen ms={atMs} nowMs={nowMs} /> },
]
