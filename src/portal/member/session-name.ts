import { createHmac, timingSafeEqual } from 'node:crypto'
import type { CookiePrefix } from '~/portal/cookies.ts'
import type { SessionOf } from '~/portal/page-limits.ts'
import { SESSION_COOKIE } from './page-request.tsx'

/**
 * Names the session of a request by its signed cookie, without querying the database whether it has
 * ended. Until the secret is known, no request has a session: a page never waits for the database.
 */
export function sessionsBy(secret: () => Promise<string>, cookiePrefix: CookiePrefix): SessionOf {
  let known: string | null = null
  return (request) => {
    const cookies = request.headers.get('cookie')
    if (!cookies?.includes(SESSION_COOKIE)) return null
    if (known === null) {
      secret().then(
        (found) => {
          known = found
        },
        () => {},
      )
      return null
    }
    return signedBy(known, new Bun.CookieMap(cookies).get(cookiePrefix + SESSION_COOKIE) ?? '')
  }
}

/** A name for a value that the secret signed, as better-auth signs its cookies; else null. */
function signedBy(secret: string, signed: string): string | null {
  const end = signed.lastIndexOf('.')
  const expected = createHmac('sha256', secret).update(signed.slice(0, end)).digest()
  const signature = Buffer.from(signed.slice(end + 1), 'base64')
  const isOurs = signature.length === expected.length && timingSafeEqual(signature, expected)
  return isOurs ? `session ${expected.toString('base64url')}` : null
}
