import type { Alert } from '~/domain/alert/alert.ts'
import type { Delivery } from '~/domain/alert/delivery.ts'
import type { AlertDeps, OwnAlert } from './alerts.ts'
import { findAlert, type ListDeps } from './list.ts'

/** An alert and its newest deliveries, newest first. Throws `unknown_alert`. */
export async function deliveriesOf(
  deps: ListDeps & Pick<AlertDeps, 'deliveries'>,
  own: OwnAlert,
): Promise<{ readonly alert: Alert; readonly deliveries: readonly Delivery[] }> {
  const alert = await findAlert(deps, own)
  return { alert, deliveries: await deps.deliveries.list(alert.id) }
}
