import { isEmail, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '~/domain/account.ts'
import type { Route } from '~/http/route.ts'
import { PATHS } from '~/portal/paths.ts'
import type { Words } from '~/portal/words/words.ts'
import type { Metering } from '~/service/metering.ts'
import { type PasswordFault, passwordFault } from '~/service/person/passwords.ts'
import {
  confirm,
  type Entry,
  emailIn,
  type Pending,
  requestReset,
  reset,
  signIn,
  signUp,
} from '~/service/person/people.ts'
import {
  confirmPage,
  type Faults,
  forgottenPage,
  mailedPage,
  resetPage,
  signInPage,
  signUpPage,
  staleLinkPage,
} from './entrance.tsx'
import { firstKeyPage } from './new-key-page.tsx'
import {
  devicesCookie,
  type FormAnswer,
  fieldOf,
  type PageAnswer,
  type PageRequest,
  type PageRequestDeps,
  personRoutes,
} from './page-request.tsx'
import { keptWayOn, wayOnCookie, wayOnIn, wayOnTaken, withWayOn } from './way-on.ts'

export type EntranceDeps = PageRequestDeps & {
  readonly metering: Metering
  /** Says whether links are emailed; if not, they are logged. */
  readonly isMailed: boolean
  /** The address where people find the service, for texts that they copy. */
  readonly home: () => string
  /** Loads the dependencies of signing in. */
  readonly warm: () => void
}

/** The response to a form of a person who may not be signed in yet. */
type EntranceForm = FormAnswer<EntranceDeps, PageRequest>

/** Error of a new password. */
export const passwordFaultText = ({ say }: Words, fault: PasswordFault): string =>
  say(`password-fault.${fault}`, { least: PASSWORD_LENGTH_MIN, most: PASSWORD_LENGTH_MAX })

/** Sign-up, sign-in, sign-out, and the pages that emailed links lead to. */
export const entranceRoutes = (deps: EntranceDeps): Route[] => [
  ...personRoutes(deps, PATHS.signUp, {
    get: (_, pageRequest) =>
      forSignedOut(deps, pageRequest, () => ({
        page: signUpPage(pageRequest.words),
        cookies: wayOnCookie(deps, wayOnIn(pageRequest.url.searchParams)),
      })),
    post: signUpReply,
  }),
  ...personRoutes(deps, PATHS.signIn, {
    get: (_, pageRequest) =>
      forSignedOut(deps, pageRequest, () => ({
        page: signInPage(pageRequest.words, {
          ...{ ...said(pageRequest), ...daily(deps) },
          next: wayOnIn(pageRequest.url.searchParams),
        }),
      })),
    post: signInReply,
  }),
  ...personRoutes(deps, PATHS.mailed, {
    get: (_, { words }) => ({ page: mailedPage(words, deps.isMailed) }),
  }),
  ...personRoutes(deps, PATHS.confirm, { get: confirmLink, post: confirmReply }),
  ...personRoutes(deps, PATHS.forgotten, {
    get: (_, pageRequest) => ({ page: forgottenPage(pageRequest.words) }),
    post: forgottenReply,
  }),
  ...personRoutes(deps, PATHS.reset, {
    get: (_, pageRequest) => ({
      page: resetPage(pageRequest.words, { token: tokenIn(pageRequest) }),
    }),
    post: resetReply,
  }),
  ...personRoutes(deps, PATHS.signOut, {
    get: () => ({ redirect: PATHS.developer }),
    post: async (_, { request }) => ({
      redirect: PATHS.signIn,
      cookies: await deps.people.signOut(request.headers),
    }),
  }),
]

function forSignedOut(
  deps: EntranceDeps,
  pageRequest: PageRequest,
  answer: () => PageAnswer,
): PageAnswer {
  if (pageRequest.person)
    return { redirect: wayOnIn(pageRequest.url.searchParams) || PATHS.developer }
  deps.warm()
  return answer()
}

const said = ({ url }: PageRequest) => ({ said: url.searchParams.get('said') })

const daily = ({ metering }: EntranceDeps) => ({ dailyUnits: metering.limits.free })

const tokenIn = ({ url }: PageRequest): string => fieldOf(url.searchParams, 'token')

const signUpReply: EntranceForm = async (deps, pageRequest, form) => {
  const { words } = pageRequest
  const email = form.text('email').trim()
  const password = form.text('password')
  const refused = (faults: Faults) => ({ page: signUpPage(words, { faults, email }) })
  if (!isEmail(email)) return refused({ email: words.say('fault.email') })
  const fault = await passwordFault({ password, email })
  if (fault) return refused({ password: passwordFaultText(words, fault) })
  const isMailable = await signUp(deps, { email, password }, pageRequest)
  return isMailable ? { redirect: PATHS.mailed } : refused({ email: words.say('fault.email') })
}

const signInReply: EntranceForm = async (deps, pageRequest, form) => {
  const email = form.text('email').trim()
  const next = wayOnIn(new URLSearchParams({ next: form.text('next') }))
  const entry = await signIn(deps, { email, password: form.text('password') }, pageRequest)
  if (entry === 'wrong') {
    const faults = { password: pageRequest.words.say('fault.sign-in') }
    return { page: signInPage(pageRequest.words, { faults, email, next, ...daily(deps) }) }
  }
  if (entry === 'unconfirmed') return { redirect: PATHS.mailed, cookies: wayOnCookie(deps, next) }
  if ('pendingCookies' in entry) return secondStepReply(entry, next)
  return enteredReply(deps, pageRequest, { ...entry, next })
}

/** The way on to the second step of a sign-in, with the cookies that carry the first one there. */
const secondStepReply = ({ pendingCookies }: Pending, next: string): PageAnswer => ({
  redirect: withWayOn(PATHS.secondStep, next),
  cookies: pendingCookies,
})

function confirmLink(deps: EntranceDeps, pageRequest: PageRequest): PageAnswer {
  const token = tokenIn(pageRequest)
  const email = emailIn(token)
  if (email === null) return { page: staleLinkPage(pageRequest.words, PATHS.confirm) }
  deps.warm()
  return { page: confirmPage(pageRequest.words, { token, email }) }
}

const confirmReply: EntranceForm = async (deps, pageRequest, form) => {
  const token = form.text('token')
  const entry = await confirm(deps, { token, password: form.text('password') }, pageRequest)
  if (entry === 'stale') return { page: staleLinkPage(pageRequest.words, PATHS.confirm) }
  const next = keptWayOn(deps, pageRequest)
  if (entry !== 'wrong')
    return 'pendingCookies' in entry
      ? secondStepReply(entry, next)
      : enteredReply(deps, pageRequest, { ...entry, next })
  const faults = { password: pageRequest.words.say('fault.password') }
  return { page: confirmPage(pageRequest.words, { token, email: emailIn(token) ?? '', faults }) }
}

/** The reply that starts a session and ends an open one, so that the new one starts empty. */
export async function enteredReply(
  deps: EntranceDeps,
  pageRequest: PageRequest,
  { firstKey, email, next, ...entry }: Entry & { next: string },
): Promise<PageAnswer> {
  const cookies = [...entry.cookies, devicesCookie(deps, entry.devices)]
  if (next) cookies.push(wayOnTaken(deps))
  if (pageRequest.person) await deps.people.signOut(pageRequest.request.headers)
  if (firstKey === null) return { redirect: next || PATHS.developer, cookies }
  const shown = { key: firstKey, email, next, home: deps.home() }
  return { page: firstKeyPage(pageRequest.words, shown), cookies }
}

const forgottenReply: EntranceForm = async (deps, pageRequest, form) => {
  const { words } = pageRequest
  const email = form.text('email').trim()
  if (!isEmail(email))
    return { page: forgottenPage(words, { faults: { email: words.say('fault.email') }, email }) }
  await requestReset(deps, email, pageRequest)
  return { redirect: PATHS.mailed }
}

const resetReply: EntranceForm = async (deps, pageRequest, form) => {
  const { words } = pageRequest
  const token = form.text('token')
  const password = form.text('password')
  const known = await reset(deps, { token, password }, pageRequest)
  if (known === 'stale') return { page: staleLinkPage(words, PATHS.reset) }
  if (typeof known === 'string') {
    const faults = { password: passwordFaultText(words, known) }
    return { page: resetPage(words, { token, faults }) }
  }
  const cookies = [devicesCookie(deps, known.devices)]
  return { redirect: `${PATHS.signIn}?said=reset`, cookies }
}
