import { isDeepStrictEqual } from 'node:util'
import type { MailedLink } from '~/domain/account.ts'
import type { Alert, AlertWish } from '~/domain/alert/alert.ts'
import { DAY_MS } from '~/domain/duration.ts'
import type { KeyIndex } from '~/memory/key-index.ts'
import { admitted, type Origin, type PeopleDeps } from '~/service/person/people.ts'
import { isSameToken } from '~/service/person/same-token.ts'
import { supportedCorridor } from '~/service/supported.ts'
import { type AlertDeps, assertEvaluated } from './alerts.ts'
import { alertIdOf, createAlert } from './create.ts'

/** An email alert that a person without an account requests. */
type Subscription = {
  readonly email: string
  readonly language: string
  readonly wish: AlertWish
}

type Mailbox = { readonly email: string; readonly language: string; readonly nowMs: number }

export type SubscribeDeps = PeopleDeps & {
  readonly alerting: AlertDeps
  readonly memory: { readonly current: { readonly keys: KeyIndex } }
  readonly mailboxes: {
    /** The account of the person who has just shown that an address is theirs. */
    accountOfMailbox(mailbox: Mailbox): Promise<string>
  }
  /** Emails a link, without making anyone wait. */
  readonly onSubscription: (link: MailedLink) => void
}

const LINK_MS = DAY_MS

/**
 * Emails a link that confirms a subscription. The address is not looked up among accounts. Throws
 * `invalid_parameter`, `unsupported_currency`, `same_currency`, and TooManyAttempts.
 */
export async function requestSubscription(
  deps: SubscribeDeps,
  { about, ...asked }: Subscription & { readonly about: string },
  origin: Origin,
): Promise<void> {
  const { email, language, wish } = asked
  supportedCorridor(deps.alerting.memory.current.catalogue, wish.corridor)
  assertEvaluated(wish)
  await admitted(deps, 'subscription', { ...origin, email })
  const payload = textOf({ ...asked, endsMs: origin.nowMs + LINK_MS, nonce: deps.alerting.newId() })
  const token = `${payload}.${await signatureOf(deps, payload)}`
  deps.onSubscription({ kind: 'subscribe', email, token, language, about })
}

/** Payload of a link. The nonce makes links of one instant differ, so each creates an alert. */
type Signed = Subscription & { readonly endsMs: number; readonly nonce: string }

const textOf = (signed: Signed): string => Buffer.from(JSON.stringify(signed)).toString('base64url')

const signatureOf = ({ fingerprint }: SubscribeDeps, payload: string): Promise<string> =>
  fingerprint(`subscription ${payload}`)

/** The subscription in an emailed link; null for a link that has expired, or is not ours. */
export async function subscriptionOf(
  deps: SubscribeDeps,
  token: string,
  nowMs: number,
): Promise<Subscription | null> {
  const [payload = '', signature = ''] = token.split('.')
  if (!isSameToken(signature, await signatureOf(deps, payload))) return null
  const signed = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Signed
  return nowMs < signed.endsMs ? signed : null
}

/**
 * Creates the alert of an emailed link in the account of its address, or in a new account without a
 * password or a key. The same link, or the same wish, creates no second alert. No session begins.
 * Null for an expired link; throws what `createAlert` does.
 */
export async function confirmSubscription(
  deps: SubscribeDeps,
  token: string,
  origin: Origin,
): Promise<Alert | null> {
  const { alerting, mailboxes, published, memory } = deps
  const { nowMs } = origin
  await admitted(deps, 'link', { ...origin, email: null })
  const subscription = await subscriptionOf(deps, token, nowMs)
  if (!subscription) return null
  const { wish, ...mailbox } = subscription
  const accountId = await mailboxes.accountOfMailbox({ ...mailbox, nowMs })
  await published(accountId)
  const account = memory.current.keys.account(accountId)
  if (!account) throw new Error('the account of a mailbox is not served')
  const id = alertIdOf(token)
  const held = await alerting.alerts.list(accountId)
  const known = held.find((one) => one.id === id || (one.status !== 'ended' && isFor(one, wish)))
  return known ?? (await createAlert(alerting, { account, wish, id })).alert
}

const isFor = (alert: Alert, wish: AlertWish): boolean =>
  (Object.keys(wish) as (keyof AlertWish)[]).every((name) =>
    isDeepStrictEqual(alert[name], wish[name]),
  )
