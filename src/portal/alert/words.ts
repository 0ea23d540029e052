import type { Alert, Destination, Watched } from '~/domain/alert/alert.ts'
import { type AlertField, type AlertUnit, fieldOf } from '~/domain/alert/field.ts'
import { reasonKind } from '~/domain/alert/reason.ts'
import { COUNTRIES } from '~/domain/offer/country.ts'
import { moneyOf, plainNumberText } from '~/portal/words/format.ts'
import type { Words } from '~/portal/words/words.ts'

type Subject = Pick<Watched, 'corridor' | 'amount'> & { readonly field: AlertField }

/** Subject of an alert in words: `the best rate`, `what arrives for £100`. */
export function subjectText(words: Words, { corridor, amount, field }: Subject): string {
  const { say, askedText } = words
  if (!fieldOf(field).isForAmount) return say(`alert-subject.${field}`, { amount: '' })
  const sent = amount === null ? say('alert.an-amount') : askedText(amount, moneyOf(corridor.from))
  return say(`alert-subject.${field}`, { amount: sent })
}

/** Condition under which an alert fires: `the best rate rises above 165 KES`. */
export function conditionText(words: Words, watched: Watched): string {
  const { say, spanText, plainPercentText } = words
  const { corridor, when } = watched
  const { field, op, value, periodMs } = when
  const { unit } = fieldOf(field)
  if (field === 'stale')
    return periodMs === null
      ? say('alert.none-current')
      : say('alert.none-younger', { span: spanText(periodMs) })
  const subject = subjectText(words, { ...watched, field })
  if (unit === null) return subject
  if (op !== 'moves_pct')
    return say(`alert-condition.${op!}`, {
      subject,
      value: ASKED[unit](words, value!, corridor.to),
    })
  const moved = { subject, value: plainPercentText(value!) }
  return periodMs === null
    ? say('alert-condition.moves_pct', moved)
    : say('alert.moves-within', { ...moved, span: spanText(periodMs) })
}

type Written = (words: Words, value: number, to: string) => string

/** A value that a person entered, with all its digits: `165 KES`, `3%`. */
const ASKED: Readonly<Record<AlertUnit, Written>> = {
  rate: (_, value, to) => `${plainNumberText(value)} ${to}`,
  money: ({ askedText }, value, to) => askedText(value, moneyOf(to)),
  percent: ({ plainPercentText }, value) => plainPercentText(value),
}

const MEASURED: Readonly<Record<AlertUnit, Written>> = {
  rate: ({ rateText }, value, to) => `${rateText(value)} ${to}`,
  money: ({ priceText }, value, to) => priceText(value, moneyOf(to)),
  percent: ({ percentText }, value) => percentText(value),
}

/** Value of a field that has a unit: `165.32 KES`, `2.75%`. */
export const measuredText = (
  words: Words,
  field: AlertField,
  value: number,
  { to }: Pick<Watched['corridor'], 'to'>,
): string => MEASURED[fieldOf(field).unit!](words, value, to)

type Places = Pick<Watched, 'corridor' | 'sourceCountry' | 'targetCountry'>

/** Corridor in words: `GBP to KES`, `United Kingdom (GBP) to Kenya (KES)`. */
export const corridorText = (words: Words, { corridor, sourceCountry, targetCountry }: Places) =>
  words.say('pair.title', {
    source: placeName(words, sourceCountry, corridor.from),
    target: placeName(words, targetCountry, corridor.to),
  })

function placeName({ countryName }: Words, code: string | null, currency: string): string {
  const country = code === null ? undefined : COUNTRIES.get(code)
  return country ? `${countryName(country)} (${currency})` : currency
}

export const alertTitle = (words: Words, alert: Watched & Pick<Alert, 'name'>): string =>
  alert.name ?? waitsText(words, alert)

/** Condition and corridor of an alert: `GBP to KES: the best rate rises above 165 KES`. */
export const waitsText = (words: Words, watched: Watched): string =>
  words.say('list.colon', { before: corridorText(words, watched) }) + conditionText(words, watched)

/** The reason why an alert is not active; in English if an earlier version stored it. */
export function reasonText({ say }: Words, reason: string): string {
  const kind = reasonKind(reason)
  return kind ? say(`alert-reason.${kind}`) : reason
}

/** Destination of an alert: `by email`, `hooks.example.org`. */
export const destinationText = ({ say }: Words, to: Destination): string =>
  to.kind === 'email' ? say('alert.by-mail') : new URL(to.url).host
