import { bodyText } from '~/http/body.ts'
import type { Route } from '~/http/route.ts'
import { type CookiePrefix, cookieLine } from './cookies.ts'
import { isSpoken, PATHS } from './paths.ts'
import { LANGUAGE_COOKIE } from './words/asked.ts'
import { LANGUAGE_NAMES, LANGUAGES, languageOf, prefixOf } from './words/language.ts'
import { useWords } from './words/spoken.tsx'

/** The choice of another language for the page `here`, which has a path and perhaps a query. */
export function LanguageChoice({ here }: { here: string }) {
  const { language, say } = useWords()
  return (
    <details class="languages">
      <summary>
        <span class="visually-hidden">{say('frame.language')} </span>
        {LANGUAGE_NAMES[language]}
      </summary>
      <form method="post" action={PATHS.language}>
        <input type="hidden" name="page" value={here} />
        {LANGUAGES.filter((one) => one !== language).map((one) => (
          <button key={one} type="submit" name="language" value={one} lang={one} dir="auto">
            {LANGUAGE_NAMES[one]}
          </button>
        ))}
      </form>
    </details>
  )
}

const YEAR_S = 365 * 24 * 3600
const FORM_BYTES_MAX = 8192

/** A path of ours with an optional query, in the characters that addresses are written in. */
const OWN_PATH = /^\/(?![/\\])[\x21-\x7e]*$/

type Deps = { readonly mount: string; readonly cookiePrefix: CookiePrefix }

/** Takes the choice, remembers it, and leads to the same page in that language. */
export const languageRoutes = (deps: Deps): Route[] => [
  {
    method: 'GET',
    path: PATHS.language,
    handle: () =>
      new Response(null, { status: 303, headers: { location: deps.mount + PATHS.board } }),
  },
  {
    method: 'POST',
    path: PATHS.language,
    handle: async (request) => {
      const fields = await fieldsOf(request)
      const language = languageOf(fields.get('language'))
      const asked = fields.get('page') ?? ''
      const page = OWN_PATH.test(asked) && isSpoken(asked) ? asked : PATHS.board
      const location = deps.mount + (language ? prefixOf(language) : '') + page
      const headers = new Headers({ location, 'cache-control': 'no-store' })
      if (language) headers.append('set-cookie', chosen(deps, language))
      return new Response(null, { status: 303, headers })
    },
  },
]

const chosen = ({ mount, cookiePrefix }: Deps, value: string): string =>
  cookieLine(cookiePrefix, { name: LANGUAGE_COOKIE, value, mount, secondsMax: YEAR_S })

/** The fields of the form; none of one that is too large or is none. */
async function fieldsOf(request: Request): Promise<URLSearchParams> {
  try {
    return new URLSearchParams(await bodyText(request, FORM_BYTES_MAX))
  } catch {
    return new URLSearchParams()
  }
}
