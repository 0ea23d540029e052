import { COLUMN_MEMBERS } from '~/file/table/names.ts'
import { Field, Select } from '~/portal/form.tsx'
import { TokenForm } from '~/portal/member/token-form.tsx'
import { PATHS } from '~/portal/paths.ts'
import { allowedProviders } from '~/service/access.ts'
import { columnField } from './choices.ts'
import { MEMBER_LABELS } from './labels.ts'
import type { PreviewProps } from './preview-props.ts'
import type { Question } from './questions.ts'

/** Choices for reading the table: open if it has questions, else folded with a line about them. */
export function Settings(props: PreviewProps) {
  const { preview, draft } = props
  return (
    <details class="settings" open={preview.questions.length > 0 || Boolean(props.again.complaint)}>
      <summary>How the table is read: {summaryText(props)}</summary>
      <div class="details-body">
        <TokenForm
          action={PATHS.pricesPreview}
          send="Read it like this"
          hidden={{
            upload: draft.id,
            ...(draft.choices.isAccepted && { accept: 'yes' }),
          }}
          look="button button-quiet"
        >
          <fieldset class="form-part">
            <legend>The table as a whole</legend>
            <div class="form-row filter-form">
              <Whole {...props} />
            </div>
          </fieldset>
          <fieldset class="form-part">
            <legend>What each column says</legend>
            <div class="form-row filter-form">
              <ColumnFields {...props} />
            </div>
          </fieldset>
        </TokenForm>
      </div>
    </details>
  )
}

function summaryText({ preview: { reading, habits, grid } }: PreviewProps): string {
  const { columns, decimal, dates, timeZone, fixed } = reading
  const unread = grid.header.filter((name, at) => name !== '' && columns[at] === null)
  const parts = [
    fixed.provider_id && `prices of ${fixed.provider_id}`,
    decimal === ',' && 'decimal commas',
    dates && `dates as ${dates}`,
    habits.asksZone && timeZone && `times in ${timeZone}`,
    unread.length > 0 && `without ${unread.map((name) => `“${name}”`).join(', ')}`,
  ].filter(Boolean)
  return parts.length > 0 ? parts.join('; ') : 'all columns, as named'
}

const errorOf = (questions: readonly Question[], field: Question['field']): string | undefined =>
  questions.find((question) => question.field === field)?.text

const Whole = (props: PreviewProps) => (
  <>
    <Fixed {...props} />
    <Notation {...props} />
  </>
)

/** Values for all rows that have no column. */
function Fixed({ preview, providers, person }: PreviewProps) {
  const { questions, reading } = preview
  const { columns, fixed } = reading
  const has = (...members: (typeof columns)[number][]) =>
    members.some((member) => columns.includes(member))
  const allowed = allowedProviders(person.account)
  const named = providers.filter(({ id }) => !allowed || allowed.includes(id))
  const currency = (name: 'from' | 'to', label: string) =>
    !has('corridor', name) && (
      <Field
        {...{ name, label }}
        value={fixed[name]}
        error={errorOf(questions, name)}
        input={{ autocomplete: 'off', maxLength: 5, spellcheck: false }}
      />
    )
  return (
    <>
      {!has('provider_id') && (
        <Select
          name="provider_id"
          label="Whose prices"
          value={fixed.provider_id ?? ''}
          options={named.map(({ id, name }) => ({ value: id, text: name }))}
          isOptional
          error={errorOf(questions, 'provider_id')}
        />
      )}
      {currency('from', 'Currency sent')}
      {currency('to', 'Currency that arrives')}
    </>
  )
}

const Notation = ({ preview: { questions, reading, habits }, draft }: PreviewProps) => (
  <>
    <Select
      name="decimal"
      label="Numbers"
      value={draft.choices.decimal ?? ''}
      options={habits.asksDecimal ? DECIMALS : asFound(habits.decimal, DECIMALS)}
      isOptional
      error={errorOf(questions, 'decimal')}
    />
    <Select
      name="dates"
      label="Dates with the year last"
      value={draft.choices.dates ?? ''}
      options={habits.asksDates ? DATES : asFound(habits.dates, DATES)}
      isOptional
      error={errorOf(questions, 'dates')}
    />
    <Field
      name="time_zone"
      label="Time zone"
      value={reading.timeZone ?? ''}
      error={errorOf(questions, 'time_zone')}
      hint="Of times without one. Remembered."
      input={{ list: 'time-zones', autocomplete: 'off', spellcheck: false }}
    />
    <datalist id="time-zones">
      {Intl.supportedValuesOf('timeZone').map((zone) => (
        <option key={zone} value={zone} />
      ))}
    </datalist>
  </>
)

const DECIMALS = [
  { value: '.', text: 'Decimal point: 1284.50' },
  { value: ',', text: 'Decimal comma: 1284,50' },
]

const DATES = [
  { value: 'dd/MM/yyyy', text: 'Day first: 31/12/2026' },
  { value: 'MM/dd/yyyy', text: 'Month first: 12/31/2026' },
]

type Option = { readonly value: string; readonly text: string }

/** The options that a table shows by itself, which need no choice. */
function asFound(value: string | null, options: readonly Option[]): Option[] {
  const found = options.find((option) => option.value === value)
  return [{ value: '', text: found ? `As found. ${found.text}` : 'As found' }, ...options]
}

const NOT_READ = { value: '', text: 'Not read' }

function ColumnFields({ preview: { grid, reading } }: PreviewProps) {
  const options = [
    NOT_READ,
    ...COLUMN_MEMBERS.map((value) => ({ value, text: MEMBER_LABELS[value] })),
  ]
  return (
    <>
      {grid.header.map((name, at) => (
        <Select
          key={columnField(at)}
          name={columnField(at)}
          label={name || `Column ${at + 1}`}
          value={reading.columns[at] ?? ''}
          options={options}
          isOptional
          hint={exampleText(grid.rows.find(({ cells }) => (cells[at] ?? '') !== '')?.cells[at])}
        />
      ))}
    </>
  )
}

const EXAMPLE_LENGTH_MAX = 30

const exampleText = (cell: string | number | undefined): string =>
  cell === undefined ? 'empty' : `such as ${String(cell).slice(0, EXAMPLE_LENGTH_MAX)}`
