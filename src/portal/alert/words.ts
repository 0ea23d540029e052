import {
  type Alert,
  type AlertField,
  type AlertOp,
  type Destination,
  isForAmount,
  type Watched,
} from '~/domain/alert/alert.ts'
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
function subjectText({ corridor, amount, field }: Subject): string {
  if (!isForAmount(field)) return PLAIN[field]
  const sent = amount === null ? 'an amount' : askedText(amount, moneyOf(corridor.from))
  return field === 'total_pct' ? `the total cost of sending ${sent}` : `what arrives for ${sent}`
}

const PLAIN: Readonly<Record<AlertField, string>> = {
  best: 'the best rate',
  best_current_net: 'what arrives',
  mid: 'the mid-market rate',
  total_pct: 'the total cost',
  stale: 'prices',
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
  if (field === 'stale')
    return periodMs === null
      ? 'no price is current any more'
      : `no price is younger than ${spanText(periodMs)}`
  const subject = `${subjectText({ ...watched, field })} ${VERBS[op!]}`
  if (op !== 'moves_pct') return `${subject} ${valueText(field, value!, corridor)}`
  const since = periodMs === null ? 'from what it was the last time' : `in ${spanText(periodMs)}`
  return `${subject} ${plainAmountText(value!)}% either way ${since}`
}

/** A value of a field, with no digit less: `165 KES`, `3%`. */
function valueText(
  field: AlertField,
  value: number,
  { to }: Pick<Watched['corridor'], 'to'>,
): string {
  if (field === 'total_pct') return `${plainAmountText(value)}%`
  if (field === 'best_current_net') return askedText(value, moneyOf(to))
  return `${plainNumberText(value)} ${to}`
}

/** What a field was found to be: `165.32 KES`, `2.75%`. */
export function measuredText(
  field: AlertField,
  value: number,
  { to }: Pick<Watched['corridor'], 'to'>,
): string {
  if (field === 'total_pct') return percentText(value * 100)
  return field === 'best_current_net' ? priceText(value, moneyOf(to)) : `${rateText(value)} ${to}`
}

export const corridorText = ({ from, to }: Watched['corridor']): string => `${from} to ${to}`

/** What people call an alert: its name, or what it waits for. */
export const alertTitle = (alert: Watched & Pick<Alert, 'name'>): string =>
  alert.name ?? `${corridorText(alert.corridor)}: ${conditionText(alert)}`

/** Where an alert is told: `by mail`, `hooks.example.org`. */
export const destinationText = (to: Destination): string =>
  to.kind === 'email' ? 'by mail' : new URL(to.url).host
