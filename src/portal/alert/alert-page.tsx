/** @jsxImportSource preact */
import type { Alert } from '~/domain/alert/alert.ts'
import type { Delivery } from '~/domain/alert/delivery.ts'
import { fieldOf } from '~/domain/alert/field.ts'
import type { PageRequest, Person } from '~/portal/member/page-request.tsx'
import { TokenForm } from '~/portal/member/token-form.tsx'
import { Moment } from '~/portal/moment.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { Deliveries } from './deliveries.tsx'
import { alertHref } from './path.ts'
import { State } from './state.tsx'
import { alertTitle, conditionText, corridorText, measuredText } from './words.ts'

type AlertPageProps = {
  readonly pageRequest: PageRequest
  readonly person: Person
  readonly alert: Alert
  /** The newest first. */
  readonly deliveries: readonly Delivery[]
  readonly news?: string | undefined
  readonly complaint?: string | undefined
}

/** Everything about one alert: what it waits for, how it stands, and what came of telling it. */
export const alertPage = (props: AlertPageProps): Page => ({
  title: alertTitle(props.alert),
  path: PATHS.developer,
  status: props.complaint ? 400 : 200,
  body: (
    <div class="stack">
      <div class="stack-tight">
        <p class="small">
          <a href={PATHS.alerts}>All alerts</a>
        </p>
        <h1 class="long">{alertTitle(props.alert)}</h1>
        {props.complaint && <Notice kind="bad">{props.complaint}</Notice>}
        {props.news && <Notice kind="good">{props.news}</Notice>}
        <Facts {...props} />
        <Deeds {...props} />
      </div>
      <Deliveries
        deliveries={props.deliveries}
        isMail={props.alert.to.kind === 'email'}
        nowMs={props.pageRequest.nowMs}
        here={alertHref(PATHS.alert, props.alert)}
      />
    </div>
  ),
})

function Facts({ alert, person }: AlertPageProps) {
  const { to, isOnce, createdMs, firedMs } = alert
  return (
    <dl class="facts">
      <dt>Waits until</dt>
      <dd>
        {corridorText(alert)}: {conditionText(alert)}
      </dd>
      <dt>State</dt>
      <dd>
        <State alert={alert} />
        <Standing alert={alert} />
      </dd>
      <dt>Tells</dt>
      <dd>{to.kind === 'email' ? `${person.email}, by mail` : to.url}</dd>
      <dt>Ends</dt>
      <dd>{isOnce ? 'once it has notified you' : 'when you delete it'}</dd>
      <dt>Made</dt>
      <dd>
        <Moment ms={createdMs} />
      </dd>
      <dt>Last fired</dt>
      <dd>{firedMs === null ? 'not yet' : <Moment ms={firedMs} />}</dd>
    </dl>
  )
}

/** How what is watched stood when it was last judged, in words. */
function Standing({ alert }: { alert: Alert }) {
  const { status, standing, lastValue, when } = alert
  if (status !== 'active') return null
  return (
    <span class="row-note">
      {lastValue !== null && fieldOf(when.field).unit !== null && (
        <>It stood at {measuredText(when.field, lastValue, alert.corridor)} when last looked at. </>
      )}
      {standing.isTrue && 'It tells you again once this was untrue in between.'}
    </span>
  )
}

function Deeds({ pageRequest, alert }: AlertPageProps) {
  const { id, status, to } = alert
  const deed = (action: string, send: string, hidden: Readonly<Record<string, string>> = {}) => (
    <TokenForm
      {...{ pageRequest, action, send }}
      look="button button-quiet"
      hidden={{ id, ...hidden }}
    />
  )
  return (
    <div class="deeds">
      {status === 'active'
        ? deed(PATHS.alertStatus, 'Pause', { status: 'paused' })
        : deed(PATHS.alertStatus, 'Turn on', { status: 'active' })}
      {deed(PATHS.testAlert, to.kind === 'email' ? 'Send a test mail' : 'Send a test')}
      <a class="button button-quiet" href={alertHref(PATHS.changeAlert, alert)}>
        Change
      </a>
      {to.kind === 'webhook' && (
        <a class="button button-quiet" href={alertHref(PATHS.alertSecret, alert)}>
          New secret
        </a>
      )}
      <a class="button button-danger" href={alertHref(PATHS.deleteAlert, alert)}>
        Delete
      </a>
    </div>
  )
}
