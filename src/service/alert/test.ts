import type { Delivery } from '~/domain/alert/delivery.ts'
import { MINUTE_MS } from '~/domain/duration.ts'
import { ServiceError } from '~/domain/errors.ts'
import { type AlertDeps, type OwnAlert, unknownAlert } from './alerts.ts'

/** How many tests of an alert are delivered within a minute. */
export const TESTS_MAX = 5

/**
 * Delivers a test where the alert is told, whether or not it is judged; `deliveriesOf` shows what
 * came of it. Throws `unknown_alert`, and `too_many_tests`.
 */
export async function testAlert(
  { alerts, deliveries, clock, newId, testBody }: AlertDeps,
  { account, alertId }: OwnAlert,
): Promise<Delivery> {
  const alert = await alerts.find(account.id, alertId)
  if (!alert) throw unknownAlert()
  const nowMs = clock.now()
  const body = testBody(alert, nowMs)
  const added = await deliveries.add(
    { id: newId(), alertId: alert.id, kind: 'test', body, nowMs },
    { max: TESTS_MAX, sinceMs: nowMs - MINUTE_MS },
  )
  if (added) return added
  throw new ServiceError(
    'too_many_tests',
    `an alert can be tested ${TESTS_MAX} times a minute; wait for a minute`,
    {},
    MINUTE_MS / 1000,
  )
}
