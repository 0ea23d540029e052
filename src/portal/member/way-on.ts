import { cookieLine } from '~/portal/cookies.ts'
import { PATHS } from '~/portal/paths.ts'
import {
  fieldOf,
  type PageAnswer,
  type PageRequest,
  type PageRequestDeps,
} from './page-request.tsx'

/** Pages that require a sign-in first, and to which a person returns. */
const BEHIND: readonly string[] = [
  ...[PATHS.alerts, PATHS.newAlert, PATHS.alert, PATHS.changeAlert, PATHS.deleteAlert],
  ...[PATHS.prices, PATHS.pricesPreview, PATHS.pricesUpload, PATHS.withdrawPrices],
  PATHS.confirmAddress,
]

const LENGTH_MAX = 8000

/** Characters of an address that a header can hold. */
const PLAIN = /^[\x21-\x7e]+$/

/** Returns the page to open after signing in: one of a few pages of ours, or empty for none. */
export function wayOnIn(fields: URLSearchParams): string {
  const next = fieldOf(fields, 'next')
  const isBehind = next.startsWith(`${PATHS.authorize}?`) || BEHIND.includes(next.split('?')[0]!)
  return isBehind && PLAIN.test(next) && next.length <= LENGTH_MAX ? next : ''
}

/** Sends an anonymous visitor to the sign-in, which leads back to the page they requested. */
export const signInFirst = (path: string): PageAnswer => ({
  redirect: withWayOn(PATHS.signIn, path),
})

/** The path of a page of the entrance from which a person goes on to `next`, if anywhere. */
export const withWayOn = (path: string, next: string): string =>
  next === '' ? path : `${path}?${new URLSearchParams({ next })}`

const COOKIE = 'corridor.next'
const HOUR_S = 3600
/** Browsers need not keep longer cookies. */
const KEPT_LENGTH_MAX = 2000

type CookieDeps = Pick<PageRequestDeps, 'cookiePrefix' | 'pages'>

/** The cookie that stores the next page while a person who signs up waits for the email. */
export function wayOnCookie({ cookiePrefix, pages }: CookieDeps, next: string): string[] {
  const value = Buffer.from(next).toString('base64url')
  if (next === '' || value.length > KEPT_LENGTH_MAX) return []
  const cookie = { name: COOKIE, value, mount: pages.mount, secondsMax: HOUR_S }
  return [cookieLine(cookiePrefix, cookie)]
}

/** Returns the page in that cookie; empty if the browser has none. */
export function keptWayOn({ cookiePrefix }: CookieDeps, { request }: PageRequest): string {
  const jar = new Bun.CookieMap(request.headers.get('cookie') ?? '')
  const next = Buffer.from(jar.get(cookiePrefix + COOKIE) ?? '', 'base64url').toString()
  return wayOnIn(new URLSearchParams({ next }))
}

export const wayOnTaken = ({ cookiePrefix, pages }: CookieDeps): string =>
  cookieLine(cookiePrefix, { name: COOKIE, value: '', mount: pages.mount, secondsMax: 0 })
