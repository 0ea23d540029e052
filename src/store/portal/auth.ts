import type { Database } from '~/store/database.ts'
import { rerun } from '~/store/rerun.ts'
import { type AuthOptions, BetterAuth } from './better-auth.ts'

/** A session that has just begun, and the `Set-Cookie` lines that carry it. */
export type SignedIn = {
  readonly userId: string
  readonly email: string
  readonly cookies: readonly string[]
}

type OpenSession = {
  readonly userId: string
  readonly email: string
  readonly token: string
}

/**
 * People's addresses, passwords and sessions. Only `unconfirmed`, which takes the right password,
 * reveals whether an address is known.
 */
export type Auth = {
  /**
   * Mails a link: to confirm the address, or to choose a new password if the address is known.
   * False for an invalid address, or a password outside the limits.
   */
  signUp(person: { email: string; password: string }): Promise<boolean>
  signIn(person: { email: string; password: string }): Promise<SignedIn | 'wrong' | 'unconfirmed'>
  /** Mails another link to confirm an address that is not confirmed yet. */
  sendConfirmation(email: string): Promise<void>
  /** Whether the token confirmed its address. */
  confirm(token: string): Promise<boolean>
  /** Mails a link to choose a new password to an address that is known. */
  requestReset(email: string): Promise<void>
  /** The person that a link for a new password belongs to, or did; null for an unknown one. */
  linkOwner(token: string): Promise<string | null>
  /**
   * Sets a new password; false for a stale link. Ends all sessions and all other links of the
   * person, and confirms the address.
   */
  reset(reset: { token: string; password: string }): Promise<boolean>
  /** The session whose cookie is in the headers; null when it is over. */
  session(headers: Headers): Promise<OpenSession | null>
  /** Ends the session, and answers the `Set-Cookie` lines that delete its cookie. */
  signOut(headers: Headers): Promise<readonly string[]>
  /** Loads what the first call needs, which takes a fifth of a second. */
  warm(): void
}

/** The prefix that better-auth puts before the token of a link, to name its purpose. */
const RESET_PREFIX = 'reset-password:'

export function createAuth(database: Database, options: AuthOptions): Auth {
  const library = new BetterAuth(database, options)
  return {
    warm: () => void library.load().catch(() => {}),
    async signUp({ email, password }) {
      const body = { email, password, name: email }
      return isDone(await library.attempted((api) => api.signUpEmail({ body })))
    },
    async signIn(body) {
      const signedIn = await library.attempted((api) =>
        api.signInEmail({ body, returnHeaders: true }),
      )
      if (typeof signedIn === 'string')
        return signedIn === 'EMAIL_NOT_VERIFIED' ? 'unconfirmed' : 'wrong'
      const { id: userId, email } = signedIn.response.user
      return { userId, email, cookies: signedIn.headers.getSetCookie() }
    },
    async sendConfirmation(email) {
      await library.attempted((api) => api.sendVerificationEmail({ body: { email } }))
    },
    confirm: async (token) =>
      isDone(await library.attempted((api) => api.verifyEmail({ query: { token } }))),
    async requestReset(email) {
      await library.attempted((api) => api.requestPasswordReset({ body: { email } }))
    },
    linkOwner: (token) =>
      library.reached(async ({ $context }) => {
        const { internalAdapter } = await $context
        const link = await internalAdapter.findVerificationValue(`${RESET_PREFIX}${token}`)
        return (link && (await internalAdapter.findUserById(link.value)))?.email ?? null
      }),
    async reset({ token, password: newPassword }) {
      const body = { token, newPassword }
      const once = () => library.attempted((api) => api.resetPassword({ body }))
      return isDone(await rerun(once))
    },
    async session(headers) {
      const found = await library.reached(({ api }) => api.getSession({ headers }))
      return found && { userId: found.user.id, email: found.user.email, token: found.session.token }
    },
    async signOut(headers) {
      const signedOut = await library.reached(({ api }) =>
        api.signOut({ headers, returnHeaders: true }),
      )
      return signedOut.headers.getSetCookie()
    },
  }
}

/** Whether what was attempted came back with something else than the code of a refusal. */
const isDone = (outcome: unknown): boolean => typeof outcome !== 'string'
