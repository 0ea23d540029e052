import { randomBytes } from 'node:crypto'
import type { Clock } from '~/clock.ts'
import { ServiceError } from '~/domain/errors.ts'
import type { AddressOf } from '~/http/edge/address.ts'
import { isForwardedHttps } from '~/http/edge/home.ts'
import { noteError } from '~/http/reply.ts'
import type { Route } from '~/http/route.ts'
import type { Log } from '~/log.ts'
import type { AddressLimits } from '~/memory/address-limits.ts'
import type { Memory } from '~/memory/memory.ts'
import { type CookiePrefix, cookieLine } from '~/portal/cookies.ts'
import { type OutageDeps, outageOf } from '~/portal/outage.ts'
import { type Page, type PageDeps, pageReply } from '~/portal/page.tsx'
import { isSpoken, KEYS_ID, PATHS } from '~/portal/paths.ts'
import { failedPage, refusedPage, tooManyPage, unavailablePage } from '~/portal/refusals.tsx'
import { wordsFor } from '~/portal/words/asked.ts'
import type { Language } from '~/portal/words/language.ts'
import { ENGLISH, type Words } from '~/portal/words/words.ts'
import { TooManyAttempts } from '~/service/attempts.ts'
import { inTime } from '~/service/deadline.ts'
import type { PeopleDeps } from '~/service/person/people.ts'
import { type Person, personOf } from '~/service/person/person.ts'
import { ForeignForm, type FormFields, fieldOf, readForm, StaleForm } from './own-form.ts'

export { type FormFields, fieldOf, type Person }

export type PageRequestDeps = PeopleDeps & {
  readonly pages: PageDeps
  readonly memory: Memory
  readonly clock: Clock
  readonly log: Log
  readonly addressOf: AddressOf
  /**
   * The limit on forms from one address, kept in this process: a flood costs the database nothing.
   */
  readonly forms: AddressLimits
  readonly machines: AddressLimits
  /** The origin of the public address, if a setting gives one. */
  readonly publicOrigin: string | null
  readonly cookiePrefix: CookiePrefix
  /** Says whether a proxy in front may say that a request came over https. */
  readonly isProxied: boolean
  readonly isOutage: OutageDeps['isOutage']
}

/** A request for a page or from a form that concerns one person alone. */
export type PageRequest = {
  readonly request: Request
  readonly url: URL
  readonly address: string
  readonly nowMs: number
  /** The words of a page that speaks the reader's language; else English. */
  readonly words: Words
  readonly person: Person | null
  /** The browser's cookie with the accounts that it signed in to before. */
  readonly devices: string
  /** Name that the browser gave, cut to a bound; empty if it gave none. */
  readonly userAgent: string
  readonly language: Language
  /** The token that proves that a form was made for this session; each form carries it. */
  readonly formToken: string
}

export type PageAnswer = { readonly cookies?: readonly string[] } & (
  | { readonly page: Page }
  | { readonly redirect: string }
  | { readonly response: Response }
)

export type PageReply = PageAnswer | Promise<PageAnswer>

/** The response to a form that a person sends. */
export type FormAnswer<Deps, Asker> = (deps: Deps, asker: Asker, form: FormFields) => PageReply

/** The responses of a page to a person who opens it, and who sends a form on it. */
export type Answers<Deps, Asker> = {
  get?(deps: Deps, asker: Asker): PageReply
  readonly post?: FormAnswer<Deps, Asker>
  /** Set if the form may hold files, of so many bytes together with its fields. */
  readonly files?: {
    readonly bytesMax: number
    /** The response to a form that is larger. */
    tooLarge(deps: Deps, asker: Asker): PageReply
  }
}

const VISITOR_COOKIE = 'corridor.visitor'
export const SESSION_COOKIE = 'corridor.session_token'
const DEVICES_COOKIE = 'corridor.devices'
/** The longest that browsers keep a cookie that is not renewed. */
const DEVICES_SECONDS_MAX = 400 * 24 * 3600
const VISITOR = /^[\w-]{22}$/
const VISITOR_BYTES = 16
const USER_AGENT_LENGTH_MAX = 300

/** Pages and forms that concern one person: never cached, and forms only from ourselves. */
export function personRoutes<Deps extends PageRequestDeps>(
  deps: Deps,
  path: string,
  { get, post, files }: Answers<Deps, PageRequest>,
): Route[] {
  const route = (method: Route['method'], answer: Asked['answer']): Route => ({
    ...{ method, path },
    handle: (request) => replied(deps, request, { path, answer }),
  })
  const page = get && route('GET', (pageRequest) => soon(async () => get(deps, pageRequest)))
  const form =
    post &&
    route('POST', async (pageRequest) => {
      const waitMs = deps.forms.take(pageRequest.address, pageRequest.nowMs)
      if (waitMs > 0) throw new TooManyAttempts(Math.ceil(waitMs / 1000))
      const sent = await readForm(deps, pageRequest, files).catch((error) => {
        if (files && error?.code === 'body_too_large') return null
        throw error
      })
      return sent ? post(deps, pageRequest, sent) : files!.tooLarge(deps, pageRequest)
    })
  return [page, form].filter((one) => one !== undefined)
}

/** The time limit on reading for a page, which can be requested again when a database hangs. */
const PAGE = { msMax: 5000, message: 'the database takes too long for this page' }

const soon = <T,>(work: () => Promise<T>): Promise<T> => inTime(work(), PAGE)

/** Pages that a person who is signed in has passed already, and reaches again only by a reload. */
const WAYS_IN: readonly string[] = [PATHS.confirm, PATHS.signIn, PATHS.signUp]

/** The only pages for a person whose role needs a second factor, until there is one. */
const SETTING_UP: readonly string[] = [
  ...[PATHS.secondFactor, PATHS.app, PATHS.confirmApp, PATHS.passkey, PATHS.passkeyOptions],
  PATHS.signOut,
]

/** The developer area with the notice that a person is already signed in. */
const INSIDE = `${PATHS.developer}?said=inside#${KEYS_ID}`

type Asked = { path: string; answer(pageRequest: PageRequest): PageReply }

async function replied(
  deps: PageRequestDeps,
  request: Request,
  { path, answer }: Asked,
): Promise<Response> {
  const cookies: string[] = []
  const spoken = isSpoken(path) ? wordsFor(request, deps.pages) : null
  const words = spoken ?? ENGLISH
  let person: Person | null = null
  try {
    const pageRequest = await soon(() => pageRequestOf(deps, { request, words, cookies }))
    person = pageRequest.person
    const isKeptOut = person?.lacksSecondFactor && !SETTING_UP.includes(path)
    const reply = isKeptOut ? { redirect: PATHS.secondFactor } : await answer(pageRequest)
    const { formToken } = pageRequest
    return await responseTo(deps, { request, spoken, person, formToken, reply, cookies })
  } catch (error) {
    const isInside = person !== null && error instanceof StaleForm && WAYS_IN.includes(path)
    const reply = isInside
      ? { redirect: INSIDE }
      : { page: faultPage(deps, { path, words, isMember: person !== null }, error) }
    return responseTo(deps, { request, spoken, person, reply, cookies })
  }
}

type Faulty = { path: string; words: Words; isMember: boolean }

export function faultPage(
  deps: Pick<PageRequestDeps, 'isOutage' | 'log'>,
  { path, words, isMember }: Faulty,
  error: unknown,
): Page {
  if (error instanceof TooManyAttempts) return tooManyPage(words, path, error.retryAfterSeconds)
  if (error instanceof ForeignForm) return refusedPage(words, path, { isMember })
  const code = error instanceof ServiceError ? error.code : null
  if (code === 'body_too_large' || code === 'malformed_body')
    return refusedPage(words, path, { isMember })
  const outage = outageOf(deps, error)
  noteError(outage ?? error, deps.log)
  return (outage ? unavailablePage : failedPage)(words, path)
}

type Incoming = {
  readonly request: Request
  readonly words: Words
  /** Takes the lines of cookies to set. */
  readonly cookies: string[]
}

async function pageRequestOf(
  deps: PageRequestDeps,
  { request, words, cookies }: Incoming,
): Promise<PageRequest> {
  const { headers } = request
  const { cookiePrefix, pages } = deps
  const jar = new Bun.CookieMap(headers.get('cookie') ?? '')
  const isKnown = jar.has(cookiePrefix + SESSION_COOKIE)
  const nowMs = deps.clock.now()
  const inside = { nowMs, keys: () => deps.memory.current.keys }
  const person = isKnown ? await personOf(deps, headers, inside) : null
  let visitor = jar.get(cookiePrefix + VISITOR_COOKIE) ?? ''
  if (!person && !VISITOR.test(visitor)) {
    visitor = randomBytes(VISITOR_BYTES).toString('base64url')
    const cookie = { name: VISITOR_COOKIE, value: visitor, mount: pages.mount }
    cookies.push(cookieLine(cookiePrefix, cookie))
  }
  const bearer = person ? `session ${person.sessionToken}` : `visitor ${visitor}`
  return {
    request,
    url: new URL(request.url),
    address: deps.addressOf(request),
    nowMs,
    words,
    person,
    devices: jar.get(cookiePrefix + DEVICES_COOKIE) ?? '',
    userAgent: (headers.get('user-agent') ?? '').slice(0, USER_AGENT_LENGTH_MAX),
    language: words.language,
    formToken: await deps.fingerprint(`form of ${bearer}`),
  }
}

/** The cookie that marks a browser as known to the accounts it signed in to. */
export const devicesCookie = ({ cookiePrefix, pages }: PageRequestDeps, devices: string): string =>
  cookieLine(cookiePrefix, {
    name: DEVICES_COOKIE,
    value: devices,
    mount: pages.mount,
    secondsMax: DEVICES_SECONDS_MAX,
  })

type Outcome = {
  readonly request: Request
  /** The words of a page that speaks the reader's language; null for one in English alone. */
  readonly spoken: Words | null
  readonly person: Person | null
  readonly formToken?: string
  readonly reply: PageAnswer
  readonly cookies: readonly string[]
}

async function responseTo(deps: PageRequestDeps, outcome: Outcome): Promise<Response> {
  const { request, reply, cookies } = outcome
  const response = await bodyOf(deps, outcome)
  const isSecure = isOverHttps(deps, request)
  for (const line of [...cookies, ...(reply.cookies ?? [])])
    response.headers.append(
      'set-cookie',
      isSecure && !/;\s*secure\b/i.test(line) ? `${line}; Secure` : line,
    )
  return response
}

async function bodyOf(
  { pages }: PageRequestDeps,
  { request, spoken, person, formToken = '', reply }: Outcome,
): Promise<Response> {
  if ('response' in reply) return reply.response
  if ('redirect' in reply)
    return new Response(null, {
      status: 303,
      headers: {
        location: redirected(pages, spoken, reply.redirect),
        'cache-control': 'no-store',
      },
    })
  const session = person && { email: person.email, isAdmin: person.account.role === 'admin' }
  const words = spoken && { words: spoken }
  return pageReply(pages, request, { session, formToken, isPrivate: true, ...words, ...reply.page })
}

/** The location of a page, in the language of the address that led there if it speaks it. */
const redirected = ({ mount }: PageDeps, spoken: Words | null, path: string): string =>
  mount + (isSpoken(path) ? (spoken?.prefix ?? '') : '') + path

function isOverHttps({ publicOrigin, isProxied }: PageRequestDeps, { headers }: Request): boolean {
  if (publicOrigin?.startsWith('https:')) return true
  return isProxied && isForwardedHttps(headers)
}
