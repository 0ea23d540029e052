import type { Alert } from '~/domain/alert/alert.ts'
import type { DeliveryKind } from '~/domain/alert/delivery.ts'
import { momentText } from '~/portal/format.ts'
import type { Mail } from '~/portal/member/mailer.ts'
import { PATHS } from '~/portal/paths.ts'
import { alertTitle, conditionText, corridorText, measuredText } from './words.ts'

/** What an alert has to tell, as a mail. */
type Told = {
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
  const { alert, kind, body, to } = told
  if (kind === 'ended') return endedMail(told)
  const title = alertTitle(alert)
  const lines = kind === 'test' ? TEST : firedLines(alert, JSON.parse(body) as Fired)
  const link = `${told.home}${PATHS.endAlert}?${new URLSearchParams({ token: told.endToken })}`
  return {
    to,
    subject: kind === 'test' ? `Test of your alert: ${title}` : `Alert: ${title}`,
    text: text([
      `${corridorText(alert)}: ${conditionText(alert)}.`,
      ...lines,
      'To end this alert, open this link; you need not sign in:',
      link,
    ]),
    headers: {
      'List-Unsubscribe': `<${link}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }
}

const TEST = ['You asked for this test. Nothing has happened to prices.']

function firedLines(alert: Alert, { data }: Fired): string[] {
  const { value, previous, as_of, data_freshness } = data
  const found = `This was so at ${momentText(Date.parse(as_of))}.`
  const hourly = data_freshness === 'hourly' ? ['Your plan sees prices once an hour.'] : []
  if (typeof value !== 'number') return [found, ...hourly]
  const measured = (one: number) => measuredText(alert.when.field, one, alert.corridor)
  const before = typeof previous === 'number' ? `; before, it was ${measured(previous)}` : ''
  return [`It is ${measured(value)}${before}.`, found, ...hourly]
}

function endedMail({ body, to, home }: Told): Mail {
  const { address, reason, alerts, lost } = (JSON.parse(body) as EndedBody).data
  const untold =
    lost === 0 ? [] : [`${lost === 1 ? 'One firing was' : `${lost} firings were`} not told.`]
  return {
    to,
    subject: 'Your alerts to an address were switched off',
    text: text([
      `Nothing more is sent to ${address}: ${reason}.`,
      ...(alerts.length === 0 ? [] : [`These alerts are switched off: ${alerts.join(', ')}.`]),
      ...untold,
      'Once the address works again, switch them on here:',
      `${home}${PATHS.alerts}`,
    ]),
  }
}

const text = (paragraphs: readonly string[]): string => `${paragraphs.join('\n\n')}\n`
