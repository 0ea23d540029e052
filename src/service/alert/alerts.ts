import type { Account } from '~/domain/account.ts'
import {
  ALERTS_MAX,
  type Alert,
  type CreatedAlert,
  type Destination,
  type FirstEvaluation,
  type KeptChange,
  type NewAlert,
  type Watched,
} from '~/domain/alert/alert.ts'
import type { Delivery, NewDelivery } from '~/domain/alert/delivery.ts'
import { isMonthly } from '~/domain/alert/field.ts'
import { faultOf, standingAt } from '~/domain/alert/rule.ts'
import { invalidParameter, ServiceError } from '~/domain/errors.ts'
import { freshnessAt } from '~/domain/freshness.ts'
import { tierOf } from '~/domain/quota.ts'
import type { Generation } from '~/memory/memory.ts'
import { type AgeLimits, View } from '~/memory/view.ts'
import type { SnapshotDeps } from '~/service/snapshot.ts'
import { baseOf } from './base.ts'
import type { RateDeps } from './rate.ts'
import { watchedValue } from './value.ts'

export type AlertStore = {
  /** Alerts that have not ended, oldest first, and then those that have, newest first. */
  list(accountId: string): Promise<readonly Alert[]>
  find(accountId: string, id: string): Promise<Alert | null>
  /** Null if the account has `max` that have not ended; the alert of that id if there is one. */
  create(alert: NewAlert, max: number): Promise<CreatedAlert | null>
  /** Null for an alert that is not there; `full` if an ended one no longer has room. */
  change(
    accountId: string,
    id: string,
    change: KeptChange,
    max: number,
  ): Promise<Alert | 'full' | null>
  remove(accountId: string, id: string): Promise<Alert | null>
  rotate(
    accountId: string,
    id: string,
    rotation: { readonly secret: string; readonly oldEndsMs: number; readonly nowMs: number },
  ): Promise<Alert | null>
  /** The confirmed address of the account's person; null without one. */
  addressOf(accountId: string): Promise<string | null>
}

export type AlertDeps = RateDeps & {
  readonly alerts: AlertStore
  readonly deliveries: {
    /** The newest deliveries of an alert, newest first. */
    list(alertId: string): Promise<readonly Delivery[]>
    /** Null if the alert is gone. */
    add(delivery: NewDelivery): Promise<Delivery | null>
  }
  readonly memory: { readonly current: Generation }
  readonly ageLimits: AgeLimits
  readonly past: SnapshotDeps
  readonly live: {
    /**
     * Returns the state of the log of changes, once everything committed before the call is in it.
     * Throws `database_unavailable` if the log cannot be followed: by an earlier state, a new alert
     * might take its first crossing for what was true already.
     */
    caughtUp(): Promise<{ readonly position: number; readonly current: Generation }>
  }
  readonly secrets: {
    /** A new signing key: its string, shown once, and its stored form. */
    make(): Promise<{ readonly text: string; readonly sealed: string }>
    /** The string of a stored form. */
    opened(sealed: string): Promise<string>
  }
  readonly receivers: {
    /** Reason why nothing can be posted to a URL, as the end of a sentence; null if it can. */
    faultOf(url: string): Promise<string | null>
  }
  /** Says whether emails can be sent at all. */
  readonly isMailed: boolean
  /** Called after each change of an account's alerts. */
  readonly onChange: (accountId: string) => Promise<void>
  readonly testBody: (alert: Alert, nowMs: number) => string
  readonly newId: () => string
}

export type OwnAlert = { readonly account: Account; readonly alertId: string }

export const unknownAlert = (): ServiceError =>
  new ServiceError('unknown_alert', 'this account has no such alert; GET /alerts lists its alerts')

export const alertLimit = ({ plan }: Account): ServiceError =>
  new ServiceError(
    'alert_limit',
    `the ${plan} plan has ${ALERTS_MAX[plan]} alerts, and all are in use; ` +
      'delete one or move to a larger plan',
    { limit: ALERTS_MAX[plan] },
  )

/** Throws `invalid_parameter` for a condition that cannot be evaluated. */
export function assertEvaluated(watched: Watched): void {
  const fault = faultOf(watched)
  if (fault) throw invalidParameter(fault)
}

/** Throws `invalid_parameter` for a destination that cannot receive anything. */
export async function assertReachable(
  { receivers, alerts, isMailed }: AlertDeps,
  { id }: Account,
  to: Destination,
): Promise<void> {
  if (to.kind === 'webhook') {
    const fault = await receivers.faultOf(to.url)
    if (fault !== null) throw invalidParameter({ name: 'to.webhook', fault })
    return
  }
  const name = 'to.email'
  if (!isMailed)
    throw invalidParameter({ name, fault: 'this service sends no email; use a webhook' })
  if ((await alerts.addressOf(id)) === null)
    throw invalidParameter({
      name,
      fault: 'this account has no confirmed address; sign up in the developer area with it',
    })
}

/** Evaluates a new alert now, by its tier. Throws `unsupported_currency`, or as `live.caughtUp`. */
export async function firstEvaluation(
  deps: AlertDeps,
  { plan }: Account,
  watched: Watched,
): Promise<FirstEvaluation> {
  const { ageLimits, clock, live } = deps
  const { position: evaluatedPosition, current } = await live.caughtUp()
  const view = new View(current, freshnessAt(tierOf(plan), clock.now()), ageLimits)
  const base = isMonthly(watched.when) ? clock.now() : await baseOf(deps.past, view, watched)
  const value = watchedValue(view, watched)
  const standing = standingAt(watched.when, base, value)
  return { standing, evaluatedPosition, lastValue: typeof value === 'number' ? value : null }
}
