import type { Account, Caller } from '~/domain/account.ts'
import { ServiceError } from '~/domain/errors.ts'
import type { Logged, Place, Withdrawal } from '~/domain/observation.ts'
import type { Quote } from '~/domain/quote.ts'
import type { Upload } from '~/domain/upload.ts'
import { recorderOf } from '~/service/access.ts'
import { ANSWER_MS_MAX, inTime } from '~/service/deadline.ts'

export type NamedObservation = {
  readonly id: number
  readonly providerId: string
  /** The account that recorded it; null if none did or the account is unknown. */
  readonly accountId: string | null
  readonly isWithdrawn: boolean
}

export type WithdrawalStore = {
  /** The observations of these ids that exist, in any order. */
  named(ids: readonly number[]): Promise<readonly NamedObservation[]>
  /**
   * Withdraws all observations that are not withdrawn yet, or none when it throws; returns those,
   * and the quotes of their offers that apply instead. When it resolves, memory shows none of them.
   */
  withdraw(
    withdrawal: Withdrawal,
  ): Promise<Place & { readonly withdrawn: readonly Quote[]; readonly quotes: readonly Quote[] }>
}

export type WithdrawDeps = {
  readonly store: WithdrawalStore
  readonly clock: { now(): number }
}

type Wish = { readonly ids: readonly number[]; readonly reason: string }

/**
 * Withdraws observations, all of them or none, and returns the ids that were not withdrawn before,
 * with the position of that in the log of changes.
 *
 * When it returns, nothing of this process shows them. Throws `unknown_observation` with the ids
 * that do not exist, and `forbidden` with those that the caller may not withdraw.
 */
export function withdraw(deps: WithdrawDeps, caller: Caller, wish: Wish): Promise<Logged> {
  return inTime(withdrawAndServe(deps, caller, wish), { msMax: ANSWER_MS_MAX, message: OVERDUE })
}

const OVERDUE =
  'the database does not respond, so it is unknown whether the observations were ' +
  'withdrawn; retry shortly: withdrawing them twice does no harm'

async function withdrawAndServe(
  deps: WithdrawDeps,
  caller: Caller,
  { ids, reason }: Wish,
): Promise<Logged> {
  assertMayWithdraw(caller, ids, await deps.store.named(ids))
  const atMs = deps.clock.now()
  return serve(deps, { ids, reason, recorder: recorderOf(caller), atMs })
}

/** Withdraws, and returns what was withdrawn by that; memory shows none of it then. */
async function serve({ store }: WithdrawDeps, withdrawal: Withdrawal): Promise<Logged> {
  const done = await store.withdraw(withdrawal)
  return { ids: done.withdrawn.map(({ id }) => id), position: done.position ?? null }
}

/** The longest that a person waits for the withdrawal of an upload, of up to 10,000 rows. */
const UPLOAD_MS_MAX = 3 * ANSWER_MS_MAX

/**
 * Withdraws all that is left of an upload, in one transaction, whatever its number of rows.
 * Throws `forbidden` for a person of another account, unless an admin.
 */
export function withdrawUpload(
  deps: WithdrawDeps,
  account: Account,
  { upload, reason }: { readonly upload: Upload; readonly reason: string },
): Promise<Logged> {
  if (account.role !== 'admin' && account.id !== upload.accountId)
    throw new ServiceError('forbidden', 'another account recorded this upload; ask the operator')
  const { id, ids, sinceMs, untilMs } = upload
  const recorder = { accountId: account.id, keyId: null }
  const of = { ids, reason, recorder, upload: { id, sinceMs, untilMs } }
  return inTime(serve(deps, { ...of, atMs: deps.clock.now() }), {
    msMax: UPLOAD_MS_MAX,
    message: OVERDUE,
  })
}

/**
 * Operators may withdraw everything; others what they recorded, and prices of the providers that
 * they are limited to. An account without a limit represents no provider: it withdraws what it
 * recorded, and nothing else.
 */
function assertMayWithdraw(
  { account }: Caller,
  ids: readonly number[],
  named: readonly NamedObservation[],
): void {
  const known = new Set(named.map(({ id }) => id))
  const unknown = ids.filter((id) => !known.has(id))
  if (unknown.length > 0)
    throw new ServiceError(
      'unknown_observation',
      `no observation has the id ${unknown.join(' or ')}: nothing was withdrawn; leave it out ` +
        'and send the others again',
      { observations: unknown },
    )
  if (account.role === 'admin') return
  const mayHave = ({ accountId, providerId }: NamedObservation) =>
    accountId === account.id || account.providers?.includes(providerId)
  const others = named.filter((one) => !mayHave(one)).map(({ id }) => id)
  if (others.length > 0)
    throw new ServiceError(
      'forbidden',
      `this account did not record ${others.sort((a, b) => a - b).join(', ')}, and is not ` +
        'limited to the provider: nothing was withdrawn; ask the operator',
      { observations: others },
    )
}
