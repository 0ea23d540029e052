/** @jsxImportSource preact */
import type { Alert } from '~/domain/alert/alert.ts'
import type { PageRequest } from '~/portal/member/page-request.tsx'
import { TokenForm } from '~/portal/member/token-form.tsx'
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
const questionPage = (pageRequest: PageRequest, alert: Alert, question: Question): Page => ({
  title: question.title,
  path: PATHS.developer,
  body: (
    <div class="stack-tight narrow">
      <h1>{question.title}</h1>
      <p>
        <strong>{alertTitle(pageRequest.words, alert)}</strong>
      </p>
      <p class="lead">{question.lead}</p>
      <TokenForm
        pageRequest={pageRequest}
        action={question.action}
        send={question.send}
        isDangerous={question.isDangerous}
        hidden={{ id: alert.id }}
      />
      <p>
        <a href={alertHref(PATHS.alert, alert)}>{pageRequest.words.say('form.cancel')}</a>
      </p>
    </div>
  ),
})

export const deleteAlertPage = (pageRequest: PageRequest, alert: Alert): Page =>
  questionPage(pageRequest, alert, {
    title: pageRequest.words.say('alert.delete-title'),
    lead: pageRequest.words.say('alert.delete-lead'),
    action: PATHS.deleteAlert,
    send: pageRequest.words.say('alert.delete-send'),
    isDangerous: true,
  })

export const rotateSecretPage = (pageRequest: PageRequest, alert: Alert): Page =>
  questionPage(pageRequest, alert, {
    title: pageRequest.words.say('alert.rotate-title'),
    lead: pageRequest.words.say('alert.rotate-lead'),
    action: PATHS.alertSecret,
    send: pageRequest.words.say('alert.rotate-send'),
    isDangerous: false,
  })
