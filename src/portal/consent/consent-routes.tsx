import type { KnownApplication } from '~/domain/person/connection.ts'
import { type HomeDeps, homeOf } from '~/http/edge/home.ts'
import type { Route } from '~/http/route.ts'
import {
  type Entry,
  type Member,
  type MemberForm,
  memberPages,
} from '~/portal/member/member-pages.ts'
import {
  fieldOf,
  type PageAnswer,
  type PageRequest,
  type PageRequestDeps,
} from '~/portal/member/page-request.tsx'
import { signInFirst } from '~/portal/member/way-on.ts'
import { PATHS } from '~/portal/paths.ts'
import { countAttempt } from '~/service/attempts.ts'
import {
  applicationByDocument,
  CONNECTIONS_MAX,
  type ConnectionDeps,
  connect,
} from '~/service/connection/connections.ts'
import type { Metering } from '~/service/metering.ts'
import { ALERTS_SCOPE } from '~/wire/challenge.ts'
import {
  ApplicationFault,
  applicationAt,
  isDocumentAddress,
  isRedirect,
} from '~/wire/connection/application.ts'
import { isOurResource, LEAST_SCOPES, SCOPES } from '~/wire/connection/metadata.ts'
import {
  consentPage,
  faultyQuestionPage,
  refusedDocumentPage,
  refusedQuestionPage,
  staleQuestionPage,
  tooManyConnectionsPage,
} from './consent.tsx'

type Outcome =
  | { readonly kind: 'sign-in' }
  | { readonly kind: 'ask'; readonly question: string }
  | { readonly kind: 'redirect'; readonly url: string }
  | { readonly kind: 'refused'; readonly code: string }

export type ConsentDeps = PageRequestDeps &
  ConnectionDeps &
  HomeDeps & {
    readonly metering: Metering
    readonly oauth: {
      /** Returns the outcome of an application's request for the person of the session. */
      asked(question: URLSearchParams, headers: Headers): Promise<Outcome>
      /**
       * Returns the outcome of the decision, to grant these scopes or, with null, none; null for a
       * request that is not ours, or too old.
       */
      decided(
        decision: { question: string; scopes: readonly string[] | null },
        headers: Headers,
      ): Promise<Outcome | null>
    }
    readonly applicationDocument: (address: string) => Promise<string>
  }

/** The page that asks whether to connect an application, and the decision. */
export const consentRoutes = (deps: ConsentDeps): Route[] =>
  memberPages(deps, askedPerson)(PATHS.authorize, { get: asked, post: decided })

const askedPerson: Entry = ({ pageRequest: { person, url, words }, path, isForm }, enter) => {
  if (person) return enter(person)
  return isForm ? { page: staleQuestionPage(words) } : signInFirst(path + url.search)
}

/** Parameters that an application may pass; the rest, such as scopes that we lack, is left out. */
const PASSED_ON = [
  ...['response_type', 'client_id', 'redirect_uri', 'state'],
  ...['code_challenge', 'code_challenge_method'],
]

async function asked(deps: ConsentDeps, { pageRequest, person }: Member): Promise<PageAnswer> {
  const { request, url, words } = pageRequest
  const clientId = fieldOf(url.searchParams, 'client_id')
  const home = homeOf(request, deps)
  const { userId } = person
  let application: KnownApplication | null
  try {
    application = await applicationOf(deps, clientId, { pageRequest, person })
  } catch (error) {
    if (!(error instanceof ApplicationFault)) throw error
    return { page: refusedDocumentPage(words, clientId, error) }
  }
  if (!application) return { page: refusedQuestionPage(words, 'invalid_client') }
  if (url.searchParams.getAll('resource').some((one) => !isOurResource(one, home)))
    return { page: refusedQuestionPage(words, 'invalid_target') }
  const question = new URLSearchParams({ scope: SCOPES.join(' '), prompt: 'consent' })
  for (const name of PASSED_ON)
    for (const value of url.searchParams.getAll(name)) question.append(name, value)
  const redirectUri = fieldOf(url.searchParams, 'redirect_uri')
  if (redirectUri !== '' && !isRedirect(redirectUri))
    return { page: refusedQuestionPage(words, 'invalid_redirect') }
  const outcome = await deps.oauth.asked(question, request.headers)
  if (outcome.kind === 'redirect' && !(await deps.connections.isConnected({ userId, clientId })))
    return { page: faultyQuestionPage(words, application, outcome.url) }
  if (outcome.kind !== 'ask') return outcomeReply(pageRequest, outcome, home)
  const dailyUnits = deps.metering.limits[person.account.plan]
  const wantsAlerts = fieldOf(url.searchParams, 'scope').split(' ').includes(ALERTS_SCOPE)
  const { question: asking } = outcome
  const shown = { application, question: asking, redirectUri, dailyUnits, wantsAlerts }
  return { page: consentPage(words, { person, ...shown }) }
}

function outcomeReply({ url: asked, words }: PageRequest, outcome: Outcome, home: string) {
  if (outcome.kind === 'sign-in') return signInFirst(PATHS.authorize + asked.search)
  if (outcome.kind === 'refused') return { page: refusedQuestionPage(words, outcome.code) }
  if (outcome.kind === 'ask') return { page: staleQuestionPage(words) }
  const url = namingIssuer(outcome.url, home)
  const headers = {
    location: url.href,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  }
  return { response: new Response(null, { status: 303, headers }) }
}

/** The address at which an application gets the result, with us as the issuer. */
function namingIssuer(address: string, home: string): URL {
  const url = new URL(address)
  if (url.hash === '') url.searchParams.set('iss', home)
  else {
    const fields = new URLSearchParams(url.hash.slice(1))
    fields.set('iss', home)
    url.hash = fields.toString()
  }
  return url
}

async function applicationOf(
  deps: ConsentDeps,
  clientId: string,
  { pageRequest: { address, nowMs }, person: { email } }: Member,
): Promise<KnownApplication | null> {
  if (!isDocumentAddress(clientId)) return deps.connections.application(clientId)
  const read = async () => {
    const about = { what: 'document', address, email, device: null, nowMs } as const
    await countAttempt({ store: deps.attempts, fingerprint: deps.fingerprint }, about)
    return applicationAt(clientId, await deps.applicationDocument(clientId))
  }
  return applicationByDocument(deps, clientId, { nowMs, read })
}

const decided: MemberForm<ConsentDeps> = async (deps, { pageRequest, person }, form) => {
  const { request, nowMs, words } = pageRequest
  const question = form.text('question')
  const isAllowed = form.text('decision') === 'allow'
  const allowed = form.text('alerts') === 'yes' ? SCOPES : LEAST_SCOPES
  const decision = { question, scopes: isAllowed ? allowed : null }
  const outcome = await deps.oauth.decided(decision, request.headers)
  if (outcome?.kind !== 'redirect') return { page: staleQuestionPage(words) }
  const asked = new URLSearchParams(question)
  const application = await deps.connections.application(fieldOf(asked, 'client_id'))
  if (!application) return { page: refusedQuestionPage(words, 'invalid_client') }
  if (isAllowed) {
    const { account, userId, email } = person
    const owner = { accountId: account.id, email: account.email, actor: email, nowMs }
    const isConnected = await connect(deps, owner, { userId, application })
    if (!isConnected) return { page: tooManyConnectionsPage(words, CONNECTIONS_MAX) }
  }
  return outcomeReply(pageRequest, outcome, homeOf(request, deps))
}
