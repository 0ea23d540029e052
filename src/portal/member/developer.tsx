import { ACTIVE_KEYS_MAX, isRevoked, KEY_NAME_LENGTH_MAX, type Key } from '~/domain/account.ts'
import type { Alert } from '~/domain/alert/alert.ts'
import { isConnection, keyMark } from '~/domain/api-key.ts'
import { mayIngest, type Plan } from '~/domain/quota.ts'
import { roomText } from '~/portal/alert/list-page.tsx'
import { Field, Select } from '~/portal/form.tsx'
import { Moment } from '~/portal/moment.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { FURTHER_KEY_ID, KEYS_ID, PATHS } from '~/portal/paths.ts'
import { type Column, RowTable } from '~/portal/row-table.tsx'
import { linkTo, Name, useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import type { KeyUsage, OwnUsage } from '~/service/own-usage.ts'
import { Connections } from './connections.tsx'
import { lastUsedText } from './last-used.ts'
import type { PageRequest, Person } from './page-request.tsx'
import { PROGRAMS } from './program-setups.ts'
import { Quota } from './quota.tsx'
import { TokenForm } from './token-form.tsx'
import { ToolClients } from './tool-clients.tsx'
import { TryIt } from './try-it.tsx'
import { UsageChart } from './usage-chart.tsx'

type Props = {
  readonly pageRequest: PageRequest
  readonly person: Person
  readonly usage: OwnUsage
  readonly alerts: readonly Alert[]
  readonly home: string
  readonly limits: Readonly<Record<Plan, number>>
  readonly said: Said
}

/** The outcome of a form, if one was sent. */
export type Said = {
  readonly complaint?: string
  readonly notice?: string | undefined
  /** The name requested for a further key, with the reason for refusing it. */
  readonly name?: string
  /** Intended use of that key. */
  readonly use?: string
  readonly nameFault?: string
  /** The only pages that were to use it, with the reason for refusing them. */
  readonly origins?: string
  readonly originsFault?: string
}

export const developerPage = (props: Props): Page => ({
  title: props.pageRequest.words.say('developer.title'),
  path: PATHS.developer,
  scripts: ['try-it'],
  status: props.said.complaint || props.said.nameFault || props.said.originsFault ? 400 : 200,
  body: (
    <div class="stack">
      <Head {...props} />
      <Quota {...props} nowMs={props.pageRequest.nowMs} />
      {mayIngest(props.person.account.role) && <Prices />}
      <Keys {...props} />
      <Connections usage={props.usage} nowMs={props.pageRequest.nowMs} />
      <AlertsSection person={props.person} alerts={props.alerts} />
      <section class="stack-tight" aria-labelledby="usage-title">
        <h2 id="usage-title">{props.pageRequest.words.say('usage.title')}</h2>
        <UsageChart usage={props.usage} nowMs={props.pageRequest.nowMs} />
      </section>
      <TryIt home={props.home} />
      <ToolClients home={props.home} />
    </div>
  ),
})

function Head({ person }: Props) {
  const { say, rich } = useWords()
  return (
    <div class="page-head">
      <div class="stack-tight">
        <h1>{say('developer.title')}</h1>
        <p class="lead" dir="auto">
          {person.email}
        </p>
        <p>{rich('developer.profile', { link: linkTo(PATHS.profile) })}</p>
      </div>
      <TokenForm
        action={PATHS.signOut}
        send={say('developer.sign-out')}
        look="button button-quiet"
      />
    </div>
  )
}

function Prices() {
  const { say } = useWords()
  return (
    <section class="stack-tight" aria-labelledby="prices-title">
      <h2 id="prices-title">{say('provider.prices')}</h2>
      <p>
        <a class="button" href={PATHS.prices}>
          {say('developer.record')}
        </a>
      </p>
      <p class="muted small">{say('developer.record-note')}</p>
    </section>
  )
}

function Keys({ pageRequest, usage, said }: Props) {
  const { say } = useWords()
  const { nowMs } = pageRequest
  const own = usage.keys.filter(({ key }) => !isConnection(key))
  const active = own.filter(({ key }) => !isRevoked(key, nowMs))
  const ended = own.filter(({ key }) => isRevoked(key, nowMs)).toReversed()
  return (
    <section class="stack-tight" aria-labelledby={KEYS_ID}>
      <h2 id={KEYS_ID}>{say('keys.title')}</h2>
      {said.complaint && <Notice kind="bad">{said.complaint}</Notice>}
      {said.notice && <Notice kind="good">{said.notice}</Notice>}
      {active.length === 0 ? (
        <p class="muted">{say('keys.none')}</p>
      ) : (
        <KeyTable active={active} nowMs={nowMs} />
      )}
      <FurtherKey said={said} />
      <p class="muted small">
        {say('keys.most', { most: ACTIVE_KEYS_MAX })}
        {own.some(({ key }) => key.lastFour === null) && ` ${say('keys.unmarked')}`}
      </p>
      {ended.length > 0 && <EndedKeys ended={ended} />}
    </section>
  )
}

/** A key that is not for one program. */
const API_USE = 'api'

function FurtherKey({ said }: Pick<Props, 'said'>) {
  const { words, say } = useWords()
  return (
    <div id={FURTHER_KEY_ID}>
      <TokenForm action={`${PATHS.keys}#${FURTHER_KEY_ID}`} send={say('keys.create')} isInRow>
        <Field
          name="name"
          label={say('keys.name')}
          value={said.name}
          error={said.nameFault}
          isRequired
          input={{ autocomplete: 'off', maxLength: KEY_NAME_LENGTH_MAX }}
        />
        <Select
          name="use"
          label={say('keys.use')}
          value={said.use ?? API_USE}
          options={[
            { value: API_USE, text: say('keys.api') },
            ...PROGRAMS.map(({ id, name }) => ({
              value: id,
              text: say('keys.mids-only', { program: name(words) }),
            })),
          ]}
        />
        <Field
          name="origins"
          label={say('keys.origins')}
          value={said.origins}
          error={said.originsFault}
          input={{ autocomplete: 'off', spellcheck: false }}
        />
      </TokenForm>
    </div>
  )
}

function KeyTable({ active, nowMs }: { active: readonly KeyUsage[]; nowMs: number }) {
  const words = useWords()
  return (
    <RowTable
      label={words.say('keys.in-use')}
      columns={keyColumns(words, nowMs)}
      rows={active}
      keyOf={({ key }) => key.id}
    />
  )
}

const keyColumns = (words: Words, nowMs: number): Column<KeyUsage>[] => [
  { head: words.say('second-factor.name'), cell: ({ key }) => <KeyName of={key} nowMs={nowMs} /> },
  { head: words.say('keys.key'), class: 'nowrap', cell: ({ key }) => <Name>{keyMark(key)}</Name> },
  { head: words.say('keys.created'), cell: ({ key }) => words.dayText(key.createdMs) },
  { head: words.say('profile.last-used'), cell: (one) => lastUsedText(words, one, nowMs) },
  {
    head: words.say('developer.today'),
    class: 'number',
    cell: ({ key: { dailyBudget: budget = null }, days }) =>
      budget === null ? days.at(-1) : words.say('keys.used-of', { used: days.at(-1)!, budget }),
  },
  {
    head: words.say('profile.actions'),
    label: null,
    class: 'actions',
    cell: ({ key }) => <KeyActions of={key} />,
  },
]

function KeyName({ of: { name, revokedMs, origins }, nowMs }: { of: Key; nowMs: number }) {
  const { say, spanText } = useWords()
  return (
    <>
      <Name>{name}</Name> {origins && <span class="muted small">{origins.join(', ')} </span>}
      {revokedMs !== null && (
        <span class="tag tag-warn">
          {say('keys.ends-in', { span: spanText(revokedMs - nowMs) })}
        </span>
      )}
    </>
  )
}

function KeyActions({ of: { id, name, revokedMs, dailyBudget = null } }: { of: Key }) {
  const { say } = useWords()
  return (
    <>
      {revokedMs === null && dailyBudget === null && (
        <a href={`${PATHS.replace}?key=${id}`}>
          {say('keys.replace')}
          <span class="visually-hidden"> {name}</span>
        </a>
      )}
      <a href={`${PATHS.revoke}?key=${id}`}>
        {say('keys.revoke')}
        <span class="visually-hidden"> {name}</span>
      </a>
    </>
  )
}

function EndedKeys({ ended }: { ended: readonly KeyUsage[] }) {
  const { say, rich } = useWords()
  return (
    <details>
      <summary>{say('keys.ended-count', { count: ended.length })}</summary>
      <ul class="stack-tight details-body">
        {ended.map(({ key }) => (
          <li key={key.id}>
            <Name>{key.name}</Name>{' '}
            <span class="muted">
              {rich('keys.ended', { mark: keyMark(key), time: <Moment ms={key.revokedMs!} /> })}
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}

type AlertsProps = { readonly person: Person; readonly alerts: readonly Alert[] }

/** The way from the developer area to the alerts, and their state. */
function AlertsSection({ person, alerts }: AlertsProps) {
  const { words, say } = useWords()
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
