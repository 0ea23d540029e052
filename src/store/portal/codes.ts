import type { AuthOptions, BetterAuth, loadPasswords } from './better-auth.ts'

export type Passwords = BetterAuth<Awaited<ReturnType<typeof loadPasswords>>>

/** The name of better-auth's cookie between the password and the second factor. */
const PENDING_COOKIE = 'corridor.two_factor'

export function codesOf(library: Passwords, { cookiePrefix }: Pick<AuthOptions, 'cookiePrefix'>) {
  return {
    /** The person who has shown the password and not the second factor yet; null for none. */
    pending: (headers: Headers, nowMs: number) =>
      library.reached(async ({ $context }) => {
        const jar = new Bun.CookieMap(headers.get('cookie') ?? '')
        const [identifier] = (jar.get(cookiePrefix + PENDING_COOKIE) ?? '').split('.')
        if (!identifier) return null
        const { internalAdapter } = await $context
        const pending = await internalAdapter.findVerificationValue(identifier)
        if (!pending || pending.expiresAt.getTime() <= nowMs) return null
        const user = await internalAdapter.findUserById(pending.value)
        return user && { userId: user.id, email: user.email }
      }),
    async enterCode(code: string, headers: Headers) {
      const asked = { body: { code }, headers, returnHeaders: true } as const
      const entered = await library
        .attempted((api) => (isFromApp(code) ? api.verifyTOTP(asked) : api.verifyBackupCode(asked)))
        .catch(unreadable)
      if (typeof entered === 'string') return outcomeOf(entered)
      const { id: userId, email } = entered.response.user
      return { userId, email, cookies: entered.headers.getSetCookie() }
    },
    ...ownCodes(library),
  }
}

/** Actions of signed-in users on their own codes. */
function ownCodes(library: Passwords) {
  return {
    /** The address that a new app reads; null for a wrong password, or if an app is set up. */
    async beginApp(password: string, headers: Headers) {
      const begun = await library.attempted((api) =>
        api.enableTwoFactor({ body: { password, method: 'totp' }, headers }),
      )
      if (typeof begun === 'string' || begun.method !== 'totp') return null
      return begun.totpURI
    },
    /** Ends the setting up of an app by a code of it; null for a wrong one. */
    async confirmApp(code: string, headers: Headers) {
      const confirmed = await library.attempted((api) =>
        api.verifyTOTP({ body: { code }, headers, returnHeaders: true }),
      )
      return typeof confirmed === 'string' ? null : confirmed.headers.getSetCookie()
    },
    /** Replaces all recovery codes; null for a wrong password. */
    async newCodes(password: string, headers: Headers) {
      const made = await library.attempted((api) =>
        api.generateBackupCodes({ body: { password }, headers }),
      )
      return typeof made === 'string' ? null : made.backupCodes
    },
    async recoveryCodes(userId: string) {
      const left = await library
        .attempted((api) => api.viewBackupCodes({ body: { userId } }))
        .catch(unreadable)
      return typeof left === 'string' ? [] : left.backupCodes
    },
  }
}

const isFromApp = (code: string): boolean => /^\d{6}$/.test(code)

const UNREADABLE = 'unreadable'

/** Outcome for an app, or codes, that another AUTH_SECRET encrypted: better-auth rejects then. */
function unreadable(error: unknown): typeof UNREADABLE {
  if (error instanceof Error && error.message === 'invalid tag') return UNREADABLE
  throw error
}

/** Returns `stale` if the password has to be entered again. */
function outcomeOf(refusal: string): 'wrong' | 'stale' | 'locked' | 'unreadable' {
  if (refusal === UNREADABLE) return UNREADABLE
  if (refusal === 'ACCOUNT_TEMPORARILY_LOCKED') return 'locked'
  const isStale =
    refusal === 'INVALID_TWO_FACTOR_COOKIE' || refusal === 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE'
  return isStale ? 'stale' : 'wrong'
}
