import { ALERTS_MAX, type Alert, type AlertChange } from '~/domain/alert/alert.ts'
import {
  type AlertDeps,
  alertLimit,
  assertEvaluated,
  assertReachable,
  firstEvaluation,
  type OwnAlert,
  unknownAlert,
} from './alerts.ts'
import { countChange } from './rate.ts'

/** A changed alert, and the key of a new webhook's signatures; null if that stays. */
type ChangedAlert = { readonly alert: Alert; readonly secret: string | null }

/**
 * Changes an alert. A new condition, or an alert resumed after a pause, begins as a new alert does:
 * what is already true does not fire.
 *
 * Throws `unknown_alert`, `invalid_parameter`, `too_many_changes`, and `alert_limit` if an ended
 * alert no longer fits the limit.
 */
export async function changeAlert(
  deps: AlertDeps,
  { account, alertId, change }: OwnAlert & { readonly change: AlertChange },
): Promise<ChangedAlert> {
  const { alerts, secrets, onChange } = deps
  const old = await alerts.find(account.id, alertId)
  if (!old) throw unknownAlert()
  const { when = old.when, amount = old.amount, to } = change
  const watched = { ...old, amount, when }
  assertEvaluated(watched)
  await countChange(deps, account)
  const isElsewhere = to !== undefined && !isSame(to, old.to)
  if (isElsewhere) await assertReachable(deps, account, to)
  const secret = isElsewhere && to.kind === 'webhook' ? await secrets.make() : null
  const isEvaluatedAgain =
    change.when !== undefined ||
    change.amount !== undefined ||
    (change.status === 'active' && old.status !== 'active')
  const alert = await alerts.change(
    account.id,
    alertId,
    {
      ...change,
      ...(isElsewhere && { secret: secret?.sealed ?? null }),
      ...(isEvaluatedAgain && { evaluated: await firstEvaluation(deps, account, watched) }),
    },
    ALERTS_MAX[account.plan],
  )
  if (alert === null) throw unknownAlert()
  if (alert === 'full') throw alertLimit(account)
  await onChange(account.id)
  return { alert, secret: secret?.text ?? null }
}

const isSame = (a: Alert['to'], b: Alert['to']): boolean =>
  a.kind === 'webhook' ? b.kind === 'webhook' && a.url === b.url : b.kind === 'email'
