import type { DeliveryKind } from './delivery.ts'

/** A delivery that this process has taken for one try. */
export type Claim = {
  readonly id: string
  readonly alertId: string
  readonly accountId: string
  readonly kind: DeliveryKind
  readonly body: string
  readonly createdMs: number
  /** Number of attempts, this one included. */
  readonly tries: number
  readonly to:
    | {
        readonly kind: 'webhook'
        readonly url: string
        /** The encrypted secrets that sign it, at least one. */
        readonly secrets: readonly string[]
      }
    /** The confirmed address of the account's person; null without one. */
    | {
        readonly kind: 'mail'
        readonly address: string | null
        /** The language of the person's emails, by its code; null if it is unknown. */
        readonly language: string | null
      }
  /** The destination shared with other deliveries: an account and a URL's origin, or `mail`. */
  readonly receiver: string
}

export type ClaimRequest = {
  readonly nowMs: number
  /** The maximum number of deliveries. */
  readonly room: number
  /** Receivers and accounts with enough deliveries in progress. */
  readonly busyReceivers: readonly string[]
  readonly busyAccounts: readonly string[]
}

/** Outcome of an attempt. */
export type Answer = {
  /** The HTTP status; null without a response, and for an email. */
  readonly status: number | null
  /** The reason why it was not accepted; null if it was. */
  readonly error: string | null
  /** Reply of an email server; absent for a webhook, and if there was none. */
  readonly reply?: string
}

/** Outcome, duration and time of an attempt. */
export type Attempt = Answer & { readonly ms: number; readonly nowMs: number }

/** Alerts that were ended with a receiver. */
export type SwitchedOff = {
  /** The alerts with that destination, by their owner's names for them. */
  readonly alerts: readonly string[]
  /** The number of firings that waited to be sent there. */
  readonly lost: number
}
