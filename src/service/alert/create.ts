import { createHash } from 'node:crypto'
import type { Account } from '~/domain/account.ts'
import { ALERTS_MAX, type Alert, type AlertWish } from '~/domain/alert/alert.ts'
import { supportedCorridor } from '~/service/supported.ts'
import {
  type AlertDeps,
  alertLimit,
  assertEvaluated,
  assertReachable,
  firstEvaluation,
} from './alerts.ts'
import { countChange } from './rate.ts'

/** An alert, and the key of its signatures, which only its request sees; null for an email. */
type ShownAlert = { readonly alert: Alert; readonly secret: string | null }

type Asked = {
  readonly account: Account
  readonly wish: AlertWish
  /** The id that the alert is to have, by which a repetition finds it; absent for any. */
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
): Promise<ShownAlert> {
  const { alerts, memory, clock, secrets, onChange } = deps
  const corridor = supportedCorridor(memory.current.catalogue, wish.corridor)
  const watched = { ...wish, corridor }
  assertEvaluated(watched)
  await countChange(deps, account)
  await assertReachable(deps, account, wish.to)
  const evaluated = await firstEvaluation(deps, account, watched)
  const secret = wish.to.kind === 'webhook' ? await secrets.make() : null
  const made = { ...watched, ...evaluated, accountId: account.id, createdMs: clock.now() }
  const created = await alerts.create(
    { ...made, ...(id !== undefined && { id }), secret: secret?.sealed ?? null },
    ALERTS_MAX[account.plan],
  )
  if (!created) throw alertLimit(account)
  await onChange(account.id)
  const { alert, secret: sealed } = created
  return { alert, secret: sealed === null ? null : await secrets.opened(sealed) }
}

/** The id of the alert of a request, the same one each time that the request is made. */
export const alertIdOf = (request: string): string =>
  createHash('sha256')
    .update(request)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
