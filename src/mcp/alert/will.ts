import { type Alert, type AlertOp, type Condition, hostOf } from '~/domain/alert/alert.ts'
import { type AlertUnit, fieldOf, isMonthly } from '~/domain/alert/field.ts'
import { corridorKey } from '~/domain/corridor.ts'
import { presentCondition } from '~/wire/alert/alert.ts'

const VERBS: Readonly<Record<AlertOp, string>> = {
  above: 'rises above',
  below: 'falls below',
  moves_pct: 'moves by at least',
}

const UNITS: Readonly<Record<AlertUnit, string>> = { rate: '', money: '', percent: ' %' }

/** Describes the effect of an alert, in a sentence or two that can be read to a person. */
export function willText(alert: Alert): string {
  const { when, to, isOnce } = alert
  const message =
    to.kind === 'email' ? 'an email to the owner of the account' : `a POST to ${hostOf(to.url)}`
  if (isMonthly(when)) {
    const often = isOnce ? 'of the next month' : 'of each month'
    return `On the first ${often} it sends ${message} with ${whatText(alert)}.`
  }
  const end = isOnce ? 'then it ends' : 'and again whenever that recurs'
  return `When ${whatText(alert)}${changeText(when)}, it sends ${message}, ${end}.`
}

/** What the watched value does; empty if its name is a sentence of its own. */
function changeText(when: Condition): string {
  const { unit, isOfAge } = fieldOf(when.field)
  const { period } = presentCondition(when)
  if (isOfAge) return ` are all ${period === null ? 'stale' : `older than ${period}`}`
  if (unit === null) return ''
  const isMove = when.op === 'moves_pct'
  const within = isMove && period !== null ? ` within ${period}` : ''
  return ` ${VERBS[when.op!]} ${when.value}${isMove ? ' %' : UNITS[unit]}${within}`
}

/** Names the watched value and the corridor: `the best rate in GBP/KES`. */
function whatText({ corridor, when, amount, sourceCountry, targetCountry }: Alert): string {
  const { subject } = fieldOf(when.field)
  const place = [sourceCountry, targetCountry].every((one) => one === null)
    ? corridorKey(corridor)
    : `${corridorKey(corridor)} (${sourceCountry ?? 'any'} to ${targetCountry ?? 'any'})`
  return `${subject}${amount === null ? '' : ` ${amount} ${corridor.from}`} in ${place}`
}
