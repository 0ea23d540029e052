import { type Alert, OLD_SECRET_MS } from '~/domain/alert/alert.ts'
import { invalidParameter } from '~/domain/errors.ts'
import { type AlertDeps, type OwnAlert, unknownAlert } from './alerts.ts'
import { countSecret } from './rate.ts'

type RotatedSecret = {
  readonly alert: Alert
  /** The new key of signatures, shown once. */
  readonly secret: string
  /** The time until which the old one also signs. */
  readonly oldEndsMs: number
}

/**
 * Gives an alert a new signing key; the old one also signs for a day. Throws `unknown_alert`,
 * `invalid_parameter` for an email alert, and `too_many_changes`.
 */
export async function rotateSecret(
  deps: AlertDeps,
  { account, alertId }: OwnAlert,
): Promise<RotatedSecret> {
  const { alerts, secrets, clock } = deps
  const old = await alerts.find(account.id, alertId)
  if (!old) throw unknownAlert()
  if (old.to.kind !== 'webhook')
    throw invalidParameter({
      name: 'id',
      fault: 'the alert is sent by email, and emails have no secret',
    })
  await countSecret(deps, alertId)
  const { text, sealed } = await secrets.make()
  const nowMs = clock.now()
  const oldEndsMs = nowMs + OLD_SECRET_MS
  const alert = await alerts.rotate(account.id, alertId, { secret: sealed, oldEndsMs, nowMs })
  if (!alert) throw unknownAlert()
  return { alert, secret: text, oldEndsMs }
}
