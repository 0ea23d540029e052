import type { View } from '~/memory/view.ts'
import { Field } from '~/portal/form.tsx'
import { PATHS } from '~/portal/paths.ts'
import { PlaceField, PlaceList } from '~/portal/place/place-field.tsx'
import { useWords } from '~/portal/words/spoken.tsx'
import { AMOUNT_NAMES, type AmountName, shownName } from './amounts.ts'
import type { Fields } from './query.ts'

type Props = {
  readonly view: View
  readonly fields: Fields
  /** Other parameters of the request, by name. */
  readonly hidden: readonly (readonly [name: string, value: string])[]
}

/** The query to compare, as a form without scripts; it leads to the page of two countries. */
export function QuestionForm({ view, fields, hidden }: Props) {
  const { places, placeTexts, texts, faults } = fields
  const { say } = useWords()
  const place = (name: 'from' | 'to') => ({
    ...{ name, view, text: placeTexts[name], place: places[name], error: faults[name] },
  })
  const isSound = Object.keys(faults).length === 0
  const shown = AMOUNT_NAMES.filter((name) => isSound && texts[name] !== '')
  return (
    <form class="form-row board-form" action={PATHS.board} method="get">
      <AmountField name="amount" label={say('form.send')} fields={fields} />
      <PlaceField {...place('from')} label={say('form.from')} />
      <AmountField name="recipient_gets" label={say('form.they-get')} fields={fields} />
      <PlaceField {...place('to')} label={say('form.to')} />
      <PlaceList view={view} />
      {hidden.map(([name, value]) => (
        <input key={name + value} type="hidden" name={name} value={value} />
      ))}
      {shown.map((name) => (
        <input key={name} type="hidden" name={shownName(name)} value={texts[name]} />
      ))}
      <button type="submit" class="button">
        {say('form.compare')}
      </button>
    </form>
  )
}

type AmountFieldProps = {
  readonly name: AmountName
  readonly label: string
  readonly fields: Fields
}

const AmountField = ({ name, label, fields: { texts, hints, faults } }: AmountFieldProps) => (
  <Field
    name={name}
    label={label}
    value={texts[name]}
    hint={hints[name]}
    error={faults[name]}
    input={{ inputMode: 'decimal', autocomplete: 'off', maxLength: 60 }}
  />
)
