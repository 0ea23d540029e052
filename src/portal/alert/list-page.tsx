import { ALERTS_MAX, type Alert } from '~/domain/alert/alert.ts'
import type { Person } from '~/portal/member/page-request.tsx'
import { Moment } from '~/portal/moment.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { type Column, RowTable } from '~/portal/row-table.tsx'
import { linkTo, Name, useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import { alertHref } from './path.ts'
import { State } from './state.tsx'
import { alertTitle, destinationText, waitsText } from './words.ts'

type Props = {
  readonly person: Person
  readonly words: Words
  /** The alerts that ended last. */
  readonly alerts: readonly Alert[]
  readonly notice?: string | undefined
  /** Whether the notice is that an alert is gone. */
  readonly isGone: boolean
}

export const alertListPage = ({ person, words, alerts, notice, isGone }: Props): Page => ({
  title: words.say('alert.list'),
  path: PATHS.developer,
  body: (
    <div class="stack">
      <div class="page-head">
        <div class="stack-tight">
          <h1>{words.say('alert.list')}</h1>
          <p class="lead">{words.say('alert.list-lead')}</p>
        </div>
        <a class="button" href={PATHS.newAlert}>
          {words.say('alert.new')}
        </a>
      </div>
      {notice && <Notice kind={isGone ? 'warn' : 'good'}>{notice}</Notice>}
      <Lists alerts={alerts} />
      <p class="muted small">
        {roomText(words, person, alerts)} {words.say('alert.judged')}{' '}
        <a href={PATHS.developer}>{words.say('alert.back')}</a>
      </p>
    </div>
  ),
})

/** The number of an account's alerts, and of those that it may have. */
export function roomText(
  { say }: Words,
  { account: { plan } }: Person,
  alerts: readonly Alert[],
): string {
  const held = alerts.filter(({ status }) => status !== 'ended').length
  return say('alert.room', { held, most: ALERTS_MAX[plan], plan: say(`plan.${plan}`) })
}

function Lists({ alerts }: { alerts: readonly Alert[] }) {
  const { say } = useWords()
  const held = alerts.filter(({ status }) => status !== 'ended')
  const ended = alerts.filter(({ status }) => status === 'ended')
  return (
    <section class="stack-tight" aria-label={say('alert.yours')}>
      {held.length === 0 ? <NoAlerts /> : <AlertTable label={say('alert.list')} alerts={held} />}
      {ended.length > 0 && (
        <details>
          <summary>{say('alert.ended-count', { count: ended.length })}</summary>
          <div class="details-body">
            <AlertTable label={say('alert.ended')} alerts={ended} />
          </div>
        </details>
      )}
    </section>
  )
}

function NoAlerts() {
  const { say, rich } = useWords()
  return (
    <Notice kind="plain" title={say('alert.none')}>
      {rich('alert.none-why', { link: linkTo(PATHS.board) })}
    </Notice>
  )
}

const AlertTable = ({ label, alerts }: { label: string; alerts: readonly Alert[] }) => (
  <RowTable label={label} columns={columnsIn(useWords())} rows={alerts} keyOf={({ id }) => id} />
)

const columnsIn = (words: Words): Column<Alert>[] => [
  { head: words.say('alert.alert'), cell: (alert) => <Title alert={alert} /> },
  { head: words.say('alert.state'), cell: (alert) => <State alert={alert} /> },
  {
    head: words.say('alert.tells'),
    cell: ({ to }) => <div class="long">{destinationText(words, to)}</div>,
  },
  {
    head: words.say('alert.last-fired'),
    cell: ({ firedMs }) =>
      firedMs === null ? words.say('alert.not-yet') : <Moment ms={firedMs} />,
  },
]

function Title({ alert }: { alert: Alert }) {
  const words = useWords()
  return (
    <div>
      <a href={alertHref(PATHS.alert, alert)}>
        <Name>{alertTitle(words, alert)}</Name>
      </a>
      {alert.name !== null && <span class="row-note">{waitsText(words, alert)}</span>}
    </div>
  )
}
