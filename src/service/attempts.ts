import { HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import { WIDER_SHARES, widerNetworkOf } from '~/domain/network.ts'

type Limit = {
  readonly perAddress: number
  /** On one account from one address, or by one device; not given where nobody is named. */
  readonly perPair?: number
  /** On one account from everywhere but its own devices: strangers together reach it slowly. */
  readonly perAccount?: number
  readonly windowMs: number
}

/** What somebody may try only so often; a sign-in is wherever a password is looked at. */
export const LIMITS = {
  'sign-in': { perAddress: 40, perPair: 10, perAccount: 100, windowMs: 15 * MINUTE_MS },
  'sign-up': { perAddress: 20, perPair: 5, perAccount: 20, windowMs: HOUR_MS },
  reset: { perAddress: 20, perPair: 5, perAccount: 20, windowMs: HOUR_MS },
  link: { perAddress: 60, windowMs: 15 * MINUTE_MS },
} as const satisfies Record<string, Limit>

export type Limited = keyof typeof LIMITS

/** Somebody has to wait before trying again. */
export class TooManyAttempts extends Error {
  constructor(readonly retryAfterSeconds: number) {
    super(`too many attempts; try again in ${retryAfterSeconds} s`)
    this.name = 'TooManyAttempts'
  }
}

export type AttemptStore = {
  /** Counts a try and answers how many there are in the window that ends then, on all replicas. */
  countAttempt(scope: string, endsMs: number): Promise<number>
  forgetAttempts(scope: string): Promise<void>
}

export type Attempt = {
  readonly what: Limited
  /** Where it comes from. */
  readonly address: string
  /** Whom it is about: an e-mail address, known or not; null for a link, which names nobody. */
  readonly email: string | null
  /** A browser that signed in to this account before; null for any other. */
  readonly device: string | null
  readonly nowMs: number
}

type Deps = {
  readonly store: AttemptStore
  /** Turns what a count is kept under into something that names nobody. */
  readonly fingerprint: (text: string) => Promise<string>
}

type Bound = { readonly scope: string; readonly max: number }

/**
 * Counts a try before it is made: by where it comes from, by whom it is about and from where, and
 * by whom it is about alone. A device that signed in before is counted on its own instead, so that
 * nobody else's tries shut it out.
 *
 * A try that is refused counts in nothing behind what refused it: one address alone does not use up
 * what an account may be tried. Windows are fixed: around the end of one, up to twice as many may
 * fit. Throws TooManyAttempts.
 */
export async function countAttempt(deps: Deps, attempt: Attempt): Promise<void> {
  const { windowMs } = LIMITS[attempt.what]
  const endsMs = (Math.floor(attempt.nowMs / windowMs) + 1) * windowMs
  for (const { scope, max } of boundsOf(attempt)) {
    const count = await deps.store.countAttempt(await deps.fingerprint(scope), endsMs)
    if (count > max) throw new TooManyAttempts(Math.ceil((endsMs - attempt.nowMs) / 1000))
  }
}

/** A success wipes the slate of who made it, not that of the address or of the account. */
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

/** By an address, and by the /56 around an IPv6 one. */
function aroundBounds(scope: string, address: string, max: number): Bound[] {
  const own = { scope: `${scope} ${address}`, max }
  const wider = widerNetworkOf(address)
  return wider === null ? [own] : [own, { scope: `${scope} ${wider}`, max: WIDER_SHARES * max }]
}

const aboutScope = (what: Limited, email: string): string =>
  `${what} for ${email.trim().toLowerCase()}`
