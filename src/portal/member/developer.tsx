/** @jsxImportSource preact */
import { ACTIVE_KEYS_MAX, isRevoked, KEY_NAME_LENGTH_MAX, type Key } from '~/domain/account.ts'
import type { Alert } from '~/domain/alert/alert.ts'
import { isConnection, keyMark } from '~/domain/api-key.ts'
import { mayIngest, type Plan, tierOf } from '~/domain/quota.ts'
import { AlertsSection } from '~/portal/alert/alerts-section.tsx'
import { Field, Select } from '~/portal/form.tsx'
import { dayText, spanText } from '~/portal/format.ts'
import { Moment } from '~/portal/moment.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { FURTHER_KEY_ID, KEYS_ID, PATHS } from '~/portal/paths.ts'
import { type Column, RowTable } from '~/portal/row-table.tsx'
import type { KeyUsage, OwnUsage } from '~/service/own-usage.ts'
import { Connections } from './connections.tsx'
import { lastUsedText } from './last-used.ts'
import type { PageRequest, Person } from './page-request.tsx'
import { PROGRAMS } from './program-setups.ts'
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
  readonly news?: string | undefined
  /** The name asked for a further key, with the reason why there is none. */
  readonly name?: string
  /** Intended use of that key. */
  readonly use?: string
  readonly nameFault?: string
  /** The pages that alone were to use it, with the reason why that cannot be. */
  readonly origins?: string
  readonly originsFault?: string
}

export const developerPage = (props: Props): Page => ({
  title: 'Developer area',
  path: PATHS.developer,
  scripts: ['copy', 'try-it'],
  status: props.said.complaint || props.said.nameFault || props.said.originsFault ? 400 : 200,
  body: (
    <div class="stack">
      <Head {...props} />
      <Quota {...props} />
      {mayIngest(props.person.account.role) && <Prices />}
      <Keys {...props} />
      <Connections usage={props.usage} nowMs={props.pageRequest.nowMs} />
      <AlertsSection person={props.person} alerts={props.alerts} />
      <section class="stack-tight" aria-labelledby="usage-title">
        <h2 id="usage-title">Usage in the last 30 days</h2>
        <UsageChart usage={props.usage} nowMs={props.pageRequest.nowMs} />
      </section>
      <TryIt home={props.home} />
      <ToolClients home={props.home} />
    </div>
  ),
})

const Head = ({ pageRequest, person }: Props) => (
  <div class="page-head">
    <div class="stack-tight">
      <h1>Developer area</h1>
      <p class="lead">{person.email}</p>
      <p>
        <a href={PATHS.profile}>Your profile</a>: password, second step, sessions, your data
      </p>
    </div>
    <TokenForm
      pageRequest={pageRequest}
      action={PATHS.signOut}
      send="Sign out"
      look="button button-quiet"
    />
  </div>
)

const Prices = () => (
  <section class="stack-tight" aria-labelledby="prices-title">
    <h2 id="prices-title">Prices</h2>
    <p>
      <a class="button" href={PATHS.prices}>
        Record prices from a table
      </a>
    </p>
    <p class="muted small">Excel, CSV or pasted; uploads can be withdrawn.</p>
  </section>
)

function Quota({ usage: { quota }, person: { account }, limits, pageRequest }: Props) {
  const tier = tierOf(account.plan)
  return (
    <section class="stack-tight" aria-labelledby="quota-title">
      <h2 id="quota-title">Today</h2>
      <div class="cards">
        <div class="card">
          <p class="figure-label">Left today</p>
          <p class="figure">{quota.remaining}</p>
          <p class="figure-note">
            of {quota.limit} requests; {quota.used} used by all keys
          </p>
        </div>
        <div class="card">
          <p class="figure-label">Resets in</p>
          <p class="figure">{spanText(quota.resetMs - pageRequest.nowMs)}</p>
          <p class="figure-note">
            <Moment ms={quota.resetMs} />
          </p>
        </div>
        <div class="card">
          <p class="figure-label">Plan</p>
          <p class="figure">{account.plan}</p>
          <p class="figure-note">
            {mayIngest(account.role)
              ? `role ${account.role}: can read and record prices`
              : 'can read prices; recording them needs the treasury role'}
          </p>
        </div>
        <div class="card">
          <p class="figure-label">Freshness</p>
          <p class="figure">{tier}</p>
          <p class="figure-note">
            {tier === 'hourly'
              ? 'answers show the data of the last full hour (UTC), and say so'
              : 'answers show the data of this moment'}
          </p>
        </div>
      </div>
      <p class="muted small">
        The free plan has {limits.free} requests a day and pro {limits.pro}, both with hourly data;
        enterprise has {limits.enterprise}, with live data. Only successful answers count. To change
        your plan, ask whoever runs this service.
      </p>
    </section>
  )
}

function Keys({ pageRequest, usage, said }: Props) {
  const { nowMs } = pageRequest
  const own = usage.keys.filter(({ key }) => !isConnection(key))
  const active = own.filter(({ key }) => !isRevoked(key, nowMs))
  const ended = own.filter(({ key }) => isRevoked(key, nowMs)).toReversed()
  return (
    <section class="stack-tight" aria-labelledby={KEYS_ID}>
      <h2 id={KEYS_ID}>Keys</h2>
      {said.complaint && <Notice kind="bad">{said.complaint}</Notice>}
      {said.news && <Notice kind="good">{said.news}</Notice>}
      {active.length === 0 ? (
        <p class="muted">No key is in use. Create one below; you will see it once.</p>
      ) : (
        <KeyTable active={active} nowMs={nowMs} />
      )}
      <FurtherKey pageRequest={pageRequest} said={said} />
      <p class="muted small">
        You can have up to {ACTIVE_KEYS_MAX} keys; they share your daily requests.
        {own.some(({ key }) => key.lastFour === null) &&
          ' Keys shown as crd_… were created before their last four characters were kept.'}
      </p>
      {ended.length > 0 && <EndedKeys ended={ended} />}
    </section>
  )
}

/** A key that is not for one program. */
const API_USE = 'api'

const FurtherKey = ({ pageRequest, said }: Pick<Props, 'pageRequest' | 'said'>) => (
  <div id={FURTHER_KEY_ID}>
    <TokenForm
      pageRequest={pageRequest}
      action={`${PATHS.keys}#${FURTHER_KEY_ID}`}
      send="Create key"
      isInRow
    >
      <Field
        name="name"
        label="Name of the new key"
        value={said.name}
        error={said.nameFault}
        isRequired
        input={{ autocomplete: 'off', maxLength: KEY_NAME_LENGTH_MAX }}
      />
      <Select
        name="use"
        label="What it is for"
        value={said.use ?? API_USE}
        options={[
          { value: API_USE, text: 'The API: everything this account may do' },
          ...PROGRAMS.map(({ id, name }) => ({ value: id, text: `${name}: mids only` })),
        ]}
      />
      <Field
        name="origins"
        label="Only for web pages of (optional)"
        value={said.origins}
        error={said.originsFault}
        input={{ autocomplete: 'off', spellcheck: false }}
      />
    </TokenForm>
  </div>
)

const KeyTable = ({ active, nowMs }: { active: readonly KeyUsage[]; nowMs: number }) => (
  <RowTable
    label="Keys in use"
    columns={keyColumns(nowMs)}
    rows={active}
    keyOf={({ key }) => key.id}
  />
)

const keyColumns = (nowMs: number): Column<KeyUsage>[] => [
  { head: 'Name', cell: ({ key }) => <KeyName of={key} nowMs={nowMs} /> },
  { head: 'Key', class: 'nowrap', cell: ({ key }) => keyMark(key) },
  { head: 'Created', cell: ({ key }) => dayText(key.createdMs) },
  { head: 'Last used', cell: (one) => lastUsedText(one, nowMs) },
  {
    head: 'Today',
    class: 'number',
    cell: ({ key: { dailyBudget = null }, days }) =>
      dailyBudget === null ? days.at(-1) : `${days.at(-1)} of ${dailyBudget}`,
  },
  { head: 'Actions', label: null, class: 'actions', cell: ({ key }) => <KeyActions of={key} /> },
]

const KeyName = ({ of: { name, revokedMs, origins }, nowMs }: { of: Key; nowMs: number }) => (
  <>
    {name} {origins && <span class="muted small">{origins.join(', ')} </span>}
    {revokedMs !== null && <span class="tag tag-warn">ends in {spanText(revokedMs - nowMs)}</span>}
  </>
)

const KeyActions = ({ of: { id, name, revokedMs, dailyBudget = null } }: { of: Key }) => (
  <>
    {revokedMs === null && dailyBudget === null && (
      <a href={`${PATHS.replace}?key=${id}`}>
        Replace<span class="visually-hidden"> {name}</span>
      </a>
    )}
    <a href={`${PATHS.revoke}?key=${id}`}>
      Revoke<span class="visually-hidden"> {name}</span>
    </a>
  </>
)

const EndedKeys = ({ ended }: { ended: readonly KeyUsage[] }) => (
  <details>
    <summary>
      {ended.length} ended {ended.length === 1 ? 'key' : 'keys'}
    </summary>
    <ul class="stack-tight details-body">
      {ended.map(({ key }) => (
        <li key={key.id}>
          {key.name} <span class="muted">{keyMark(key)} ended</span> <Moment ms={key.revokedMs!} />
        </li>
      ))}
    </ul>
  </details>
)
