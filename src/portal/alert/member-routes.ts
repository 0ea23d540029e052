import { granted, ServiceError } from '~/domain/errors.ts'
import { freshnessAt } from '~/domain/freshness.ts'
import { tierOf } from '~/domain/quota.ts'
import type { Generation } from '~/memory/memory.ts'
import { View } from '~/memory/view.ts'
import { type Member, memberPages } from '~/portal/member/member-pages.ts'
import {
  type FormFields,
  fieldOf,
  type PageAnswer,
  type PageRequestDeps,
} from '~/portal/member/page-request.tsx'
import { signInFirst } from '~/portal/member/way-on.ts'
import { PATHS } from '~/portal/paths.ts'
import type { AlertDeps, OwnAlert } from '~/service/alert/alerts.ts'
import { type Metering, reserveUnit } from '~/service/metering.ts'

export type AlertPageDeps = PageRequestDeps & {
  readonly alerting: AlertDeps
  readonly memory: { readonly current: Generation }
  readonly metering: Metering
}

/** Pages about alerts, which visitors reach by signing in; a missing alert leads to the list. */
export const alertPages = (deps: AlertPageDeps) =>
  memberPages(deps, ({ pageRequest: { person, url }, path, isForm }, enter) =>
    person
      ? ifThere(async () => enter(person))
      : signInFirst(isForm ? PATHS.alerts : path + url.search),
  )

const ifThere = (answer: () => Promise<PageAnswer>): Promise<PageAnswer> =>
  answer().catch((error) => {
    if (isRefusal(error, 'unknown_alert')) return { redirect: `${PATHS.alerts}?said=gone` }
    throw error
  })

export const isRefusal = (
  error: unknown,
  ...codes: readonly ServiceError['code'][]
): error is ServiceError => error instanceof ServiceError && codes.includes(error.code)

/** The alert that the address of a page, or a form, names. */
export const ownAlert = (
  { person: { account }, pageRequest: { url } }: Member,
  form?: FormFields,
): OwnAlert => ({ account, alertId: form ? form.text('id') : fieldOf(url.searchParams, 'id') })

/** View that the person's plan may see. */
export const viewFor = (
  { alerting: { memory, ageLimits } }: AlertPageDeps,
  { person: { account }, pageRequest: { nowMs } }: Member,
): View => new View(memory.current, freshnessAt(tierOf(account.plan), nowMs), ageLimits)

/** Runs work for a unit of the person's budget, given back if it fails. Throws `quota_exceeded`. */
export async function charged<T>(
  { memory, metering }: AlertPageDeps,
  { person: { account }, pageRequest: { nowMs } }: Member,
  work: () => Promise<T>,
): Promise<T> {
  const keys = memory.current.keys.keysOf(account.id)
  const key = keys.find(({ revokedMs }) => revokedMs === null) ?? keys[0]
  if (!key) return work()
  const caller = { account, key, tier: tierOf(account.plan) }
  const unit = granted(await reserveUnit(metering, caller, nowMs))
  try {
    return await work()
  } catch (error) {
    metering.meter.giveBack(unit)
    throw error
  }
}
