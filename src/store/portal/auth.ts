import type { Credentials } from '~/domain/account.ts'
import type { Database } from '~/store/database.ts'
import { rerun } from '~/store/rerun.ts'
import { type AuthOptions, BetterAuth, loadPasswords } from './better-auth.ts'
import { codesOf, type Passwords } from './codes.ts'

/** The prefix that better-auth puts before the token of a link, to name its purpose. */
const RESET_PREFIX = 'reset-password:'

/** Addresses, passwords, sessions and authenticator apps of people, by better-auth. */
export function createAuth(database: Database, options: AuthOptions) {
  const library = new BetterAuth(database, () => loadPasswords(database, options))
  return {
    /** Loads the dependencies of the first call, which takes a fifth of a second. */
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

/** The calls of people who are signed in, authenticated by their headers. */
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

/** Reports whether an attempt returned anything other than the code of a refusal. */
const isDone = (outcome: unknown): boolean => typeof outcome !== 'string'
