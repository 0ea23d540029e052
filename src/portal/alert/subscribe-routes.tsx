import { isEmail } from '~/domain/account.ts'
import type { Alert, AlertWish } from '~/domain/alert/alert.ts'
import { COUNTRIES } from '~/domain/offer/country.ts'
import type { Route } from '~/http/route.ts'
import { type OpenRequest, openRoute } from '~/portal/member/open-route.ts'
import { type FormFields, readOpenForm } from '~/portal/member/own-form.ts'
import { narrowPage } from '~/portal/narrow-page.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { type Pair, pairPath, pairTitle } from '~/portal/place/pair.ts'
import { linkTo } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import { writtenAmount } from '~/portal/written-amount.ts'
import { endTokenOf } from '~/service/alert/mailed-end.ts'
import {
  confirmSubscription,
  requestSubscription,
  type SubscribeDeps,
  subscriptionOf,
} from '~/service/alert/subscribe.ts'
import { REFUSALS } from './edit-routes.tsx'
import { type AlertPageDeps, isRefusal } from './member-routes.ts'
import { alertSentence } from './refusal.ts'
import { SubscribeForm, type SubscribeTexts } from './subscribe-form.tsx'
import { waitsText } from './words.ts'

export type SubscribePageDeps = AlertPageDeps & SubscribeDeps

/** Emails about a pair for an address alone: the form, and the link that confirms it. */
export const subscribeRoutes = (deps: SubscribePageDeps): Route[] => [
  openRoute(deps, { method: 'GET', path: PATHS.tellMe }, async ({ words }) => stalePage(words)),
  openRoute(deps, { method: 'POST', path: PATHS.tellMe }, (asked) => request(deps, asked)),
  openRoute(deps, { method: 'GET', path: PATHS.subscribe }, async ({ token, words, origin }) => {
    const found = await subscriptionOf(deps, token, origin.nowMs)
    return found ? questionPage(words, found, token) : stalePage(words)
  }),
  openRoute(deps, { method: 'POST', path: PATHS.subscribe }, (asked) => confirm(deps, asked)),
]

const LENGTH_MAX = 600

type Asked = {
  readonly pair: Pair
  readonly corridor: { readonly from: string; readonly to: string }
  readonly amount: number
  readonly texts: SubscribeTexts
}

/** The subscription in a form; null for a form that no page of ours sends. */
function askedIn(words: Words, form: FormFields): Asked | null {
  const text = (name: string) => form.text(name).trim().slice(0, LENGTH_MAX)
  const source = COUNTRIES.get(text('source'))
  const target = COUNTRIES.get(text('target'))
  const corridor = { from: text('from'), to: text('to') }
  const { amount } = writtenAmount(words, text('amount'), corridor.from)
  if (!source || !target || source === target || amount === null) return null
  const texts = { what: text('what'), value: text('value'), email: text('email').toLowerCase() }
  return { pair: { source, target }, corridor, amount, texts }
}

async function request(deps: SubscribePageDeps, ask: OpenRequest): Promise<Page> {
  const { words, origin } = ask
  const { language, say } = words
  const asked = askedIn(words, await readOpenForm(deps, ask.request))
  if (!asked || !deps.alerting.isMailed) return stalePage(words)
  const { email, what } = asked.texts
  const value = valueIn(words, asked)
  const faults = {
    ...(value.fault !== null && { value: value.fault }),
    ...(!isEmail(email) && { email: say('fault.email') }),
  }
  if (Object.keys(faults).length > 0) return formPage(words, asked, { faults })
  const wish = wishOf(asked, what === 'monthly' ? null : value.amount)
  try {
    const about = waitsText(words, wish)
    await requestSubscription(deps, { email, language, wish, about }, origin)
    return mailedPage(words, email)
  } catch (error) {
    if (!isRefusal(error, ...REFUSALS)) throw error
    return formPage(words, asked, { complaint: alertSentence(words, error) })
  }
}

const NONE = { amount: null, fault: null }

/** The amount to pass; none for a monthly email. */
const valueIn = (words: Words, { texts: { what, value }, corridor: { to } }: Asked) =>
  what === 'monthly' ? NONE : writtenAmount(words, value, to)

const wishOf = ({ pair, corridor, amount }: Asked, value: number | null): AlertWish => ({
  ...{ corridor, amount, name: null, isOnce: false, to: { kind: 'email' } },
  ...{ sourceCountry: pair.source.code, targetCountry: pair.target.code },
  when:
    value === null
      ? { field: 'monthly', op: null, value: null, periodMs: null }
      : { field: 'best_current_net', op: 'above', value, periodMs: null },
})

type Wrong = { readonly faults?: Partial<SubscribeTexts>; readonly complaint?: string }

const formPage = (words: Words, asked: Asked, { complaint, faults = {} }: Wrong): Page =>
  narrowPage({
    title: words.say('board.tell-me'),
    path: PATHS.send,
    status: 400,
    children: (
      <>
        <p class="lead">
          <a href={pairPath(asked.pair)}>{pairTitle(words, asked.pair)}</a>
        </p>
        {complaint && <Notice kind="bad">{complaint}</Notice>}
        <SubscribeForm {...asked} faults={faults} />
      </>
    ),
  })

const mailedPage = ({ say, rich }: Words, email: string): Page =>
  narrowPage({
    title: say('mailed.title'),
    path: PATHS.send,
    children: (
      <p class="lead">{rich('tell.mailed', { email: <strong dir="auto">{email}</strong> })}</p>
    ),
  })

type Found = { readonly email: string; readonly wish: AlertWish }

/** The page of an emailed link; a script submits its form, since programs open links too. */
const questionPage = (words: Words, { email, wish }: Found, token: string): Page =>
  narrowPage({
    title: words.say('subscribe.title'),
    path: PATHS.send,
    scripts: ['submit'],
    children: (
      <>
        <p class="lead">{words.say('cost.sentence', { all: waitsText(words, wish) })}</p>
        <p>{words.rich('subscribe.goes-to', { email: <strong dir="auto">{email}</strong> })}</p>
        <form
          method="post"
          action={`${PATHS.subscribe}?${new URLSearchParams({ token })}`}
          data-submit
        >
          <button type="submit" class="button">
            {words.say('subscribe.send')}
          </button>
        </form>
      </>
    ),
  })

async function confirm(deps: SubscribePageDeps, { words, token, origin }: OpenRequest) {
  try {
    const alert = await confirmSubscription(deps, token, origin)
    if (!alert) return stalePage(words)
    const end = new URLSearchParams({ token: await endTokenOf(deps.fingerprint, alert.id) })
    return donePage(words, alert, `${PATHS.endAlert}?${end}`)
  } catch (error) {
    if (!isRefusal(error, ...REFUSALS)) throw error
    return narrowPage({
      title: words.say('subscribe.title'),
      path: PATHS.send,
      status: 400,
      children: <Notice kind="bad">{alertSentence(words, error)}</Notice>,
    })
  }
}

function donePage(words: Words, alert: Alert, endHref: string): Page {
  const { say, rich } = words
  if (alert.status === 'ended') return stalePage(words)
  return narrowPage({
    title: say('subscribe.done'),
    path: PATHS.send,
    children: (
      <>
        <Notice kind="good">{say('cost.sentence', { all: waitsText(words, alert) })}</Notice>
        {alert.standing.isTrue && <p>{say('alert.again')}</p>}
        <p>{rich('subscribe.end', { link: linkTo(endHref) })}</p>
        <p>{rich('subscribe.password', { link: linkTo(PATHS.forgotten) })}</p>
      </>
    ),
  })
}

const stalePage = ({ say, rich }: Words): Page =>
  narrowPage({
    title: say('stale.title'),
    path: PATHS.send,
    status: 410,
    children: <p class="lead">{rich('subscribe.stale', { link: linkTo(PATHS.send) })}</p>,
  })
