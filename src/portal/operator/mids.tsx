/** @jsxImportSource preact */

import type { HeldBack } from '~/domain/feed/verdict.ts'
import type { Reference } from '~/domain/mid.ts'
import { roundAmount } from '~/domain/round.ts'
import { Seen } from '~/portal/moment.tsx'
import { TableFrame } from '~/portal/table-frame.tsx'

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
          <TableFrame label="Mids">
            <table class="table table-rows">
              <thead>
                <tr>
                  <th scope="col">Currency</th>
                  <th scope="col" class="number">
                    Per US dollar
                  </th>
                  <th scope="col">Source</th>
                  <th scope="col">Seen</th>
                </tr>
              </thead>
              <tbody>
                {known.map((reference) => (
                  <Row key={reference.currency} {...{ reference, held, nowMs }} />
                ))}
              </tbody>
            </table>
          </TableFrame>
        )}
      </div>
    </details>
  )
}

type RowProps = { reference: Reference; held: readonly HeldBack[]; nowMs: number }

const Row = ({ reference: { currency, perUsd, source, atMs }, held, nowMs }: RowProps) => (
  <tr>
    <th scope="row">
      {currency}{' '}
      {held.some((one) => one.currency === currency) && <span class="tag tag-warn">held back</span>}
    </th>
    <td data-label="Per US dollar" class="number">
      {roundAmount(perUsd)}
    </td>
    <td data-label="Source">{source}</td>
    <td data-label="Seen">
      <Seen ms={atMs} nowMs={nowMs} />
    </td>
  </tr>
)
