import { type Account, isRevoked, type Key, type ListedAccount } from '~/domain/account.ts'
import { keyMark } from '~/domain/api-key.ts'
import { PLANS, type Plan, ROLES } from '~/domain/quota.ts'
import { Field, Select } from '~/portal/form.tsx'
import { questionPage } from '~/portal/member/question-page.tsx'
import { TokenForm } from '~/portal/member/token-form.tsx'
import { Moment } from '~/portal/moment.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { type Column, RowTable } from '~/portal/row-table.tsx'
import { ListPages, placeText } from './list-pages.tsx'
import { Places } from './operator.tsx'

export const ACCOUNTS_PAGE = 50

/** Where the last page of a list of that length begins. */
export const lastOffset = (total: number): number =>
  Math.max(0, Math.ceil(total / ACCOUNTS_PAGE) - 1) * ACCOUNTS_PAGE

type List = {
  readonly search: string
  readonly offset: number
  readonly total: number
  readonly accounts: readonly ListedAccount[]
}

export const accountsPage = (list: List): Page => ({
  title: 'Accounts',
  path: PATHS.operator,
  body: (
    <div class="stack">
      <div class="stack-tight">
        <h1>Accounts</h1>
        <Places current={PATHS.accounts} />
      </div>
      <search>
        <form method="get" action={PATHS.accounts} class="form-row">
          <Field
            name="search"
            label="Part of the address"
            value={list.search}
            input={{ autocomplete: 'off', maxLength: 254, spellcheck: false }}
          />
          <button type="submit" class="button button-quiet">
            Search
          </button>
        </form>
      </search>
      <section class="stack-tight" aria-label="Accounts found">
        <p class="muted">{foundText(list)}</p>
        {list.accounts.length > 0 && (
          <RowTable
            label="Accounts"
            columns={COLUMNS}
            rows={list.accounts}
            keyOf={({ id }) => id}
          />
        )}
        <ListPages
          {...placeOf(list)}
          label="Pages"
          size={ACCOUNTS_PAGE}
          hrefOf={(start) => accountsHref(list.search, start)}
        />
      </section>
    </div>
  ),
})

const placeOf = ({ offset, total, accounts }: List) => ({ offset, shown: accounts.length, total })

const foundText = (list: List): string =>
  list.total === 0 ? 'No account matches.' : placeText(placeOf(list), 'account')

export const accountsHref = (search: string, start: number): string =>
  `${PATHS.accounts}?${new URLSearchParams({ search, offset: String(start) })}`

const COLUMNS: Column<ListedAccount>[] = [
  {
    head: 'Address',
    cell: ({ id, email }) => <a href={`${PATHS.account}?id=${id}`}>{email}</a>,
  },
  { head: 'Plan', cell: ({ plan }) => plan },
  { head: 'Role', cell: ({ role }) => role },
  { head: 'Since', cell: ({ createdMs }) => <Moment ms={createdMs} /> },
  {
    head: 'Keys in use',
    class: 'number',
    cell: ({ activeKeyCount, keyCount }) => `${activeKeyCount} of ${keyCount}`,
  },
]

type One = {
  readonly nowMs: number
  readonly account: Account
  readonly keys: readonly Key[]
  readonly used: number
  readonly limit: number
  readonly complaint: string | null
  /** A notice of what was done just now. */
  readonly done: string | null
  /** The ids of providers as they were sent, if they were refused. */
  readonly providers?: string | undefined
}

const options = (values: readonly string[]) => values.map((value) => ({ value, text: value }))

export const accountPage = ({
  nowMs,
  account,
  keys,
  used,
  limit,
  complaint,
  done,
  providers,
}: One): Page => ({
  title: account.email,
  path: PATHS.operator,
  status: complaint === null ? 200 : 400,
  body: (
    <div class="stack">
      <div class="stack-tight">
        <h1 class="long">{account.email}</h1>
        <Places current={PATHS.accounts} />
        <p class="muted">
          {used} of {limit} requests used today.
        </p>
      </div>
      {complaint && <Notice kind="bad">{complaint}</Notice>}
      {done && <Notice kind="good">{done}</Notice>}
      <section class="stack-tight narrow" aria-labelledby="plan-title">
        <h2 id="plan-title">Plan and role</h2>
        <TokenForm action={PATHS.account} send="Save" hidden={{ id: account.id }}>
          <Select name="plan" label="Plan" value={account.plan} options={options(PLANS)} />
          <Select name="role" label="Role" value={account.role} options={options(ROLES)} />
        </TokenForm>
      </section>
      <ProviderLimit account={account} sent={providers} />
      <section class="stack-tight" aria-labelledby="account-keys">
        <h2 id="account-keys">Keys</h2>
        {keys.length === 0 && <p class="muted">This account has no key.</p>}
        <Keys keys={keys} nowMs={nowMs} />
      </section>
    </div>
  ),
})

const Keys = ({ keys, nowMs }: Pick<One, 'keys' | 'nowMs'>) => (
  <ul class="stack-tight">
    {keys.map((key) => (
      <li key={key.id} class="actions">
        <strong>{key.name}</strong> <span class="muted">{keyMark(key)}</span>{' '}
        <KeyState of={key} nowMs={nowMs} />
      </li>
    ))}
  </ul>
)

/** The providers of an account that may be limited to some, or is. */
function ProviderLimit({ account, sent }: Pick<One, 'account'> & { sent: One['providers'] }) {
  const { id, role, providers } = account
  if (role !== 'treasury' && !providers) return null
  return (
    <section class="stack-tight narrow" aria-labelledby="providers-title">
      <h2 id="providers-title">Providers</h2>
      <p class="muted">
        {providers
          ? 'As a treasury account it records and withdraws prices of these providers only.'
          : 'This account records prices of all providers, and withdraws what it recorded itself.'}
      </p>
      <TokenForm action={PATHS.operatorProviders} send="Save providers" hidden={{ id }}>
        <Field
          name="providers"
          label="Ids of providers"
          hint="Separated by commas. Leave it empty for no limit."
          value={sent ?? providers?.join(', ')}
          input={{ autocomplete: 'off', spellcheck: false }}
        />
      </TokenForm>
    </section>
  )
}

function KeyState({ of: key, nowMs }: { of: Key; nowMs: number }) {
  if (isRevoked(key, nowMs))
    return (
      <span class="muted">
        ended <Moment ms={key.revokedMs!} />
      </span>
    )
  const question = new URLSearchParams({ account: key.accountId, key: key.id })
  return (
    <>
      {key.revokedMs !== null && (
        <span class="muted">
          ends <Moment ms={key.revokedMs} />
        </span>
      )}
      <a href={`${PATHS.operatorKey}?${question}`}>
        Revoke<span class="visually-hidden"> {key.name}</span>
      </a>
    </>
  )
}

export const revokeForPage = (account: Account, key: Key): Page =>
  questionPage({
    title: `Revoke ${key.name}`,
    path: PATHS.operator,
    heading: <>Revoke the key {key.name}?</>,
    form: {
      ...{ action: PATHS.operatorKey, send: 'Revoke key', isDangerous: true },
      hidden: { account: account.id, key: key.id },
    },
    back: `${PATHS.account}?id=${account.id}`,
    children: (
      <p class="lead">
        It is {keyMark(key)} and belongs to <strong class="long">{account.email}</strong>. It stops
        working at once, everywhere, and cannot be restored.
      </p>
    ),
  })

/** The field with the address of the account whose new role was confirmed. */
export const CONFIRMED = 'confirmed'

/** Asks once more, by name, before a person gets the role that can do everything. */
export const makeAdminPage = (account: Account, plan: Plan): Page =>
  questionPage({
    title: `Make ${account.email} an admin`,
    path: PATHS.operator,
    heading: <>Make {account.email} an admin?</>,
    isLong: true,
    form: {
      ...{ action: PATHS.account, send: 'Make them an admin', isDangerous: true },
      hidden: { id: account.id, plan, role: 'admin', [CONFIRMED]: account.email },
    },
    back: `${PATHS.account}?id=${account.id}`,
    children: (
      <>
        <p class="lead">
          An admin sees every account, changes its plan and role, ends its keys, records rates, and
          can make others admins. It takes effect with the next request.
        </p>
        {account.plan !== plan && (
          <p>
            The plan changes too, from {account.plan} to {plan}.
          </p>
        )}
      </>
    ),
  })
