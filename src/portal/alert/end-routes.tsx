import type { Alert } from '~/domain/alert/alert.ts'
import type { Route } from '~/http/route.ts'
import { openRoute } from '~/portal/member/open-route.ts'
import type { PageRequestDeps } from '~/portal/member/page-request.tsx'
import { narrowPage } from '~/portal/narrow-page.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { linkTo } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import { alertOfLink, endByLink, type MailedEndDeps } from '~/service/alert/mailed-end.ts'
import { alertHref } from './path.ts'
import { alertTitle } from './words.ts'

export type AlertEndDeps = PageRequestDeps & MailedEndDeps

/**
 * The link of an email that ends an alert: a page that asks, since programs open links too, and its
 * form. A mail program may send that form by itself (RFC 8058), so the token in the link is all
 * that it needs: neither a session nor a page of ours before it.
 */
export function alertEndRoutes(deps: AlertEndDeps): Route[] {
  const path = PATHS.endAlert
  return [
    openRoute(deps, { method: 'GET', path }, async ({ token, words }) => {
      const alert = await alertOfLink(deps, token)
      if (!alert) return strangePage(words)
      if (alert.status === 'ended') return endedPage(words, alert)
      return questionPage(words, alert, token)
    }),
    openRoute(deps, { method: 'POST', path }, async ({ token, words }) => {
      const alert = await endByLink(deps, token)
      return alert ? endedPage(words, alert) : strangePage(words)
    }),
  ]
}

const questionPage = (words: Words, alert: Alert, token: string): Page =>
  narrowPage({
    path: PATHS.endAlert,
    title: words.say('end.title'),
    children: (
      <>
        <p>
          <strong>{alertTitle(words, alert)}</strong>
        </p>
        <p class="lead">
          {words.rich('end.lead', { link: linkTo(alertHref(PATHS.alert, alert)) })}
        </p>
        <form method="post" action={`${PATHS.endAlert}?${new URLSearchParams({ token })}`}>
          <button type="submit" class="button button-danger">
            {words.say('end.send')}
          </button>
        </form>
      </>
    ),
  })

const endedPage = (words: Words, alert: Alert): Page =>
  narrowPage({
    path: PATHS.endAlert,
    title: words.say('end.ended'),
    children: (
      <Notice kind="good">
        {words.rich('end.ended-lead', {
          title: alertTitle(words, alert),
          link: linkTo(alertHref(PATHS.alert, alert)),
        })}
      </Notice>
    ),
  })

const strangePage = ({ say, rich }: Words): Page =>
  narrowPage({
    path: PATHS.endAlert,
    title: say('end.strange'),
    status: 404,
    children: (
      <Notice kind="warn">{rich('end.strange-lead', { link: linkTo(PATHS.alerts) })}</Notice>
    ),
  })
