import { randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import {
  ACCESS_TOKEN_PREFIX,
  keyHashOf,
  newMarkedSecret,
  newSecret,
  REFRESH_TOKEN_PREFIX,
} from '~/domain/api-key.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import type { Database } from '~/store/database.ts'
import { BetterAuth, type LibraryOptions, sharedOptions, UNUSED_URL } from './better-auth.ts'
import {
  oauthAccessTokens,
  oauthClients,
  oauthConsents,
  oauthRefreshTokens,
} from './oauth-schema.ts'

/** The time for which an access token is valid, and for which it may be renewed. */
const ACCESS_SECONDS = HOUR_MS / 1000
const REFRESH_SECONDS = (90 * DAY_MS) / 1000
/** The time for each half of the way from the request to the exchange of the code. */
const CODE_SECONDS = (10 * MINUTE_MS) / 1000

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const UNIQUE_VIOLATION = '23505'
const FOREIGN_KEY_VIOLATION = '23503'

/** Addresses to which the library believes it sends people; here they only need to differ. */
const SIGN_IN = '/sign-in'
const CONSENT = '/consent'

type OAuthOptions = LibraryOptions & {
  /** Rights that applications may get, as scopes. */
  readonly scopes: string[]
}

/** Outcome of an application's request. */
type Outcome =
  /** No person is signed in. */
  | { readonly kind: 'sign-in' }
  /** The person is to decide; `question` is to be sent back with the decision. */
  | { readonly kind: 'ask'; readonly question: string }
  /** The application gets the result, at its own address. */
  | { readonly kind: 'redirect'; readonly url: string }
  /** The application gets no response, since its address is in doubt. */
  | { readonly kind: 'refused'; readonly code: string }

/**
 * The code flow of OAuth 2.1 by better-auth, loaded at the first call: checks of requests, codes,
 * tokens, their rotation, and the consequences of reuse.
 */
export function createOAuth(database: Database, options: OAuthOptions) {
  const library = new BetterAuth(database, () => load(database, options))
  const ask = (path: string, init: RequestInit): Promise<Response> =>
    library.reached(({ handler }) => handler(new Request(`${UNUSED_URL}${BASE}${path}`, init)))
  return {
    /** The outcome of an application's request for the person whose session is in the headers. */
    async asked(question: URLSearchParams, headers: Headers): Promise<Outcome> {
      const shown = { cookie: headers.get('cookie') ?? '', accept: 'text/html' }
      const reply = await ask(`/oauth2/authorize?${question}`, { headers: shown })
      return outcomeOf(reply.headers.get('location'), reply.status)
    },
    /**
     * Returns the outcome of the decision, to grant these scopes or, with null, none; null for a
     * request that is expired or not ours.
     */
    async decided(
      { question, scopes }: { question: string; scopes: readonly string[] | null },
      headers: Headers,
    ): Promise<Outcome | null> {
      const granted = scopes && { scope: scopes.join(' ') }
      const decision = { accept: scopes !== null, oauth_query: question, ...granted }
      const init = decisionBy(headers, decision)
      const decide = () => ask('/oauth2/consent', init)
      // The second of two simultaneous clicks finds what the first created only by another attempt.
      const reply = await decide().catch((error) => {
        if (error?.cause?.code === UNIQUE_VIOLATION) return decide()
        throw error
      })
      const { url } = (await reply.json().catch(() => ({}))) as { url?: string }
      return reply.ok && url ? outcomeOf(url, reply.status) : null
    },
    /** The response to an application that exchanges a code, or renews its token. */
    async token(form: URLSearchParams): Promise<TokenAnswer> {
      const used = form.get('code') ?? form.get('refresh_token')
      const answer = async () => {
        const reply = await ask('/oauth2/token', { method: 'POST', body: form })
        return { status: reply.status, body: await reply.json() }
      }
      return used ? inTurn(database, keyHashOf(used), answer) : answer()
    },
  }
}

type TokenAnswer = { readonly status: number; readonly body: unknown }

/**
 * The response to a use of a code or a token, by its hash.
 *
 * A second use deletes the tokens that the first is about to make, so uses of one hash take turns,
 * at whatever replica they arrive. A waiting use holds a connection and needs another: the caller
 * has to limit how many wait at once.
 */
const inTurn = ({ db }: Database, used: string, answer: () => Promise<TokenAnswer>) =>
  db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${used}, 0))`)
    try {
      return await answer()
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } }
      if (cause?.code !== FOREIGN_KEY_VIOLATION) throw error
      return { status: 400, body: ENDED_MEANWHILE }
    }
  })

/** The response if another request ended the tokens while they were created. */
const ENDED_MEANWHILE = { error: 'invalid_grant', error_description: 'the tokens have just ended' }

const decisionBy = (headers: Headers, decision: object): RequestInit => ({
  method: 'POST',
  headers: {
    ...{ cookie: headers.get('cookie') ?? '', origin: UNUSED_URL },
    ...{ 'content-type': 'application/json', accept: 'application/json' },
  },
  body: JSON.stringify(decision),
})

function outcomeOf(location: string | null, status: number): Outcome {
  if (location === null) throw new Error(`an authorization returned ${status}`)
  const [path, query = ''] = splitAt(location, '?')
  if (path === SIGN_IN) return { kind: 'sign-in' }
  if (path === CONSENT) return { kind: 'ask', question: query }
  if (path !== `${UNUSED_URL}${BASE}/error`) return { kind: 'redirect', url: location }
  return { kind: 'refused', code: new URLSearchParams(query).get('error') ?? 'invalid_request' }
}

function splitAt(text: string, mark: string): [before: string, after?: string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

const BASE = '/api/auth'

async function load(database: Database, options: OAuthOptions) {
  const [{ betterAuth }, { oauthProvider }, shared] = await Promise.all([
    import('better-auth/minimal'),
    import('@better-auth/oauth-provider'),
    sharedOptions(database, options, {
      oauthClient: oauthClients,
      oauthConsent: oauthConsents,
      oauthAccessToken: oauthAccessTokens,
      oauthRefreshToken: oauthRefreshTokens,
    }),
  ])
  return betterAuth({
    ...shared,
    basePath: BASE,
    // Our tables lack columns unused by this flow: secrets of applications, identity tokens.
    advanced: { ...shared.advanced, database: { validateSchema: false } },
    rateLimit: { enabled: false },
    // By default the library would print errors with statements and their values.
    onAPIError: { throw: true },
    plugins: [
      oauthProvider({
        ...{ loginPage: SIGN_IN, consentPage: CONSENT, scopes: options.scopes },
        disableJwtPlugin: true,
        grantTypes: ['authorization_code', 'refresh_token'],
        accessTokenExpiresIn: ACCESS_SECONDS,
        refreshTokenExpiresIn: REFRESH_SECONDS,
        codeExpiresIn: CODE_SECONDS,
        storeTokens: { hash: async (token) => keyHashOf(token) },
        generateOpaqueAccessToken: () => newMarkedSecret(randomBytes, shared.secret),
        generateRefreshToken: () => newSecret(randomBytes),
        prefix: { opaqueAccessToken: ACCESS_TOKEN_PREFIX, refreshToken: REFRESH_TOKEN_PREFIX },
      }),
    ],
  })
}
