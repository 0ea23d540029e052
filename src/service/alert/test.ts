import type { Delivery } from '~/domain/alert/delivery.ts'
import { type AlertDeps, type OwnAlert, unknownAlert } from './alerts.ts'
import { countTest } from './rate.ts'

/**
 * Delivers a test to the alert's destination, whether or not it is evaluated; `deliveriesOf` shows
 * what came of it. Throws `unknown_alert`, and `too_many_tests`.
 */
export async function testAlert(
  deps: AlertDeps,
  { account, alertId }: OwnAlert,
): Promise<Delivery> {
  const { alerts, deliveries, clock, newId, testBody } = deps
  const alert = await alerts.find(account.id, alertId)
  if (!alert) throw unknownAlert()
  await countTest(deps, account, alert.to.kind === 'webhook' ? alert.to.url : null)
  const nowMs = clock.now()
  const body = testBody(alert, nowMs)
  const added = await deliveries.add({ id: newId(), alertId, kind: 'test', body, nowMs })
  if (!added) throw unknownAlert()
  return added
}
