import { idsIn, isRevoked, limitFault } from '~/domain/account.ts'
import { freshnessAt } from '~/domain/freshness.ts'
import { atSomeTime } from '~/domain/mid.ts'
import { dayOf, PLANS, ROLES } from '~/domain/quota.ts'
import { providerStateOf } from '~/domain/source/silence.ts'
import type { Route } from '~/http/route.ts'
import { View } from '~/memory/view.ts'
import type { Member, MemberForm } from '~/portal/member/member-pages.ts'
import { fieldOf, type PageAnswer, type PageRequest } from '~/portal/member/page-request.tsx'
import { PATHS } from '~/portal/paths.ts'
import { staleBestsOf } from '~/service/stale-bests.ts'
import { statusOf } from '~/service/status.ts'
import { suspectsOf } from '~/service/suspects.ts'
import {
  ACCOUNTS_PAGE,
  accountPage,
  accountsHref,
  accountsPage,
  CONFIRMED,
  lastOffset,
  makeAdminPage,
  revokeForPage,
} from './accounts.tsx'
import { type OperatorDeps, operatorPages } from './admission.ts'
import { offsetIn } from './list-pages.tsx'
import { logRoutes } from './log.tsx'
import { operatorPage } from './operator.tsx'

/** Pages for an admin to see and change accounts; for anybody else they do not exist. */
export function operatorRoutes(deps: OperatorDeps): Route[] {
  const page = operatorPages(deps)
  return [
    ...page(PATHS.operator, { get: overview }),
    ...page(PATHS.accounts, { get: found }),
    ...page(PATHS.account, {
      get: (_, { pageRequest }) =>
        one(deps, pageRequest, { id: pageRequest.url.searchParams.get('id') ?? '' }),
      post: change,
    }),
    ...page(PATHS.operatorProviders, { post: limit }),
    ...page(PATHS.operatorKey, { get: revoking, post: revoke }),
    ...logRoutes(deps),
  ]
}

async function overview(deps: OperatorDeps, { pageRequest }: Member): Promise<PageAnswer> {
  const { nowMs, url } = pageRequest
  const { memory, ageLimits, operated } = deps
  const view = new View(memory.current, freshnessAt('realtime', nowMs), ageLimits)
  const { feed, feeds, sources, connectors, isMidRecent, doubtfulPegs, doubtfulMids } =
    statusOf(view)
  const { providers, referenceCodes } = memory.current.catalogue
  const mids = referenceCodes.map((currency) => {
    const known = memory.current.references.reference(currency, Number.POSITIVE_INFINITY)
    return { currency, reference: known ? atSomeTime(known, nowMs) : null }
  })
  const active = new Map(providers.map(({ id, name }) => [id, name]))
  const sendings = await operated.sendings(nowMs)
  const banks = new Map(sources.map((record) => [record.providerId, record]))
  const senders = sendings.map((sending) => ({
    ...sending,
    state: providerStateOf(sending, banks.get(sending.providerId), nowMs),
    name: active.get(sending.providerId) ?? sending.providerId,
    isActive: active.has(sending.providerId),
  }))
  const sent = new Set(sendings.map(({ providerId }) => providerId))
  const mute = providers.filter(({ id }) => !sent.has(id)).map(({ name }) => name)
  const { staleAfterMs } = ageLimits
  const stale = { staleBests: staleBestsOf(view), staleAfterMs }
  const upstream = { feeds, sources, connectors }
  const rates = { ...upstream, newest: feed, isMidRecent, mids, doubtfulPegs, doubtfulMids }
  const { searchParams: params } = url
  const shown = { work: deps.work(), suspects: suspectsOf(view) }
  return { page: operatorPage({ nowMs, params, ...shown, ...rates, ...stale, senders, mute }) }
}

const SEARCH_LENGTH_MAX = 254

async function found(deps: OperatorDeps, { pageRequest }: Member): Promise<PageAnswer> {
  const { url } = pageRequest
  const search = fieldOf(url.searchParams, 'search').slice(0, SEARCH_LENGTH_MAX)
  const offset = offsetIn(url.searchParams, 'offset')
  const page = await deps.operated.page({ search, limit: ACCOUNTS_PAGE, offset })
  if (offset > lastOffset(page.total) && page.total > 0)
    return { redirect: accountsHref(search, lastOffset(page.total)) }
  return { page: accountsPage({ ...page, search, offset }) }
}

type One = {
  readonly id: string
  readonly complaint?: string
  /** The ids of providers that were sent. */
  readonly providers?: string
}

function one(deps: OperatorDeps, pageRequest: PageRequest, asked: One): PageAnswer {
  const { id, complaint, providers } = asked
  const { memory, metering } = deps
  const { keys } = memory.current
  const account = keys.account(id)
  if (!account) return { redirect: PATHS.accounts }
  const used = metering.meter.used(id, dayOf(pageRequest.nowMs))
  const limit = metering.limits[account.plan]
  const done = complaint ? null : (DONE.get(pageRequest.url.searchParams.get('said')) ?? null)
  const shown = { used, limit, complaint: complaint ?? null, done, providers }
  const { nowMs } = pageRequest
  return { page: accountPage({ nowMs, account, keys: keys.keysOf(id), ...shown }) }
}

const DONE: ReadonlyMap<string | null, string> = new Map([
  ['changed', 'Saved. Takes effect with the next request.'],
  ['revoked', 'Key revoked. It no longer works.'],
])

const CHOOSE = 'Choose a plan and a role.'
const OWN_ROLE = 'You cannot take the admin role from yourself; ask another admin.'

const change: MemberForm<OperatorDeps> = async (deps, { pageRequest, person }, form) => {
  const id = form.text('id')
  const plan = PLANS.find((value) => value === form.text('plan'))
  const role = ROLES.find((value) => value === form.text('role'))
  if (!plan || !role) return one(deps, pageRequest, { id, complaint: CHOOSE })
  if (id === person.account.id && role !== 'admin')
    return one(deps, pageRequest, { id, complaint: OWN_ROLE })
  const before = deps.memory.current.keys.account(id)
  const isPromotion = role === 'admin' && before?.role !== 'admin'
  if (before && isPromotion && form.text(CONFIRMED) !== before.email)
    return { page: makeAdminPage(before, plan) }
  const account = await deps.operated.update(id, { plan, role }, person.email)
  if (!account) return { redirect: PATHS.accounts }
  await deps.published(account.id)
  return { redirect: `${PATHS.account}?id=${account.id}&said=changed` }
}

const limit: MemberForm<OperatorDeps> = async (deps, { pageRequest, person }, form) => {
  const id = form.text('id')
  const { keys, catalogue } = deps.memory.current
  const role = keys.account(id)?.role
  if (!role) return { redirect: PATHS.accounts }
  const text = form.text('providers')
  const providers = idsIn(text)
  const isProvider = (id: string) => catalogue.anyProvider(id) !== undefined
  const fault = limitFault({ role, ids: providers, isProvider })
  if (fault) {
    const complaint = `Nothing was changed: ${fault}.`
    return one(deps, pageRequest, { id, complaint, providers: text })
  }
  if (!(await deps.operated.update(id, { providers }, person.email)))
    return { redirect: PATHS.accounts }
  await deps.published(id)
  return { redirect: `${PATHS.account}?id=${id}&said=changed` }
}

function revoking(deps: OperatorDeps, { pageRequest }: Member): PageAnswer {
  const { keys } = deps.memory.current
  const account = keys.account(pageRequest.url.searchParams.get('account') ?? '')
  const id = pageRequest.url.searchParams.get('key')
  const key = account && keys.keysOf(account.id).find((each) => each.id === id)
  if (!account || !key) return { redirect: PATHS.accounts }
  if (isRevoked(key, pageRequest.nowMs)) return { redirect: `${PATHS.account}?id=${account.id}` }
  return { page: revokeForPage(account, key) }
}

const revoke: MemberForm<OperatorDeps> = async (deps, { pageRequest, person }, form) => {
  const accountId = form.text('account')
  const by = { actor: person.email, accountId }
  if (!(await deps.operated.revokeKey(form.text('key'), pageRequest.nowMs, by)))
    return { redirect: PATHS.accounts }
  await deps.published(accountId)
  return { redirect: `${PATHS.account}?id=${accountId}&said=revoked` }
}
