import type { Alert } from '~/domain/alert/alert.ts'
import type { Route } from '~/http/route.ts'
import type { Member, MemberForm } from '~/portal/member/member-pages.ts'
import type { FormFields, PageAnswer } from '~/portal/member/page-request.tsx'
import { questionPage } from '~/portal/member/question-page.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import type { Words } from '~/portal/words/words.ts'
import { changeAlert } from '~/service/alert/change.ts'
import { deliveriesOf } from '~/service/alert/deliveries.ts'
import { deleteAlert } from '~/service/alert/end.ts'
import { findAlert, listAlerts } from '~/service/alert/list.ts'
import { rotateSecret } from '~/service/alert/rotate.ts'
import { testAlert } from '~/service/alert/test.ts'
import { alertPage } from './alert-page.tsx'
import { editRoutes, REFUSALS } from './edit-routes.tsx'
import { alertListPage } from './list-page.tsx'
import { type AlertPageDeps, alertPages, charged, isRefusal, ownAlert } from './member-routes.ts'
import { alertHref } from './path.ts'
import { alertSentence } from './refusal.ts'
import { rotatedSecretPage } from './secret-page.tsx'
import { alertTitle } from './words.ts'

/** The pages on which a person makes alerts and sees what came of them. */
export function alertRoutes(deps: AlertPageDeps): Route[] {
  const page = alertPages(deps)
  const form = (path: string, post: MemberForm<AlertPageDeps>) =>
    page(path, { get: () => ({ redirect: PATHS.alerts }), post })
  return [
    ...page(PATHS.alerts, { get: list }),
    ...page(PATHS.alert, { get: (_, member) => shown(deps, member) }),
    ...editRoutes(deps),
    ...form(PATHS.alertStatus, switchTo),
    ...form(PATHS.testAlert, test),
    ...page(PATHS.alertSecret, {
      get: (_, member) => question(deps, member, rotateSecretPage),
      post: rotate,
    }),
    ...page(PATHS.deleteAlert, {
      get: (_, member) => question(deps, member, deleteAlertPage),
      post: remove,
    }),
  ]
}

const NOTES = ['made', 'true', 'changed', 'active', 'paused', 'tested', 'deleted', 'gone'] as const

function noticeIn({ pageRequest: { url, words } }: Member): string | undefined {
  const said = NOTES.find((one) => one === url.searchParams.get('said'))
  return said && words.say(`alert-news.${said}`)
}

async function list(deps: AlertPageDeps, member: Member): Promise<PageAnswer> {
  const { person } = member
  const alerts = await listAlerts(deps.alerting, person)
  return {
    page: alertListPage({
      person,
      alerts,
      words: member.pageRequest.words,
      notice: noticeIn(member),
      isGone: member.pageRequest.url.searchParams.get('said') === 'gone',
    }),
  }
}

async function shown(
  deps: AlertPageDeps,
  member: Member,
  { form, complaint }: { form?: FormFields; complaint?: string } = {},
): Promise<PageAnswer> {
  const deliveries = await deliveriesOf(deps.alerting, ownAlert(member, form))
  const notice = complaint === undefined ? noticeIn(member) : undefined
  return { page: alertPage({ ...member, ...deliveries, notice, complaint }) }
}

const switchTo: MemberForm<AlertPageDeps> = async (deps, member, form) => {
  const status = form.text('status') === 'active' ? 'active' : 'paused'
  try {
    const own = ownAlert(member, form)
    const asked = { ...own, change: { status } } as const
    const { alert } = await charged(deps, member, () => changeAlert(deps.alerting, asked))
    return { redirect: `${alertHref(PATHS.alert, alert)}&said=${status}` }
  } catch (error) {
    if (!isRefusal(error, ...REFUSALS)) throw error
    return shown(deps, member, { form, complaint: alertSentence(member.pageRequest.words, error) })
  }
}

const test: MemberForm<AlertPageDeps> = async (deps, member, form) => {
  try {
    const own = ownAlert(member, form)
    const { alertId } = await charged(deps, member, () => testAlert(deps.alerting, own))
    return { redirect: `${alertHref(PATHS.alert, { id: alertId })}&said=tested` }
  } catch (error) {
    if (!isRefusal(error, 'too_many_tests', 'quota_exceeded')) throw error
    return shown(deps, member, { form, complaint: alertSentence(member.pageRequest.words, error) })
  }
}

type Question = typeof deleteAlertPage

async function question(deps: AlertPageDeps, member: Member, page: Question): Promise<PageAnswer> {
  const alert = await findAlert(deps.alerting, ownAlert(member))
  return { page: page(member.pageRequest.words, alert) }
}

const rotate: MemberForm<AlertPageDeps> = async (deps, member, form) => {
  try {
    const rotated = await rotateSecret(deps.alerting, ownAlert(member, form))
    return { page: rotatedSecretPage(member.pageRequest.words, rotated) }
  } catch (error) {
    if (!isRefusal(error, 'invalid_parameter', 'too_many_changes')) throw error
    return shown(deps, member, { form, complaint: alertSentence(member.pageRequest.words, error) })
  }
}

const remove: MemberForm<AlertPageDeps> = async (deps, member, form) => {
  await deleteAlert(deps.alerting, ownAlert(member, form))
  return { redirect: `${PATHS.alerts}?said=deleted` }
}

type Asked = {
  readonly title: string
  readonly lead: string
  readonly action: string
  readonly send: string
  readonly isDangerous: boolean
}

/** A page that asks for confirmation of an action on an alert. */
const alertQuestion = (words: Words, alert: Alert, question: Asked): Page => {
  const { title, lead, ...form } = question
  return questionPage({
    ...{ title, path: PATHS.developer },
    form: { hidden: { id: alert.id }, ...form },
    back: alertHref(PATHS.alert, alert),
    children: (
      <>
        <p>
          <strong>{alertTitle(words, alert)}</strong>
        </p>
        <p class="lead">{lead}</p>
      </>
    ),
  })
}

const deleteAlertPage = (words: Words, alert: Alert): Page =>
  alertQuestion(words, alert, {
    title: words.say('alert.delete-title'),
    lead: words.say('alert.delete-lead'),
    action: PATHS.deleteAlert,
    send: words.say('alert.delete-send'),
    isDangerous: true,
  })

const rotateSecretPage = (words: Words, alert: Alert): Page =>
  alertQuestion(words, alert, {
    title: words.say('alert.rotate-title'),
    lead: words.say('alert.rotate-lead'),
    action: PATHS.alertSecret,
    send: words.say('alert.rotate-send'),
    isDangerous: false,
  })
