import type { AlertChange, AlertWish } from '~/domain/alert/alert.ts'
import { ALERT_FIELDS, type AlertField, fieldOf } from '~/domain/alert/field.ts'
import type { Route } from '~/http/route.ts'
import type { View } from '~/memory/view.ts'
import type { Member, MemberForm } from '~/portal/member/member-pages.ts'
import type { PageAnswer } from '~/portal/member/page-request.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import { writtenAmount } from '~/portal/written-amount.ts'
import { changeAlert } from '~/service/alert/change.ts'
import { alertIdOf, createAlert } from '~/service/alert/create.ts'
import { findAlert } from '~/service/alert/list.ts'
import { watchedValue } from '~/service/alert/value.ts'
import { AlertForm } from './alert-form.tsx'
import { type AlertFields, fieldsOf, proposedFields, writtenAlert } from './fields.ts'
import {
  type AlertPageDeps,
  alertPages,
  charged,
  isRefusal,
  ownAlert,
  viewFor,
} from './member-routes.ts'
import { alertHref } from './path.ts'
import { alertSentence, refusedField } from './refusal.ts'
import { newSecretPage } from './secret-page.tsx'
import { alertTitle, corridorText, measuredText, subjectText } from './words.ts'

/** The forms of a new alert and of one that there is. */
export function editRoutes(deps: AlertPageDeps): Route[] {
  const page = alertPages(deps)
  return [
    ...page(PATHS.newAlert, {
      get(_, member) {
        const params = member.pageRequest.url.searchParams
        const asked = { view: viewFor(deps, member), params, isMailed: deps.alerting.isMailed }
        const fields = proposedFields(member.pageRequest.words, asked)
        return newForm(deps, member, { fields })
      },
      post: create,
    }),
    ...page(PATHS.changeAlert, {
      async get(_, member) {
        const alert = await findAlert(deps.alerting, ownAlert(member))
        const fields = fieldsOf(member.pageRequest.words, viewFor(deps, member), alert)
        return changeForm(deps, member, { alert, fields })
      },
      post: change,
    }),
  ]
}

type Sent = { readonly fields: AlertFields; readonly complaint?: string | undefined }

/** The field with which a form that is sent twice creates one alert. */
const FORM_ID = 'form_id'

const newForm = (deps: AlertPageDeps, member: Member, sent: Sent): PageAnswer => ({
  page: newAlertPage({
    ...{ ...shared(deps, member), ...sent },
    hidden: { [FORM_ID]: deps.alerting.newId() },
  }),
})

const changeForm = (
  deps: AlertPageDeps,
  member: Member,
  sent: Sent & { alert: AlertWish & { readonly id: string } },
): PageAnswer => ({ page: changeAlertPage({ ...shared(deps, member), ...sent }) })

const shared = (deps: AlertPageDeps, member: Member) => ({
  words: member.pageRequest.words,
  view: viewFor(deps, member),
  mailTo: deps.alerting.isMailed ? member.person.email : null,
})

export const REFUSALS = [
  'alert_limit',
  'invalid_parameter',
  'unsupported_currency',
  'same_currency',
  'too_many_changes',
  'quota_exceeded',
] as const

/** The fields of a form that was refused, with the reason where it belongs. */
function refusedFields(words: Words, fields: AlertFields, error: unknown): Sent {
  if (!isRefusal(error, ...REFUSALS)) throw error
  const field = refusedField(error)
  const sentence = alertSentence(words, error)
  if (field === null) return { fields, complaint: sentence }
  return { fields: { ...fields, faults: { ...fields.faults, [field]: sentence } } }
}

const create: MemberForm<AlertPageDeps> = async (deps, member, form) => {
  const { words } = member.pageRequest
  const { wish, ...fields } = writtenAlert(words, viewFor(deps, member), form.text)
  if (!wish) return newForm(deps, member, { fields })
  try {
    const { account } = member.person
    const id = alertIdOf(JSON.stringify([account.id, form.text(FORM_ID), wish]))
    const { alert, secret } = await charged(deps, member, () =>
      createAlert(deps.alerting, { account, wish, id }),
    )
    if (secret !== null) return { page: newSecretPage(words, { alert, secret }) }
    const said = alert.standing.isTrue ? 'true' : 'made'
    return { redirect: `${alertHref(PATHS.alert, alert)}&said=${said}` }
  } catch (error) {
    return newForm(deps, member, refusedFields(words, fields, error))
  }
}

const change: MemberForm<AlertPageDeps> = async (deps, member, form) => {
  const { words } = member.pageRequest
  const own = ownAlert(member, form)
  const old = await findAlert(deps.alerting, own)
  const view = viewFor(deps, member)
  const kept = fieldsOf(words, view, old).texts
  const isKept = (name: string): name is 'from' | 'to' => name === 'from' || name === 'to'
  const { wish, ...fields } = writtenAlert(words, view, (name) =>
    isKept(name) ? kept[name] : form.text(name),
  )
  if (!wish) return changeForm(deps, member, { alert: old, fields })
  try {
    const asked = { ...own, change: changes(old, wish) }
    const { alert, secret } = await charged(deps, member, () => changeAlert(deps.alerting, asked))
    if (secret !== null) return { page: newSecretPage(words, { alert, secret }) }
    return { redirect: `${alertHref(PATHS.alert, alert)}&said=changed` }
  } catch (error) {
    return changeForm(deps, member, { alert: old, ...refusedFields(words, fields, error) })
  }
}

/** Changes of a wish: a condition that is repeated unchanged keeps its state. */
function changes(old: AlertWish, wish: AlertWish): AlertChange {
  const { corridor: _, sourceCountry: _from, targetCountry: _to, ...wanted } = wish
  return Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) => !Bun.deepEquals(value, old[name as keyof AlertChange & keyof AlertWish]),
    ),
  )
}

type Props = {
  readonly view: View
  readonly fields: AlertFields
  readonly mailTo: string | null
  readonly complaint?: string | undefined
}

type Spoken = { readonly words: Words }

const isWrong = ({ fields, complaint }: Props): boolean =>
  complaint !== undefined || Object.keys(fields.faults).length > 0

type Making = Props & Spoken & { readonly hidden: Readonly<Record<string, string>> }

const newAlertPage = ({ words: { say }, ...props }: Making): Page => ({
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

const changeAlertPage = ({ words, ...props }: Changing): Page => ({
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

/** Current values of all fields, so that no one has to be guessed. */
function Figures({ view, fields: { texts, places } }: FiguresProps) {
  const { words, say, clockText } = useWords()
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
