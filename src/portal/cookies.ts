/** A prefix of our cookies' names, by which browsers restrict where they are valid. */
export type CookiePrefix = '' | '__Secure-' | '__Host-'

/**
 * Over https a cookie is valid for https only; and if the pages are at the root, a cookie set by
 * another host of the domain is not accepted.
 * https://www.rfc-editor.org/rfc/rfc6265bis#section-4.1.3
 */
export function cookiePrefixOf(publicUrl: string | null): CookiePrefix {
  if (!publicUrl?.startsWith('https:')) return ''
  return new URL(publicUrl).pathname === '/' ? '__Host-' : '__Secure-'
}

/** The line for a cookie, with the attributes of all: for the whole service, never for scripts. */
export function cookieLine(prefix: CookiePrefix, cookie: Cookie): string {
  const { name, value, mount, secondsMax } = cookie
  const age = secondsMax === undefined ? '' : `; Max-Age=${secondsMax}`
  const secure = prefix === '' ? '' : '; Secure'
  return `${prefix}${name}=${value}${age}; Path=${mount || '/'}; HttpOnly; SameSite=Lax${secure}`
}

type Cookie = {
  readonly name: string
  readonly value: string
  readonly mount: string
  /** The seconds until it expires; without them it lasts until the browser is closed. */
  readonly secondsMax?: number
}
