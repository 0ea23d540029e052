/** @jsxImportSource preact */
import { ALERTS_MAX, type Alert } from '~/domain/alert/alert.ts'
import type { Person } from '~/portal/member/page-request.tsx'
import { Moment } from '~/portal/moment.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { type Column, RowTable } from '~/portal/row-table.tsx'
import { alertHref } from './path.ts'
import { State } from './state.tsx'
import { alertTitle, conditionText, corridorText, destinationText } from './words.ts'

type Props = {
  readonly person: Person
  /** Those that have ended last. */
  readonly alerts: readonly Alert[]
  readonly news?: string | undefined
}

export const alertListPage = ({ person, alerts, news }: Props): Page => ({
  title: 'Alerts',
  path: PATHS.developer,
  body: (
    <div class="stack">
      <div class="page-head">
        <div class="stack-tight">
          <h1>Alerts</h1>
          <p class="lead">
            An alert tells you by mail, or calls your server, when a price does what you wait for.
          </p>
        </div>
        <a class="button" href={PATHS.newAlert}>
          New alert
        </a>
      </div>
      {news && <Notice kind="good">{news}</Notice>}
      <Lists alerts={alerts} />
      <p class="muted small">
        {roomText(person, alerts)} They are judged on the prices that your plan sees.{' '}
        <a href={PATHS.developer}>Back to the developer area</a>
      </p>
    </div>
  ),
})

/** How many alerts an account has, of those that it may have. */
export function roomText({ account: { plan } }: Person, alerts: readonly Alert[]): string {
  const held = alerts.filter(({ status }) => status !== 'ended').length
  return `You have ${held} of the ${ALERTS_MAX[plan]} alerts of the ${plan} plan.`
}

function Lists({ alerts }: { alerts: readonly Alert[] }) {
  const held = alerts.filter(({ status }) => status !== 'ended')
  const ended = alerts.filter(({ status }) => status === 'ended')
  return (
    <section class="stack-tight" aria-label="Your alerts">
      {held.length === 0 ? <NoAlerts /> : <AlertTable label="Alerts" alerts={held} />}
      {ended.length > 0 && (
        <details>
          <summary>
            {ended.length} ended {ended.length === 1 ? 'alert' : 'alerts'}
          </summary>
          <div class="details-body">
            <AlertTable label="Ended alerts" alerts={ended} />
          </div>
        </details>
      )}
    </section>
  )
}

const NoAlerts = () => (
  <Notice kind="plain" title="You have no alerts yet">
    Make an alert here, or look up a pair on <a href={PATHS.board}>the market board</a> and press
    “Tell me when…” there.
  </Notice>
)

const AlertTable = ({ label, alerts }: { label: string; alerts: readonly Alert[] }) => (
  <RowTable label={label} columns={COLUMNS} rows={alerts} keyOf={({ id }) => id} />
)

const COLUMNS: Column<Alert>[] = [
  { head: 'Alert', cell: (alert) => <Title alert={alert} /> },
  { head: 'State', cell: (alert) => <State alert={alert} /> },
  { head: 'Tells', cell: ({ to }) => <div class="long">{destinationText(to)}</div> },
  {
    head: 'Last fired',
    cell: ({ firedMs }) => (firedMs === null ? 'not yet' : <Moment ms={firedMs} />),
  },
]

const Title = ({ alert }: { alert: Alert }) => (
  <div>
    <a href={alertHref(PATHS.alert, alert)}>{alertTitle(alert)}</a>
    {alert.name !== null && (
      <span class="row-note">
        {corridorText(alert)}: {conditionText(alert)}
      </span>
    )}
  </div>
)
