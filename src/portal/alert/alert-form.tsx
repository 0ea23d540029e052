import type { ComponentChildren } from 'preact'
import { ALERT_OPS } from '~/domain/alert/alert.ts'
import { ALERT_FIELDS, type AlertField, fieldOf } from '~/domain/alert/field.ts'
import { ageMsOf } from '~/domain/price/age.ts'
import type { View } from '~/memory/view.ts'
import { Field, Select } from '~/portal/form.tsx'
import { TokenForm } from '~/portal/member/token-form.tsx'
import { PlaceField, PlaceList } from '~/portal/place/place-field.tsx'
import { useWords } from '~/portal/words/spoken.tsx'
import { ALERT_NAME_LENGTH_MAX, WEBHOOK_URL_LENGTH_MAX } from '~/wire/alert/alert.ts'
import { type AlertFields, type FieldName, OFFERED_PERIODS } from './fields.ts'

type Props = {
  readonly view: View
  readonly fields: AlertFields
  readonly action: string
  readonly send: string
  readonly hidden?: Readonly<Record<string, string>>
  /** Address for emails; null if this service sends none. */
  readonly mailTo: string | null
  /** Says whether the corridor is settled. */
  readonly isPlaced?: boolean
}

/** An alert as an ordinary form, in which styles hide what the choices leave no use for. */
export const AlertForm = ({ action, send, hidden, ...shown }: Props) => (
  <div class="alert-form">
    <TokenForm {...{ action, send }} hidden={hidden ?? {}}>
      <Watched {...shown} />
      <When {...shown} />
      <Destination {...shown} />
    </TokenForm>
  </div>
)

type PartProps = Pick<Props, 'view' | 'fields' | 'mailTo' | 'isPlaced'>

const Part = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <fieldset class="form-part">
    <legend>{title}</legend>
    <div class="form-row">{children}</div>
  </fieldset>
)

const PLACES = ['from', 'to'] as const

/** The name of a field, what was written in it, and what is wrong with that. */
const written = ({ texts, faults }: AlertFields, name: FieldName) => ({
  ...{ name, value: texts[name], error: faults[name] },
})

/** What else is asked for a field, by the names that the styles have. */
function needsOf(field: AlertField): readonly string[] {
  const { unit, isForAmount, hasPast, isOfAge } = fieldOf(field)
  const needs = { amount: isForAmount, value: unit !== null, past: hasPast, age: isOfAge }
  return Object.entries(needs).flatMap(([name, isNeeded]) => (isNeeded ? [name] : []))
}

function Watched({ view, fields, isPlaced }: PartProps) {
  const { texts, places, faults } = fields
  const { say } = useWords()
  const watched = ALERT_FIELDS.map((value) => ({
    ...{ value, text: say(`alert-field.${value}`), needs: needsOf(value) },
  }))
  return (
    <Part title={say('alert-form.what')}>
      {(isPlaced ? [] : PLACES).map((name) => (
        <PlaceField
          key={name}
          {...{ name, view, text: texts[name], place: places[name], error: faults[name] }}
          label={say(`form.${name}`)}
        />
      ))}
      {!isPlaced && <PlaceList view={view} />}
      <Select {...written(fields, 'field')} label={say('alert-form.watch')} options={watched} />
      <div class="for-amount">
        <Field
          {...written(fields, 'amount')}
          label={say('alert-form.sending')}
          hint={say('alert-form.sending-hint')}
          input={DECIMAL}
        />
      </div>
    </Part>
  )
}

const DECIMAL = { inputMode: 'decimal', autocomplete: 'off', maxLength: 60 } as const

function periods(own: string, textOf: (ms: number) => string, none: string) {
  const all =
    own === '' || OFFERED_PERIODS.includes(own) ? OFFERED_PERIODS : [...OFFERED_PERIODS, own]
  const offered = all.map((value) => ({ value, text: textOf(ageMsOf(value) ?? 0) }))
  return [{ value: '', text: none }, ...offered]
}

const When = ({ fields }: PartProps) => (
  <Part title={useWords().say('alert-form.when')}>
    <Compared fields={fields} />
    <Periods fields={fields} />
    <label class="check">
      <input type="checkbox" name="once" value="yes" checked={fields.texts.once === 'yes'} />
      {useWords().say('alert-form.once')}
    </label>
  </Part>
)

function Compared({ fields }: Pick<PartProps, 'fields'>) {
  const { say } = useWords()
  const ops = ALERT_OPS.map((value) => ({ value, text: say(`alert-op.${value}`) }))
  return (
    <>
      <div class="for-value">
        <Select {...written(fields, 'op')} label={say('alert-form.op')} options={ops} />
      </div>
      <div class="for-value">
        <Field
          {...written(fields, 'value')}
          label={say('alert-form.value')}
          hint={say('alert-form.value-hint')}
          input={DECIMAL}
        />
      </div>
    </>
  )
}

function Periods({ fields }: Pick<PartProps, 'fields'>) {
  const { texts } = fields
  const { say, spanText } = useWords()
  const within = (ms: number) => say('alert-form.within', { span: spanText(ms) })
  const older = (ms: number) => say('alert-form.older', { span: spanText(ms) })
  return (
    <>
      <div class="for-value for-move">
        <Select
          {...written(fields, 'since')}
          label={say('alert-form.measured')}
          options={periods(texts.since, within, say('alert-form.since-last'))}
          isOptional
        />
      </div>
      <div class="for-age">
        <Select
          {...written(fields, 'age')}
          label={say('alert-form.age')}
          options={periods(texts.age, older, say('alert-form.by-setting'))}
          isOptional
        />
      </div>
    </>
  )
}

function Destination({ fields, mailTo }: PartProps) {
  const { say } = useWords()
  const ways = [
    ...(mailTo === null
      ? []
      : [{ value: 'email', text: say('alert-form.by-mail', { email: mailTo }) }]),
    { value: 'webhook', text: say('alert-form.by-call') },
  ]
  return (
    <Part title={say('alert-form.how')}>
      <Select
        {...written(fields, 'tell')}
        label={say('alert-form.tell')}
        options={ways}
        hint={mailTo === null ? say('alert-form.no-mail') : ''}
      />
      <div class="for-webhook">
        <Field
          {...written(fields, 'url')}
          label={say('alert-form.url')}
          hint={say('alert-form.url-hint')}
          input={{ autocomplete: 'off', maxLength: WEBHOOK_URL_LENGTH_MAX, spellcheck: false }}
        />
      </div>
      <Field
        {...written(fields, 'name')}
        label={say('alert-form.name')}
        input={{ autocomplete: 'off', maxLength: ALERT_NAME_LENGTH_MAX }}
      />
    </Part>
  )
}
