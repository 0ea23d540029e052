import type { ComponentChildren } from 'preact'
import { CONSENT_DAYS } from '~/domain/api-key.ts'
import type { KnownApplication } from '~/domain/person/connection.ts'
import type { Person } from '~/portal/member/page-request.tsx'
import { TokenForm } from '~/portal/member/token-form.tsx'
import { narrowPage } from '~/portal/narrow-page.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { formsLeadingTo } from '~/portal/security-headers.ts'
import { linkTo, useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import { isDocumentAddress } from '~/wire/connection/application.ts'

type Props = {
  readonly person: Person
  readonly application: KnownApplication
  /** The query, to be sent back with the decision. */
  readonly question: string
  /** Address to which the person is sent after the decision. */
  readonly redirectUri: string
  /** The number of requests that the account has a day. */
  readonly dailyUnits: number
  /** Says whether the application itself requests to create alerts. */
  readonly wantsAlerts: boolean
}

/** The page on which a person decides whether an application may use their account. */
export function consentPage({ say, rich }: Words, props: Props): Page {
  const { person, application, redirectUri } = props
  const { name } = application
  return narrowPage({
    path: PATHS.authorize,
    headers: formsLeadingTo(redirectUri),
    title: say('consent.title', { name }),
    children: (
      <>
        <p class="lead">
          {rich('consent.lead', {
            name,
            email: person.email,
            strong: (parts) => <strong>{parts}</strong>,
          })}
        </p>
        <Facts {...props} />
        <p>{say('consent.trust')}</p>
        <Decisions {...props} />
        <p class="muted small">{rich('consent.not-you', { link: linkTo(PATHS.developer) })}</p>
      </>
    ),
  })
}

function Facts({ application, redirectUri, dailyUnits }: Props) {
  const { words, say, rich } = useWords()
  return (
    <dl class="facts">
      <dt>{say('consent.who')}</dt>
      <dd>{whoAsks(words, application)}</dd>
      <dt>{say('consent.next')}</dt>
      <dd>{whereTo(words, redirectUri)}</dd>
      <dt>{say('consent.may')}</dt>
      <dd>{say('consent.may-do', { units: dailyUnits })}</dd>
      <dt>{say('consent.may-not')}</dt>
      <dd>{say('consent.may-not-do')}</dd>
      <dt>{say('consent.until')}</dt>
      <dd>{rich('consent.until-when', { link: linkTo(PATHS.developer), days: CONSENT_DAYS })}</dd>
    </dl>
  )
}

function Decisions({ question, wantsAlerts }: Props) {
  const { say } = useWords()
  return (
    <div class="form-row">
      <Decision question={question} decision="allow" send={say('consent.allow')}>
        <label class="check">
          <input type="checkbox" name="alerts" value="yes" checked={wantsAlerts} />{' '}
          {say('consent.alerts')}
        </label>
      </Decision>
      <Decision question={question} decision="deny" send={say('consent.deny')} />
    </div>
  )
}

type DecisionProps = Pick<Props, 'question'> & {
  decision: 'allow' | 'deny'
  send: string
  children?: ComponentChildren
}

const Decision = ({ question, decision, send, children }: DecisionProps) => (
  <TokenForm
    action={PATHS.authorize}
    send={send}
    look={decision === 'allow' ? 'button' : 'button button-quiet'}
    hidden={{ question, decision }}
  >
    {children}
  </TokenForm>
)

function whoAsks({ say }: Words, { clientId, name }: KnownApplication): string {
  if (!isDocumentAddress(clientId)) return say('consent.who-claimed', { name })
  return say('consent.who-document', { name, host: new URL(clientId).host, address: clientId })
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

function whereTo({ say }: Words, redirectUri: string): string {
  const { protocol, hostname, host } = new URL(redirectUri)
  if (!/^https?:$/.test(protocol)) return say('consent.next-app', { protocol })
  return LOOPBACK.includes(hostname)
    ? say('consent.next-local', { host })
    : say('cost.sentence', { all: host })
}

/** Refusals that have a sentence of their own. */
const REFUSALS = [
  ...(['invalid_client', 'invalid_redirect', 'invalid_target'] as const),
  'unsupported_response_type',
] as const

const refusalText = ({ say }: Words, code: string): string =>
  say(`consent-refusal.${REFUSALS.find((one) => one === code) ?? 'other'}`)

/** The page instead of a redirect to an application whose address is in doubt. */
export const refusedQuestionPage = (words: Words, code: string): Page =>
  notConnectedPage(words, refusalText(words, code), <p>{words.say('consent.refused-lead')}</p>)

/** The page for a description that is not accepted; its makers read the reason, in English. */
export const refusedDocumentPage = (words: Words, address: string, { message }: Error): Page =>
  notConnectedPage(
    words,
    <>
      {words.say('consent-refusal.document', { address })}{' '}
      <span lang="en" dir="ltr">
        {message}.
      </span>
    </>,
    <p>{words.say('consent.refused-lead')}</p>,
  )

/**
 * The page for an invalid request, instead of a redirect to `url`: anyone can register an address,
 * and would have people sent there from ours. https://www.rfc-editor.org/rfc/rfc9700
 */
export function faultyQuestionPage(words: Words, { name }: KnownApplication, url: string): Page {
  const { searchParams, hash } = new URL(url)
  const code = searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error') ?? ''
  return notConnectedPage(
    words,
    refusalText(words, code),
    <>
      <p>{words.say('consent.faulty', { name, place: whereTo(words, url) })}</p>
      <p>{words.say('consent.faulty-trust')}</p>
    </>,
  )
}

const notConnectedPage = (
  { say }: Words,
  fault: ComponentChildren,
  children: ComponentChildren,
): Page =>
  narrowPage({
    path: PATHS.authorize,
    title: say('consent.refused'),
    status: 400,
    children: (
      <>
        <Notice kind="bad">{fault}</Notice>
        {children}
      </>
    ),
  })

export const staleQuestionPage = ({ say }: Words): Page =>
  narrowPage({
    path: PATHS.authorize,
    title: say('consent.stale'),
    status: 400,
    children: <Notice kind="warn">{say('consent.stale-lead')}</Notice>,
  })

export const tooManyConnectionsPage = ({ say, rich }: Words, most: number): Page =>
  narrowPage({
    path: PATHS.authorize,
    title: say('consent.many'),
    status: 409,
    children: (
      <Notice kind="warn">
        {rich('consent.many-lead', { most, link: linkTo(PATHS.developer) })}
      </Notice>
    ),
  })
