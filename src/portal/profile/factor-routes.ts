import type { Route } from '~/http/route.ts'
import { type Member, type MemberForm, memberPages } from '~/portal/member/member-pages.ts'
import { fieldOf, type PageAnswer } from '~/portal/member/page-request.tsx'
import { PATHS } from '~/portal/paths.ts'
import {
  addPasskey,
  confirmApp,
  isOwnPassword,
  PASSKEY_NAME_LENGTH_MAX,
  removeFactor,
} from '~/service/person/second-factor.ts'
import {
  newAppPage,
  recoveryCodesPage,
  removeFactorPage,
  secondFactorPage,
} from './factor-pages.tsx'
import { credentialIn, optionsReply } from './passkey.tsx'
import type { SecondStepDeps } from './second-step.tsx'

/** The pages on which people set up second factors. */
export function factorRoutes(deps: SecondStepDeps): Route[] {
  const page = memberPages(deps)
  const form = (path: string, post: MemberForm<SecondStepDeps>) =>
    page(path, { get: () => ({ redirect: PATHS.secondFactor }), post })
  return [
    ...page(PATHS.secondFactor, { get: (_, member) => shown(deps, member) }),
    ...form(PATHS.app, beginApp),
    ...form(PATHS.confirmApp, confirm),
    ...form(PATHS.recoveryCodes, newCodes),
    ...form(PATHS.passkeyOptions, options),
    ...form(PATHS.passkey, keep),
    ...page(PATHS.removeFactor, {
      get: (_, member) => removal(deps, member, fieldOf(member.pageRequest.url.searchParams, 'id')),
      post: remove,
    }),
  ]
}

const NOTES = ['added', 'removed'] as const

const wrongPassword = ({ pageRequest }: Member): string => pageRequest.words.say('fault.password')

async function shown(
  deps: SecondStepDeps,
  { pageRequest, person }: Member,
  sent: Pick<Parameters<typeof secondFactorPage>[1], 'faults' | 'passkeyName'> = {},
): Promise<PageAnswer> {
  const factors = await deps.factors.factors(person.userId)
  const codes = factors.hasApp ? await deps.codes.recoveryCodes(person.userId) : []
  const said = NOTES.find((one) => one === pageRequest.url.searchParams.get('said'))
  const { words } = pageRequest
  const notice = said && words.say(`second-factor-news.${said}`)
  const page = { factors, codesLeft: codes.length, isRequired: person.lacksSecondFactor }
  return { page: secondFactorPage(words, { ...page, notice, ...sent }) }
}

const isPassword = (
  deps: SecondStepDeps,
  { pageRequest, person }: Member,
  password: string,
): Promise<boolean> =>
  isOwnPassword(deps, { person, password, headers: pageRequest.request.headers }, pageRequest)

const beginApp: MemberForm<SecondStepDeps> = async (deps, member, form) => {
  const password = form.text('app-password')
  if (!(await isPassword(deps, member, password)))
    return shown(deps, member, { faults: { app: wrongPassword(member) } })
  const address = await deps.codes.beginApp(password, member.pageRequest.request.headers)
  if (address === null) return { redirect: PATHS.secondFactor }
  return { page: newAppPage(member.pageRequest.words, { address }) }
}

const OUR_ADDRESS = /^otpauth:\/\/totp\/Corridor:[^\s]{1,500}$/

const confirm: MemberForm<SecondStepDeps> = async (deps, { pageRequest, person }, form) => {
  const { headers } = pageRequest.request
  const address = form.text('address')
  if (!OUR_ADDRESS.test(address)) return { redirect: PATHS.secondFactor }
  const cookies = await confirmApp(deps, { person, code: form.text('code'), headers }, pageRequest)
  const { words } = pageRequest
  if (cookies === null) {
    const fault = words.say('second-factor.wrong-code')
    return { page: newAppPage(pageRequest.words, { address, fault }) }
  }
  return { page: recoveryCodesPage(words, await deps.codes.recoveryCodes(person.userId)), cookies }
}

const newCodes: MemberForm<SecondStepDeps> = async (deps, member, form) => {
  const password = form.text('codes-password')
  if (!(await isPassword(deps, member, password)))
    return shown(deps, member, { faults: { codes: wrongPassword(member) } })
  const codes = await deps.codes.newCodes(password, member.pageRequest.request.headers)
  const { words } = member.pageRequest
  return codes ? { page: recoveryCodesPage(words, codes) } : { redirect: PATHS.secondFactor }
}

const options: MemberForm<SecondStepDeps> = async (deps, member, form) => {
  if (!(await isPassword(deps, member, form.text('passkey-password'))))
    return {
      response: Response.json(
        { error: wrongPassword(member), code: 'invalid_parameter' },
        { status: 400 },
      ),
    }
  return optionsReply(await deps.passkeys.newChallenge(member.pageRequest.request.headers))
}

const keep: MemberForm<SecondStepDeps> = async (deps, member, form) => {
  const { pageRequest, person } = member
  const credential = credentialIn(form)
  const { say, capital } = pageRequest.words
  const asked = form.text('passkey').trim().slice(0, PASSKEY_NAME_LENGTH_MAX)
  const name = asked || capital(say('mail.passkey'))
  const { nowMs, request } = pageRequest
  const made = credential && { person, name, credential }
  const isAdded = made && (await addPasskey(deps, made, { headers: request.headers, nowMs }))
  if (!isAdded) {
    const faults = { passkey: say('second-factor.no-passkey') }
    return shown(deps, member, { faults, passkeyName: asked })
  }
  return { redirect: `${PATHS.secondFactor}?said=added` }
}

async function removal(
  deps: SecondStepDeps,
  { pageRequest, person }: Member,
  id: string,
  fault?: string,
): Promise<PageAnswer> {
  const { passkeys, hasApp } = await deps.factors.factors(person.userId)
  const passkey = passkeys.find((one) => one.id === id) ?? null
  if (id === '' ? !hasApp : !passkey) return { redirect: PATHS.secondFactor }
  return { page: removeFactorPage(pageRequest.words, { passkey, ...(fault && { fault }) }) }
}

const remove: MemberForm<SecondStepDeps> = async (deps, member, form) => {
  const id = form.text('id')
  if (!(await isPassword(deps, member, form.text('password'))))
    return removal(deps, member, id, wrongPassword(member))
  const removed = { person: member.person, passkeyId: id || null }
  await removeFactor(deps, removed, member.pageRequest.nowMs)
  return { redirect: `${PATHS.secondFactor}?said=removed` }
}
