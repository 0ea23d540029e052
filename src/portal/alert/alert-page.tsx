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
import { useWords } from '~/portal/words/spoken.tsx'
import { Deliveries } from './deliveries.tsx'
import { alertHref } from './path.ts'
import { State } from './state.tsx'
import { alertTitle, measuredText, waitsText } from './words.ts'

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
  title: alertTitle(props.pageRequest.words, props.alert),
  path: PATHS.developer,
  status: props.complaint ? 400 : 200,
  body: (
    <div class="stack">
      <div class="stack-tight">
        <p class="small">
          <a href={PATHS.alerts}>{props.pageRequest.words.say('alert.all')}</a>
        </p>
        <h1 class="long">{alertTitle(props.pageRequest.words, props.alert)}</h1>
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
  const words = useWords()
  const { say } = words
  const { to, isOnce, createdMs, firedMs } = alert
  return (
    <dl class="facts">
      <dt>{say('alert.waits')}</dt>
      <dd>{waitsText(words, alert)}</dd>
      <dt>{say('alert.state')}</dt>
      <dd>
        <State alert={alert} />
        <Standing alert={alert} />
      </dd>
      <dt>{say('alert.tells')}</dt>
      <dd>
        {to.kind === 'email' ? (
          say('alert.email-by-mail', { email: person.email })
        ) : (
          <bdi>{to.url}</bdi>
        )}
      </dd>
      <dt>{say('alert.ends')}</dt>
      <dd>{say(isOnce ? 'alert.ends-once' : 'alert.ends-deleted')}</dd>
      <dt>{say('alert.made')}</dt>
      <dd>
        <Moment ms={createdMs} />
      </dd>
      <dt>{say('alert.last-fired')}</dt>
      <dd>{firedMs === null ? say('alert.not-yet') : <Moment ms={firedMs} />}</dd>
    </dl>
  )
}

/** Value of the watched field when it was last evaluated, in words. */
function Standing({ alert }: { alert: Alert }) {
  const words = useWords()
  const { status, standing, lastValue, when } = alert
  if (status !== 'active') return null
  return (
    <span class="row-note">
      {lastValue !== null && fieldOf(when.field).unit !== null && (
        <>
          {words.say('alert.stood', {
            value: measuredText(words, when.field, lastValue, alert.corridor),
          })}{' '}
        </>
      )}
      {standing.isTrue && words.say('alert.again')}
    </span>
  )
}

function Deeds({ pageRequest, alert }: AlertPageProps) {
  const { say } = useWords()
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
        ? deed(PATHS.alertStatus, say('alert.pause'), { status: 'paused' })
        : deed(PATHS.alertStatus, say('alert.turn-on'), { status: 'active' })}
      {deed(PATHS.testAlert, say(to.kind === 'email' ? 'alert.test-mail' : 'alert.test'))}
      <a class="button button-quiet" href={alertHref(PATHS.changeAlert, alert)}>
        {say('alert.change')}
      </a>
      {to.kind === 'webhook' && (
        <a class="button button-quiet" href={alertHref(PATHS.alertSecret, alert)}>
          {say('alert.new-secret')}
        </a>
      )}
      <a class="button button-danger" href={alertHref(PATHS.deleteAlert, alert)}>
        {say('alert.delete')}
      </a>
    </div>
  )
}
