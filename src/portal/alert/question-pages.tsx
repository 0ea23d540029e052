/** @jsxImportSource preact */
import type { Alert } from '~/domain/alert/alert.ts'
import type { PageRequest } from '~/portal/member/page-request.tsx'
import { questionPage } from '~/portal/member/question-page.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { alertHref } from './path.ts'
import { alertTitle } from './words.ts'

type Question = {
  readonly title: string
  readonly lead: string
  readonly action: string
  readonly send: string
  readonly isDangerous: boolean
}

/** A page that asks whether something is really to be done to an alert. */
const alertQuestion = (pageRequest: PageRequest, alert: Alert, question: Question): Page => {
  const { title, lead, ...form } = question
  return questionPage({
    ...{ title, path: PATHS.developer },
    form: { pageRequest, hidden: { id: alert.id }, ...form },
    back: alertHref(PATHS.alert, alert),
    children: (
      <>
        <p>
          <strong>{alertTitle(pageRequest.words, alert)}</strong>
        </p>
        <p class="lead">{lead}</p>
      </>
    ),
  })
}

export const deleteAlertPage = (pageRequest: PageRequest, alert: Alert): Page =>
  alertQuestion(pageRequest, alert, {
    title: pageRequest.words.say('alert.delete-title'),
    lead: pageRequest.words.say('alert.delete-lead'),
    action: PATHS.deleteAlert,
    send: pageRequest.words.say('alert.delete-send'),
    isDangerous: true,
  })

export const rotateSecretPage = (pageRequest: PageRequest, alert: Alert): Page =>
  alertQuestion(pageRequest, alert, {
    title: pageRequest.words.say('alert.rotate-title'),
    lead: pageRequest.words.say('alert.rotate-lead'),
    action: PATHS.alertSecret,
    send: pageRequest.words.say('alert.rotate-send'),
    isDangerous: false,
  })
