/** @jsxImportSource preact */
import type { Alert } from '~/domain/alert/alert.ts'
import type { Route } from '~/http/route.ts'
import { faultPage, fieldOf, type PageRequestDeps } from '~/portal/member/page-request.tsx'
import { narrowPage } from '~/portal/narrow-page.tsx'
import { Notice } from '~/portal/notice.tsx'
import { type Page, pageReply } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { wordsFor } from '~/portal/words/asked.ts'
import type { Words } from '~/portal/words/words.ts'
import { alertOfLink, endByLink, type MailedEndDeps } from '~/service/alert/mailed-end.ts'
import { TooManyAttempts } from '~/service/attempts.ts'
import { alertHref } from './path.ts'
import { alertTitle } from './words.ts'

export type AlertEndDeps = PageRequestDeps & MailedEndDeps

/**
 * The link of a mail that ends an alert: a page that asks, since programs open links too, and its
 * form. A mail program may send that form by itself (RFC 8058), so the token in the link is all
 * that it needs: neither a session nor a page of ours before it.
 */
export function alertEndRoutes(deps: AlertEndDeps): Route[] {
  return [
    route(deps, 'GET', async (token) => {
      const alert = await alertOfLink(deps, token)
      if (!alert) return strangePage()
      return alert.status === 'ended' ? endedPage(alert) : questionPage(alert, token)
    }),
    route(deps, 'POST', async (token) => {
      const alert = await endByLink(deps, token)
      return alert ? endedPage(alert) : strangePage()
    }),
  ]
}

type Answer = (token: string) => Promise<Page>

const route = (deps: AlertEndDeps, method: 'GET' | 'POST', answer: Answer): Route => ({
  method,
  path: PATHS.endAlert,
  async handle(request) {
    const words = wordsFor(request, deps.pages)
    const page = await answered(deps, { request, words }, answer)
    return pageReply(deps.pages, request, { words, ...page, isPrivate: true })
  },
})

type Asked = { readonly request: Request; readonly words: Words }

async function answered(
  deps: AlertEndDeps,
  { request, words }: Asked,
  answer: Answer,
): Promise<Page> {
  try {
    const waitMs = deps.forms.take(deps.addressOf(request), deps.clock.now())
    if (waitMs > 0) throw new TooManyAttempts(Math.ceil(waitMs / 1000))
    return await answer(fieldOf(new URL(request.url).searchParams, 'token'))
  } catch (error) {
    return faultPage(deps, { path: PATHS.endAlert, words, isMember: false }, error)
  }
}

const questionPage = (alert: Alert, token: string): Page =>
  narrowPage({
    path: PATHS.endAlert,
    title: 'End this alert?',
    children: (
      <>
        <p>
          <strong>{alertTitle(alert)}</strong>
        </p>
        <p class="lead">
          It then tells you nothing more. To pause or change it instead, open it in{' '}
          <a href={alertHref(PATHS.alert, alert)}>the developer area</a>.
        </p>
        <form method="post" action={`${PATHS.endAlert}?${new URLSearchParams({ token })}`}>
          <button type="submit" class="button button-danger">
            End it
          </button>
        </form>
      </>
    ),
  })

const endedPage = (alert: Alert): Page =>
  narrowPage({
    path: PATHS.endAlert,
    title: 'This alert is ended',
    children: (
      <Notice kind="good">
        Nothing more comes of “{alertTitle(alert)}”. To have it back, switch it on in{' '}
        <a href={alertHref(PATHS.alert, alert)}>the developer area</a>.
      </Notice>
    ),
  })

const strangePage = (): Page =>
  narrowPage({
    path: PATHS.endAlert,
    title: 'This link ends no alert',
    status: 404,
    children: (
      <Notice kind="warn">
        The alert may be deleted already, and then nothing more comes of it. If mails still come,
        copy the whole link from the newest one, or see your alerts in{' '}
        <a href={PATHS.alerts}>the developer area</a>.
      </Notice>
    ),
  })
