/** @jsxImportSource preact */
import { isEmail, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '~/domain/account.ts'
import type { Route } from '~/http/route.ts'
import { PATHS } from '~/portal/paths.ts'
import type { Metering } from '~/service/metering.ts'
import { type PasswordFault, passwordFault } from '~/service/passwords.ts'
import {
  confirm,
  type Entry,
  emailIn,
  requestReset,
  reset,
  signIn,
  signUp,
} from '~/service/people.ts'
import {
  confirmPage,
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
  type FormFields,
  fieldOf,
  type Visit,
  type VisitDeps,
  type VisitReply,
  visitRoutes,
} from './visit.tsx'

export type EntranceDeps = VisitDeps & {
  readonly metering: Metering
  /** Whether links are mailed; if not, they are logged. */
  readonly isMailed: boolean
  /** The address where people find the service, for texts that they copy. */
  readonly home: () => string
  /** Loads what signing in needs. */
  readonly warm: () => void
}

const NO_EMAIL = 'That is not an e-mail address; one looks like name@example.org.'
const LENGTHS = `${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX}`
const PASSWORD_FAULTS: Readonly<Record<PasswordFault, string>> = {
  length: `A password has ${LENGTHS} characters; this one has not.`,
  address: 'This is too easy to guess from your address. Choose another, a few words for example.',
  common: 'This password is too common. Choose another, a few words for example.',
}
const WRONG = 'The address or the password is wrong.'

/** Sign-up, sign-in, sign-out, and the pages that mailed links lead to. */
export function entranceRoutes(deps: EntranceDeps): Route[] {
  return [
    ...visitRoutes(deps, PATHS.signUp, {
      get: (visit) => forStrangers(deps, visit, () => ({ page: signUpPage(visit) })),
      post: (visit, form) => signUpReply(deps, visit, form),
    }),
    ...visitRoutes(deps, PATHS.signIn, {
      get: (visit) =>
        forStrangers(deps, visit, () => ({
          page: signInPage(visit, { ...said(visit), ...daily(deps) }),
        })),
      post: (visit, form) => signInReply(deps, visit, form),
    }),
    ...visitRoutes(deps, PATHS.mailed, { get: () => ({ page: mailedPage(deps.isMailed) }) }),
    ...visitRoutes(deps, PATHS.confirm, {
      get: (visit) => confirmLink(deps, visit),
      post: (visit, form) => confirmReply(deps, visit, form),
    }),
    ...visitRoutes(deps, PATHS.forgotten, {
      get: (visit) => ({ page: forgottenPage(visit) }),
      post: (visit, form) => forgottenReply(deps, visit, form),
    }),
    ...visitRoutes(deps, PATHS.reset, {
      get: (visit) => ({ page: resetPage(visit, { token: tokenIn(visit) }) }),
      post: (visit, form) => resetReply(deps, visit, form),
    }),
    ...visitRoutes(deps, PATHS.signOut, {
      get: () => ({ redirect: PATHS.developer }),
      post: async ({ request }) => ({
        redirect: PATHS.signIn,
        cookies: await deps.people.signOut(request.headers),
      }),
    }),
  ]
}

function forStrangers(deps: EntranceDeps, visit: Visit, answer: () => VisitReply): VisitReply {
  if (visit.person) return { redirect: PATHS.developer }
  deps.warm()
  return answer()
}

const said = ({ url }: Visit) => ({ isReset: url.searchParams.get('said') === 'reset' })

const daily = ({ metering }: EntranceDeps) => ({ dailyUnits: metering.limits.free })

const tokenIn = ({ url }: Visit): string => fieldOf(url.searchParams, 'token')

async function signUpReply(
  deps: EntranceDeps,
  visit: Visit,
  form: FormFields,
): Promise<VisitReply> {
  const email = form.text('email').trim()
  const password = form.text('password')
  if (!isEmail(email)) return { page: signUpPage(visit, { faults: { email: NO_EMAIL }, email }) }
  const fault = await passwordFault({ password, email })
  if (fault)
    return { page: signUpPage(visit, { faults: { password: PASSWORD_FAULTS[fault] }, email }) }
  const isMailable = await signUp(deps, { email, password }, visit)
  if (!isMailable) return { page: signUpPage(visit, { faults: { email: NO_EMAIL }, email }) }
  return { redirect: PATHS.mailed }
}

async function signInReply(
  deps: EntranceDeps,
  visit: Visit,
  form: FormFields,
): Promise<VisitReply> {
  const email = form.text('email').trim()
  const entry = await signIn(deps, { email, password: form.text('password') }, visit)
  if (entry === 'wrong') {
    const faults = { password: WRONG }
    return { page: signInPage(visit, { faults, email, ...daily(deps) }) }
  }
  if (entry === 'unconfirmed') return { redirect: PATHS.mailed }
  return enteredReply(deps, visit, entry)
}

function confirmLink(deps: EntranceDeps, visit: Visit): VisitReply {
  const token = tokenIn(visit)
  const email = emailIn(token)
  if (email === null) return { page: staleLinkPage(PATHS.confirm) }
  deps.warm()
  return { page: confirmPage(visit, { token, email }) }
}

async function confirmReply(
  deps: EntranceDeps,
  visit: Visit,
  form: FormFields,
): Promise<VisitReply> {
  const token = form.text('token')
  const entry = await confirm(deps, { token, password: form.text('password') }, visit)
  if (entry === 'stale') return { page: staleLinkPage(PATHS.confirm) }
  if (entry !== 'wrong') return enteredReply(deps, visit, entry)
  const email = emailIn(token) ?? ''
  return {
    page: confirmPage(visit, { token, email, faults: { password: 'The password is wrong.' } }),
  }
}

/**
 * The reply that starts a session; one that was open before is ended, so that the new one starts
 * from nothing.
 */
async function enteredReply(
  deps: EntranceDeps,
  visit: Visit,
  { firstKey, email, ...entry }: Entry,
): Promise<VisitReply> {
  const cookies = [...entry.cookies, devicesCookie(deps, entry.devices)]
  if (visit.person) await deps.people.signOut(visit.request.headers)
  if (firstKey === null) return { redirect: PATHS.developer, cookies }
  return { page: firstKeyPage({ key: firstKey, email, home: deps.home() }), cookies }
}

async function forgottenReply(
  deps: EntranceDeps,
  visit: Visit,
  form: FormFields,
): Promise<VisitReply> {
  const email = form.text('email').trim()
  if (!isEmail(email)) return { page: forgottenPage(visit, { faults: { email: NO_EMAIL }, email }) }
  await requestReset(deps, email, visit)
  return { redirect: PATHS.mailed }
}

async function resetReply(deps: EntranceDeps, visit: Visit, form: FormFields): Promise<VisitReply> {
  const token = form.text('token')
  const password = form.text('password')
  const known = await reset(deps, { token, password }, visit)
  if (known === 'stale') return { page: staleLinkPage(PATHS.reset) }
  if (typeof known === 'string')
    return { page: resetPage(visit, { token, faults: { password: PASSWORD_FAULTS[known] } }) }
  const cookies = [devicesCookie(deps, known.devices)]
  return { redirect: `${PATHS.signIn}?said=reset`, cookies }
}
