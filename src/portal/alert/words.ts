import type { Alert, AlertOp, Destination, Watched } from '~/domain/alert/alert.ts'
import { type AlertField, type AlertUnit, fieldOf } from '~/domain/alert/field.ts'
import { COUNTRIES } from '~/domain/offer/country.ts'
import {
  askedText,
  moneyOf,
  percentText,
  plainAmountText,
  plainNumberText,
  priceText,
  rateText,
  spanText,
} from '~/portal/format.ts'

type Subject = Pick<Watched, 'corridor' | 'amount'> & { readonly field: AlertField }

/** What an alert watches, in words: `the best rate`, `what arrives for £100`. */
export function subjectText({ corridor, amount, field }: Subject): string {
  const { subject, isForAmount } = fieldOf(field)
  if (!isForAmount) return subject
  return `${subject} ${amount === null ? 'an amount' : askedText(amount, moneyOf(corridor.from))}`
}

const VERBS: Readonly<Record<AlertOp, string>> = {
  above: 'rises above',
  below: 'falls below',
  moves_pct: 'moves by',
}

/** What has to happen for an alert to fire: `the best rate rises above 165 KES`. */
export function conditionText(watched: Watched): string {
  const { corridor, when } = watched
  const { field, op, value, periodMs } = when
  const { unit } = fieldOf(field)
  if (unit === null)
    return periodMs === null
      ? 'no price is current any more'
      : `no price is younger than ${spanText(periodMs)}`
  const subject = `${subjectText({ ...watched, field })} ${VERBS[op!]}`
  if (op !== 'moves_pct') return `${subject} ${TEXTS[unit].asked(value!, corridor.to)}`
  const since = periodMs === null ? 'from what it was the last time' : `in ${spanText(periodMs)}`
  return `${subject} ${plainAmountText(value!)}% either way ${since}`
}

type Texts = {
  /** A value that a person asked for, with no digit less: `165 KES`, `3%`. */
  readonly asked: (value: number, to: string) => string
  /** A value that was found: `165.32 KES`, `2.75%`. */
  readonly found: (value: number, to: string) => string
}

const TEXTS: Readonly<Record<AlertUnit, Texts>> = {
  rate: {
    asked: (value, to) => `${plainNumberText(value)} ${to}`,
    found: (value, to) => `${rateText(value)} ${to}`,
  },
  money: {
    asked: (value, to) => askedText(value, moneyOf(to)),
    found: (value, to) => priceText(value, moneyOf(to)),
  },
  percent: {
    asked: (value) => `${plainAmountText(value)}%`,
    found: (value) => percentText(value * 100),
  },
}

/** What a field was found to be: `165.32 KES`, `2.75%`. */
export const measuredText = (
  field: AlertField,
  value: number,
  { to }: Pick<Watched['corridor'], 'to'>,
): string => TEXTS[fieldOf(field).unit ?? 'rate'].found(value, to)

type Places = Pick<Watched, 'corridor' | 'sourceCountry' | 'targetCountry'>

/** Where money goes: `GBP to KES`, `United Kingdom (GBP) to Kenya (KES)`. */
export const corridorText = ({ corridor, sourceCountry, targetCountry }: Places): string =>
  `${placeName(sourceCountry, corridor.from)} to ${placeName(targetCountry, corridor.to)}`

function placeName(code: string | null, currency: string): string {
  const country = code === null ? undefined : COUNTRIES.get(code)
  return country ? `${country.name} (${currency})` : currency
}

/** What people call an alert: its name, or what it waits for. */
export const alertTitle = (alert: Watched & Pick<Alert, 'name'>): string =>
  alert.name ?? `${corridorText(alert)}: ${conditionText(alert)}`

/** Where an alert is told: `by mail`, `hooks.example.org`. */
export const destinationText = (to: Destination): string =>
  to.kind === 'email' ? 'by mail' : new URL(to.url).host
