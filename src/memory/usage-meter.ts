import { dayOf, type KeyDay, type Share, type ShareAsk, type UsageCount } from '~/domain/quota.ts'
import { DayShare } from './day-share.ts'
import type { UsageShares } from './usage-shares.ts'

/** The number of days of usage in memory, today included: those that `/admin/usage` shows. */
export const USAGE_DAYS = 7

/** One unit taken from an account's budget, to be spent or given back. */
export type Reservation = KeyDay & {
  /** The account's day, whose `total` keeps counting. */
  readonly usage: { readonly total: number }
}

type Counter = KeyDay & {
  readonly usage: DayUsage
  /** Units the database is known to hold, from all replicas together. */
  stored: number
  /** Units being written at present. */
  flushing: number
  /** Units counted here and not yet being written; negative when a written unit was given back. */
  pending: number
  /** Says whether the units that were last to be written may be in the database all the same. */
  isInDoubt: boolean
  /** The number of the settlement that last brought `stored` up to date. */
  settlement: number
}

type DayUsage = {
  readonly day: number
  total: number
  /** Says whether a request was refused for lack of units. */
  isUsedUp: boolean
  readonly byKey: Map<string, Counter>
  readonly share: DayShare
}

/**
 * Usage of today's quota by each key and account. Mutable: it counts.
 *
 * A day is found by the clock of each request, so the budget renews itself at UTC midnight. Counts
 * are written later, in one batch: `takePending`, then `settle` or `putBack`. With shares it counts
 * together with other processes, without them as if it were the only one.
 */
export class UsageMeter {
  readonly #accounts = new Map<string, DayUsage[]>()
  /** The counter that each key was last counted by. */
  readonly #latest = new Map<string, Counter>()
  readonly #unwritten = new Set<Counter>()
  #flushing: Counter[] = []
  #written: PromiseWithResolvers<void> | null = null
  #settlements = 0
  #rejections = 0
  /** Called for the first request of an account on a day that finds no unit. */
  onUsedUp: ((refused: KeyDay & { readonly limit: number }) => void) | null = null

  constructor(readonly shares: UsageShares | null = null) {}

  /** The number of settled batches; a reader of the database notes it before reading. */
  get settlements(): number {
    return this.#settlements
  }

  /** Number of requests refused for lack of units since the process started. */
  get rejections(): number {
    return this.#rejections
  }

  /**
   * Takes one unit; returns null and takes none if `limit` is reached. If this process has used up
   * its share it takes none either, and returns a promise to await before trying again.
   */
  reserve(request: {
    accountId: string
    keyId: string
    limit: number
    /** Limit of the key alone for the day; null if only the account has one. */
    keyLimit?: number | null
    nowMs: number
  }): Reservation | null | Promise<void> {
    const { limit, keyLimit = null, nowMs } = request
    const counter = this.#counterOn(dayOf(nowMs), request)
    const { usage } = counter
    const isKeyUsedUp = keyLimit !== null && requestsOf(counter) >= keyLimit
    if (usage.total >= limit || isKeyUsedUp) {
      this.#rejections++
      if (usage.total < limit) return null
      if (!usage.isUsedUp) this.onUsedUp?.({ ...keyDayOf(counter), limit })
      usage.isUsedUp = true
      return null
    }
    const wait = this.shares === null ? null : this.shares.wait(usage.share, limit, nowMs)
    if (wait !== null) return wait
    usage.share.spent += 1
    this.#add(counter, 1)
    return counter
  }

  /** Undoes a reservation, on its day. */
  giveBack(unit: KeyDay): void {
    const counter = this.#counterOn(unit.day, unit)
    counter.usage.share.giveBack()
    this.#add(counter, -1)
  }

  /** Units that an account has used on a UTC day, all its keys together. */
  used(accountId: string, day: number): number {
    return this.#find(accountId, day)?.total ?? 0
  }

  /** Units that a key has used on a UTC day. */
  usedBy({ accountId, keyId, day }: KeyDay): number {
    const counter = this.#find(accountId, day)?.byKey.get(keyId)
    return counter ? requestsOf(counter) : 0
  }

  /** The accounts that used most on a UTC day, `max` at most; those without use are left out. */
  busiest(day: number, max: number): { accountId: string; units: number }[] {
    const all = [...this.#accounts.keys()].map((accountId) => ({
      accountId,
      units: this.used(accountId, day),
    }))
    return all
      .filter(({ units }) => units > 0)
      .sort((a, b) => b.units - a.units)
      .slice(0, max)
  }

  /** Units by key id on a UTC day; keys without use are left out. */
  byKey(accountId: string, day: number): ReadonlyMap<string, number> {
    const counters = [...(this.#find(accountId, day)?.byKey.values() ?? [])]
    const used = counters.filter((counter) => requestsOf(counter) !== 0)
    return new Map(used.map((counter) => [counter.keyId, requestsOf(counter)]))
  }

  /** Returns everything counted and not yet written; nothing while a batch is being written. */
  takePending(): UsageCount[] {
    if (this.#flushing.length > 0) return []
    this.#flushing = [...this.#unwritten].filter(
      ({ pending, isInDoubt }) => pending !== 0 || isInDoubt,
    )
    this.#unwritten.clear()
    return this.#flushing.map((counter) => {
      counter.flushing = counter.pending
      counter.pending = 0
      const { accountId, keyId, day } = counter
      return { accountId, keyId, day, requests: counter.flushing }
    })
  }

  /** The shares to ask for, to be settled together with the counts pending at this time. */
  takeAsks(): ShareAsk[] {
    return this.shares?.takeAsks() ?? []
  }

  /**
   * Records that the batch was written; `totals` has the database's current count for each of its
   * counters, and `shares` the granted shares.
   */
  settle(totals: readonly UsageCount[], shares: readonly Share[] = []): void {
    this.#settlements += 1
    for (const counter of this.#flushing) {
      counter.flushing = 0
      counter.isInDoubt = false
      counter.settlement = this.#settlements
    }
    this.#flushing = []
    this.#written?.resolve()
    this.#written = null
    this.load(totals)
    this.shares?.take(
      shares,
      ({ accountId, day, limit }) => this.used(accountId, day) >= (limit ?? 0),
    )
  }

  /** Gives back this process's held units of the accounts' budgets, for others that found none. */
  release(accountIds: readonly string[]): void {
    for (const accountId of accountIds)
      for (const { share } of this.#accounts.get(accountId) ?? []) this.shares?.release(share)
  }

  /** Drops all shares held: the database took this process for dead. */
  voidShares(): void {
    for (const days of this.#accounts.values())
      for (const { share } of days) {
        share.void()
        share.mayAdvance = false
      }
  }

  /** Records that the batch could not be written, which makes it pending again. */
  putBack(): void {
    this.shares?.putBack()
    for (const counter of this.#flushing) {
      counter.pending += counter.flushing
      counter.flushing = 0
      counter.isInDoubt = true
      this.#unwritten.add(counter)
    }
    this.#flushing = []
  }

  /**
   * Takes over the database's counts, and retains those counted here and not yet written.
   *
   * `settlements` is its value before the database was read. A counter that is being written, was
   * settled since, or failed to be written last keeps what it has: it is unknown whether the
   * reading holds that batch. Returns the accounts of such counters, whose totals may lack the
   * counts of other processes.
   */
  load(totals: readonly UsageCount[], settlements = this.#settlements): string[] {
    const doubtful = new Set<string>()
    for (const { accountId, keyId, day, requests } of totals) {
      const usage = this.#dayUsage(accountId, day)
      const counter = this.#counter(usage, accountId, keyId)
      const { flushing, isInDoubt, settlement } = counter
      if (flushing !== 0 || isInDoubt || settlement > settlements) {
        doubtful.add(accountId)
        continue
      }
      counter.stored = requests
      usage.total = sumOf(usage)
    }
    return [...doubtful]
  }

  /** Resolves when no batch is being written, nor is one in doubt, which is to be written again. */
  written(): Promise<void> {
    const isSettled = [...this.#unwritten].every(({ isInDoubt }) => !isInDoubt)
    if (this.#flushing.length === 0 && isSettled) return Promise.resolve()
    this.#written ??= Promise.withResolvers()
    return this.#written.promise
  }

  /** Forgets written days that are no longer shown. */
  prune(nowMs: number): void {
    this.#latest.clear()
    const oldest = dayOf(nowMs) - USAGE_DAYS
    for (const [accountId, days] of this.#accounts) {
      const kept = days.filter((usage) => usage.day > oldest || this.#isUnwritten(usage))
      if (kept.length === 0) this.#accounts.delete(accountId)
      else if (kept.length < days.length) this.#accounts.set(accountId, kept)
    }
  }

  #isUnwritten(usage: DayUsage): boolean {
    return [...usage.byKey.values()].some(
      ({ pending, flushing, isInDoubt }) => pending || flushing || isInDoubt,
    )
  }

  #find(accountId: string, day: number): DayUsage | undefined {
    return this.#accounts.get(accountId)?.find((usage) => usage.day === day)
  }

  #dayUsage(accountId: string, day: number): DayUsage {
    const found = this.#find(accountId, day)
    if (found) return found
    const share = new DayShare(accountId, day)
    const usage = { day, total: 0, isUsedUp: false, byKey: new Map(), share }
    this.#accounts.set(accountId, [usage, ...(this.#accounts.get(accountId) ?? [])])
    return usage
  }

  #counter(usage: DayUsage, accountId: string, keyId: string): Counter {
    const known = usage.byKey.get(keyId)
    if (known) return known
    const counts = { stored: 0, flushing: 0, pending: 0, isInDoubt: false, settlement: 0 }
    const counter = { accountId, keyId, day: usage.day, usage, ...counts }
    usage.byKey.set(keyId, counter)
    return counter
  }

  #counterOn(day: number, { accountId, keyId }: Pick<KeyDay, 'accountId' | 'keyId'>): Counter {
    const latest = this.#latest.get(keyId)
    if (latest?.day === day && latest.accountId === accountId) return latest
    const counter = this.#counter(this.#dayUsage(accountId, day), accountId, keyId)
    this.#latest.set(keyId, counter)
    return counter
  }

  #add(counter: Counter, units: number): void {
    if (counter.pending === 0) this.#unwritten.add(counter)
    counter.pending += units
    counter.usage.total += units
  }
}

const keyDayOf = ({ accountId, keyId, day }: KeyDay): KeyDay => ({ accountId, keyId, day })

const requestsOf = ({ stored, flushing, pending }: Counter): number => stored + flushing + pending

function sumOf(usage: DayUsage): number {
  let sum = 0
  for (const counter of usage.byKey.values()) sum += requestsOf(counter)
  return sum
}
