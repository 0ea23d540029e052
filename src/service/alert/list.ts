import type { Account } from '~/domain/account.ts'
import { ALERTS_MAX, type Alert } from '~/domain/alert/alert.ts'
import { REASONS } from '~/domain/alert/reason.ts'
import { corridorKey } from '~/domain/corridor.ts'
import { freshnessAt } from '~/domain/freshness.ts'
import { type Plan, tierOf } from '~/domain/quota.ts'
import { View } from '~/memory/view.ts'
import { type AlertDeps, type OwnAlert, unknownAlert } from './alerts.ts'

export type ListDeps = Pick<AlertDeps, 'alerts' | 'memory' | 'ageLimits' | 'clock'>

/**
 * The alerts of an account: those that have not ended, oldest first, then the others. An active one
 * that cannot fire, since feeds dispute its mid, says so.
 */
export async function listAlerts(
  { alerts, memory, ageLimits, clock }: ListDeps,
  { account }: { readonly account: Account },
): Promise<readonly Alert[]> {
  const own = await alerts.list(account.id)
  const evaluated = new Set(evaluatedOf(own, account.plan))
  const view = new View(memory.current, freshnessAt(tierOf(account.plan), clock.now()), ageLimits)
  return own.map((alert) => {
    if (alert.status !== 'active') return alert
    return evaluated.has(alert) ? withDispute(alert, view) : beyondPlan(alert, account.plan)
  })
}

function withDispute(alert: Alert, view: View): Alert {
  const { from, to } = alert.corridor
  if (alert.when.field !== 'mid' || view.mid(from, to)?.basis !== 'disputed') return alert
  const corridor = corridorKey({ from, to })
  const reason = `${REASONS.disputed}${corridor}: no firing until they agree`
  return { ...alert, reason }
}

/** One alert, as `listAlerts` returns it. Throws `unknown_alert`. */
export async function findAlert(deps: ListDeps, { account, alertId }: OwnAlert): Promise<Alert> {
  const found = (await listAlerts(deps, { account })).find(({ id }) => id === alertId)
  if (!found) throw unknownAlert()
  return found
}

/** The active alerts that a plan covers: the oldest, up to its limit, oldest first. */
const evaluatedOf = (alerts: readonly Alert[], plan: Plan): readonly Alert[] =>
  alerts.filter(({ status }) => status === 'active').slice(0, ALERTS_MAX[plan])

const beyondPlan = (alert: Alert, plan: Plan): Alert => ({
  ...alert,
  status: 'paused',
  reason:
    `${REASONS.plan}the ${plan} plan has ${ALERTS_MAX[plan]} alerts; ` +
    'delete another or move to a larger plan',
})
