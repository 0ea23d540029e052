import type { DeliveryKind } from './delivery.ts'

/** A delivery that this process has taken for one try. */
export type Claim = {
  readonly id: string
  readonly alertId: string
  readonly accountId: string
  readonly kind: DeliveryKind
  readonly body: string
  readonly createdMs: number
  /** How often it was tried, this time included. */
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
        /** The language of their mails, by its code; null where none is known. */
        readonly language: string | null
      }
  /** Where it goes, as far as others go there too: an account and a URL's origin, or `mail`. */
  readonly receiver: string
}

/** What may be claimed. */
export type ClaimRequest = {
  readonly nowMs: number
  /** How many at most. */
  readonly room: number
  /** Receivers and accounts that have enough under way. */
  readonly busyReceivers: readonly string[]
  readonly busyAccounts: readonly string[]
}

/** What came of a try. */
export type Answer = {
  /** The HTTP status; null where no answer came, and for a mail. */
  readonly status: number | null
  /** Why it was not accepted; null where it was. */
  readonly error: string | null
  /** What a mail server said; absent for a webhook, and where none said anything. */
  readonly reply?: string
}

/** How a try ended, and when. */
export type Attempt = Answer & { readonly ms: number; readonly nowMs: number }

/** What was ended with a receiver. */
export type SwitchedOff = {
  /** The alerts that went there, by what their owner calls them. */
  readonly alerts: readonly string[]
  /** How many firings waited to be told there. */
  readonly lost: number
}
