/** @jsxImportSource preact */
import { preferred } from '~/wire/accept.ts'
import { narrowPage } from './narrow-page.tsx'
import type { Page } from './page.tsx'
import { PATHS } from './paths.ts'

/** Whether a browser asks for a person, rather than a program. */
export const wantsPage = ({ headers }: Request): boolean =>
  preferred(headers.get('accept'), ['application/json', 'text/html']) === 'text/html'

/** The page at an address that does not exist. */
export const unknownPage = (path: string): Page => ({
  ...narrowPage({
    title: 'Page not found',
    path,
    status: 404,
    children: (
      <p class="lead">
        There is nothing at this address. Perhaps it was mistyped, or the page has moved. Try{' '}
        <a href={PATHS.board}>the market</a>, <a href={PATHS.corridors}>all corridors</a> or{' '}
        <a href={PATHS.reference}>the API</a>.
      </p>
    ),
  }),
  headers: { vary: 'accept, accept-encoding, cookie' },
})
