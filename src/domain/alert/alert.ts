import type { Corridor } from '~/domain/corridor.ts'
import { DAY_MS } from '~/domain/duration.ts'
import type { Plan } from '~/domain/quota.ts'
import type { AlertField } from './field.ts'

export const ALERT_OPS = ['above', 'below', 'moves_pct'] as const
export const ALERT_STATUSES = ['active', 'paused', 'ended', 'failing'] as const

export type AlertOp = (typeof ALERT_OPS)[number]
export type AlertStatus = (typeof ALERT_STATUSES)[number]

/** The condition. `stale` compares nothing: its `op` and `value` are null, and only its are. */
export type Condition = {
  readonly field: AlertField
  readonly op: AlertOp | null
  /** The threshold, or the smallest move in percent. */
  readonly value: number | null
  /**
   * The age from which prices are stale, null for the service's own; or how far back a move is
   * measured from, null for since the alert was made or last fired.
   */
  readonly periodMs: number | null
}

/** Destination of an alert: a URL that it is posted to, or the owner's email. */
export type Destination =
  | { readonly kind: 'webhook'; readonly url: string }
  | { readonly kind: 'email' }

/** The host that a webhook is posted to, without the dot at the end that changes nothing. */
export const hostOf = (url: string): string => new URL(url).hostname.replace(/\.$/, '')

/** The watched value and its condition. */
export type Watched = {
  readonly corridor: Corridor
  /** The countries that prices are to be for, by ISO 3166-1 alpha-2; null for any. */
  readonly sourceCountry: string | null
  readonly targetCountry: string | null
  /** In the source currency; null if the field needs none. */
  readonly amount: number | null
  readonly when: Condition
}

/** An alert as its owner defines it. */
export type AlertWish = Watched & {
  readonly name: string | null
  readonly to: Destination
  /** Says whether it ends after its first firing. */
  readonly isOnce: boolean
}

/** State of an alert when it was last evaluated. */
export type Standing = {
  readonly isTrue: boolean
  /**
   * Base of a move, null if none is measured or it is not known yet; of a monthly alert the time
   * when it became monthly, or active again.
   */
  readonly base: number | null
}

export type Alert = AlertWish & {
  readonly id: string
  readonly accountId: string
  readonly createdMs: number
  readonly status: AlertStatus
  /** The reason why it is not active, or a note for its owner; null if there is none. */
  readonly reason: string | null
  /** Grows with every change of the condition. */
  readonly revision: number
  readonly standing: Standing
  /** The position of the log by which `standing` holds. */
  readonly evaluatedPosition: number
  readonly lastValue: number | null
  readonly firedMs: number | null
}

/** The maximum number of alerts that an account may have that have not ended. */
export const ALERTS_MAX: Readonly<Record<Plan, number>> = { free: 3, pro: 20, enterprise: 200 }

/** The maximum number of alerts listed for an account, and of ended ones retained. */
export const LISTED_MAX = 200

/** The time for which a replaced secret also signs. */
export const OLD_SECRET_MS = DAY_MS

/** Reports whether a move is measured from what held when the alert was made or last fired. */
export const holdsBase = ({ op, periodMs }: Condition): boolean =>
  op === 'moves_pct' && periodMs === null

/** The state of an alert when it is first evaluated. */
export type FirstEvaluation = Pick<Alert, 'standing' | 'evaluatedPosition' | 'lastValue'>

export type NewAlert = AlertWish &
  FirstEvaluation & {
    readonly accountId: string
    readonly createdMs: number
    /** The encrypted key of signatures; null for an email. */
    readonly secret: string | null
    /** The id that it is to have; absent for any. */
    readonly id?: string
  }

/** An alert, and its encrypted key of signatures; null for an email. */
export type CreatedAlert = { readonly alert: Alert; readonly secret: string | null }

/** Changes of an alert; absent ones stay. */
export type AlertChange = Partial<Pick<AlertWish, 'name' | 'isOnce' | 'to' | 'when' | 'amount'>> & {
  readonly status?: 'active' | 'paused'
}

/** A change with its consequences. */
export type KeptChange = AlertChange & {
  /** A new destination's key of signatures; absent if the destination stays. */
  readonly secret?: string | null
  /** State by which it is evaluated from now on; absent if that stays. */
  readonly evaluated?: FirstEvaluation
}
