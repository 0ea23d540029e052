import { type Static, Type } from '@sinclair/typebox'
import type { Alert } from '~/domain/alert/alert.ts'
import {
  DELIVERIES_MAX,
  DELIVERY_KINDS,
  DELIVERY_STATUSES,
  type Delivery,
} from '~/domain/alert/delivery.ts'
import { corridorKey } from '~/domain/corridor.ts'
import { roundAmount } from '~/domain/round.ts'
import type { Firing } from '~/service/alert/evaluator.ts'
import type { MonthlyFiring } from '~/service/alert/monthly.ts'
import { Instant, namedRecord, nullable, words } from '~/wire/fields.ts'
import { iso, presentSample } from '~/wire/present.ts'
import { presentCondition } from './alert.ts'

export const DeliveryResponse = namedRecord('AlertDelivery', {
  id: Type.String({ format: 'uuid', description: 'The `webhook-id` of its requests.' }),
  alert_id: Type.String({ format: 'uuid' }),
  kind: words(DELIVERY_KINDS, { description: 'What it reports.' }),
  status: words(DELIVERY_STATUSES),
  tries: Type.Integer(),
  created_at: Instant,
  next_at: nullable.string({ ...Instant, description: 'When the next attempt is due.' }),
  done_at: nullable(Instant),
  last_status: nullable.integer({
    description: 'The HTTP status of the last response; null if there was none.',
  }),
  last_error: nullable.string({ description: 'Why the last attempt failed.' }),
  last_reply: nullable.string({ description: "The mail server's last reply; null for a webhook." }),
  last_ms: nullable.integer({ description: 'How long the last response took.' }),
})

export const DeliveriesResponse = namedRecord('AlertDeliveriesResponse', {
  deliveries: Type.Array(DeliveryResponse, { maxItems: DELIVERIES_MAX }),
  count: Type.Integer(),
  timestamp: Instant,
})

export const presentDelivery = (delivery: Delivery): Static<typeof DeliveryResponse> => ({
  id: delivery.id,
  alert_id: delivery.alertId,
  kind: delivery.kind,
  status: delivery.status,
  tries: delivery.tries,
  created_at: iso(delivery.createdMs),
  next_at: delivery.status === 'waiting' ? iso(delivery.nextMs) : null,
  done_at: delivery.doneMs === null ? null : iso(delivery.doneMs),
  last_status: delivery.lastStatus,
  last_error: delivery.lastError,
  last_reply: delivery.lastReply,
  last_ms: delivery.lastMs,
})

export const firedBody = ({ alert, atMs, ...firing }: Firing, isSample = false): string =>
  bodyOf(
    { type: 'alert.fired', alert, atMs, isSample },
    {
      value: firing.value,
      previous: firing.previous,
      as_of: iso(atMs),
      data_freshness: firing.tier,
    },
  )

/** The body that lists a month's cheapest offers, cheapest first. */
export const monthlyBody = (
  { alert, cheapest, freshness }: MonthlyFiring,
  isSample = false,
): string => {
  const atMs = Math.min(freshness.nowMs, freshness.cutoffMs)
  const { tier } = freshness
  const value = cheapest[0]?.cost?.totalPct ?? null
  const fired = JSON.parse(firedBody({ ...{ alert, atMs, tier, value }, previous: null }, isSample))
  const offers = cheapest.map(({ ranked: { provider }, net, cost }) => ({
    ...{ provider_id: provider.id, provider_name: provider.name },
    ...{ net_converted: net, total_pct: cost!.totalPct, total_cost: roundAmount(cost!.total) },
  }))
  return JSON.stringify({ ...fired, data: { ...fired.data, cheapest: offers } })
}

/** The body of a test delivery, which contains no prices. */
export const testBody = (alert: Alert, nowMs: number, isSample = false): string =>
  bodyOf({ type: 'alert.test', alert, atMs: nowMs, isSample }, {})

type Head = {
  readonly type: string
  readonly alert: Alert
  readonly atMs: number
  readonly isSample: boolean
}

function bodyOf({ type, alert, atMs, isSample }: Head, more: object): string {
  const { id, name, amount, when, corridor } = alert
  const data = {
    alert: { id, name, amount, when: presentCondition(when) },
    corridor: corridorKey(corridor),
    source_country: alert.sourceCountry,
    target_country: alert.targetCountry,
    field: when.field,
    ...more,
  }
  return JSON.stringify({ type, timestamp: iso(atMs), ...presentSample(isSample), data })
}
