import { pathOf } from '~/http/path.ts'
import type { CookiePrefix } from '~/portal/cookies.ts'
import { languageInPath, languageOf, preferredLanguage, withoutLanguage } from './language.ts'
import { Words } from './words.ts'

export const LANGUAGE_COOKIE = 'corridor.language'

type Asked = {
  /** The path below which people find the service; a proxy may strip it or not. */
  readonly mount: string
  readonly cookiePrefix: CookiePrefix
}

/** The path of a request below the service, with the language it begins with if any. */
const ownPath = ({ url }: Request, mount: string): string => {
  const path = pathOf(url)
  if (mount === '' || languageInPath(mount) !== null) return path
  const isBelow = path === mount || path.startsWith(`${mount}/`)
  return isBelow ? path.slice(mount.length) || '/' : path
}

/** The path of the requested page, without a language. */
export const pagePath = (request: Request, mount: string): string =>
  withoutLanguage(ownPath(request, mount))

/** The words for a request: by the path's language, the reader's choice, or the browser's wish. */
export function wordsFor(request: Request, { mount, cookiePrefix }: Asked): Words {
  const addressed = languageInPath(ownPath(request, mount))
  if (addressed) return Words.in(addressed, { isAddressed: true })
  const cookies = request.headers.get('cookie')
  const chosen = cookies?.includes(LANGUAGE_COOKIE)
    ? languageOf(new Bun.CookieMap(cookies).get(cookiePrefix + LANGUAGE_COOKIE))
    : null
  return Words.in(chosen ?? preferredLanguage(request.headers.get('accept-language')))
}
