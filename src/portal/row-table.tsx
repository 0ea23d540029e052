/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact'

/** A column of a table whose rows become cards on a small screen. */
export type Column<Row> = {
  readonly head: string
  /** Label of the cell on a card; `head` by default, none if null. */
  readonly label?: string | null
  readonly class?: 'number' | 'nowrap' | 'actions'
  cell(row: Row): ComponentChildren
}

type Props<Row> = {
  readonly label: string
  /** The first one names the row. */
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  keyOf(row: Row): string | number
}

/** A table that scrolls in its frame when it is too wide, with the keyboard too. */
export const RowTable = <Row,>({ label, columns, rows, keyOf }: Props<Row>) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by key
  <section class="table-frame" tabIndex={0} aria-label={label}>
    <table class="table table-rows">
      <thead>
        <tr>
          {columns.map((column) => (
            <Head key={column.head} of={column} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column, i) => (
              <Cell key={column.head} of={column} isName={i === 0}>
                {column.cell(row)}
              </Cell>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

type Shape = Pick<Column<never>, 'head' | 'label' | 'class'>

const Head = ({ of }: { of: Shape }) => (
  <th scope="col" class={of.class === 'number' ? 'number' : undefined}>
    {of.label === null ? <span class="visually-hidden">{of.head}</span> : of.head}
  </th>
)

type CellProps = { of: Shape; isName: boolean; children: ComponentChildren }

const Cell = ({ of, isName, children }: CellProps) =>
  isName ? (
    <th scope="row" class={of.class}>
      {children}
    </th>
  ) : (
    <td data-label={of.label === undefined ? of.head : of.label} class={of.class}>
      {children}
    </td>
  )
