import { narrowPage } from './narrow-page.tsx'
import { Notice } from './notice.tsx'
import type { Page } from './page.tsx'
import { PATHS } from './paths.ts'
import { linkTo } from './words/spoken.tsx'
import type { Words } from './words/words.ts'

const MINUTE_S = 60
const MINUTE_MS = 60_000

export function tooManyPage({ say, spanText }: Words, path: string, seconds: number): Page {
  const wait = spanText(Math.max(1, Math.ceil(seconds / MINUTE_S)) * MINUTE_MS)
  return narrowPage({
    path,
    title: say('refused.attempts'),
    status: 429,
    headers: { 'retry-after': String(seconds) },
    children: <Notice kind="warn">{say('refused.attempts-wait', { wait })}</Notice>,
  })
}

/** The page for a refused form; a signed-in person came from the developer area. */
export const refusedPage = (
  { say, rich }: Words,
  path: string,
  { isMember }: { isMember: boolean },
): Page =>
  narrowPage({
    path,
    title: say('refused.form'),
    status: 403,
    children: (
      <Notice kind="warn">
        {say('refused.form-why')}{' '}
        {isMember
          ? rich('refused.form-member', { link: linkTo(PATHS.developer) })
          : rich('refused.form-stranger', { link: linkTo(path) })}
      </Notice>
    ),
  })

export const unavailablePage = ({ say }: Words, path: string): Page =>
  narrowPage({
    path,
    title: say('refused.unavailable'),
    status: 503,
    headers: { 'retry-after': '30' },
    children: <Notice kind="bad">{say('refused.unavailable-why')}</Notice>,
  })

export const failedPage = ({ say }: Words, path: string): Page =>
  narrowPage({
    path,
    title: say('refused.failed'),
    status: 500,
    headers: { 'cache-control': 'no-store' },
    children: <Notice kind="bad">{say('refused.failed-why')}</Notice>,
  })
