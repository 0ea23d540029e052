import type { AlertChange, AlertWish } from '~/domain/alert/alert.ts'
import type { Route } from '~/http/route.ts'
import type { Member, MemberForm } from '~/portal/member/member-pages.ts'
import type { PageAnswer } from '~/portal/member/page-request.tsx'
import { PATHS } from '~/portal/paths.ts'
import type { Words } from '~/portal/words/words.ts'
import { changeAlert } from '~/service/alert/change.ts'
import { createAlert } from '~/service/alert/create.ts'
import { findAlert } from '~/service/alert/list.ts'
import { changeAlertPage, newAlertPage } from './edit-pages.tsx'
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

const newForm = (deps: AlertPageDeps, member: Member, sent: Sent): PageAnswer => ({
  page: newAlertPage({ ...shared(deps, member), ...sent }),
})

const changeForm = (
  deps: AlertPageDeps,
  member: Member,
  sent: Sent & { alert: AlertWish & { readonly id: string } },
): PageAnswer => ({ page: changeAlertPage({ ...shared(deps, member), ...sent }) })

const shared = (deps: AlertPageDeps, member: Member) => ({
  pageRequest: member.pageRequest,
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
    const { alert, secret } = await charged(deps, member, () =>
      createAlert(deps.alerting, { account, wish }),
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
