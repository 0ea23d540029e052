import { randomBytes } from 'node:crypto'
import type { Clock } from '~/clock.ts'
import type { Alert } from '~/domain/alert/alert.ts'
import type { Answer, Claim } from '~/domain/alert/claim.ts'
import { DELIVERY_ERRORS } from '~/domain/alert/reason.ts'
import { SECOND_MS } from '~/domain/duration.ts'
import type { Log } from '~/log.ts'
import { beforeEnd } from '~/outbound/connection.ts'
import { alertMail } from '~/portal/alert/mail.ts'
import type { Mailer } from '~/portal/member/mailer.ts'
import { Words } from '~/portal/words/words.ts'
import type { SharedSecret } from '~/runtime/shared-secret.ts'
import { endTokenOf } from '~/service/alert/mailed-end.ts'
import { sealBy } from '~/webhook/secrets.ts'
import { type SendingDeps, send } from '~/webhook/send.ts'
import { signatureHeaders } from '~/webhook/signature.ts'
import { version } from '../../../package.json'

type Deps = {
  readonly clock: Clock
  readonly log: Log
  readonly secret: SharedSecret
  readonly sending: SendingDeps
  /** Null if no email can be sent. */
  readonly mailer: Mailer | null
  /** Address of the service for people, for links in emails. */
  readonly home: string
  readonly fingerprint: (text: string) => Promise<string>
  readonly alertOf: (id: string) => Promise<Alert | null>
}

type Webhook = Extract<Claim['to'], { kind: 'webhook' }>
type Mailbox = Extract<Claim['to'], { kind: 'mail' }>

/** The longest time that an email server may take; less than a delivery is claimed for. */
const MAIL_MS_MAX = 45 * SECOND_MS

/** The two ways in which an alert notifies; neither rejects. */
export function tellers(deps: Deps) {
  const { clock, sending } = deps
  const seal = sealBy(deps.secret, randomBytes)
  return {
    async webhook({ id, body }: Claim, to: Webhook, stop: AbortSignal): Promise<Answer> {
      const opened = await Promise.allSettled(to.secrets.map((one) => seal.opened(one)))
      const secrets = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      if (secrets.length === 0) return unsent(DELIVERY_ERRORS['no-secret'])
      const headers = {
        ...signatureHeaders({ id, atMs: clock.now(), body, secrets }),
        'content-type': 'application/json',
        'user-agent': `Corridor/${version}`,
      }
      return send(sending, { url: new URL(to.url), headers, body }, stop)
    },
    async mail(claim: Claim, { address, language }: Mailbox, stop: AbortSignal): Promise<Answer> {
      if (!deps.mailer) return unsent(DELIVERY_ERRORS['no-mail'])
      if (address === null) return unsent(DELIVERY_ERRORS['no-address'])
      try {
        const late = AbortSignal.any([sending.deadline(MAIL_MS_MAX), stop])
        const said = await beforeEnd(mailed(deps, deps.mailer, { claim, address, language }), late)
        return { status: null, error: null, ...replyOf(said) }
      } catch (err) {
        deps.log.warn({ err }, 'the email of an alert was not sent')
        return { ...unsent(DELIVERY_ERRORS.unsent), ...replyOf(refusalOf(err)) }
      }
    },
  }
}

const REPLY_LENGTH_MAX = 200

/** Reply of an email server, on one line and not too long; nothing if there was none. */
function replyOf(said: string | null): Pick<Answer, 'reply'> {
  const text = said
    ?.replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, REPLY_LENGTH_MAX)
  return text ? { reply: text } : {}
}

/** The reply by which an email server refused; null for a failure without one. */
const refusalOf = (error: unknown): string | null =>
  error instanceof Error && 'response' in error ? String(error.response) : null

const unsent = (error: string): Answer => ({ status: null, error })

type Mailed = {
  readonly claim: Claim
  readonly address: string
  readonly language: string | null
}

async function mailed(
  deps: Deps,
  mailer: Mailer,
  { claim, address, language }: Mailed,
): Promise<string | null> {
  const { kind, body, alertId } = claim
  const alert = await deps.alertOf(alertId)
  if (!alert) return null
  const endToken = await endTokenOf(deps.fingerprint, alertId)
  const words = Words.forMail(language)
  return mailer.send(
    alertMail({ words, alert, kind, body, to: address, home: deps.home, endToken }),
  )
}
