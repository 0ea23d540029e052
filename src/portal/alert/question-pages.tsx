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
        <strong>{alertTitle(alert)}</strong>
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
        <a href={alertHref(PATHS.alert, alert)}>Cancel</a>
      </p>
    </div>
  ),
})

export const deleteAlertPage = (pageRequest: PageRequest, alert: Alert): Page =>
  questionPage(pageRequest, alert, {
    title: 'Delete this alert?',
    lead: 'You are not notified any more, and its deliveries are deleted. This cannot be undone.',
    action: PATHS.deleteAlert,
    send: 'Delete the alert',
    isDangerous: true,
  })

export const rotateSecretPage = (pageRequest: PageRequest, alert: Alert): Page =>
  questionPage(pageRequest, alert, {
    title: 'Make a new secret?',
    lead:
      'It is shown once. The present secret signs beside it for a day, so that your server ' +
      'misses nothing while you put the new one in.',
    action: PATHS.alertSecret,
    send: 'Make a new secret',
    isDangerous: false,
  })
