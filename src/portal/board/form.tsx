/** @jsxImportSource preact */
import type { View } from '~/memory/view.ts'
import { Field, Select } from '~/portal/form.tsx'
import { PATHS } from '~/portal/paths.ts'
import { AMOUNT_NAMES, type AmountName, type BoardQuery, shownName } from './query.ts'

/** The question to compare, as an ordinary form that works without scripts. */
export function BoardForm({ view, query }: { view: View; query: BoardQuery }) {
  const { from, to, texts, period, question, faults } = query
  const options = view.catalogue.currencies
    .map(({ code, name }) => ({ value: code, text: `${code} · ${name}` }))
    .sort((a, b) => (a.value < b.value ? -1 : 1))
  return (
    <form class="form-row board-form" action={PATHS.board} method="get">
      <AmountField name="amount" label="Send" query={query} />
      <Select name="from" label="From" value={from} options={options} error={faults.from} />
      <AmountField name="recipient_gets" label="Or they receive" query={query} />
      <Select name="to" label="To" value={to} options={options} error={faults.to} />
      <input type="hidden" name="period" value={period} />
      {question &&
        AMOUNT_NAMES.filter((name) => texts[name] !== '').map((name) => (
          <input key={name} type="hidden" name={shownName(name)} value={texts[name]} />
        ))}
      <button type="submit" class="button">
        Compare
      </button>
    </form>
  )
}

type AmountFieldProps = {
  readonly name: AmountName
  readonly label: string
  readonly query: BoardQuery
}

const AmountField = ({ name, label, query: { texts, hints, faults } }: AmountFieldProps) => (
  <Field
    name={name}
    label={label}
    value={texts[name]}
    hint={hints[name]}
    error={faults[name]}
    input={{ inputMode: 'decimal', autocomplete: 'off', maxLength: 60 }}
  />
)
