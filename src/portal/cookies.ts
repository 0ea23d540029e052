/** What the names of our cookies begin with, by which a browser holds them to where they hold. */
export type CookiePrefix = '' | '__Secure-' | '__Host-'

/**
 * Over https a cookie is for https alone; and where pages stand at the root, none that another host
 * of the domain has set counts. https://www.rfc-editor.org/rfc/rfc6265bis#section-4.1.3
 */
export function cookiePrefixOf(publicUrl: string | null): CookiePrefix {
  if (!publicUrl?.startsWith('https:')) return ''
  return new URL(publicUrl).pathname === '/' ? '__Host-' : '__Secure-'
}

/** One of our cookies, with what all have: for the whole service, and never for scripts. */
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
  /** Until the browser is closed where it is not given. */
  readonly secondsMax?: number
}
