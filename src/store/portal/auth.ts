import { eq, sql } from 'drizzle-orm'
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '~/domain/account.ts'
import type { Database, Db } from '~/store/database.ts'
import { rerun } from '~/store/rerun.ts'
import { portalCredentials, portalSessions, portalUsers, portalVerifications } from './schema.ts'

/** A link that somebody is to follow from a mail; the token is its secret part. */
export type MailedLink = {
  readonly kind: 'confirm' | 'reset'
  readonly email: string
  readonly token: string
}

export type AuthOptions = {
  /** Signs cookies and links; asked for once, before the first use. */
  secret(): Promise<string>
  /** What the names of cookies begin with; none are for http where it is given. */
  readonly cookiePrefix: string
  /** Below which cookies are sent. */
  readonly cookiePath: string
  /** Takes a link to send; must not wait for the mail, whose time would tell who is known. */
  onLink(link: MailedLink): void
  onFault(message: string): void
}

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
 * Who people are: addresses, passwords, sessions. Nothing but `unconfirmed`, which takes the right
 * password, tells whether an address is known.
 */
export type Auth = {
  /**
   * Mails a link: to confirm the address, or to choose a new password where it is known. False for
   * what is no address, or no password within the limits.
   */
  signUp(person: { email: string; password: string }): Promise<boolean>
  signIn(person: { email: string; password: string }): Promise<SignedIn | 'wrong' | 'unconfirmed'>
  /** Mails another link to confirm an address that is not confirmed yet. */
  sendConfirmation(email: string): Promise<void>
  /** Whether the token confirmed its address. */
  confirm(token: string): Promise<boolean>
  /** Mails a link to choose a new password to an address that is known. */
  requestReset(email: string): Promise<void>
  /** Whose link to choose a new password that is, or was; null where nothing is known of it. */
  linkOwner(token: string): Promise<string | null>
  /**
   * False for a stale link. Ends all sessions and all other links of the person; this too confirms
   * the address.
   */
  reset(reset: { token: string; password: string }): Promise<boolean>
  /** The session whose cookie is in the headers; null when it is over. */
  session(headers: Headers): Promise<OpenSession | null>
  /** Ends it, and answers the `Set-Cookie` lines that forget it. */
  signOut(headers: Headers): Promise<readonly string[]>
  /** Loads what the first call needs, which takes a fifth of a second. */
  warm(): void
}

/** Links in mails are made by whoever sends them; nothing here goes by an address of ours. */
const UNUSED_URL = 'http://localhost'
const LINK_SECONDS = 3600
/** What better-auth puts before the token of a link, to name what the link is for. */
const RESET_PREFIX = 'reset-password:'
const SESSION_SECONDS = 7 * 24 * 3600

/** Nothing is loaded before it is needed: a service without visitors saves 35 MB. */
export function createAuth(database: Database, options: AuthOptions): Auth {
  const { db } = database
  let loading: ReturnType<typeof load> | null = null
  const ready = () => {
    loading ??= load(database, options).catch((error) => {
      loading = null
      throw error
    })
    return loading
  }
  return {
    warm: () => void ready().catch(() => {}),
    async signUp({ email, password }) {
      const { api } = await ready()
      const body = { email, password, name: email }
      return typeof (await attempted(db, api.signUpEmail({ body }))) !== 'string'
    },
    async signIn(person) {
      const { api } = await ready()
      const signedIn = await attempted(db, api.signInEmail({ body: person, returnHeaders: true }))
      if (typeof signedIn === 'string')
        return signedIn === 'EMAIL_NOT_VERIFIED' ? 'unconfirmed' : 'wrong'
      const { id: userId, email } = signedIn.response.user
      return { userId, email, cookies: signedIn.headers.getSetCookie() }
    },
    sendConfirmation: async (email) => {
      const { api } = await ready()
      await attempted(db, api.sendVerificationEmail({ body: { email } }))
    },
    async confirm(token) {
      const { api } = await ready()
      return typeof (await attempted(db, api.verifyEmail({ query: { token } }))) !== 'string'
    },
    requestReset: async (email) => {
      const { api } = await ready()
      await attempted(db, api.requestPasswordReset({ body: { email } }))
    },
    async linkOwner(token) {
      const { internalAdapter } = await (await ready()).$context
      const owner = async () => {
        const link = await internalAdapter.findVerificationValue(`${RESET_PREFIX}${token}`)
        return link && (await internalAdapter.findUserById(link.value))
      }
      return (await reached(db, owner()))?.email ?? null
    },
    async reset({ token, password: newPassword }) {
      const { api } = await ready()
      const body = { token, newPassword }
      const once = () => attempted(db, api.resetPassword({ body }))
      return typeof (await rerun(once)) !== 'string'
    },
    async session(headers) {
      const { api } = await ready()
      const found = await reached(db, api.getSession({ headers }))
      return found && { userId: found.user.id, email: found.user.email, token: found.session.token }
    },
    async signOut(headers) {
      const { api } = await ready()
      const signedOut = await reached(db, api.signOut({ headers, returnHeaders: true }))
      return signedOut.headers.getSetCookie()
    },
  }
}

/** What was asked for, or the code of its refusal; rejects where something is wrong on our side. */
async function attempted<T>(db: Db, work: Promise<T>): Promise<T | string> {
  try {
    return await work
  } catch (error) {
    const { code } = (error as { body?: { code?: unknown } }).body ?? {}
    if (typeof code === 'string' && !code.startsWith('FAILED_TO')) return code
    return reached(db, Promise.reject(error))
  }
}

/** better-auth hides why it failed: where the database is away, this rejects with what it says. */
async function reached<T>(db: Db, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    await db.execute(sql`select 1`)
    throw error
  }
}

async function load({ db }: Database, options: AuthOptions) {
  const [{ betterAuth }, { drizzleAdapter }, secret] = await Promise.all([
    import('better-auth/minimal'),
    import('better-auth/adapters/drizzle'),
    options.secret(),
  ])
  const schema = {
    user: portalUsers,
    session: portalSessions,
    account: portalCredentials,
    verification: portalVerifications,
  }
  const auth = betterAuth({
    baseURL: UNUSED_URL,
    secret,
    database: drizzleAdapter(db, { provider: 'pg', schema, transaction: true }),
    emailAndPassword: {
      enabled: true,
      requireEmailVerification: true,
      minPasswordLength: PASSWORD_LENGTH_MIN,
      maxPasswordLength: PASSWORD_LENGTH_MAX,
      resetPasswordTokenExpiresIn: LINK_SECONDS,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: async ({ user, token }) =>
        options.onLink({ kind: 'reset', email: user.email, token }),
      onExistingUserSignUp: async ({ user: { email } }) => {
        await auth.api.requestPasswordReset({ body: { email } })
      },
      onPasswordReset: async ({ user }) => {
        await db.update(portalUsers).set({ emailVerified: true }).where(eq(portalUsers.id, user.id))
      },
    },
    verification: { storeIdentifier: 'hashed' },
    emailVerification: {
      expiresIn: LINK_SECONDS,
      sendOnSignUp: true,
      sendVerificationEmail: async ({ user, token }) =>
        options.onLink({ kind: 'confirm', email: user.email, token }),
    },
    session: { expiresIn: SESSION_SECONDS, disableSessionRefresh: true },
    advanced: {
      cookiePrefix: `${options.cookiePrefix}corridor`,
      // by itself better-auth would put __Secure- before the prefix
      useSecureCookies: false,
      defaultCookieAttributes: {
        secure: options.cookiePrefix !== '',
        path: options.cookiePath,
      },
    },
    logger: { level: 'error', log: (_level, message) => options.onFault(message) },
    telemetry: { enabled: false },
  })
  return auth
}
