import type { Alert } from '~/domain/alert/alert.ts'
import type { DeliveryKind } from '~/domain/alert/delivery.ts'
import { isMonthly } from '~/domain/alert/field.ts'
import { COUNTRIES } from '~/domain/offer/country.ts'
import { boardHref } from '~/portal/board/path.ts'
import type { Mail } from '~/portal/member/mailer.ts'
import { PATHS, pathIn } from '~/portal/paths.ts'
import { pairPath } from '~/portal/place/pair.ts'
import { moneyOf } from '~/portal/words/format.ts'
import type { Words } from '~/portal/words/words.ts'
import { alertTitle, corridorText, measuredText, reasonText, waitsText } from './words.ts'

type AlertMailing = {
  /** The words of the owner's language. */
  readonly words: Words
  readonly alert: Alert
  readonly kind: DeliveryKind
  /** The body that a webhook would get. */
  readonly body: string
  readonly to: string
  readonly home: string
  readonly endToken: string
}

type Fired = {
  readonly data: {
    readonly value: number | boolean | null
    readonly previous: number | boolean | null
    readonly as_of: string
    readonly data_freshness: string
    /** The list of a monthly alert. */
    readonly cheapest?: readonly {
      readonly provider_name: string
      readonly net_converted: number | null
      readonly total_pct: number
      readonly total_cost: number
    }[]
  }
}

/** Content of the email to an owner whose alerts were switched off. */
export type EndedBody = {
  readonly type: 'alert.ended'
  readonly timestamp: string
  readonly data: {
    readonly address: string
    readonly reason: string
    /** The alerts that are switched off, by what their owner calls them. */
    readonly alerts: readonly string[]
    /** The number of firings that were not sent. */
    readonly lost: number
  }
}

export function alertMail(mailing: AlertMailing): Mail {
  const { words, alert, kind, body, to } = mailing
  const { say } = words
  if (kind === 'ended') return endedMail(mailing)
  const waits = say('cost.sentence', { all: waitsText(words, alert) })
  const question = new URLSearchParams({ token: mailing.endToken })
  const link = `${mailing.home}${pathIn(words.language, PATHS.endAlert)}?${question}`
  const lines =
    kind === 'test'
      ? [waits, say('mail.test')]
      : firedLines(mailing, waits, JSON.parse(body) as Fired)
  return {
    ...{ to, language: words.language },
    subject: subjectOf(mailing),
    text: text([...lines, say('mail.end'), link]),
    headers: {
      'List-Unsubscribe': `<${link}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }
}

function subjectOf({ words, alert, kind }: AlertMailing): string {
  const title = alertTitle(words, alert)
  if (kind === 'test') return words.say('mail.test-subject', { title })
  if (!isMonthly(alert.when)) return words.say('mail.alert-subject', { title })
  return words.say('mail.monthly-subject', sentAndWhere(words, alert))
}

const sentAndWhere = (words: Words, alert: Alert) => ({
  amount: words.askedText(alert.amount ?? 0, moneyOf(alert.corridor.from)),
  corridor: corridorText(words, alert),
})

function firedLines(mailing: AlertMailing, waits: string, fired: Fired): string[] {
  const { words, alert } = mailing
  const { say } = words
  if (isMonthly(alert.when)) return monthlyLines(mailing, fired)
  const { data } = fired
  const { value, previous, as_of, data_freshness } = data
  const found = say('mail.found', { at: words.momentText(Date.parse(as_of)) })
  const hourly = data_freshness === 'hourly' ? [say('mail.hourly')] : []
  if (typeof value !== 'number') return [waits, found, ...hourly]
  const measured = (one: number) => measuredText(words, alert.when.field, one, alert.corridor)
  const is =
    typeof previous === 'number'
      ? say('mail.is-was', { value: measured(value), previous: measured(previous) })
      : say('mail.is', { value: measured(value) })
  return [waits, is, found, ...hourly]
}

function monthlyLines({ words, alert, home }: AlertMailing, { data }: Fired): string[] {
  const { say, momentText, priceText, percentText } = words
  const { corridor, sourceCountry, targetCountry } = alert
  const amount = alert.amount ?? 0
  const said = { ...sentAndWhere(words, alert), at: momentText(Date.parse(data.as_of)) }
  const offers = (data.cheapest ?? []).map(({ provider_name, net_converted: net, ...cost }, i) =>
    say(net === null ? 'mail.monthly-cost' : 'mail.monthly-offer', {
      ...{ place: i + 1, provider: provider_name },
      gets: net === null ? '' : priceText(net, moneyOf(corridor.to)),
      percent: percentText(cost.total_pct),
      cost: priceText(cost.total_cost, moneyOf(corridor.from)),
    }),
  )
  const board = boardHref({ ...corridor, goal: { amount, recipientGets: null } })
  const source = COUNTRIES.get(sourceCountry ?? '')
  const target = COUNTRIES.get(targetCountry ?? '')
  const path =
    source && target ? pairPath({ source, target }) + board.slice(PATHS.board.length) : board
  return [
    say(offers.length === 0 ? 'mail.monthly-none' : 'mail.monthly', said),
    ...(offers.length === 0 ? [] : [offers.join('\n')]),
    say('mail.monthly-all', { link: home + pathIn(words.language, path) }),
  ]
}

function endedMail({ words, body, to, home }: AlertMailing): Mail {
  const { say } = words
  const { address, reason, alerts, lost } = (JSON.parse(body) as EndedBody).data
  const unsent = lost === 0 ? [] : [say('mail.untold', { count: lost })]
  return {
    ...{ to, language: words.language },
    subject: say('mail.off-subject'),
    text: text([
      say('mail.off', { address, reason: reasonText(words, reason) }),
      ...(alerts.length === 0
        ? []
        : [say('mail.off-alerts', { alerts: alerts.join(say('list.comma')) })]),
      ...unsent,
      say('mail.off-on'),
      home + pathIn(words.language, PATHS.alerts),
    ]),
  }
}

const text = (paragraphs: readonly string[]): string => `${paragraphs.join('\n\n')}\n`
