import type { Credentials } from '~/domain/account.ts'
import type { Database } from '~/store/database.ts'
import { rerun } from '~/store/rerun.ts'
import { type AuthOptions, BetterAuth } from './better-auth.ts'

/** The prefix that better-auth puts before the token of a link, to name its purpose. */
const RESET_PREFIX = 'reset-password:'

/** Addresses, passwords and sessions of people, by better-auth. */
export function createAuth(database: Database, options: AuthOptions) {
  const library = new BetterAuth(database, options)
  return {
    /** Loads what the first call needs, which takes a fifth of a second. */
    warm: () => void library.load().catch(() => {}),
    async signUp({ email, password }: Credentials) {
      const body = { email, password, name: email }
      return isDone(await library.attempted((api) => api.signUpEmail({ body })))
    },
    async signIn(body: Credentials) {
      const signedIn = await library.attempted((api) =>
        api.signInEmail({ body, returnHeaders: true }),
      )
      if (typeof signedIn === 'string')
        return signedIn === 'EMAIL_NOT_VERIFIED' ? 'unconfirmed' : 'wrong'
      const { id: userId, email } = signedIn.response.user
      return { userId, email, cookies: signedIn.headers.getSetCookie() }
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
    async session(headers: Headers) {
      const found = await library.reached(({ api }) => api.getSession({ headers }))
      return found && { userId: found.user.id, email: found.user.email, token: found.session.token }
    },
    async signOut(headers: Headers) {
      const signedOut = await library.reached(({ api }) =>
        api.signOut({ headers, returnHeaders: true }),
      )
      return signedOut.headers.getSetCookie()
    },
  }
}

/** Whether what was attempted came back with something else than the code of a refusal. */
const isDone = (outcome: unknown): boolean => typeof outcome !== 'string'
