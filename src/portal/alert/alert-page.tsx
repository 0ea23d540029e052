import type { Alert } from '~/domain/alert/alert.ts'
import { DELIVERIES_MAX, type Delivery } from '~/domain/alert/delivery.ts'
import { fieldOf } from '~/domain/alert/field.ts'
import { deliveryErrorKind } from '~/domain/alert/reason.ts'
import type { PageRequest, Person } from '~/portal/member/page-request.tsx'
import { TokenForm } from '~/portal/member/token-form.tsx'
import { Moment } from '~/portal/moment.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { type Column, RowTable } from '~/portal/row-table.tsx'
import { useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import { alertHref } from './path.ts'
import { State } from './state.tsx'
import { alertTitle, measuredText, waitsText } from './words.ts'

type AlertPageProps = {
  readonly pageRequest: PageRequest
  readonly person: Person
  readonly alert: Alert
  /** The newest first. */
  readonly deliveries: readonly Delivery[]
  readonly notice?: string | undefined
  readonly complaint?: string | undefined
}

/** Everything about one alert: its condition, its state, and the outcome of its deliveries. */
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
        {props.notice && <Notice kind="good">{props.notice}</Notice>}
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
  const { words, say } = useWords()
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

function Deeds({ alert }: AlertPageProps) {
  const { say } = useWords()
  const { id, status, to } = alert
  const deed = (action: string, send: string, hidden: Readonly<Record<string, string>> = {}) => (
    <TokenForm {...{ action, send }} look="button button-quiet" hidden={{ id, ...hidden }} />
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

type DeliveriesProps = {
  readonly deliveries: readonly Delivery[]
  readonly isMail: boolean
  readonly nowMs: number
  readonly here: string
}

function Deliveries({ deliveries, isMail, nowMs, here }: DeliveriesProps) {
  const { words, say } = useWords()
  const isWaiting = deliveries.some(({ status }) => status === 'waiting')
  return (
    <section class="stack-tight" aria-labelledby="deliveries-title">
      <h2 id="deliveries-title">{say('delivery.title')}</h2>
      {deliveries.length === 0 ? (
        <p class="muted">{say(isMail ? 'delivery.none-mail' : 'delivery.none-call')}</p>
      ) : (
        <RowTable
          label={say('delivery.title')}
          columns={columnsAt(words, nowMs, isMail)}
          rows={deliveries}
          keyOf={({ id }) => id}
        />
      )}
      {isWaiting && (
        <p>
          <a href={here}>{say('delivery.look-again')}</a>
        </p>
      )}
      <p class="muted small">{say('delivery.tries-note', { most: DELIVERIES_MAX })}</p>
    </section>
  )
}

const columnsAt = ({ say }: Words, nowMs: number, isMail: boolean): Column<Delivery>[] => [
  { head: say('alert.made'), cell: ({ createdMs }) => <Moment ms={createdMs} /> },
  { head: say('delivery.what'), cell: ({ kind }) => say(`delivery-kind.${kind}`) },
  { head: say('alert.state'), cell: (delivery) => <Outcome of={delivery} nowMs={nowMs} /> },
  {
    head: say(isMail ? 'delivery.mail-server' : 'delivery.answer'),
    cell: (delivery) => <Answer of={delivery} />,
  },
  { head: say('delivery.tries'), class: 'number', cell: ({ tries }) => tries },
  { head: say('delivery.sent'), label: null, cell: (delivery) => <Sent of={delivery} /> },
]

function Outcome({ of: { status, nextMs, doneMs }, nowMs }: { of: Delivery; nowMs: number }) {
  const { words, say } = useWords()
  if (status === 'done')
    return (
      <div>
        <span class="tag tag-good">{say('delivery.arrived')}</span>{' '}
        {doneMs !== null && <Moment ms={doneMs} />}
      </div>
    )
  if (status === 'given_up') return <span class="tag tag-warn">{say('delivery.given-up')}</span>
  return (
    <div>
      <span class="tag">{say('delivery.waiting')}</span>{' '}
      {nextMs > nowMs
        ? say('delivery.next', { span: shortSpan(words, nextMs - nowMs) })
        : say('delivery.sending')}
    </div>
  )
}

const SECOND_MS = 1000
const MINUTE_MS = 60_000

const shortSpan = ({ spanText }: Words, ms: number): string =>
  ms < MINUTE_MS ? `${Math.ceil(ms / SECOND_MS)} s` : spanText(ms)

function Answer({ of: { tries, lastStatus, lastError, lastReply, lastMs } }: { of: Delivery }) {
  const { words, say } = useWords()
  if (tries === 0) return <div>{say('delivery.untried')}</div>
  const took = lastMs === null ? '' : ` ${say('delivery.after', { span: tookText(words, lastMs) })}`
  return (
    <div>
      <bdi>{lastReply ?? lastStatus ?? say('delivery.no-answer')}</bdi>
      {took}
      {lastError !== null && <Fault error={lastError} />}
    </div>
  )
}

/** An error of ours in the reader's language; one of a receiver as it was, in English. */
function Fault({ error }: { error: string }) {
  const { say } = useWords()
  const kind = deliveryErrorKind(error)
  return kind ? (
    <span class="row-note">{say(`delivery-error.${kind}`)}</span>
  ) : (
    <span class="row-note" lang="en" dir="ltr">
      {error}
    </span>
  )
}

const tookText = ({ amountText }: Words, ms: number): string =>
  ms < SECOND_MS ? `${ms} ms` : `${amountText(ms / SECOND_MS, 1)} s`

const Sent = ({ of: { id, body } }: { of: Delivery }) => (
  <details class="sent">
    <summary>{useWords().say('corridors.show')}</summary>
    <p class="small">
      <span class="muted">webhook-id</span> {id}
    </p>
    <pre>
      <code>{body}</code>
    </pre>
  </details>
)
