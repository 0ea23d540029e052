import type { Alert } from '~/domain/alert/alert.ts'
import type { DeliveryKind } from '~/domain/alert/delivery.ts'
import type { Mail } from '~/portal/member/mailer.ts'
import { PATHS } from '~/portal/paths.ts'
import { prefixOf } from '~/portal/words/language.ts'
import type { Words } from '~/portal/words/words.ts'
import { alertTitle, measuredText, waitsText } from './words.ts'

/** What an alert has to tell, as a mail. */
type Told = {
  /** The words of the owner's language. */
  readonly words: Words
  readonly alert: Alert
  readonly kind: DeliveryKind
  /** The text that a webhook would get. */
  readonly body: string
  readonly to: string
  /** Where people find the service. */
  readonly home: string
  /** What the link carries that ends the alert. */
  readonly endToken: string
}

type Fired = {
  readonly data: {
    readonly value: number | boolean | null
    readonly previous: number | boolean | null
    readonly as_of: string
    readonly data_freshness: string
  }
}

/** What the owner is told when alerts were switched off. */
export type EndedBody = {
  readonly type: 'alert.ended'
  readonly timestamp: string
  readonly data: {
    readonly address: string
    readonly reason: string
    /** The alerts that are switched off, by what their owner calls them. */
    readonly alerts: readonly string[]
    /** How many firings were not told. */
    readonly lost: number
  }
}

/** The mail that tells of a firing, of a test, or of the end of alerts. */
export function alertMail(told: Told): Mail {
  const { words, alert, kind, body, to } = told
  const { say } = words
  if (kind === 'ended') return endedMail(told)
  const title = alertTitle(words, alert)
  const isTest = kind === 'test'
  const lines = isTest ? [say('mail.test')] : firedLines(words, alert, JSON.parse(body) as Fired)
  const question = new URLSearchParams({ token: told.endToken })
  const link = `${told.home}${prefixOf(words.language)}${PATHS.endAlert}?${question}`
  return {
    to,
    subject: say(isTest ? 'mail.test-subject' : 'mail.alert-subject', { title }),
    text: text([
      say('cost.sentence', { all: waitsText(words, alert) }),
      ...lines,
      say('mail.end'),
      link,
    ]),
    headers: {
      'List-Unsubscribe': `<${link}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }
}

function firedLines(words: Words, alert: Alert, { data }: Fired): string[] {
  const { say } = words
  const { value, previous, as_of, data_freshness } = data
  const found = say('mail.found', { at: words.momentText(Date.parse(as_of)) })
  const hourly = data_freshness === 'hourly' ? [say('mail.hourly')] : []
  if (typeof value !== 'number') return [found, ...hourly]
  const measured = (one: number) => measuredText(words, alert.when.field, one, alert.corridor)
  const is =
    typeof previous === 'number'
      ? say('mail.is-was', { value: measured(value), previous: measured(previous) })
      : say('mail.is', { value: measured(value) })
  return [is, found, ...hourly]
}

function endedMail({ words, body, to, home }: Told): Mail {
  const { say } = words
  const { address, reason, alerts, lost } = (JSON.parse(body) as EndedBody).data
  const untold = lost === 0 ? [] : [say('mail.untold', { count: lost })]
  return {
    to,
    subject: say('mail.off-subject'),
    text: text([
      say('mail.off', { address, reason }),
      ...(alerts.length === 0
        ? []
        : [say('mail.off-alerts', { alerts: alerts.join(say('list.comma')) })]),
      ...untold,
      say('mail.off-on'),
      `${home}${PATHS.alerts}`,
    ]),
  }
}

const text = (paragraphs: readonly string[]): string => `${paragraphs.join('\n\n')}\n`
