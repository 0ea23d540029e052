import { HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import { WIDER_SHARES, widerNetworkOf } from '~/domain/network.ts'

type Limit = {
  readonly perAddress: number
  /** The limit on one account from one address, or by one device; absent if no account is named. */
  readonly perPair?: number
  /** The limit on one account from all but its own devices, so that strangers cannot lock it. */
  readonly perAccount?: number
  readonly windowMs: number
}

/** The limits on what a person may try; every check of a password counts as a sign-in. */
export const LIMITS = {
  'sign-in': { perAddress: 40, perPair: 10, perAccount: 100, windowMs: 15 * MINUTE_MS },
  'sign-up': { perAddress: 20, perPair: 5, perAccount: 20, windowMs: HOUR_MS },
  subscription: { perAddress: 20, perPair: 5, perAccount: 20, windowMs: HOUR_MS },
  reset: { perAddress: 20, perPair: 5, perAccount: 20, windowMs: HOUR_MS },
  link: { perAddress: 60, windowMs: 15 * MINUTE_MS },
  registration: { perAddress: 30, windowMs: HOUR_MS },
  document: { perAddress: 300, perPair: 30, perAccount: 30, windowMs: HOUR_MS },
} as const satisfies Record<string, Limit>

export type Limited = keyof typeof LIMITS

/** A caller has to wait before trying again. */
export class TooManyAttempts extends Error {
  constructor(readonly retryAfterSeconds: number) {
    super(`too many attempts; try again in ${retryAfterSeconds} s`)
    this.name = 'TooManyAttempts'
  }
}

export type AttemptStore = {
  /** Counts an attempt; returns the number in the window that ends at `endsMs`, on all replicas. */
  countAttempt(scope: string, endsMs: number): Promise<number>
  forgetAttempts(scope: string): Promise<void>
}

export type Attempt = {
  readonly what: Limited
  readonly address: string
  /** The email address of the attempt, known or not; null for a link, which names no person. */
  readonly email: string | null
  /** A browser that signed in to this account before; null for any other. */
  readonly device: string | null
  readonly nowMs: number
}

type Deps = {
  readonly store: AttemptStore
  /** Turns the key of a count into a string that names no person. */
  readonly fingerprint: (text: string) => Promise<string>
}

type Bound = { readonly scope: string; readonly max: number }

/**
 * Counts an attempt before it is made: by its origin, by account and origin together, and by
 * account alone. A device that signed in before is counted on its own instead, so that other
 * people's attempts do not lock it out.
 *
 * An attempt that one count refuses is not counted further: one address alone cannot use up the
 * attempts on an account. Windows are fixed: around the end of one, up to twice as many may fit.
 * Throws TooManyAttempts.
 */
export async function countAttempt(deps: Deps, attempt: Attempt): Promise<void> {
  const { windowMs } = LIMITS[attempt.what]
  const endsMs = (Math.floor(attempt.nowMs / windowMs) + 1) * windowMs
  for (const { scope, max } of boundsOf(attempt)) {
    const count = await deps.store.countAttempt(await deps.fingerprint(scope), endsMs)
    if (count > max) throw new TooManyAttempts(Math.ceil((endsMs - attempt.nowMs) / 1000))
  }
}

/** Clears the counts of the attempt's own device or pair, not of the address or the account. */
export async function forgetAttempts(deps: Deps, attempt: Attempt): Promise<void> {
  const [own] = attempt.device === null ? pairBounds(attempt) : deviceBounds(attempt)
  if (own) await deps.store.forgetAttempts(await deps.fingerprint(own.scope))
}

function boundsOf(attempt: Attempt): Bound[] {
  if (attempt.device !== null) return deviceBounds(attempt)
  const { what, address, email } = attempt
  const { perAddress, perAccount }: Limit = LIMITS[what]
  const from = aroundBounds(`${what} from`, address, perAddress)
  if (email === null || perAccount === undefined) return from
  return [...from, ...pairBounds(attempt), { scope: aboutScope(what, email), max: perAccount }]
}

function deviceBounds({ what, email, device }: Attempt): Bound[] {
  const { perPair }: Limit = LIMITS[what]
  if (email === null || perPair === undefined) return []
  return [{ scope: `${aboutScope(what, email)} by ${device}`, max: perPair }]
}

function pairBounds({ what, email, address }: Attempt): Bound[] {
  const { perPair }: Limit = LIMITS[what]
  if (email === null || perPair === undefined) return []
  return aroundBounds(`${aboutScope(what, email)} from`, address, perPair)
}

/** The limits on an address, and on the /56 around an IPv6 one. */
function aroundBounds(scope: string, address: string, max: number): Bound[] {
  const own = { scope: `${scope} ${address}`, max }
  const wider = widerNetworkOf(address)
  return wider === null ? [own] : [own, { scope: `${scope} ${wider}`, max: WIDER_SHARES * max }]
}

const aboutScope = (what: Limited, email: string): string =>
  `${what} for ${email.trim().toLowerCase()}`
