import type { Account } from '~/domain/account.ts'
import { isTimeZone } from '~/domain/source/zone.ts'
import type { UploadChoices, UploadLayout } from '~/domain/upload.ts'
import type { Grid } from '~/file/table/grid.ts'
import { habitsOf } from '~/file/table/habits.ts'
import {
  COLUMN_MEMBERS,
  type ColumnMember,
  type Columns,
  columnsOf,
  folded,
} from '~/file/table/names.ts'
import { FIXED_MEMBERS } from '~/file/table/rows.ts'
import type { FormFields } from '~/portal/member/page-request.tsx'
import { allowedProviders } from '~/service/access.ts'
import { DATE_ORDERS, DECIMALS } from '~/wire/row/notation.ts'

type Known = {
  readonly account: Account
  /** Choices of the account for earlier tables, the newest first. */
  readonly layouts: readonly UploadLayout[]
  /** The time zone of the browser; another string if it does not state one. */
  readonly timeZone: string
}

const foldedHeader = ({ header }: Grid): string[] => header.map(folded)

/**
 * Choices for a new table: those of the last one with these columns, else by the columns' names.
 */
export function firstChoices(grid: Grid, { account, layouts, timeZone }: Known): UploadChoices {
  const header = JSON.stringify(foldedHeader(grid))
  const same = layouts.find((layout) => JSON.stringify(layout.header) === header)?.choices
  const columns = (same?.columns as Columns) ?? columnsOf(grid.header, rememberedIn(layouts))
  const habits = habitsOf(grid, columns)
  const zone = [same, ...layouts.map(({ choices }) => choices)].find((one) => one?.timeZone)
  return {
    columns,
    fixed: same?.fixed ?? onlyProvider(account, columns),
    decimal: habits.decimal === null ? (same?.decimal ?? null) : null,
    dates: habits.dates === null ? (same?.dates ?? null) : null,
    timeZone: zone?.timeZone ?? (isTimeZone(timeZone) ? timeZone : null),
    isAccepted: false,
    isChosen: same?.isChosen ?? false,
  }
}

/** Last meaning of each name of a column. */
function rememberedIn(layouts: readonly UploadLayout[]) {
  const remembered = new Map<string, ColumnMember | null>()
  for (const { header, choices } of layouts)
    header.forEach((name, at) => {
      const isAlone = header.indexOf(name) === header.lastIndexOf(name)
      if (isAlone && !remembered.has(name))
        remembered.set(name, choices.columns[at] as ColumnMember | null)
    })
  return remembered
}

function onlyProvider(account: Account, columns: Columns): UploadChoices['fixed'] {
  const allowed = allowedProviders(account)
  if (allowed?.length !== 1 || columns.includes('provider_id')) return {}
  return { provider_id: allowed[0]! }
}

export const columnField = (at: number): string => `column_${at}`

/**
 * Choices of a person for the table of a draft. A field that was chosen for two columns is that of
 * the first alone, and `isTwice` says so.
 */
export function chosenIn(
  form: FormFields,
  { header }: Grid,
): { readonly choices: UploadChoices; readonly isTwice: boolean } {
  const one = <T extends string>(known: readonly T[], text: string): T | null =>
    known.find((value) => value === text) ?? null
  const chosen = header.map((_, at) => one(COLUMN_MEMBERS, form.text(columnField(at))))
  const columns = chosen.map((member, at) => (chosen.indexOf(member) === at ? member : null))
  const fixed = FIXED_MEMBERS.flatMap((member) => {
    const text = form.text(member).trim().slice(0, TEXT_LENGTH_MAX)
    return text === '' || columns.includes(member) ? [] : [[member, text] as const]
  })
  const timeZone = form.text('time_zone')
  return {
    isTwice: chosen.some((member, at) => member !== columns[at]),
    choices: {
      columns,
      fixed: Object.fromEntries(fixed),
      decimal: one(DECIMALS, form.text('decimal')),
      dates: one(DATE_ORDERS, form.text('dates')),
      timeZone: isTimeZone(timeZone) ? timeZone : null,
      isAccepted: form.text('accept') === 'yes',
      isChosen: true,
    },
  }
}

const TEXT_LENGTH_MAX = 100

/** The choices of a table for the next one with the same columns. */
export const layoutOf = (grid: Grid, choices: UploadChoices): UploadLayout => ({
  header: foldedHeader(grid),
  choices: { ...choices, isAccepted: false },
})
