import type { Observation } from '~/domain/observation.ts'
import type { ColumnMember } from '~/file/table/names.ts'
import type { CellFault } from '~/file/table/rows.ts'
import { Moment } from '~/portal/moment.tsx'
import { type Column, RowTable } from '~/portal/row-table.tsx'
import { plainNumberText } from '~/portal/words/format.ts'
import { ENGLISH } from '~/portal/words/words.ts'
import { suspectText } from '~/wire/offer/suspect.ts'
import { MEMBER_LABELS } from './labels.ts'
import { isMoved, type PreviewRow } from './preview.ts'
import { isChanged, type PreviewProps } from './preview-props.ts'

type Props = PreviewProps & { readonly rows: readonly PreviewRow[] }

/** Rows of a table with the errors of each cell, and the live prices next to them. */
export function PreviewTable(props: Props) {
  const { preview, rows } = props
  const { header } = preview.grid
  const { columns } = preview.reading
  const read = columns.flatMap((member, at) => (member === null ? [] : [{ member, at }]))
  const cells = read.map(
    ({ member, at }): Column<PreviewRow> => ({
      head: header[at] || MEMBER_LABELS[member],
      ...(NUMBERS.includes(member) && { class: 'number' as const }),
      cell: (row) => <Cell row={row} member={member} at={at} />,
    }),
  )
  const shown = read.map(({ member }) => member)
  return (
    <RowTable
      label="Rows of the table"
      columns={[
        { head: 'Row', cell: ({ number }) => <RowName number={number} /> },
        ...unique(cells),
        { head: 'Live price', class: 'number', cell: (row) => <Live row={row} of={props} /> },
        { head: 'Change', class: 'number', cell: (row) => <Change row={row} /> },
        { head: 'Remarks', cell: (row) => <Remarks row={row} shown={shown} /> },
      ]}
      rows={rows}
      keyOf={({ number }) => number}
    />
  )
}

/** A row by its number; a card has no heading that says what the number is. */
const RowName = ({ number }: { number: number }) => (
  <>
    <span class="on-cards">Row </span>
    {number}
  </>
)

const NUMBERS: readonly ColumnMember[] = ['rate', 'fee', 'amount_min', 'amount_max', 'fee_percent']

/** Columns with different heads, by which they are distinguished. */
const unique = (columns: readonly Column<PreviewRow>[]): Column<PreviewRow>[] => {
  const heads = ['Row', 'Live price', 'Change', 'Remarks']
  return columns.map((column) => {
    const head = heads.includes(column.head) ? `${column.head} (${heads.length})` : column.head
    heads.push(head)
    return { ...column, head }
  })
}

type CellProps = { row: PreviewRow; member: ColumnMember; at: number }

/** A cell as it was sent, what is wrong with it, and how it was read if that looks different. */
function Cell({ row, member, at }: CellProps) {
  const text = String(row.cells[at] ?? '')
  const fault = row.faults.find((one) => isOf(one, member))
  if (fault)
    return (
      <span class="cell cell-wrong">
        {text === '' ? <span class="muted">empty</span> : <span class="cell-sent">{text}</span>}
        <span class="cell-fault">{fault.fault}</span>
      </span>
    )
  const read = row.observation && readAs(row.observation, member)
  const isSame = read === null || read === undefined || read === text
  return (
    <span class="cell">
      {text}
      {!isSame && <span class="row-note">= {read}</span>}
    </span>
  )
}

/** Reports whether an error is in a column; one of both currencies may be in either. */
const isOf = ({ member }: CellFault, of: ColumnMember): boolean =>
  member === of || (of === 'corridor' && (member === 'from' || member === 'to'))

/** Value that was read from a cell that people write in several ways. */
function readAs(row: Observation, member: ColumnMember) {
  if (member === 'rate') return plain(row.rate)
  if (member === 'fee') return plain(row.fee)
  if (member === 'amount_min') return plain(row.offer?.amountMin)
  if (member === 'amount_max') return plain(row.offer?.amountMax)
  if (member === 'provider_id') return row.providerId
  return member === 'effective_from' ? <Moment ms={row.effectiveMs} /> : null
}

const plain = (value: string | number | null | undefined): string | null =>
  value == null ? null : plainNumberText(Number(value))

function Live({ row, of }: { row: PreviewRow; of: PreviewProps }) {
  if (row.observation === null) return null
  if (row.last === null) return <span class="muted">none of this offer</span>
  const { rate, atMs } = row.last
  return (
    <span class="cell">
      {ENGLISH.rateText(rate)}
      <span class="row-note">{ENGLISH.spanText(of.pageRequest.nowMs - atMs)} old</span>
      {isChanged(row.last, of.again) && <span class="tag tag-warn">new</span>}
    </span>
  )
}

const Change = ({ row }: { row: PreviewRow }) =>
  row.movePct === null || row.observation === null ? null : (
    <span class={isMoved(row) ? 'moved' : undefined}>{ENGLISH.percentText(row.movePct, true)}</span>
  )

type RemarksProps = { row: PreviewRow; shown: readonly ColumnMember[] }

/** Remarks on the row as a whole, and errors of fields without a column. */
function Remarks({ row, shown }: RemarksProps) {
  const others = row.faults.filter((fault) => !shown.some((member) => isOf(fault, member)))
  const isPlain = others.length === 0 && !row.suspect && !row.isOlder && !row.isRepeated
  if (isPlain) return null
  return (
    <span class="cell">
      {others.map(({ member, fault }) => (
        <span key={fault} class="cell-wrong cell-fault">
          {member === null ? fault : `${MEMBER_LABELS[member]}: ${fault}`}
        </span>
      ))}
      {row.suspect && (
        <span class="row-note">
          <span class="tag tag-warn">suspect</span> {suspectText(row.suspect)}
        </span>
      )}
      {row.isOlder && <span class="tag">older than the live price</span>}
      {row.isRepeated && <span class="tag tag-warn">repeated below</span>}
    </span>
  )
}
