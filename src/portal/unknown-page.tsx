import { preferred } from '~/wire/accept.ts'
import { narrowPage } from './narrow-page.tsx'
import type { Page } from './page.tsx'
import { PATHS } from './paths.ts'
import { linkTo } from './words/spoken.tsx'
import type { Words } from './words/words.ts'

/** Reports whether a browser asks for a person, rather than a program. */
export const wantsPage = ({ headers }: Request): boolean =>
  preferred(headers.get('accept'), ['application/json', 'text/html']) === 'text/html'

export const unknownPage = ({ say, rich }: Words, path: string): Page =>
  narrowPage({
    title: say('unknown.title'),
    path,
    status: 404,
    headers: { vary: 'accept, accept-encoding, accept-language, cookie' },
    children: (
      <p class="lead">
        {rich('unknown.lead', {
          market: linkTo(PATHS.board),
          corridors: linkTo(PATHS.corridors),
          api: linkTo(PATHS.reference),
        })}
      </p>
    ),
  })
