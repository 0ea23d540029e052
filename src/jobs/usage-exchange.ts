import { dayOf, type Settlement, type UsageBatch } from '~/domain/quota.ts'
import type { UsageMeter } from '~/memory/usage-meter.ts'
import type { UsageShares } from '~/memory/usage-shares.ts'

type UsageExchangeDeps = {
  /** The meter, which counts with `shares`. */
  readonly meter: UsageMeter
  readonly shares: UsageShares
  readonly usage: {
    /**
     * Adds counts and then takes shares, all or nothing. Returns the new totals of those counts and
     * of every key of the requested accounts, in no particular order, and the shares. Other
     * processes are notified of the accounts that changed.
     *
     * Any number of processes may settle at once: rows are locked in one order, so there is no
     * deadlock. Counts of keys that do not exist are dropped and have no total; a process that
     * counted as dead gets no shares.
     *
     * The counts of a call that rejects have to be part of the next call. They are still added only
     * once: if the response to a commit was lost, the server is asked for its outcome.
     */
    settle(batch: UsageBatch): Promise<Settlement>
  }
  readonly meters: {
    /** Joins the processes that count usage, and returns the slot. No share is held then. */
    join(): Promise<number>
    /** Renews the lease; null if this process was taken for dead and has to join again. */
    renew(): Promise<number | null>
    /** Gives every share back. */
    leave(): Promise<void>
    /** Deletes shares of days before `day`. */
    prune(day: number): Promise<void>
  }
  readonly clock: { now(): number }
}

/**
 * The time that the database may take before requests that wait for a share count it as
 * unreachable: a number of looks, between which responses are read. On a busy machine the looks are
 * late too, so this process's own wait for a core is not held against the database.
 */
const LATE_LOOKS = 20
const LOOK_MS = 50
/** Wait before shares that other processes hold are requested again. */
const RETRY_MS = 50

/**
 * Carries what this process counts to the database, and brings back shares.
 *
 * Everything pending is written once a second, and also whenever a share is asked for. One exchange
 * at a time, so that each knows what the last one settled.
 */
export class UsageExchange {
  #turn: Promise<void> = Promise.resolve()
  #isHurried = false
  #isStopped = false
  #retry: Timer | null = null

  constructor(private readonly deps: UsageExchangeDeps) {}

  /** Joins the processes that count. Rejects if the database does not respond. */
  async start(): Promise<void> {
    await this.#join()
    this.deps.shares.onAsk = () => this.#hurry()
  }

  /**
   * Writes what was counted since the last time, and loads what all replicas counted together.
   *
   * Rejects if the database does not respond, or makes this give way to a migration; the counts
   * stay pending then.
   */
  run(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#renew()
      await this.#settle()
    })
  }

  /** Deletes shares of days that are over. */
  async prune(): Promise<void> {
    const { meters, clock } = this.deps
    await meters.prune(dayOf(clock.now()) - 1)
  }

  /** Writes what is pending and gives back every share. */
  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#retry) clearTimeout(this.#retry)
    await this.#inTurn(() => this.#settle())
    await this.deps.meters.leave()
  }

  #hurry(): void {
    if (this.#isHurried || this.#isStopped) return
    this.#isHurried = true
    const turn = this.#inTurn(async () => {
      this.#isHurried = false
      if (!this.deps.shares.isJoined) await this.#renew()
      await this.#settle()
    })
    // The job that runs every second reports a database that does not respond.
    turn.catch(() => {})
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(() => this.#watched(work))
    this.#turn = turn.catch(() => {})
    return turn
  }

  async #watched(work: () => Promise<void>): Promise<void> {
    const { shares } = this.deps
    let looks = 0
    const timer = setInterval(() => {
      looks += 1
      if (looks >= LATE_LOOKS) shares.fail()
    }, LOOK_MS)
    try {
      await work()
    } catch (error) {
      shares.fail()
      throw error
    } finally {
      clearInterval(timer)
    }
  }

  async #join(): Promise<void> {
    const { meters, shares, clock } = this.deps
    const fromMs = clock.now()
    shares.joined(await meters.join(), fromMs)
  }

  async #renew(): Promise<void> {
    const { meters, meter, shares, clock } = this.deps
    const fromMs = clock.now()
    const slot = await meters.renew()
    if (slot === null) {
      meter.voidShares()
      await this.#join()
    } else shares.joined(slot, fromMs)
    shares.recover()
  }

  async #settle(): Promise<void> {
    const { meter, shares, usage } = this.deps
    const batch = { asks: meter.takeAsks(), counts: meter.takePending() }
    if (batch.asks.length === 0 && batch.counts.length === 0) return
    try {
      const settled = await usage.settle(batch)
      shares.recover()
      meter.settle(settled.totals, settled.shares)
    } catch (error) {
      meter.putBack()
      throw error
    }
    if (shares.isAsking) this.#hurry()
    if (shares.isDry) this.#retryLater()
  }

  #retryLater(): void {
    if (this.#retry || this.#isStopped) return
    this.#retry = setTimeout(() => {
      this.#retry = null
      this.deps.shares.retry()
    }, RETRY_MS)
  }
}
