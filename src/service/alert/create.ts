import type { Account } from '~/domain/account.ts'
import { ALERTS_MAX, type Alert, type AlertWish } from '~/domain/alert/alert.ts'
import { supportedCorridor } from '~/service/supported.ts'
import {
  type AlertDeps,
  alertLimit,
  assertJudged,
  assertReachable,
  firstJudgement,
} from './alerts.ts'
import { countChange } from './rate.ts'

/** A new alert, and the key of its signatures, which is never shown again; null for an email. */
type CreatedAlert = { readonly alert: Alert; readonly secret: string | null }

type Asked = {
  readonly account: Account
  readonly wish: AlertWish
  /** The id that the alert is to have; absent for any. */
  readonly id?: string
}

/**
 * Creates an alert. One whose condition is true already waits until it was false.
 *
 * Throws `unsupported_currency`, `same_currency`, `invalid_parameter`, `too_many_changes`, and
 * `alert_limit` if the plan has no room for it.
 */
export async function createAlert(
  deps: AlertDeps,
  { account, wish, id }: Asked,
): Promise<CreatedAlert> {
  const { alerts, memory, clock, secrets, onChange } = deps
  const corridor = supportedCorridor(memory.current.catalogue, wish.corridor)
  const watched = { ...wish, corridor }
  assertJudged(watched)
  await countChange(deps, account)
  await assertReachable(deps, account, wish.to)
  const judged = await firstJudgement(deps, account, watched)
  const secret = wish.to.kind === 'webhook' ? await secrets.make() : null
  const made = { ...watched, ...judged, accountId: account.id, createdMs: clock.now() }
  const alert = await alerts.create(
    { ...made, ...(id !== undefined && { id }), secret: secret?.sealed ?? null },
    ALERTS_MAX[account.plan],
  )
  if (!alert) throw alertLimit(account)
  await onChange(account.id)
  return { alert, secret: secret?.text ?? null }
}
