/** @jsxImportSource preact */
import { preferred } from '~/wire/accept.ts'
import { narrowPage } from './narrow-page.tsx'
import type { Page } from './page.tsx'
import { PATHS } from './paths.ts'

/** Whether it was asked by a browser for a person, and not by a program. */
export const wantsPage = ({ headers }: Request): boolean =>
  preferred(headers.get('accept'), ['application/json', 'text/html']) === 'text/html'

/** What a person sees at an address where nothing is. */
export const unknownPage = (path: string): Page => ({
  ...narrowPage({
    title: 'There is no such page',
    path,
    status: 404,
    children: (
      <p class="lead">
        Nothing stands at this address; it may have been typed or copied wrongly. Go to{' '}
        <a href={PATHS.board}>today's market</a>, to <a href={PATHS.corridors}>all corridors</a> or
        to <a href="/docs">the API</a>.
      </p>
    ),
  }),
  headers: { vary: 'accept, accept-encoding, cookie' },
})
