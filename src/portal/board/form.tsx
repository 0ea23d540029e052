/** @jsxImportSource preact */
import type { View } from '~/memory/view.ts'
import { Field, Select } from '~/portal/form.tsx'
import { PATHS } from '~/portal/paths.ts'
import type { BoardQuery } from './query.ts'

/** The question to compare, as an ordinary form that works without scripts. */
export function BoardForm({ view, query }: { view: View; query: BoardQuery }) {
  const { from, to, amountText, amountHint, period, faults } = query
  const options = view.catalogue.currencies
    .map(({ code, name }) => ({ value: code, text: `${code} · ${name}` }))
    .sort((a, b) => (a.value < b.value ? -1 : 1))
  return (
    <form class="form-row board-form" action={PATHS.board} method="get">
      <Field
        name="amount"
        label="Send"
        value={amountText}
        hint={amountHint ?? undefined}
        error={faults.amount}
        isRequired
        input={{ inputMode: 'decimal', autocomplete: 'off', maxLength: 60 }}
      />
      <Select name="from" label="From" value={from} options={options} error={faults.from} />
      <Select name="to" label="To" value={to} options={options} error={faults.to} />
      <input type="hidden" name="period" value={period} />
      <button type="submit" class="button">
        Compare
      </button>
    </form>
  )
}
