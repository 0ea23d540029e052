/** @jsxImportSource preact */
import type { AlertWish } from '~/domain/alert/alert.ts'
import { ALERT_FIELDS, type AlertField, fieldOf } from '~/domain/alert/field.ts'
import type { View } from '~/memory/view.ts'
import type { PageRequest } from '~/portal/member/page-request.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import { writtenAmount } from '~/portal/written-amount.ts'
import { watchedValue } from '~/service/alert/value.ts'
import { AlertForm } from './alert-form.tsx'
import type { AlertFields } from './fields.ts'
import { alertHref } from './path.ts'
import { alertTitle, corridorText, measuredText, subjectText } from './words.ts'

type Props = {
  readonly pageRequest: PageRequest
  readonly view: View
  readonly fields: AlertFields
  /** Address for emails; null if this service sends none. */
  readonly mailTo: string | null
  readonly complaint?: string | undefined
}

type Spoken = { readonly words: Words }

const isWrong = ({ fields, complaint }: Props): boolean =>
  complaint !== undefined || Object.keys(fields.faults).length > 0

export const newAlertPage = ({ words: { say }, ...props }: Props & Spoken): Page => ({
  title: say('alert.new'),
  path: PATHS.developer,
  status: isWrong(props) ? 400 : 200,
  body: (
    <div class="stack-tight">
      <h1>{say('board.tell-me')}</h1>
      <p class="lead">{say('alert.new-lead')}</p>
      <Wrong {...props} />
      <Figures view={props.view} fields={props.fields} />
      <AlertForm {...props} action={PATHS.newAlert} send={say('alert.make')} />
      <p>
        <a href={PATHS.alerts}>{say('form.cancel')}</a>
      </p>
    </div>
  ),
})

type Changing = Props & Spoken & { readonly alert: AlertWish & { readonly id: string } }

export const changeAlertPage = ({ words, ...props }: Changing): Page => ({
  title: words.say('alert.change-title', { title: alertTitle(words, props.alert) }),
  path: PATHS.developer,
  status: isWrong(props) ? 400 : 200,
  body: (
    <div class="stack-tight">
      <h1>{words.say('alert.change-head', { corridor: corridorText(words, props.alert) })}</h1>
      <p class="lead">{words.say('alert.change-lead')}</p>
      <Wrong {...props} />
      <Figures view={props.view} fields={props.fields} />
      <AlertForm
        {...props}
        action={PATHS.changeAlert}
        send={words.say('form.save')}
        hidden={{ id: props.alert.id }}
        isPlaced
      />
      <p>
        <a href={alertHref(PATHS.alert, props.alert)}>{words.say('form.cancel')}</a>
      </p>
    </div>
  ),
})

function Wrong(props: Props) {
  const { say } = useWords()
  if (!isWrong(props)) return null
  if (props.complaint !== undefined) return <Notice kind="bad">{props.complaint}</Notice>
  return (
    <Notice kind="bad" title={say('form.check')}>
      {say('form.check-why')}
    </Notice>
  )
}

type FiguresProps = { readonly view: View; readonly fields: AlertFields }

/** Current values of all fields, so that nobody has to guess one. */
function Figures({ view, fields: { texts, places } }: FiguresProps) {
  const words = useWords()
  const { say, clockText } = words
  if (!places.from || !places.to || places.from.currency === places.to.currency) return null
  const corridor = { from: places.from.currency, to: places.to.currency }
  const { amount } = writtenAmount(words, texts.amount, corridor.from)
  const sourceCountry = places.from.country?.code ?? null
  const targetCountry = places.to.country?.code ?? null
  const asked = { corridor, sourceCountry, targetCountry, amount }
  const shown = ALERT_FIELDS.map((field) => ({ field, ...fieldOf(field) })).filter(
    ({ unit, isForAmount }) => unit !== null && (amount !== null || !isForAmount),
  )
  const { cutoffMs, nowMs } = view.freshness
  return (
    <section class="figures" aria-label={say('alert.how-it-stands')}>
      <h2 class="figure-label">
        {say('alert.as-of', {
          corridor: corridorText(words, asked),
          time: clockText(Math.min(cutoffMs, nowMs)),
        })}
      </h2>
      <dl>
        {shown.map(({ field }) => (
          <div key={field}>
            <dt>{subjectText(words, { ...asked, field })}</dt>
            <dd>{figure(field)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )

  function figure(field: AlertField): string {
    const when = { field, op: null, value: null, periodMs: null }
    const value = watchedValue(view, { ...asked, when })
    if (typeof value === 'number') return measuredText(words, field, value, corridor)
    const isDisputed = view.mid(corridor.from, corridor.to)?.basis === 'disputed'
    return say(field === 'mid' && isDisputed ? 'alert.disputed' : 'alert.not-known')
  }
}
