import { Type } from '@sinclair/typebox'
import { ALERT_OPS } from '~/domain/alert/alert.ts'
import { ALERT_FIELDS } from '~/domain/alert/field.ts'
import { amount, corridorFields, filterFields } from '~/mcp/argument/fields.ts'
import { paged } from '~/mcp/page.ts'
import { type Tool, tool } from '~/mcp/tool.ts'
import type { AlertDeps } from '~/service/alert/alerts.ts'
import { createAlert as create } from '~/service/alert/create.ts'
import { FOR_AMOUNT, presentAlert, UNCOMPARED } from '~/wire/alert/alert.ts'
import { readAlertBody } from '~/wire/alert/body.ts'
import { ALERTS_SCOPE } from '~/wire/challenge.ts'
import { words } from '~/wire/fields.ts'
import { presentFreshness } from '~/wire/present.ts'
import { willText } from './will.ts'

const { source_country, target_country } = filterFields

const wished = Type.Object({
  ...corridorFields,
  ...{ source_country, target_country },
  field: words(ALERT_FIELDS, { description: 'What is watched.' }),
  op: Type.Optional(words(ALERT_OPS, { description: `Not for ${UNCOMPARED}.` })),
  value: Type.Optional(Type.Number({ description: 'The threshold, or percent of a move.' })),
  period: Type.Optional(Type.String({ description: 'For moves_pct and stale: 24h, 7d.' })),
  amount: Type.Optional(amount(`To send, for ${FOR_AMOUNT}.`)),
  webhook: Type.Optional(Type.String({ description: 'An https URL instead.' })),
  name: Type.Optional(Type.String({ description: 'Its name.' })),
  once: words(['false', 'true'], { default: 'false', description: 'true: ends after one.' }),
})

export const createAlert = (deps: AlertDeps): Tool =>
  tool({
    name: 'create_alert',
    title: 'Create an alert',
    description:
      'Emails the owner of the account, or calls a webhook, when a rate, what arrives, the cost ' +
      'or the age of prices passes a threshold. Ask the person first, then repeat `will`.',
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
      const { alert } = await create(deps, { account, wish })
      return paged(
        { ...presentAlert(alert), will: willText(alert), ...presentFreshness(view.freshness) },
        {},
        alert.standing.isTrue ? 'This is so already: it fires once it was not so.' : null,
        webhook === undefined
          ? null
          : 'POST /alerts/{id}/secret gives the key of its signatures; the page of the alert too.',
      )
    },
  })
