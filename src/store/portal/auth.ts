import type { Credentials } from '~/domain/account.ts'
import type { Database } from '~/store/database.ts'
import { rerun } from '~/store/rerun.ts'
import { type AuthOptions, BetterAuth, loadPasswords } from './better-auth.ts'

/** The prefix that better-auth puts before the token of a link, to name its purpose. */
const RESET_PREFIX = 'reset-password:'

/** Addresses, passwords, sessions and authenticator apps of people, by better-auth. */
export function createAuth(database: Database, options: AuthOptions) {
  const library = new BetterAuth(database, () => loadPasswords(database, options))
  return {
    /** Loads what the first call needs, which takes a fifth of a second. */
    warm: () => void library.load().catch(() => {}),
    async signUp({ email, password, language }: Credentials & { readonly language: string }) {
      const body = { email, password, name: email, language }
      return isDone(await library.attempted((api) => api.signUpEmail({ body })))
    },
    async signIn(body: Credentials, userAgent = '') {
      const headers = new Headers({ 'user-agent': userAgent })
      const entered = await library.attempted((api) =>
        api.signInEmail({ body, headers, returnHeaders: true }),
      )
      if (typeof entered === 'string')
        return entered === 'EMAIL_NOT_VERIFIED' ? 'unconfirmed' : 'wrong'
      const cookies = entered.headers.getSetCookie()
      if (!('user' in entered.response)) return { pendingCookies: cookies }
      const { id: userId, email } = entered.response.user
      return { userId, email, cookies }
    },
    async sendConfirmation(email: string) {
      await library.attempted((api) => api.sendVerificationEmail({ body: { email } }))
    },
    confirm: async (token: string) =>
      isDone(await library.attempted((api) => api.verifyEmail({ query: { token } }))),
    async requestReset(email: string) {
      await library.attempted((api) => api.requestPasswordReset({ body: { email } }))
    },
    linkOwner: (token: string) =>
      library.reached(async ({ $context }) => {
        const { internalAdapter } = await $context
        const link = await internalAdapter.findVerificationValue(`${RESET_PREFIX}${token}`)
        return (link && (await internalAdapter.findUserById(link.value)))?.email ?? null
      }),
    async reset({ token, password: newPassword }: { token: string; password: string }) {
      const body = { token, newPassword }
      const once = () => library.attempted((api) => api.resetPassword({ body }))
      return isDone(await rerun(once))
    },
    ...sessionsOf(library),
    ...codesOf(library, options),
  }
}

/** The calls of people who are signed in, by the headers that show it. */
function sessionsOf(library: Passwords) {
  return {
    isPassword: async (password: string, headers: Headers) =>
      isDone(await library.attempted((api) => api.verifyPassword({ body: { password }, headers }))),
    async changePassword(change: { current: string; password: string }, headers: Headers) {
      const { current: currentPassword, password: newPassword } = change
      const body = { currentPassword, newPassword, revokeOtherSessions: true }
      const changed = await library.attempted((api) =>
        api.changePassword({ body, headers, returnHeaders: true }),
      )
      return typeof changed === 'string' ? null : changed.headers.getSetCookie()
    },
    async session(headers: Headers) {
      const found = await library.reached(({ api }) => api.getSession({ headers }))
      if (!found) return null
      const { user, session } = found
      return {
        userId: user.id,
        email: user.email,
        hasSecondFactor: user.twoFactorEnabled === true,
        ...{ sessionId: session.id, token: session.token, usedMs: session.updatedAt.getTime() },
      }
    },
    async signOut(headers: Headers) {
      const signedOut = await library.reached(({ api }) =>
        api.signOut({ headers, returnHeaders: true }),
      )
      return signedOut.headers.getSetCookie()
    },
  }
}

/** Reports whether what was attempted came back with something else than the code of a refusal. */
const isDone = (outcome: unknown): boolean => typeof outcome !== 'string'

type Passwords = BetterAuth<Awaited<ReturnType<typeof loadPasswords>>>

/** The name of better-auth's cookie between the password and the second factor. */
const PENDING_COOKIE = 'corridor.two_factor'

function codesOf(library: Passwords, { cookiePrefix }: Pick<AuthOptions, 'cookiePrefix'>) {
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
      const entered = await library.attempted((api) =>
        isFromApp(code) ? api.verifyTOTP(asked) : api.verifyBackupCode(asked),
      )
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
    /** The address that a new app reads; null for a wrong password, or where one is set up. */
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
      const left = await library.attempted((api) => api.viewBackupCodes({ body: { userId } }))
      return typeof left === 'string' ? [] : left.backupCodes
    },
  }
}

const isFromApp = (code: string): boolean => /^\d{6}$/.test(code)

/** `stale` where the password has to be entered again. */
function outcomeOf(refusal: string): 'wrong' | 'stale' | 'locked' {
  if (refusal === 'ACCOUNT_TEMPORARILY_LOCKED') return 'locked'
  const isStale =
    refusal === 'INVALID_TWO_FACTOR_COOKIE' || refusal === 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE'
  return isStale ? 'stale' : 'wrong'
}
