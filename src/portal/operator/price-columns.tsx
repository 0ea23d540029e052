/** @jsxImportSource preact */
import { boardHref } from '~/portal/board/path.ts'
import { Seen } from '~/portal/moment.tsx'
import type { Column } from '~/portal/row-table.tsx'

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
