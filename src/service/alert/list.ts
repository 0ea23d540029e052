import type { Account } from '~/domain/account.ts'
import { ALERTS_MAX, type Alert } from '~/domain/alert/alert.ts'
import type { Plan } from '~/domain/quota.ts'
import { type AlertDeps, type OwnAlert, unknownAlert } from './alerts.ts'

/** The alerts of an account: those that have not ended, oldest first, then the others. */
export async function listAlerts(
  { alerts }: Pick<AlertDeps, 'alerts'>,
  { account }: { readonly account: Account },
): Promise<readonly Alert[]> {
  const own = await alerts.list(account.id)
  const judged = new Set(judgedOf(own, account.plan))
  return own.map((alert) =>
    alert.status === 'active' && !judged.has(alert) ? beyondPlan(alert, account.plan) : alert,
  )
}

/** One alert as `listAlerts` has it. Throws `unknown_alert`. */
export async function findAlert(
  deps: Pick<AlertDeps, 'alerts'>,
  { account, alertId }: OwnAlert,
): Promise<Alert> {
  const found = (await listAlerts(deps, { account })).find(({ id }) => id === alertId)
  if (!found) throw unknownAlert()
  return found
}

/** The active alerts that a plan judges: the oldest, as many as it has, oldest first. */
const judgedOf = (alerts: readonly Alert[], plan: Plan): readonly Alert[] =>
  alerts.filter(({ status }) => status === 'active').slice(0, ALERTS_MAX[plan])

const beyondPlan = (alert: Alert, plan: Plan): Alert => ({
  ...alert,
  status: 'paused',
  reason:
    `the ${plan} plan judges ${ALERTS_MAX[plan]} alerts, the oldest ones; ` +
    'delete another or move to a larger plan',
})
