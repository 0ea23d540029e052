import type { Kept } from '~/domain/person/kept.ts'
import type { Route } from '~/http/route.ts'
import { downloadReply } from '~/portal/download.ts'
import { staleLinkPage } from '~/portal/member/entrance.tsx'
import { passwordFaultText } from '~/portal/member/entrance-routes.tsx'
import {
  type Entry,
  type Member,
  type MemberForm,
  memberPages,
} from '~/portal/member/member-pages.ts'
import {
  devicesCookie,
  fieldOf,
  type PageAnswer,
  type PageRequest,
} from '~/portal/member/page-request.tsx'
import { signInFirst } from '~/portal/member/way-on.ts'
import { PATHS } from '~/portal/paths.ts'
import {
  addressIn,
  changePassword,
  confirmAddress,
  deleteAccount,
  type ProfileDeps,
  requestAddress,
} from '~/service/person/profile.ts'
import { presentKept } from '~/wire/connection/kept.ts'
import { confirmAddressPage, deletePage, type ProfileFaults, profilePage } from './profile-page.tsx'
import type { SecondStepDeps } from './second-step.tsx'

export type ProfilePageDeps = SecondStepDeps &
  ProfileDeps & {
    /** Everything stored about a person. */
    readonly keptOf: (own: { userId: string; accountId: string; nowMs: number }) => Promise<Kept>
  }

/** The pages of a person's own sign-in. */
export function profileRoutes(deps: ProfilePageDeps): Route[] {
  const page = memberPages(deps)
  const form = (path: string, post: MemberForm<ProfilePageDeps>) =>
    page(path, { get: () => ({ redirect: PATHS.profile }), post })
  return [
    ...page(PATHS.profile, { get: (_, member) => shown(deps, member) }),
    ...form(PATHS.password, newPassword),
    ...form(PATHS.address, newAddress),
    ...form(PATHS.endSession, endSession),
    ...page(PATHS.ownData, { get: data }),
    ...page(PATHS.deleteAccount, {
      get: (_, { pageRequest }) => ({ page: deletePage(pageRequest.words) }),
      post: deletion,
    }),
    ...memberPages(deps, afterSignIn)(PATHS.confirmAddress, {
      get: addressLink,
      post: addressReply,
    }),
  ]
}

/** A link in an email, to which a person comes back after signing in. */
const afterSignIn: Entry = ({ pageRequest: { person, url }, path, isForm }, enter) => {
  if (person) return enter(person)
  return isForm ? { redirect: PATHS.signIn } : signInFirst(path + url.search)
}

function addressLink(_: ProfilePageDeps, { pageRequest }: Member): PageAnswer {
  const token = fieldOf(pageRequest.url.searchParams, 'token')
  const address = addressIn(token)
  if (address === null) return { page: staleLinkPage(pageRequest.words, PATHS.confirmAddress) }
  return { page: confirmAddressPage(pageRequest.words, { token, address }) }
}

const NOTES = ['password', 'mailed', 'address', 'ended'] as const

const wrong = ({ words: { say } }: PageRequest): string => say('fault.password')

async function shown(
  deps: ProfilePageDeps,
  { pageRequest, person }: Member,
  sent: { faults?: ProfileFaults; email?: string } = {},
): Promise<PageAnswer> {
  const sessions = await deps.sessions.sessions(person.userId, pageRequest.nowMs)
  const said = NOTES.find((one) => one === pageRequest.url.searchParams.get('said'))
  const notice = said && pageRequest.words.say(`profile-news.${said}`)
  return { page: profilePage(pageRequest.words, { person, sessions, notice, ...sent }) }
}

const newPassword: MemberForm<ProfilePageDeps> = async (deps, member, form) => {
  const { pageRequest, person } = member
  const asked = { person, current: form.text('current'), password: form.text('password') }
  const headers = pageRequest.request.headers
  const changed = await changePassword(deps, { ...asked, headers }, pageRequest)
  if (changed === 'wrong') return shown(deps, member, { faults: { current: wrong(pageRequest) } })
  if (typeof changed === 'string')
    return shown(deps, member, {
      faults: { password: passwordFaultText(pageRequest.words, changed) },
    })
  const cookies = [...changed.cookies, devicesCookie(deps, changed.devices)]
  return { redirect: `${PATHS.profile}?said=password`, cookies }
}

const newAddress: MemberForm<ProfilePageDeps> = async (deps, member, form) => {
  const { pageRequest, person } = member
  const { headers } = pageRequest.request
  const email = form.text('email')
  const asked = { person, email, password: form.text('email-password'), headers }
  const outcome = await requestAddress(deps, asked, pageRequest)
  if (outcome === 'address')
    return shown(deps, member, { faults: { email: pageRequest.words.say('fault.email') }, email })
  if (outcome === 'wrong')
    return shown(deps, member, { faults: { emailPassword: wrong(pageRequest) }, email })
  return { redirect: `${PATHS.profile}?said=mailed` }
}

const addressReply: MemberForm<ProfilePageDeps> = async (deps, { pageRequest, person }, form) => {
  const token = form.text('token')
  const changed = await confirmAddress(deps, { person, token }, pageRequest)
  if (!changed) return { page: staleLinkPage(pageRequest.words, PATHS.confirmAddress) }
  const cookies = [devicesCookie(deps, changed.devices)]
  return { redirect: `${PATHS.profile}?said=address`, cookies }
}

/** Ends the session named, or all without a name, this one included. */
const endSession: MemberForm<ProfilePageDeps> = async (deps, { person }, form) => {
  const id = form.text('id')
  if (id === '') await deps.sessions.endSessions(person.userId, null)
  else await deps.sessions.endSession(person.userId, id)
  const isOver = id === '' || id === person.sessionId
  return { redirect: isOver ? PATHS.signIn : `${PATHS.profile}?said=ended` }
}

async function data(deps: ProfilePageDeps, { person, pageRequest }: Member): Promise<PageAnswer> {
  const { nowMs } = pageRequest
  const own = { userId: person.userId, accountId: person.account.id, nowMs }
  const body = JSON.stringify(presentKept(await deps.keptOf(own), nowMs), null, 2)
  const type = 'application/json; charset=utf-8'
  return { response: downloadReply(body, { name: 'corridor-data.json', type }) }
}

const deletion: MemberForm<ProfilePageDeps> = async (deps, { pageRequest, person }, form) => {
  const { headers } = pageRequest.request
  const asked = { person, password: form.text('password'), headers }
  if (!(await deleteAccount(deps, asked, pageRequest)))
    return { page: deletePage(pageRequest.words, wrong(pageRequest)) }
  return { redirect: `${PATHS.signIn}?said=deleted` }
}
