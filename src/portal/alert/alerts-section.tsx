/** @jsxImportSource preact */
import type { Alert } from '~/domain/alert/alert.ts'
import type { Person } from '~/portal/member/page-request.tsx'
import { Notice } from '~/portal/notice.tsx'
import { PATHS } from '~/portal/paths.ts'
import { useWords } from '~/portal/words/spoken.tsx'
import { roomText } from './list-page.tsx'

type Props = { readonly person: Person; readonly alerts: readonly Alert[] }

/** The way from the developer area to the alerts, and how they stand. */
export function AlertsSection({ person, alerts }: Props) {
  const words = useWords()
  const { say } = words
  const count = alerts.filter(({ status }) => status === 'failing').length
  return (
    <section class="stack-tight" aria-labelledby="alerts-title">
      <h2 id="alerts-title">{say('alert.list')}</h2>
      <p class="muted">
        {say('developer.alerts-lead')} {roomText(words, person, alerts)}
      </p>
      {count > 0 && <Notice kind="warn">{say('developer.alerts-failing', { count })}</Notice>}
      <p class="actions">
        <a href={PATHS.alerts}>
          {say(alerts.length === 0 ? 'developer.alerts-make' : 'developer.alerts-see')}
        </a>
      </p>
    </section>
  )
}
