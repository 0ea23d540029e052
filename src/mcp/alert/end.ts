import { Type } from '@sinclair/typebox'
import { type Tool, tool } from '~/mcp/tool.ts'
import type { AlertDeps } from '~/service/alert/alerts.ts'
import { deleteAlert } from '~/service/alert/end.ts'
import { presentAlert } from '~/wire/alert/alert.ts'
import { ALERTS_SCOPE } from '~/wire/challenge.ts'
import { presentFreshness } from '~/wire/present.ts'

export const endAlert = (deps: AlertDeps): Tool =>
  tool({
    name: 'end_alert',
    title: 'End an alert',
    description: 'Deletes an alert and its deliveries for good. Ask the person first.',
    input: Type.Object({ id: Type.String({ description: 'Its `id` in list_alerts.' }) }),
    ...{ scope: ALERTS_SCOPE, isFree: true, effect: 'deletes' },
    async answer({ args: { id }, view, caller: { account } }) {
      const alert = await deleteAlert(deps, { account, alertId: id })
      const will = 'It was deleted with its deliveries, and sends nothing any more.'
      return { ...presentAlert(alert), will, ...presentFreshness(view.freshness) }
    },
  })
