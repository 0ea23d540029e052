/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact'
import { ALERT_FIELDS, fieldOf } from '~/domain/alert/field.ts'
import { ageMsOf } from '~/domain/price/age.ts'
import type { View } from '~/memory/view.ts'
import { Field, Select } from '~/portal/form.tsx'
import { spanText } from '~/portal/format.ts'
import type { PageRequest } from '~/portal/member/page-request.tsx'
import { TokenForm } from '~/portal/member/token-form.tsx'
import { PlaceField, PlaceList } from '~/portal/place/place-field.tsx'
import { ALERT_NAME_LENGTH_MAX, WEBHOOK_URL_LENGTH_MAX } from '~/wire/alert/alert.ts'
import { type AlertFields, OFFERED_PERIODS } from './fields.ts'

type Props = {
  readonly pageRequest: PageRequest
  readonly view: View
  readonly fields: AlertFields
  readonly action: string
  readonly send: string
  readonly hidden?: Readonly<Record<string, string>>
  /** Where a mail would go; null if this service sends none. */
  readonly mailTo: string | null
  /** Whether the corridor is settled. */
  readonly isPlaced?: boolean
}

/**
 * An alert as an ordinary form. The styles hide what the choices leave no use for; a browser that
 * cannot do that shows every field, and what is of no use is not read.
 */
export const AlertForm = ({ pageRequest, action, send, hidden, ...shown }: Props) => (
  <div class="alert-form">
    <TokenForm {...{ pageRequest, action, send }} hidden={hidden ?? {}}>
      <Watched {...shown} />
      <When {...shown} />
      <Told {...shown} />
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

const WATCHED = ALERT_FIELDS.map((value) => ({ value, text: fieldOf(value).label }))

const Watched = ({ view, fields: { texts, places, faults }, isPlaced }: PartProps) => (
  <Part title="What to watch">
    {(isPlaced ? [] : PLACES).map((name) => (
      <PlaceField
        key={name}
        {...{ name, view, text: texts[name], place: places[name], error: faults[name] }}
        label={name === 'from' ? 'From' : 'To'}
      />
    ))}
    {!isPlaced && <PlaceList view={view} />}
    <Select name="field" label="Watch" value={texts.field} options={WATCHED} error={faults.field} />
    <div class="for-amount">
      <Field
        name="amount"
        label="For sending"
        value={texts.amount}
        error={faults.amount}
        hint="In the currency that you send."
        input={DECIMAL}
      />
    </div>
  </Part>
)

const DECIMAL = { inputMode: 'decimal', autocomplete: 'off', maxLength: 60 } as const

const OPS = [
  { value: 'above', text: 'it rises above' },
  { value: 'below', text: 'it falls below' },
  { value: 'moves_pct', text: 'it moves by percent' },
]

/** The periods offered, and the one that an alert has, in words. */
function periods(own: string, words: string, none: string) {
  const all =
    own === '' || OFFERED_PERIODS.includes(own) ? OFFERED_PERIODS : [...OFFERED_PERIODS, own]
  const text = (one: string) => `${words} ${spanText(ageMsOf(one) ?? 0)}`
  return [{ value: '', text: none }, ...all.map((value) => ({ value, text: text(value) }))]
}

const SINCE_LAST = 'since the alert was created or last fired'
const BY_SETTING = 'as old as this service calls old'

const When = ({ fields: { texts, faults } }: PartProps) => (
  <Part title="When to tell me">
    <div class="for-value">
      <Select name="op" label="When" value={texts.op} options={OPS} error={faults.op} />
    </div>
    <div class="for-value">
      <Field
        name="value"
        label="Value"
        value={texts.value}
        error={faults.value}
        hint="A rate, or an amount to arrive; for a cost or a move, percent."
        input={DECIMAL}
      />
    </div>
    <div class="for-value for-move">
      <Select
        name="since"
        label="Measured"
        value={texts.since}
        options={periods(texts.since, 'within', SINCE_LAST)}
        error={faults.since}
        isOptional
      />
    </div>
    <div class="for-age">
      <Select
        name="age"
        label="When the newest price is"
        value={texts.age}
        options={periods(texts.age, 'older than', BY_SETTING)}
        error={faults.age}
        isOptional
      />
    </div>
    <label class="check">
      <input type="checkbox" name="once" value="yes" checked={texts.once === 'yes'} />
      Tell me once, then end the alert
    </label>
  </Part>
)

function Told({ fields: { texts, faults }, mailTo }: PartProps) {
  const ways = [
    ...(mailTo === null ? [] : [{ value: 'email', text: `by mail to ${mailTo}` }]),
    { value: 'webhook', text: 'by a call of my server' },
  ]
  return (
    <Part title="How to tell me">
      <Select
        name="tell"
        label="Tell me"
        value={texts.tell}
        options={ways}
        error={faults.tell}
        hint={
          mailTo === null ? 'This service sends no email, so only servers can be notified.' : ''
        }
      />
      <div class="for-webhook">
        <Field
          name="url"
          label="Address of the server (webhook)"
          value={texts.url}
          error={faults.url}
          hint="It begins with https:// and can be reached from the internet."
          input={{ autocomplete: 'off', maxLength: WEBHOOK_URL_LENGTH_MAX, spellcheck: false }}
        />
      </div>
      <Field
        name="name"
        label="Name (optional)"
        value={texts.name}
        error={faults.name}
        input={{ autocomplete: 'off', maxLength: ALERT_NAME_LENGTH_MAX }}
      />
    </Part>
  )
}
