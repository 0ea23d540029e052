import { eq, sql } from 'drizzle-orm'
import { type MailedLink, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '~/domain/account.ts'
import { madeOnce } from '~/domain/made-once.ts'
import type { Database } from '~/store/database.ts'
import { portalTwoFactors } from './factor-schema.ts'
import { portalCredentials, portalSessions, portalUsers, portalVerifications } from './schema.ts'

export type AuthOptions = {
  /** The secret that signs cookies and links; asked for once, before the first use. */
  secret(): Promise<string>
  /** The start of every cookie's name; with one, cookies are for https only. */
  readonly cookiePrefix: string
  /** The path below which cookies are sent. */
  readonly cookiePath: string
  /** Sends a link; must not wait for the email, since the time would reveal who is known. */
  onLink(link: MailedLink): void
  onFault(message: string): void
  /** Storage of passwords; by default that of better-auth, a costly scrypt. */
  readonly passwords?: PasswordHashing | undefined
}

export type LibraryOptions = Pick<AuthOptions, 'secret' | 'cookiePrefix' | 'cookiePath' | 'onFault'>

export type PasswordHashing = {
  hash(password: string): Promise<string>
  verify(tried: { hash: string; password: string }): Promise<boolean>
}

/** An address that better-auth wants and nothing uses: the sender makes the links in emails. */
export const UNUSED_URL = 'http://localhost'
const LINK_SECONDS = 3600
const SESSION_SECONDS = 7 * 24 * 3600

const TABLES = {
  user: portalUsers,
  session: portalSessions,
  account: portalCredentials,
  verification: portalVerifications,
  twoFactor: portalTwoFactors,
}

/** A library based on better-auth, loaded at the first call; its errors name their real reason. */
export class BetterAuth<Library extends { readonly api: unknown }> {
  /** Loads the library; if that rejects, the next call tries again. */
  readonly load: () => Promise<Library>

  constructor(
    private readonly database: Database,
    made: () => Promise<Library>,
  ) {
    this.load = madeOnce(made)
  }

  /** The result of the call, or the code of its refusal; rejects if the error is ours. */
  async attempted<T>(ask: (api: Library['api']) => Promise<T>): Promise<T | string> {
    const library = await this.load()
    try {
      return await ask(library.api)
    } catch (error) {
      const { code } = (error as { body?: { code?: unknown } }).body ?? {}
      if (typeof code === 'string' && !code.startsWith('FAILED_TO')) return code
      return this.#explained(error)
    }
  }

  async reached<T>(ask: (library: Library) => Promise<T>): Promise<T> {
    const library = await this.load()
    return ask(library).catch((error) => this.#explained(error))
  }

  /** Throws the real reason of a failure, which better-auth hides: an unreachable database. */
  async #explained(error: unknown): Promise<never> {
    await this.database.db.execute(sql`select 1`)
    throw error
  }
}

/** better-auth for addresses, passwords, sessions and authenticator apps: 35 MB once loaded. */
export async function loadPasswords(database: Database, options: AuthOptions) {
  const [{ betterAuth }, { twoFactor }, shared] = await Promise.all([
    import('better-auth/minimal'),
    import('better-auth/plugins/two-factor'),
    sharedOptions(database, options),
  ])
  const { db } = database
  const auth = betterAuth({
    ...shared,
    emailAndPassword: {
      enabled: true,
      ...(options.passwords && { password: options.passwords }),
      requireEmailVerification: true,
      minPasswordLength: PASSWORD_LENGTH_MIN,
      maxPasswordLength: PASSWORD_LENGTH_MAX,
      resetPasswordTokenExpiresIn: LINK_SECONDS,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: async ({ user, token }) =>
        options.onLink({ kind: 'reset', ...receiverOf(user), token }),
      onExistingUserSignUp: async ({ user: { email } }) => {
        await auth.api.requestPasswordReset({ body: { email } })
      },
      onPasswordReset: async ({ user }) => {
        await db.update(portalUsers).set({ emailVerified: true }).where(eq(portalUsers.id, user.id))
      },
    },
    emailVerification: {
      expiresIn: LINK_SECONDS,
      sendOnSignUp: true,
      sendVerificationEmail: async ({ user, token }) =>
        options.onLink({ kind: 'confirm', ...receiverOf(user), token }),
    },
    user: { additionalFields: { language: { type: 'string', required: false } } },
    plugins: [twoFactor({ issuer: 'Corridor' })],
  })
  return auth
}

/** The address of an email for a person, and its language. */
const receiverOf = (user: { readonly email: string }) => ({
  email: user.email,
  language: 'language' in user && typeof user.language === 'string' ? user.language : null,
})

/** The options of every library based on better-auth; `tables` are those of its plugin. */
export async function sharedOptions(
  { db }: Database,
  { secret, cookiePrefix, cookiePath, onFault }: LibraryOptions,
  tables: object = {},
) {
  const { drizzleAdapter } = await import('better-auth/adapters/drizzle')
  const schema = { ...TABLES, ...tables }
  return {
    baseURL: UNUSED_URL,
    secret: await secret(),
    database: drizzleAdapter(db, { provider: 'pg', schema, transaction: true }),
    verification: { storeIdentifier: 'hashed' },
    session: { expiresIn: SESSION_SECONDS, disableSessionRefresh: true },
    advanced: {
      cookiePrefix: `${cookiePrefix}corridor`,
      // By default better-auth would put __Secure- before the prefix.
      useSecureCookies: false,
      defaultCookieAttributes: { secure: cookiePrefix !== '', path: cookiePath },
      ipAddress: { disableIpTracking: true },
    },
    logger: { level: 'error', log: (_level: string, message: string) => onFault(message) },
    telemetry: { enabled: false },
  } as const
}
