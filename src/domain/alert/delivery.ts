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
  /** The very text that is signed and sent. */
  readonly body: string
  readonly createdMs: number
  /** The time when it is tried next; of no meaning once it is done or given up. */
  readonly nextMs: number
  readonly tries: number
  readonly status: DeliveryStatus
  /** The HTTP status of the last answer; null if none came. */
  readonly lastStatus: number | null
  /** Why the last try failed, at most 200 characters; null if it did not. */
  readonly lastError: string | null
  /** Last reply of a mail server, at most 200 characters; null for a webhook. */
  readonly lastReply: string | null
  /** The time that the last answer took. */
  readonly lastMs: number | null
  readonly doneMs: number | null
}

/** Something to tell, as it is added. */
export type NewDelivery = Pick<Delivery, 'id' | 'alertId' | 'kind' | 'body'> & {
  readonly nowMs: number
}

export const DELIVERIES_MAX = 100
