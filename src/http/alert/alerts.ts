import { type TSchema, Type } from '@sinclair/typebox'
import type { Account } from '~/domain/account.ts'
import { type AccessDeps, callerOfRequest } from '~/http/access.ts'
import { assertJson, bodyText } from '~/http/body.ts'
import { MeteredRequest } from '~/http/metered-request.ts'
import { pathOf } from '~/http/path.ts'
import { errorReply, jsonReply } from '~/http/reply.ts'
import type { Route } from '~/http/route.ts'
import type { AlertDeps } from '~/service/alert/alerts.ts'
import { changeAlert } from '~/service/alert/change.ts'
import { createAlert } from '~/service/alert/create.ts'
import { deliveriesOf } from '~/service/alert/deliveries.ts'
import { deleteAlert } from '~/service/alert/end.ts'
import { findAlert, listAlerts } from '~/service/alert/list.ts'
import { rotateSecret } from '~/service/alert/rotate.ts'
import { testAlert } from '~/service/alert/test.ts'
import { quotaAt } from '~/service/metering.ts'
import {
  AlertResponse,
  AlertsResponse,
  presentAlert,
  SecretAlertResponse,
  SecretResponse,
} from '~/wire/alert/alert.ts'
import {
  ALERT_BODY_BYTES_MAX,
  ALERT_CHANGE_EXAMPLES,
  ALERT_EXAMPLES,
  AlertBody,
  AlertChangeBody,
  readAlertBody,
  readAlertChange,
} from '~/wire/alert/body.ts'
import { DeliveriesResponse, DeliveryResponse, presentDelivery } from '~/wire/alert/delivery.ts'
import type { Operation } from '~/wire/openapi/operation.ts'
import { NoQuery } from '~/wire/parameters.ts'
import { iso } from '~/wire/present.ts'
import { quotaHeaders } from '~/wire/quota.ts'

export type AlertRouteDeps = AccessDeps & { readonly alerting: AlertDeps }

/** A request about alerts, of a caller who is known. */
type Asked = {
  readonly deps: AlertDeps
  readonly account: Account
  /** The part of the path that names an alert; empty for all of them. */
  readonly alertId: string
  readonly nowMs: number
  body(): Promise<string>
}

type AlertRoute = Pick<Operation, 'id' | 'summary' | 'description' | 'errors' | 'body'> & {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Says whether it costs a unit, as requests do that return prices or send something. */
  readonly isMetered: boolean
  /** Path below the alert's own; null for the path of all alerts. */
  readonly below: string | null
  readonly response: TSchema
  answer(asked: Asked): Promise<unknown>
}

const READING = ['database_unavailable', 'overloaded'] as const
const SENDING = [
  'missing_parameter',
  'invalid_parameter',
  'malformed_body',
  'body_too_large',
] as const

const ROUTES: readonly AlertRoute[] = [
  {
    ...{ method: 'GET', below: null, id: 'listAlerts', isMetered: false },
    summary: 'The alerts of the account',
    description: 'Alerts that have not ended, oldest first, then the others, newest first.',
    errors: READING,
    response: AlertsResponse,
    async answer({ deps, account, nowMs }) {
      const alerts = (await listAlerts(deps, { account })).map(presentAlert)
      return { alerts, count: alerts.length, timestamp: iso(nowMs) }
    },
  },
  {
    ...{ method: 'POST', below: null, id: 'createAlert', isMetered: true },
    summary: 'Create an alert',
    description:
      'An alert fires when its condition becomes true, and again only after it has been false by ' +
      'a thousandth of the threshold. If the condition is true already (`is_true`), it must ' +
      "first become false. Alerts are evaluated at the account's tier: on an hourly plan at the " +
      'top of each hour. ' +
      'A webhook gets `{type: "alert.fired", timestamp, data}`, signed by Standard Webhooks with ' +
      'the `secret` of this response. An account can create and change 20 alerts an hour.',
    errors: [
      ...READING,
      ...SENDING,
      ...(['unsupported_currency', 'same_currency', 'alert_limit', 'too_many_changes'] as const),
    ],
    body: { schema: AlertBody, examples: ALERT_EXAMPLES },
    response: SecretAlertResponse,
    async answer({ deps, account, body }) {
      const wish = readAlertBody(await body())
      const { alert, secret } = await createAlert(deps, { account, wish })
      return { ...presentAlert(alert), secret }
    },
  },
  {
    ...{ method: 'GET', below: '', id: 'getAlert', isMetered: false },
    summary: 'One alert of the account',
    description: 'Its state is that of the last evaluation that changed it.',
    errors: [...READING, 'unknown_alert'],
    response: AlertResponse,
    answer: async ({ deps, ...own }) => presentAlert(await findAlert(deps, own)),
  },
  {
    ...{ method: 'PATCH', below: '', id: 'changeAlert', isMetered: true },
    summary: 'Change, pause or resume an alert',
    description:
      'Fields that are not given stay. An alert with a new condition starts like a new alert, ' +
      'and so does one that is active again. A new webhook has a new `secret`. An account can ' +
      'create and change 20 alerts an hour.',
    errors: [...READING, ...SENDING, 'alert_limit', 'unknown_alert', 'too_many_changes'],
    body: { schema: AlertChangeBody, examples: ALERT_CHANGE_EXAMPLES },
    response: SecretAlertResponse,
    async answer({ deps, body, ...own }) {
      const change = readAlertChange(await body())
      const { alert, secret } = await changeAlert(deps, { ...own, change })
      return { ...presentAlert(alert), secret }
    },
  },
  {
    ...{ method: 'DELETE', below: '', id: 'deleteAlert', isMetered: false },
    summary: 'Delete an alert',
    description:
      'Deletes it with all its deliveries, pending ones too. The response is the deleted alert.',
    errors: [...READING, 'unknown_alert'],
    response: AlertResponse,
    answer: async ({ deps, ...own }) => presentAlert(await deleteAlert(deps, own)),
  },
  {
    ...{ method: 'POST', below: '/test', id: 'testAlert', isMetered: true },
    summary: 'Deliver a test of an alert',
    description:
      "It is sent within a second, like a firing, with `type` `alert.test`; the alert's " +
      'deliveries show the outcome. An account can send 10 tests an hour, and all accounts ' +
      'together 60 an hour to one host.',
    errors: [...READING, 'unknown_alert', 'too_many_tests'],
    response: DeliveryResponse,
    answer: async ({ deps, ...own }) => presentDelivery(await testAlert(deps, own)),
  },
  {
    ...{ method: 'POST', below: '/secret', id: 'rotateAlertSecret', isMetered: false },
    summary: "Replace an alert's signing key",
    description:
      'For a day every delivery is signed with both keys, so that none is rejected. A key can be ' +
      'replaced 5 times a day.',
    errors: [...READING, 'invalid_parameter', 'unknown_alert', 'too_many_changes'],
    response: SecretResponse,
    async answer({ deps, ...own }) {
      const { alert, secret, oldEndsMs } = await rotateSecret(deps, own)
      return { id: alert.id, secret, old_secret_ends_at: iso(oldEndsMs) }
    },
  },
  {
    ...{ method: 'GET', below: '/deliveries', id: 'listAlertDeliveries', isMetered: false },
    summary: 'The deliveries of an alert and their outcomes',
    description: 'The newest hundred deliveries, newest first.',
    errors: [...READING, 'unknown_alert'],
    response: DeliveriesResponse,
    async answer({ deps, nowMs, ...own }) {
      const found = await deliveriesOf(deps, own)
      const deliveries = found.deliveries.map(presentDelivery)
      return { deliveries, count: deliveries.length, timestamp: iso(nowMs) }
    },
  },
]

const ONE = Type.Object({
  id: Type.String({
    description: 'The id of an alert of the account.',
    format: 'uuid',
    examples: ['6c84fb90-12c4-11e1-840d-7b25c5ee775a'],
  }),
})

export const alertRoutes = (deps: AlertRouteDeps): Route[] =>
  ROUTES.map(({ method, below, isMetered, response, answer, ...described }) => ({
    method,
    path: below === null ? '/alerts' : `/alerts/:alert${below}`,
    ...(below !== null && { shownAs: `/alerts/{id}${below}` }),
    operation: {
      ...described,
      tag: 'Alerts',
      ...(below !== null && { path: ONE }),
      query: NoQuery,
      access: 'key',
      isMetered,
      isTiered: false,
      success: { status: method === 'POST' ? 201 : 200, body: response },
    },
    handle: (request) => answered(deps, request, { method, isMetered, answer }),
  }))

/** Responds to a caller; a unit that was taken is given back unless that succeeds. */
async function answered(
  deps: AlertRouteDeps,
  request: Request,
  { method, isMetered, answer }: Pick<AlertRoute, 'method' | 'isMetered' | 'answer'>,
): Promise<Response> {
  const nowMs = deps.clock.now()
  const metered = isMetered ? new MeteredRequest(deps, request) : null
  try {
    const refusal = await metered?.begin()
    if (refusal) throw refusal
    const caller = metered?.caller ?? (await callerOfRequest(deps, request, nowMs))
    const [, alertId = ''] = /\/alerts\/([^/]*)/.exec(pathOf(request.url)) ?? []
    const body = () => {
      assertJson(request, 'members')
      return bodyText(request, ALERT_BODY_BYTES_MAX)
    }
    const { account } = caller
    const shown = await answer({ deps: deps.alerting, account, alertId, nowMs, body })
    const headers = quotaHeaders(quotaAt(deps.metering, caller, nowMs), nowMs)
    return jsonReply(shown, method === 'POST' ? 201 : 200, headers)
  } catch (error) {
    return metered ? metered.failed(error) : errorReply(error, deps.log)
  }
}
