import { Type } from '@sinclair/typebox'
import { ALERT_OPS, type Alert, type AlertOp, hostOf } from '~/domain/alert/alert.ts'
import { ALERT_FIELDS, fieldOf } from '~/domain/alert/field.ts'
import { corridorKey } from '~/domain/corridor.ts'
import type { AlertDeps } from '~/service/alert/alerts.ts'
import { createAlert } from '~/service/alert/create.ts'
import { deleteAlert } from '~/service/alert/end.ts'
import { listAlerts } from '~/service/alert/list.ts'
import { presentAlert, presentCondition } from '~/wire/alert/alert.ts'
import { readAlertBody } from '~/wire/alert/body.ts'
import { ALERTS_SCOPE } from '~/wire/challenge.ts'
import { words } from '~/wire/fields.ts'
import { presentFreshness } from '~/wire/present.ts'
import { amount, corridorFields, filterFields } from './argument/fields.ts'
import { leftOut, paged, sliced, sliceFields } from './page.ts'
import { type Tool, tool } from './tool.ts'

const { source_country, target_country } = filterFields

const wished = Type.Object({
  ...corridorFields,
  ...{ source_country, target_country },
  field: words(ALERT_FIELDS, { description: 'What is watched.' }),
  op: Type.Optional(words(ALERT_OPS, { description: 'stale takes none.' })),
  value: Type.Optional(Type.Number({ description: 'The threshold, or percent of a move.' })),
  period: Type.Optional(Type.String({ description: 'For moves_pct and stale: 24h, 7d.' })),
  amount: Type.Optional(amount('To send, for what arrives and total_pct.')),
  webhook: Type.Optional(Type.String({ description: 'An https URL instead.' })),
  name: Type.Optional(Type.String({ description: 'Its name.' })),
  once: words(['false', 'true'], { default: 'false', description: 'true: ends after one.' }),
})

/** What agents do with the alerts of an account; each needs a scope of its own. */
export const alertTools = (deps: AlertDeps): Tool[] => [
  tool({
    name: 'create_alert',
    title: 'Create an alert',
    description:
      'Has the owner of the account emailed, or a webhook called, when a rate, what arrives, the ' +
      'cost or the age of prices passes a threshold. Ask the person first, then repeat `will`: ' +
      'what will happen.',
    input: wished,
    ...{ scope: ALERTS_SCOPE, effect: 'creates' },
    async answer({ args, view, caller: { account } }) {
      const { from, to, field, op, value, period, webhook, once, ...rest } = args
      const when = { field, op, value, period }
      const body = {
        ...{ ...rest, corridor: `${from}/${to}`, when, once: once === 'true' },
        to: webhook === undefined ? { email: true } : { webhook },
      }
      const wish = readAlertBody(JSON.stringify(body))
      const { alert } = await createAlert(deps, { account, wish })
      return paged(
        { ...presentAlert(alert), will: willText(alert), ...presentFreshness(view.freshness) },
        {},
        alert.standing.isTrue ? 'This is so already: it fires once it was not so.' : null,
        webhook === undefined
          ? null
          : 'POST /alerts/{id}/secret gives the key of its signatures; the page of the alert too.',
      )
    },
  }),
  tool({
    name: 'list_alerts',
    title: 'Alerts of the account',
    description: 'All with `id`, `status` and what each `will` do when it fires.',
    input: Type.Object(sliceFields),
    ...{ scope: ALERTS_SCOPE, isFree: true },
    async answer({ args, view, caller: { account } }) {
      const all = await listAlerts(deps, { account })
      const shown = sliced(all, args).map(({ ...alert }) => ({
        ...presentAlert(alert),
        ...(alert.status === 'active' && { will: willText(alert) }),
      }))
      return paged(
        { alerts: shown, count: all.length, ...presentFreshness(view.freshness) },
        leftOut({ alerts: all.length }, args),
        all.length === 0 ? 'The account has no alerts.' : null,
      )
    },
  }),
  tool({
    name: 'end_alert',
    title: 'End an alert',
    description: 'Deletes an alert and its deliveries for good. Ask the person first.',
    input: Type.Object({ id: Type.String({ description: 'Its `id` in list_alerts.' }) }),
    ...{ scope: ALERTS_SCOPE, isFree: true, effect: 'deletes' },
    async answer({ args: { id }, view, caller: { account } }) {
      const alert = await deleteAlert(deps, { account, alertId: id })
      const will = 'It was deleted with its deliveries, and tells nothing any more.'
      return { ...presentAlert(alert), will, ...presentFreshness(view.freshness) }
    },
  }),
]

const VERBS: Readonly<Record<AlertOp, string>> = {
  above: 'rises above',
  below: 'falls below',
  moves_pct: 'moves by at least',
}

const UNITS = { rate: '', money: '', percent: ' %' } as const

/** What an alert will do, in a sentence or two that can be read to a person. */
export function willText(alert: Alert): string {
  const { corridor, when, amount: sum, to, isOnce, sourceCountry, targetCountry } = alert
  const { subject, unit } = fieldOf(when.field)
  const place = [sourceCountry, targetCountry].every((one) => one === null)
    ? corridorKey(corridor)
    : `${corridorKey(corridor)} (${sourceCountry ?? 'any'} to ${targetCountry ?? 'any'})`
  const what = `${subject}${sum === null ? '' : ` ${sum} ${corridor.from}`} in ${place}`
  const isMove = when.op === 'moves_pct'
  const change =
    unit === null
      ? 'are all stale'
      : `${VERBS[when.op!]} ${when.value}${isMove ? ' %' : UNITS[unit]}`
  const { period } = presentCondition(when)
  const within = isMove && period !== null ? ` within ${period}` : ''
  const told =
    to.kind === 'email' ? 'an email to the owner of the account' : `a POST to ${hostOf(to.url)}`
  const end = isOnce ? 'then it ends' : 'and again each time after it was no longer so'
  return `When ${what} ${change}${within}, it sends ${told}, ${end}.`
}
