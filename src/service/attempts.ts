import { HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'

type Limit = {
  readonly perAddress: number
  /** Not given where nobody is named. */
  readonly perAccount?: number
  readonly windowMs: number
}

/** What somebody may try only so often; a sign-in is wherever a password is looked at. */
export const LIMITS = {
  'sign-in': { perAddress: 40, perAccount: 10, windowMs: 15 * MINUTE_MS },
  'sign-up': { perAddress: 20, perAccount: 5, windowMs: HOUR_MS },
  reset: { perAddress: 20, perAccount: 5, windowMs: HOUR_MS },
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
  readonly nowMs: number
}

type Deps = {
  readonly store: AttemptStore
  /** Turns what a count is kept under into something that names nobody. */
  readonly fingerprint: (text: string) => Promise<string>
}

/**
 * Counts a try before it is made, by where it comes from and by whom it is about.
 *
 * Windows are fixed: around the end of one, up to twice as many may fit. Throws TooManyAttempts.
 */
export async function countAttempt(deps: Deps, attempt: Attempt): Promise<void> {
  const { what, address, email, nowMs } = attempt
  const { perAddress, perAccount, windowMs }: Limit = LIMITS[what]
  const endsMs = (Math.floor(nowMs / windowMs) + 1) * windowMs
  const within = async (scope: string, max: number) => {
    const count = await deps.store.countAttempt(await deps.fingerprint(scope), endsMs)
    if (count > max) throw new TooManyAttempts(Math.ceil((endsMs - nowMs) / 1000))
  }
  await within(`${what} from ${address}`, perAddress)
  if (email !== null && perAccount !== undefined)
    await within(accountScope(what, email), perAccount)
}

/** A success wipes the slate of whom it is about, not of where it came from. */
export async function forgetAttempts(
  deps: Deps,
  { what, email }: { readonly what: Limited; readonly email: string },
): Promise<void> {
  await deps.store.forgetAttempts(await deps.fingerprint(accountScope(what, email)))
}

const accountScope = (what: Limited, email: string): string =>
  `${what} for ${email.trim().toLowerCase()}`
