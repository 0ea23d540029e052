/** @jsxImportSource preact */
import type { Alert } from '~/domain/alert/alert.ts'
import type { Person } from '~/portal/member/page-request.tsx'
import { Notice } from '~/portal/notice.tsx'
import { PATHS } from '~/portal/paths.ts'
import { ENGLISH } from '~/portal/words/words.ts'
import { roomText } from './list-page.tsx'

type Props = { readonly person: Person; readonly alerts: readonly Alert[] }

/** The way from the developer area to the alerts, and how they stand. */
export function AlertsSection({ person, alerts }: Props) {
  const failing = alerts.filter(({ status }) => status === 'failing').length
  return (
    <section class="stack-tight" aria-labelledby="alerts-title">
      <h2 id="alerts-title">Alerts</h2>
      <p class="muted">
        They tell you by mail, or call your server, when a price does what you wait for.{' '}
        {roomText(ENGLISH, person, alerts)}
      </p>
      {failing > 0 && (
        <Notice kind="warn">
          {failing === 1 ? 'One of them cannot' : `${failing} of them cannot`} be delivered and was
          switched off.
        </Notice>
      )}
      <p class="actions">
        <a href={PATHS.alerts}>{alerts.length === 0 ? 'Make an alert' : 'See your alerts'}</a>
      </p>
    </section>
  )
}
