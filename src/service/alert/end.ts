import type { Alert } from '~/domain/alert/alert.ts'
import { type AlertDeps, type OwnAlert, unknownAlert } from './alerts.ts'

/** Deletes an alert with its deliveries; returns it. Throws `unknown_alert`. */
export async function deleteAlert(
  { alerts, onChange }: Pick<AlertDeps, 'alerts' | 'onChange'>,
  { account, alertId }: OwnAlert,
): Promise<Alert> {
  const alert = await alerts.remove(account.id, alertId)
  if (!alert) throw unknownAlert()
  await onChange(account.id)
  return alert
}
