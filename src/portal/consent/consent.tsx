/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import { CONSENT_DAYS } from '~/domain/api-key.ts'
import type { PageRequest, Person } from '~/portal/member/page-request.tsx'
import { TokenForm } from '~/portal/member/token-form.tsx'
import { narrowPage } from '~/portal/narrow-page.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { formsLeadingTo } from '~/portal/security-headers.ts'
import type { KnownApplication } from '~/service/connection/connections.ts'
import { isDocumentAddress } from '~/wire/connection/application.ts'

type Props = {
  readonly pageRequest: PageRequest
  readonly person: Person
  readonly application: KnownApplication
  /** The question, as it is to come back with the decision. */
  readonly question: string
  /** Address to which the person is sent after the decision. */
  readonly redirectUri: string
  /** The number of requests that the account has a day. */
  readonly dailyUnits: number
  /** Says whether the application itself asks to make alerts. */
  readonly wantsAlerts: boolean
}

/** The page on which a person decides whether an application may ask on their account. */
export function consentPage(props: Props): Page {
  const { pageRequest, person, application, question, redirectUri, dailyUnits, wantsAlerts } = props
  const { name } = application
  const page = narrowPage({
    path: PATHS.authorize,
    title: `Connect ${name}?`,
    children: (
      <>
        <p class="lead">
          <strong>{name}</strong> asks to use Corridor’s tools on your account, {person.email}.
        </p>
        <dl class="facts">
          <dt>Who asks</dt>
          <dd>{whoAsks(application)}</dd>
          <dt>Where you go next</dt>
          <dd>{whereTo(redirectUri)}</dd>
          <dt>What it may do</dt>
          <dd>
            Ask for rates, costs and histories. Each answer counts as one of your {dailyUnits}{' '}
            requests a day. If you tick it below, also create, list and end alerts of your account.
          </dd>
          <dt>What it may not do</dt>
          <dd>Record prices, see or create keys, or change your account.</dd>
          <dt>Until when</dt>
          <dd>
            Until you disconnect it in <a href={PATHS.developer}>the developer area</a>, or it has
            not been used for 90 days, but for {CONSENT_DAYS} days at most: then it has to ask you
            again.
          </dd>
        </dl>
        <p>Allow it only if you have just started this in an application that you trust.</p>
        <div class="form-row">
          <Decision pageRequest={pageRequest} question={question} decision="allow" send="Allow">
            <label class="check">
              <input type="checkbox" name="alerts" value="yes" checked={wantsAlerts} /> Let it
              create and end alerts
            </label>
          </Decision>
          <Decision pageRequest={pageRequest} question={question} decision="deny" send="Deny" />
        </div>
        <p class="muted small">
          Not you? <a href={PATHS.developer}>Sign out in the developer area</a>, then start again
          from the application.
        </p>
      </>
    ),
  })
  return { ...page, headers: formsLeadingTo(redirectUri) }
}

type DecisionProps = Pick<Props, 'pageRequest' | 'question'> & {
  decision: 'allow' | 'deny'
  send: string
  children?: ComponentChildren
}

const Decision = ({ pageRequest, question, decision, send, children }: DecisionProps) => (
  <TokenForm
    pageRequest={pageRequest}
    action={PATHS.authorize}
    send={send}
    look={decision === 'allow' ? 'button' : 'button button-quiet'}
    hidden={{ question, decision }}
  >
    {children}
  </TokenForm>
)

function whoAsks({ clientId, name }: KnownApplication): string {
  if (isDocumentAddress(clientId))
    return `${name}, as ${new URL(clientId).host} describes it (${clientId}).`
  return `An application that calls itself ${name}. That name is not verified.`
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

function whereTo(redirectUri: string): string {
  const { protocol, hostname, host } = new URL(redirectUri)
  if (!/^https?:$/.test(protocol)) return `The app on this device that opens ${protocol} links.`
  return LOOPBACK.includes(hostname) ? `A program on this computer (${host}).` : `${host}.`
}

const REFUSALS: ReadonlyMap<string, string> = new Map([
  ['invalid_client', 'The application is not known here, or no longer. Let it register again.'],
  [
    'invalid_redirect',
    'The address that you would be sent to is not one that the application registered.',
  ],
  ['unsupported_response_type', 'The application asks for something else than a code.'],
  ['invalid_target', 'The application asks for access to another service than these tools.'],
])

const OTHER = 'What the application asks cannot be read.'

/** The page instead of a redirect to an application whose address is in doubt. */
export const refusedQuestionPage = (code: string, detail: string | null = null): Page =>
  notConnectedPage(
    detail ?? REFUSALS.get(code) ?? OTHER,
    <p>Nothing was allowed. Go back to the application and start again from there.</p>,
  )

/**
 * The page for a faulty request, instead of a redirect to `url`: anyone can register an address,
 * and would have people sent there from ours. https://www.rfc-editor.org/rfc/rfc9700
 */
export function faultyQuestionPage({ name }: KnownApplication, url: string): Page {
  const { searchParams, hash } = new URL(url)
  const code = searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error') ?? ''
  return notConnectedPage(
    REFUSALS.get(code) ?? OTHER,
    <>
      <p>
        The application calls itself {name}, and wants you to be sent on to: {whereTo(url)} You have
        not connected it before, so you were not sent there, and nothing was allowed.
      </p>
      <p>
        If you trust it, go back to it, start again from there, and tell its makers if it recurs.
      </p>
    </>,
  )
}

const notConnectedPage = (fault: string, children: ComponentChildren): Page =>
  narrowPage({
    path: PATHS.authorize,
    title: 'This application cannot be connected',
    status: 400,
    children: (
      <>
        <Notice kind="bad">{fault}</Notice>
        {children}
      </>
    ),
  })

export const staleQuestionPage = (): Page =>
  narrowPage({
    path: PATHS.authorize,
    title: 'This request has expired',
    status: 400,
    children: <Notice kind="warn">Go back to the application and start again from there.</Notice>,
  })

export const tooManyConnectionsPage = (max: number): Page =>
  narrowPage({
    path: PATHS.authorize,
    title: 'Too many applications are connected',
    status: 409,
    children: (
      <Notice kind="warn">
        You have {max} connected applications. Disconnect one in{' '}
        <a href={PATHS.developer}>the developer area</a>, then start again from the application.
      </Notice>
    ),
  })
