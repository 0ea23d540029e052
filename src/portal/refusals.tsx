/** @jsxImportSource preact */
import { spanText } from './format.ts'
import { narrowPage } from './narrow-page.tsx'
import { Notice } from './notice.tsx'
import type { Page } from './page.tsx'
import { PATHS } from './paths.ts'

const MINUTE_S = 60

export function tooManyPage(path: string, seconds: number): Page {
  const wait = seconds < MINUTE_S ? 'a minute' : spanText(Math.ceil(seconds / MINUTE_S) * 60_000)
  const page = narrowPage({
    path,
    title: 'Too many attempts',
    status: 429,
    children: <Notice kind="warn">Nothing was done. Wait {wait} before you try this again.</Notice>,
  })
  return { ...page, headers: { 'retry-after': String(seconds) } }
}

/**
 * The page for a refused form. A person who is signed in has cookies on, and reached the form from
 * the developer area.
 */
export const refusedPage = (path: string, { isMember }: { isMember: boolean }): Page =>
  narrowPage({
    path,
    title: 'This form was not accepted',
    status: 403,
    children: (
      <Notice kind="warn">
        It was not sent from a page of ours that is still current, so nothing was done.{' '}
        {isMember ? (
          <>
            Begin anew from <a href={PATHS.developer}>the developer area</a>.
          </>
        ) : (
          <>
            Cookies have to be on. <a href={path}>Open the page again</a> and send it from there.
          </>
        )}
      </Notice>
    ),
  })

export const unavailablePage = (path: string): Page => ({
  ...narrowPage({
    path,
    title: 'Not available at the moment',
    status: 503,
    children: (
      <Notice kind="bad">
        What this page needs cannot be reached. All else goes on working; try this again in a
        moment.
      </Notice>
    ),
  }),
  headers: { 'retry-after': '30' },
})

export const failedPage = (path: string): Page => ({
  ...narrowPage({
    path,
    title: 'Something failed on our side',
    status: 500,
    children: <Notice kind="bad">We have made a note of it. Please try again in a moment.</Notice>,
  }),
  headers: { 'cache-control': 'no-store' },
})
