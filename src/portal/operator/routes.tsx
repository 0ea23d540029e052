/** @jsxImportSource preact */
import { isRevoked } from '~/domain/account.ts'
import { freshnessAt } from '~/domain/freshness.ts'
import { dayOf, PLANS, ROLES } from '~/domain/quota.ts'
import type { Route } from '~/http/route.ts'
import { View } from '~/memory/view.ts'
import {
  type FormFields,
  fieldOf,
  type Visit,
  type VisitReply,
  visitRoutes,
} from '~/portal/member/visit.tsx'
import { PATHS } from '~/portal/paths.ts'
import { staleBestsOf } from '~/service/stale-bests.ts'
import { statusOf } from '~/service/status.ts'
import { ACCOUNTS_PAGE, accountPage, accountsPage, revokeForPage } from './accounts.tsx'
import { CONFIRMED, makeAdminPage } from './admin-question.tsx'
import { admin, adminForm, type Operator, type OperatorDeps } from './admission.ts'
import { logRoutes } from './log-routes.tsx'
import { operatorPage } from './operator.tsx'

/** Pages for an admin to see and change accounts; for anybody else they do not exist. */
export const operatorRoutes = (deps: OperatorDeps): Route[] => [
  ...visitRoutes(deps, PATHS.operator, { get: admin(deps, ({ visit }) => overview(deps, visit)) }),
  ...visitRoutes(deps, PATHS.accounts, { get: admin(deps, ({ visit }) => found(deps, visit)) }),
  ...visitRoutes(deps, PATHS.account, {
    get: admin(deps, ({ visit }) =>
      one(deps, visit, { id: visit.url.searchParams.get('id') ?? '' }),
    ),
    post: adminForm(deps, (operator, form) => change(deps, operator, form)),
  }),
  ...visitRoutes(deps, PATHS.operatorKey, {
    get: admin(deps, ({ visit }) => revoking(deps, visit)),
    post: adminForm(deps, (operator, form) => revoke(deps, operator, form)),
  }),
  ...logRoutes(deps),
]

async function overview(deps: OperatorDeps, { nowMs }: Visit): Promise<VisitReply> {
  const { memory, ageLimits, operated } = deps
  const view = new View(memory.current, freshnessAt('realtime', nowMs), ageLimits)
  const { feed, feeds, isMidRecent, doubtfulPegs } = statusOf(view)
  const { providers, referenceCodes } = memory.current.catalogue
  const mids = referenceCodes.map((currency) => ({
    currency,
    reference: memory.current.references.reference(currency, Number.POSITIVE_INFINITY) ?? null,
  }))
  const active = new Map(providers.map(({ id, name }) => [id, name]))
  const sendings = await operated.sendings(nowMs)
  const senders = sendings.map((sending) => ({
    ...sending,
    name: active.get(sending.providerId) ?? sending.providerId,
    isActive: active.has(sending.providerId),
  }))
  const heard = new Set(sendings.map(({ providerId }) => providerId))
  const mute = providers.filter(({ id }) => !heard.has(id)).map(({ name }) => name)
  const { staleAfterMs } = ageLimits
  const stale = { staleBests: staleBestsOf(view), staleAfterMs }
  const rates = { feeds, newest: feed, isMidRecent, mids, doubtfulPegs }
  return { page: operatorPage({ nowMs, ...rates, ...stale, senders, mute }) }
}

const SEARCH_LENGTH_MAX = 254
const OFFSET = /^\d{1,9}$/

async function found(deps: OperatorDeps, { url }: Visit): Promise<VisitReply> {
  const search = fieldOf(url.searchParams, 'search').slice(0, SEARCH_LENGTH_MAX)
  const text = url.searchParams.get('offset') ?? ''
  const offset = OFFSET.test(text) ? Number(text) : 0
  const page = await deps.operated.page({ search, limit: ACCOUNTS_PAGE, offset })
  return { page: accountsPage({ ...page, search, offset }) }
}

type One = { id: string; complaint?: string }

function one(deps: OperatorDeps, visit: Visit, { id, complaint }: One): VisitReply {
  const { memory, metering } = deps
  const { keys } = memory.current
  const account = keys.account(id)
  if (!account) return { redirect: PATHS.accounts }
  const used = metering.meter.used(id, dayOf(visit.nowMs))
  const limit = metering.limits[account.plan]
  const done = complaint ? null : (DONE.get(visit.url.searchParams.get('said')) ?? null)
  const shown = { used, limit, complaint: complaint ?? null, done }
  const page = { visit, account, keys: keys.keysOf(id), ...shown }
  return { page: accountPage(page) }
}

const DONE: ReadonlyMap<string | null, string> = new Map([
  ['changed', 'Saved. Takes effect with the next request.'],
  ['revoked', 'Key revoked. It no longer works.'],
])

const CHOOSE = 'Choose a plan and a role.'
const OWN_ROLE = 'You cannot take the admin role from yourself; ask another admin.'

async function change(
  deps: OperatorDeps,
  { visit, person }: Operator,
  form: FormFields,
): Promise<VisitReply> {
  const id = form.text('id')
  const plan = PLANS.find((value) => value === form.text('plan'))
  const role = ROLES.find((value) => value === form.text('role'))
  if (!plan || !role) return one(deps, visit, { id, complaint: CHOOSE })
  if (id === person.account.id && role !== 'admin')
    return one(deps, visit, { id, complaint: OWN_ROLE })
  const before = deps.memory.current.keys.account(id)
  const isPromotion = role === 'admin' && before?.role !== 'admin'
  if (before && isPromotion && form.text(CONFIRMED) !== before.email)
    return { page: makeAdminPage({ visit, account: before, plan }) }
  const account = await deps.operated.update(id, { plan, role }, person.email)
  if (!account) return { redirect: PATHS.accounts }
  await deps.published(account.id)
  return { redirect: `${PATHS.account}?id=${account.id}&said=changed` }
}

function revoking(deps: OperatorDeps, visit: Visit): VisitReply {
  const { keys } = deps.memory.current
  const account = keys.account(visit.url.searchParams.get('account') ?? '')
  const id = visit.url.searchParams.get('key')
  const key = account && keys.keysOf(account.id).find((each) => each.id === id)
  if (!account || !key) return { redirect: PATHS.accounts }
  if (isRevoked(key, visit.nowMs)) return { redirect: `${PATHS.account}?id=${account.id}` }
  return { page: revokeForPage({ visit, account, key }) }
}

async function revoke(
  deps: OperatorDeps,
  { visit, person }: Operator,
  form: FormFields,
): Promise<VisitReply> {
  const accountId = form.text('account')
  const by = { actor: person.email, accountId }
  if (!(await deps.operated.revokeKey(form.text('key'), visit.nowMs, by)))
    return { redirect: PATHS.accounts }
  await deps.published(accountId)
  return { redirect: `${PATHS.account}?id=${accountId}&said=revoked` }
}
