export const DELIVERY_KINDS = ['fired', 'test', 'ended'] as const
export const DELIVERY_STATUSES = ['waiting', 'done', 'given_up'] as const

export type DeliveryKind = (typeof DELIVERY_KINDS)[number]
type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** A message to send, and its outcome. */
export type Delivery = {
  /** The receiver's `webhook-id`. */
  readonly id: string
  readonly alertId: string
  readonly kind: DeliveryKind
  /** The exact string that is signed and sent. */
  readonly body: string
  readonly createdMs: number
  /** The time when it is tried next; of no meaning once it is done or given up. */
  readonly nextMs: number
  readonly tries: number
  readonly status: DeliveryStatus
  /** The HTTP status of the last response; null if there was none. */
  readonly lastStatus: number | null
  /** The error of the last attempt, at most 200 characters; null if it succeeded. */
  readonly lastError: string | null
  /** Last reply of an email server, at most 200 characters; null for a webhook. */
  readonly lastReply: string | null
  /** The time that the last response took. */
  readonly lastMs: number | null
  readonly doneMs: number | null
}

/** A delivery as it is added. */
export type NewDelivery = Pick<Delivery, 'id' | 'alertId' | 'kind' | 'body'> & {
  readonly nowMs: number
}

export const DELIVERIES_MAX = 100
