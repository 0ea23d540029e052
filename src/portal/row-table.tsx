import type { ComponentChildren } from 'preact'

/** A column of a table whose rows become cards on a small screen. */
export type Column<Row> = {
  readonly head: string
  /** Label of the cell on a card; `head` by default, none if empty, or null, which hides `head`. */
  readonly label?: string | null
  readonly class?: 'number' | 'number best' | 'number wide' | 'nowrap' | 'actions' | 'trend'
  /** The path of the rows sorted by this column, and their order if they are. */
  readonly sort?: { readonly href: string; readonly order: 'ascending' | 'descending' | null }
  cell(row: Row): ComponentChildren
}

type RowsProps<Row> = {
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  keyOf(row: Row): string | number
}

const Rows = <Row,>({ columns, rows, keyOf }: RowsProps<Row>) => (
  <>
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
  </>
)

/** A table that scrolls in its frame when it is too wide, with the keyboard too. */
export const RowTable = <Row,>({ label, ...rows }: RowsProps<Row> & { readonly label: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by key
  <section class="table-frame" tabIndex={0} aria-label={label}>
    <table class="table table-rows">
      <Rows {...rows} />
    </table>
  </section>
)

type CardsProps<Row> = RowsProps<Row> & {
  readonly look?: 'corridor-table'
  /** The id of the heading that names the table. */
  readonly headedBy?: string
}

/** A table that fits the page at any width. */
export const CardTable = <Row,>({ look, headedBy, ...rows }: CardsProps<Row>) => (
  <div class="table-frame">
    <table
      class={look ? `table table-cards ${look}` : 'table table-cards'}
      aria-labelledby={headedBy}
    >
      <Rows {...rows} />
    </table>
  </div>
)

type Shape = Pick<Column<never>, 'head' | 'label' | 'class' | 'sort'>

const Head = ({ of: { head, label, class: look, sort } }: { of: Shape }) => (
  <th
    scope="col"
    class={look?.startsWith('number') ? 'number' : undefined}
    aria-sort={sort?.order ?? undefined}
  >
    {label === null ? <span class="visually-hidden">{head}</span> : !sort && head}
    {sort && (
      <a href={sort.href}>
        {head}
        {sort.order && <span aria-hidden="true">{sort.order === 'descending' ? ' ↓' : ' ↑'}</span>}
      </a>
    )}
  </th>
)

type CellProps = { of: Shape; isName: boolean; children: ComponentChildren }

const Cell = ({ of, isName, children }: CellProps) =>
  isName ? (
    <th scope="row" class={of.class}>
      {children}
    </th>
  ) : (
    <td data-label={of.label === undefined ? of.head : of.label || undefined} class={of.class}>
      {children}
    </td>
  )
