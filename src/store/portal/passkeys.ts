import type { AuthenticationResponseJSON } from '@simplewebauthn/browser'
import type { Database } from '~/store/database.ts'
import { BetterAuth, type LibraryOptions, sharedOptions } from './better-auth.ts'
import { portalPasskeys } from './factor-schema.ts'

type PasskeyOptions = LibraryOptions & {
  /** The address where people find the service; read once, before the first use. */
  readonly home: () => string
}

/** Request to a browser, in the browser's form, and the cookie that ties the response to it. */
type Challenge = { readonly options: object; readonly cookies: readonly string[] }

/** Passkeys of people, by better-auth, loaded at the first call. */
export function createPasskeys(database: Database, options: PasskeyOptions) {
  const library = new BetterAuth(database, () => load(database, options))
  return {
    /** The challenge for creating a passkey for the person whose session is in the headers. */
    async newChallenge(headers: Headers): Promise<Challenge> {
      const { response, headers: reply } = await library.reached(({ api }) =>
        api.generatePasskeyRegistrationOptions({ headers, query: {}, returnHeaders: true }),
      )
      return { options: response, cookies: reply.getSetCookie() }
    },
    /** Adds the passkey that the browser created; null if it does not match the challenge. */
    async add({ credential, name }: { credential: object; name: string }, headers: Headers) {
      const body = { response: credential, name }
      const added = await library
        .attempted((api) => api.verifyPasskeyRegistration({ body, headers }))
        .catch((error) => {
          if (error?.body?.code === NOT_VERIFIED) return NOT_VERIFIED
          throw error
        })
      return typeof added === 'string' ? null : { id: added.id }
    },
    async signInChallenge(): Promise<Challenge> {
      const { response, headers } = await library.reached(({ api }) =>
        api.generatePasskeyAuthenticationOptions({ headers: new Headers(), returnHeaders: true }),
      )
      const options = { ...response, userVerification: 'required' }
      return { options, cookies: headers.getSetCookie() }
    },
    /** The session of the person whose passkey matches the challenge; null for any other. */
    async signIn(credential: object, headers: Headers) {
      const body = { response: credential as AuthenticationResponseJSON }
      const entered = await library.attempted((api) =>
        api.verifyPasskeyAuthentication({ body, headers, returnHeaders: true }),
      )
      if (typeof entered === 'string') return null
      const { id: userId, email } = entered.response.user
      return { userId, email, cookies: entered.headers.getSetCookie() }
    },
  }
}

/** Code that the library uses for its own error, and that may be the browser's. */
const NOT_VERIFIED = 'FAILED_TO_VERIFY_REGISTRATION'

/** Hosts for which browsers make no passkeys: addresses. */
const ADDRESS = /^(\[|[\d.]+$)/

/** The domain of passkeys, and where they may be used; a service at an address is `localhost`. */
function placeOf(home: string): { rpID: string; origin: string[] } {
  const { origin, hostname, port, protocol } = new URL(home)
  if (!ADDRESS.test(hostname)) return { rpID: hostname, origin: [origin] }
  return { rpID: 'localhost', origin: [`${protocol}//localhost${port && `:${port}`}`] }
}

async function load(database: Database, options: PasskeyOptions) {
  const [{ betterAuth }, { APIError }, { passkey }, shared] = await Promise.all([
    import('better-auth/minimal'),
    import('better-auth/api'),
    import('@better-auth/passkey'),
    sharedOptions(database, options, { passkey: portalPasskeys }),
  ])
  // A passkey counts as both factors, so its owner has to unlock it.
  const assertUnlocked = (isUnlocked: boolean | undefined): void => {
    if (!isUnlocked) throw new APIError('UNAUTHORIZED', { code: 'NOT_UNLOCKED' })
  }
  return betterAuth({
    ...shared,
    // A person who adds a passkey has just shown the password; the session's age proves less.
    session: { ...shared.session, freshAge: 0 },
    plugins: [
      passkey({
        ...placeOf(options.home()),
        rpName: 'Corridor',
        advanced: { webAuthnChallengeCookie: 'passkey' },
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        registration: {
          afterVerification: ({ verification }) =>
            assertUnlocked(verification.registrationInfo?.userVerified),
        },
        authentication: {
          afterVerification: ({ verification }) =>
            assertUnlocked(verification.authenticationInfo.userVerified),
        },
      }),
    ],
  })
}
