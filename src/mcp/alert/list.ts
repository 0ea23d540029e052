import { Type } from '@sinclair/typebox'
import { leftOut, paged, sliced, sliceFields } from '~/mcp/page.ts'
import { type Tool, tool } from '~/mcp/tool.ts'
import type { AlertDeps } from '~/service/alert/alerts.ts'
import { listAlerts as alertsOf } from '~/service/alert/list.ts'
import { presentAlert } from '~/wire/alert/alert.ts'
import { ALERTS_SCOPE } from '~/wire/challenge.ts'
import { presentFreshness } from '~/wire/present.ts'
import { willText } from './will.ts'

export const listAlerts = (deps: AlertDeps): Tool =>
  tool({
    name: 'list_alerts',
    title: 'Alerts of the account',
    description: 'All with `id`, `status` and what each `will` do when it fires.',
    input: Type.Object(sliceFields),
    ...{ scope: ALERTS_SCOPE, isFree: true },
    async answer({ args, view, caller: { account } }) {
      const all = await alertsOf(deps, { account })
      const shown = sliced(all, args).map((alert) => ({
        ...presentAlert(alert),
        ...(alert.status === 'active' && { will: willText(alert) }),
      }))
      return paged(
        { alerts: shown, count: all.length, ...presentFreshness(view.freshness) },
        leftOut({ alerts: all.length }, args),
        all.length === 0 ? 'The account has no alerts.' : null,
      )
    },
  })
