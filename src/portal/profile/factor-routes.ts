import type { Route } from '~/http/route.ts'
import {
  type FormFields,
  fieldOf,
  type PageAnswer,
  personRoutes,
} from '~/portal/member/page-request.tsx'
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
import { forMembers, type Member } from './members.ts'
import { credentialIn, optionsReply } from './passkey.tsx'
import type { SecondStepDeps } from './second-step.tsx'

/** The pages on which people set up second factors. */
export function factorRoutes(deps: SecondStepDeps): Route[] {
  const page = (
    path: string,
    answer: Partial<Record<'get' | 'post', (member: Member, form: FormFields) => PageReply>>,
  ): Route[] => {
    const { get, post } = answer
    return personRoutes(deps, path, {
      get: get
        ? forMembers((member) => get(member, NO_FIELDS))
        : () => ({ redirect: PATHS.secondFactor }),
      ...(post && { post: forMembers(post) }),
    })
  }
  return [
    ...page(PATHS.secondFactor, { get: (member) => shown(deps, member) }),
    ...page(PATHS.app, { post: (member, form) => beginApp(deps, member, form) }),
    ...page(PATHS.confirmApp, { post: (member, form) => confirm(deps, member, form) }),
    ...page(PATHS.recoveryCodes, { post: (member, form) => newCodes(deps, member, form) }),
    ...page(PATHS.passkeyOptions, { post: (member, form) => options(deps, member, form) }),
    ...page(PATHS.passkey, { post: (member, form) => keep(deps, member, form) }),
    ...page(PATHS.removeFactor, {
      get: (member) => removal(deps, member, fieldOf(member.pageRequest.url.searchParams, 'id')),
      post: (member, form) => remove(deps, member, form),
    }),
  ]
}

type PageReply = PageAnswer | Promise<PageAnswer>

const NO_FIELDS: FormFields = { text: () => '', file: () => null }

/** The outcomes that an address can show. */
const NEWS = ['added', 'removed'] as const

const wrongPassword = ({ pageRequest }: Member): string => pageRequest.words.say('fault.password')

async function shown(
  deps: SecondStepDeps,
  { pageRequest, person }: Member,
  faults?: Parameters<typeof secondFactorPage>[0]['faults'],
): Promise<PageAnswer> {
  const factors = await deps.factors.factors(person.userId)
  const codes = factors.hasApp ? await deps.codes.recoveryCodes(person.userId) : []
  const said = NEWS.find((one) => one === pageRequest.url.searchParams.get('said'))
  const news = said && pageRequest.words.say(`second-factor-news.${said}`)
  const page = {
    pageRequest,
    factors,
    codesLeft: codes.length,
    isRequired: person.lacksSecondFactor,
  }
  return { page: secondFactorPage({ ...page, news, ...(faults && { faults }) }) }
}

const isPassword = (
  deps: SecondStepDeps,
  { pageRequest, person }: Member,
  password: string,
): Promise<boolean> =>
  isOwnPassword(deps, { person, password, headers: pageRequest.request.headers }, pageRequest)

async function beginApp(
  deps: SecondStepDeps,
  member: Member,
  form: FormFields,
): Promise<PageAnswer> {
  const password = form.text('app-password')
  if (!(await isPassword(deps, member, password)))
    return shown(deps, member, { app: wrongPassword(member) })
  const address = await deps.codes.beginApp(password, member.pageRequest.request.headers)
  if (address === null) return { redirect: PATHS.secondFactor }
  return { page: newAppPage({ pageRequest: member.pageRequest, address }) }
}

const OUR_ADDRESS = /^otpauth:\/\/totp\/Corridor:[^\s]{1,500}$/

async function confirm(
  deps: SecondStepDeps,
  { pageRequest, person }: Member,
  form: FormFields,
): Promise<PageAnswer> {
  const { headers } = pageRequest.request
  const address = form.text('address')
  if (!OUR_ADDRESS.test(address)) return { redirect: PATHS.secondFactor }
  const cookies = await confirmApp(deps, { person, code: form.text('code'), headers }, pageRequest)
  const { words } = pageRequest
  if (cookies === null) {
    const fault = words.say('second-factor.wrong-code')
    return { page: newAppPage({ pageRequest, address, fault }) }
  }
  return { page: recoveryCodesPage(words, await deps.codes.recoveryCodes(person.userId)), cookies }
}

async function newCodes(
  deps: SecondStepDeps,
  member: Member,
  form: FormFields,
): Promise<PageAnswer> {
  const password = form.text('codes-password')
  if (!(await isPassword(deps, member, password)))
    return shown(deps, member, { codes: wrongPassword(member) })
  const codes = await deps.codes.newCodes(password, member.pageRequest.request.headers)
  const { words } = member.pageRequest
  return codes ? { page: recoveryCodesPage(words, codes) } : { redirect: PATHS.secondFactor }
}

async function options(
  deps: SecondStepDeps,
  member: Member,
  form: FormFields,
): Promise<PageAnswer> {
  if (!(await isPassword(deps, member, form.text('passkey-password'))))
    return {
      response: Response.json(
        { error: wrongPassword(member), code: 'invalid_parameter' },
        { status: 400 },
      ),
    }
  return optionsReply(await deps.passkeys.newChallenge(member.pageRequest.request.headers))
}

async function keep(deps: SecondStepDeps, member: Member, form: FormFields): Promise<PageAnswer> {
  const { pageRequest, person } = member
  const credential = credentialIn(form)
  const { say, capital } = pageRequest.words
  const asked = form.text('passkey').trim().slice(0, PASSKEY_NAME_LENGTH_MAX)
  const name = asked || capital(say('mail.passkey'))
  const { nowMs, request } = pageRequest
  const made = credential && { person, name, credential }
  const isAdded = made && (await addPasskey(deps, made, { headers: request.headers, nowMs }))
  if (!isAdded) return shown(deps, member, { passkey: say('second-factor.no-passkey') })
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
  return { page: removeFactorPage({ pageRequest, passkey, ...(fault && { fault }) }) }
}

async function remove(deps: SecondStepDeps, member: Member, form: FormFields): Promise<PageAnswer> {
  const id = form.text('id')
  if (!(await isPassword(deps, member, form.text('password'))))
    return removal(deps, member, id, wrongPassword(member))
  const removed = { person: member.person, passkeyId: id || null }
  await removeFactor(deps, removed, member.pageRequest.nowMs)
  return { redirect: `${PATHS.secondFactor}?said=removed` }
}
