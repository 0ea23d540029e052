import { setImmediate as turn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { ALERTS_MAX, type Alert, type Standing } from '~/domain/alert/alert.ts'
import { fieldOf } from '~/domain/alert/field.ts'
import { evaluated, type Value } from '~/domain/alert/rule.ts'
import type { Transition } from '~/domain/alert/transition.ts'
import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { MINUTE_MS } from '~/domain/duration.ts'
import { type Freshness, freshnessAt, hourStartMs, type Tier } from '~/domain/freshness.ts'
import { tierOf } from '~/domain/quota.ts'
import type { Live } from '~/memory/live/live.ts'
import type { Step, StepSubscriber } from '~/memory/live/step.ts'
import type { Generation } from '~/memory/memory.ts'
import { type AgeLimits, View } from '~/memory/view.ts'
import { watchedValue } from './value.ts'

export type Firing = {
  readonly alert: Alert
  readonly value: Value
  /** The value before it; null if none is known. */
  readonly previous: Value
  /** The time when the cause was committed, or the tick's time; the hour for the hourly tier. */
  readonly atMs: number
  readonly tier: Tier
}

type EvaluatorDeps = {
  readonly live: Live
  /** Served memory, which knows the plans of accounts. */
  readonly memory: { readonly current: Generation }
  readonly ageLimits: AgeLimits
  readonly clock: { now(): number }
  /** Takes each transition, in the order of the log. */
  readonly take: (transition: Transition) => void
  readonly bodyOf: (firing: Firing) => string
  /** Receives the error of a failed evaluation, which is a bug of ours. */
  readonly onFault: (error: unknown) => void
}

/** An alert and its state in this process. */
type Tracked = {
  readonly alert: Alert
  /** Names the watched value, which other alerts may watch too. */
  readonly watched: string
  /** The number of active alerts of the account that are older. */
  readonly rank: number
  /** The time when it was read; it is not evaluated on what held before. */
  readonly readMs: number
  standing: Standing
  value: Value
  position: number
  isOver: boolean
}

type Moment = {
  readonly position: number
  readonly generation: Generation
  readonly freshness: Freshness
  readonly committedMs: number
  /** The names of corridors, or the id of an account; null for no restriction. */
  readonly keys: ReadonlySet<string> | null
  readonly accountId: string | null
}

/** The maximum number of times that wait; beyond that, all alerts are evaluated once. */
const WAITING_MAX = 1000
/** The number of alerts that are evaluated in one go, before others get their turn. */
const SLICE = 100
/** The longest lag of the log's time behind an alert that is read: a tick's age, and some more. */
const BEHIND_MS_MAX = 2 * MINUTE_MS
/** The maximum number of steps by which an alert that is read late is evaluated. */
const RECENT_MAX = 500

/** Evaluates alerts by each step of the log, in order, in all processes; the first one stores. */
export class AlertEvaluator implements StepSubscriber {
  readonly #ofAccounts = new Map<string, readonly Tracked[]>()
  readonly #inCorridors = new Map<string, Set<Tracked>>()
  readonly #watches = new Map<string, () => void>()
  #waiting: Moment[] = []
  #recent: readonly Moment[] = []
  #work: Promise<void> | null = null

  constructor(private readonly deps: EvaluatorDeps) {}

  get evaluated(): readonly { readonly alert: Alert; readonly tier: Tier }[] {
    return this.#all().flatMap((one) => {
      const tier = this.#tierOf(one)
      return tier === null ? [] : [{ alert: one.alert, tier }]
    })
  }

  onStep({ position, kind, atMs, committedMs, after, hour, quotes, withdrawn }: Step): void {
    const at = { position, generation: after, committedMs, accountId: null }
    const freshness = hour ? freshnessAt('hourly', hour.ms) : freshnessAt('realtime', atMs)
    const rows = [...quotes, ...withdrawn]
    const keys = kind === 'observations' ? new Set(rows.map(corridorKey)) : null
    const moment = { ...at, keys, freshness }
    const sinceMs = this.deps.clock.now() - BEHIND_MS_MAX
    const recent = this.#recent.filter((one) => one.committedMs >= sinceMs)
    this.#recent = [...recent.slice(1 - RECENT_MAX), moment]
    if (keys?.isDisjointFrom(this.#inCorridors) || this.#ofAccounts.size === 0) return
    this.#add(moment)
  }

  /** Evaluates all by the current state, after pending steps; time may have been set back. */
  onGap(): void {
    this.#recent = []
    for (const own of [...this.#ofAccounts.values()])
      this.#put(own.map((one) => ({ ...one, readMs: Number.NEGATIVE_INFINITY })))
    this.#addAll(null)
  }

  /**
   * Replaces the alerts of an account, or all alerts, by those read from the database; each is
   * evaluated at once by the current state, unless another process has evaluated it further on. A
   * state that is new here takes the recent steps first: other processes may have yet to store one.
   */
  replace(alerts: readonly Alert[], accountId: string | null): void {
    const before = new Map(this.#all(accountId).map((one) => [one.alert.id, one]))
    for (const id of accountId ? [accountId] : [...this.#ofAccounts.keys()]) this.#remove(id)
    const readMs = this.deps.clock.now()
    const late: Tracked[] = []
    for (const own of Map.groupBy(alerts, (alert) => alert.accountId).values())
      this.#put(
        own.map((alert, rank) => {
          const known = before.get(alert.id)
          const fresh = trackedOf(alert, rank, readMs)
          const isKnown = known?.alert.revision === alert.revision
          if (!isKnown || !isDeepStrictEqual(known.standing, alert.standing)) late.push(fresh)
          if (!isKnown) return fresh
          return { ...fresh, readMs: known.readMs, value: known.value }
        }),
      )
    this.watchTime()
    const missed = this.#recent.filter((step) => late.some((one) => isAfter(step, one)))
    this.#waiting.unshift(...missed.map((step) => ({ ...step, accountId })))
    this.#addAll(accountId)
  }

  /** Has ticks logged for the corridors of alerts of the realtime tier, and for no others. */
  watchTime(): void {
    const wanted = new Map<string, Corridor>()
    for (const { alert, tier } of this.evaluated)
      if (tier === 'realtime') wanted.set(corridorKey(alert.corridor), alert.corridor)
    for (const [key, end] of this.#watches)
      if (!wanted.has(key)) {
        end()
        this.#watches.delete(key)
      }
    for (const [key, corridor] of wanted)
      if (!this.#watches.has(key)) this.#watches.set(key, this.deps.live.watch(corridor))
  }

  /** Resolves when every received step is evaluated. */
  async settled(): Promise<void> {
    while (this.#work) await this.#work
  }

  stop(): void {
    this.#waiting = []
    for (const id of [...this.#ofAccounts.keys()]) this.#remove(id)
    this.watchTime()
  }

  #put(own: readonly Tracked[]): void {
    const [first] = own
    if (!first) return
    this.#remove(first.alert.accountId)
    this.#ofAccounts.set(first.alert.accountId, own)
    for (const one of own) {
      const key = corridorKey(one.alert.corridor)
      this.#inCorridors.getOrInsertComputed(key, () => new Set()).add(one)
    }
  }

  #remove(accountId: string): void {
    for (const one of this.#ofAccounts.get(accountId) ?? []) {
      const key = corridorKey(one.alert.corridor)
      const there = this.#inCorridors.get(key)
      there?.delete(one)
      if (there?.size === 0) this.#inCorridors.delete(key)
    }
    this.#ofAccounts.delete(accountId)
  }

  /** Adds both tiers by what is known now. */
  #addAll(accountId: string | null): void {
    const { position, current: generation, atMs, hourMs } = this.deps.live
    const at = { position, generation, committedMs: atMs, keys: null, accountId }
    const openMs = Math.max(hourStartMs(atMs), hourMs ?? Number.NEGATIVE_INFINITY)
    this.#add({ ...at, freshness: freshnessAt('hourly', openMs) })
    this.#add({ ...at, freshness: freshnessAt('realtime', atMs) })
  }

  #add(moment: Moment): void {
    this.#waiting.push(moment)
    if (this.#waiting.length > WAITING_MAX) {
      this.#waiting = []
      this.onGap()
    }
    this.#work ??= this.#evaluateAll().finally(() => {
      this.#work = null
    })
  }

  async #evaluateAll(): Promise<void> {
    await turn()
    for (let moment = this.#waiting.shift(); moment; moment = this.#waiting.shift()) {
      const view = new View(moment.generation, moment.freshness, this.deps.ageLimits)
      const values = new Map<string, Value>()
      let count = 0
      for (const one of this.#due(moment)) {
        this.#evaluate(one, moment, () => valueIn(values, view, one))
        if (++count % SLICE === 0) await turn()
      }
    }
  }

  #due({ freshness, keys, accountId }: Moment): readonly Tracked[] {
    const some = keys ? [...keys].flatMap((key) => [...(this.#inCorridors.get(key) ?? [])]) : null
    return (some ?? this.#all(accountId)).filter(
      (one) =>
        this.#tierOf(one) === freshness.tier &&
        (accountId ?? one.alert.accountId) === one.alert.accountId &&
        !isBefore(freshness, one),
    )
  }

  #all(accountId: string | null = null): readonly Tracked[] {
    if (accountId !== null) return this.#ofAccounts.get(accountId) ?? []
    return [...this.#ofAccounts.values()].flat()
  }

  #evaluate(
    one: Tracked,
    { position, freshness, committedMs }: Moment,
    valueNow: () => Value,
  ): void {
    if (one.isOver) return
    try {
      const value = valueNow()
      const { alert, standing: was, value: previous } = one
      if (value !== null) one.value = value
      if (position <= one.position) return
      one.position = position
      const { standing: now, fires } = evaluated(alert.when, was, value)
      if (now === was) return
      one.standing = now
      one.isOver = fires && alert.isOnce
      const { tier, nowMs } = freshness
      const atMs = tier === 'hourly' ? nowMs : committedMs
      const firing = { alert, value, previous, atMs, tier }
      this.deps.take({
        ...{ alert, position, was, now, atMs },
        value: typeof value === 'number' ? value : null,
        body: fires ? this.deps.bodyOf(firing) : null,
      })
    } catch (error) {
      this.deps.onFault(error)
    }
  }

  /** The tier at which an alert is evaluated; null if the account's plan does not cover it. */
  #tierOf({ alert, rank }: Tracked): Tier | null {
    const account = this.deps.memory.current.keys.account(alert.accountId)
    return account && rank < ALERTS_MAX[account.plan] ? tierOf(account.plan) : null
  }
}

const trackedOf = (alert: Alert, rank: number, readMs: number): Tracked => ({
  ...{ alert, rank, readMs },
  watched: nameOf(alert),
  standing: alert.standing,
  value: alert.lastValue,
  position: alert.evaluatedPosition,
  isOver: false,
})

const isAfter = ({ position, keys }: Moment, { position: last, alert: { corridor } }: Tracked) =>
  position > last && (keys?.has(corridorKey(corridor)) ?? true)

/**
 * Reports whether a time lies before an alert was read. The log's time stops while nothing is
 * watched, and its next tick comes within seconds of a new watcher; age is evaluated only from it.
 */
function isBefore({ tier, nowMs }: Freshness, { alert, readMs }: Tracked): boolean {
  if (tier === 'hourly') return nowMs < hourStartMs(readMs)
  const isOfAge = fieldOf(alert.when.field).unit === null
  return nowMs < (isOfAge ? readMs : readMs - BEHIND_MS_MAX)
}

function nameOf({ corridor, sourceCountry, targetCountry, amount, when }: Alert): string {
  const age = fieldOf(when.field).unit === null ? when.periodMs : null
  const countries = `${sourceCountry} ${targetCountry}`
  return `${corridorKey(corridor)} ${countries} ${when.field} ${amount} ${age}`
}

/** The value of what an alert watches, worked out once for all that watch it. */
const valueIn = (known: Map<string, Value>, view: View, { alert, watched }: Tracked): Value =>
  known.getOrInsertComputed(watched, () => watchedValue(view, alert))
