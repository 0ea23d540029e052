import type { Alert } from '~/domain/alert/alert.ts'
import { CHEAPEST_OFFERS, isMonthly } from '~/domain/alert/field.ts'
import { HOUR_MS } from '~/domain/duration.ts'
import { type Freshness, freshnessAt, type Tier } from '~/domain/freshness.ts'
import { bucketStartMs } from '~/domain/series.ts'
import type { Generation } from '~/memory/memory.ts'
import { type AgeLimits, View } from '~/memory/view.ts'
import type { Conversion } from '~/service/convert.ts'
import { cheapestFirst } from './value.ts'

/** A monthly alert, and the current cheapest offers; none if no cost is known. */
export type MonthlyFiring = {
  readonly alert: Alert
  readonly cheapest: readonly Conversion[]
  readonly freshness: Freshness
}

type MonthlyMessage = { readonly id: string; readonly body: string; readonly atMs: number }

type Evaluated = { readonly alert: Alert; readonly tier: Tier }

type MonthlyDeps = {
  /** Every alert that is evaluated, with the tier of its account. */
  readonly evaluated: () => readonly Evaluated[]
  readonly memory: { readonly current: Generation }
  readonly ageLimits: AgeLimits
  readonly clock: { now(): number }
  readonly store: {
    /** The number of monthly messages never attempted yet. */
    monthlyWaiting(): Promise<number>
    /** Stores messages to send, except of alerts that had theirs since `sinceMs`. */
    recordMonthly(messages: readonly MonthlyMessage[], sinceMs: number): Promise<void>
  }
  readonly bodyOf: (firing: MonthlyFiring) => string
}

/** The time into the first day of a month (UTC) when its messages begin. */
const BEGINS_MS = 6 * HOUR_MS

/** The maximum number of waiting monthly messages, so that other alerts never wait behind more. */
export const MONTHLY_WAITING_MAX = 100

/** Sends monthly alerts, each once a month, whichever replica comes first. */
export class MonthlyAlerts {
  /** Messages that this process has handed to the database this month. */
  readonly #taken = new Set<string>()
  #sinceMs = 0

  constructor(private readonly deps: MonthlyDeps) {}

  /** Adds the messages that are due, as many as may wait. */
  async run(): Promise<void> {
    const { clock, store } = this.deps
    const nowMs = clock.now()
    const sinceMs = bucketStartMs(nowMs - BEGINS_MS, 'P1M')
    if (sinceMs !== this.#sinceMs) this.#taken.clear()
    this.#sinceMs = sinceMs
    const due = this.#due()
    if (due.length === 0) return
    const room = MONTHLY_WAITING_MAX - (await store.monthlyWaiting())
    const messages = this.#messages(due, Math.max(room, 0))
    if (messages.length === 0) return
    await store.recordMonthly(messages, sinceMs)
    for (const { id } of messages) this.#taken.add(id)
  }

  /** The alerts whose message of the month is missing, as far as this process knows. */
  #due(): readonly Evaluated[] {
    return this.deps
      .evaluated()
      .filter(
        ({ alert }) =>
          isMonthly(alert.when) && lastMs(alert) < this.#sinceMs && !this.#taken.has(alert.id),
      )
  }

  /** The messages of the first alerts, `max` at most; prices that cannot be read are left out. */
  #messages(due: readonly Evaluated[], max: number): readonly MonthlyMessage[] {
    const { memory, clock, ageLimits, bodyOf } = this.deps
    const atMs = clock.now()
    const viewOf = (tier: Tier) => new View(memory.current, freshnessAt(tier, atMs), ageLimits)
    const views = { realtime: viewOf('realtime'), hourly: viewOf('hourly') }
    const messages: MonthlyMessage[] = []
    for (const { alert, tier } of due) {
      if (messages.length === max) break
      const view = views[tier]
      if (view.lacks(alert.corridor)) continue
      const cheapest = cheapestFirst(view, alert).slice(0, CHEAPEST_OFFERS)
      const body = bodyOf({ alert, cheapest, freshness: view.freshness })
      messages.push({ id: alert.id, body, atMs })
    }
    return messages
  }
}

/** The time when an alert last had its message, or became monthly, or active again. */
const lastMs = ({ firedMs, createdMs, standing }: Alert): number =>
  Math.max(firedMs ?? createdMs, standing.base ?? createdMs)
