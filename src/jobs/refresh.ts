import type { Access } from '~/domain/account.ts'
import type { ConnectorRecord } from '~/domain/feed/connector.ts'
import { type FeedState, noState } from '~/domain/feed/state.ts'
import { type DaySpan, dayOf, type UsageCount } from '~/domain/quota.ts'
import type { SourceRecord } from '~/domain/source/state.ts'
import type { Log } from '~/log.ts'
import type { Memory, Publication } from '~/memory/memory.ts'
import { USAGE_DAYS, type UsageMeter } from '~/memory/usage-meter.ts'
import { Backlog, type DatabaseChange } from './backlog.ts'

/** Sources of what the log of changes does not report. */
export type Sources = {
  readonly feeds: { load(): Promise<FeedState | null> }
  /** The records of the banks and of the connectors that this process shows. */
  readonly quoteSources: { load(): Promise<readonly SourceRecord[]> }
  readonly connectors: { load(): Promise<readonly ConnectorRecord[]> }
  readonly access: {
    /** Every account and key, revoked keys included; an account's keys in order of creation. */
    load(): Promise<Access>
    /** One account and its keys; nothing when there is no such account. */
    loadAccount(id: string): Promise<Access>
  }
  readonly usage: {
    /** The counts of `day` and later, in no particular order. */
    since(day: number): Promise<readonly UsageCount[]>
    ofAccounts(accountIds: readonly string[], span: DaySpan): Promise<readonly UsageCount[]>
  }
}

type RefreshDeps = {
  readonly sources: Sources
  readonly memory: Memory
  readonly meter: UsageMeter
  readonly clock: { now(): number }
  readonly log: Log
  /** Called when everything was loaded again after an earlier load failed. */
  readonly onCaughtUp?: () => void
}

/**
 * Number of times that access is read again because of publications meanwhile; after that their
 * announcement loads it once more.
 */
const ACCESS_READS_MAX = 5
/** The number of days of usage that are loaded: today and yesterday, whose last units come late. */
const COUNTED_DAYS = 2

/**
 * Keeps accounts, keys, usage and the states of feeds in step with the database: one change at a
 * time, the most urgent first.
 *
 * A change that cannot be loaded turns into a full reload, which the next change, `retry` and every
 * re-check try again.
 */
export class Refresher {
  readonly #backlog = new Backlog()
  #isBehind = false
  /** Says whether a turn stands in line that has not begun. */
  #isInLine = false
  #isStopped = false
  #turn: Promise<void> = Promise.resolve()

  constructor(private readonly deps: RefreshDeps) {}

  /** Queues a change, which is loaded in its turn. */
  note(change: DatabaseChange): void {
    this.#backlog.add(change)
    if (this.#isInLine) return
    this.#isInLine = true
    this.#turn = this.#turn.then(() => this.#drain())
  }

  /** Loads one account with its keys, in its turn. */
  async loadAccess(accountId: string): Promise<void> {
    this.note({ kind: 'access', accountId })
    await this.settled()
  }

  /** Loads everything if an earlier load failed; rejects when this load fails too. */
  async retry(): Promise<void> {
    if (this.#isBehind) await this.reload()
  }

  /** Stops loading anything on its own. */
  stop(): void {
    this.#isStopped = true
  }

  /** Reports whether a queued change could not be loaded yet. */
  get isBehind(): boolean {
    return this.#isBehind
  }

  /** Resolves when every change queued so far is loaded or has failed. */
  settled(): Promise<void> {
    return this.#turn
  }

  /** Loads everything, in its turn. Rejects when the database does not answer. */
  reload(): Promise<void> {
    const reloaded = this.#turn.then(() => this.#catchUp())
    this.#turn = reloaded.then(
      () => {},
      () => {},
    )
    return reloaded
  }

  /** Loads what waits. What comes meanwhile has a turn of its own, lest this one have no end. */
  async #drain(): Promise<void> {
    this.#isInLine = false
    for (const change of this.#backlog.round()) await this.#take(change)
  }

  async #take(change: DatabaseChange): Promise<void> {
    try {
      if (this.#isBehind) await this.#catchUp()
      else await this.#load(change)
    } catch (error) {
      if (!this.#isBehind) this.deps.log.warn({ err: error }, 'memory could not be refreshed')
      this.#isBehind = true
    }
  }

  async #load(change: DatabaseChange): Promise<void> {
    const { sources, memory, clock } = this.deps
    switch (change.kind) {
      case 'access': {
        const { accountId } = change
        const { access } = sources
        await this.#publishAccess(() => (accountId ? access.loadAccount(accountId) : access.load()))
        return
      }
      case 'feeds':
        return memory.publish(await this.#loadStates(), clock.now())
      case 'usage':
        return this.#loadUsage(change.accountIds)
      case 'everything':
        await this.#loadEverything()
    }
  }

  /** State of feeds and banks, shared by all processes. */
  async #loadStates() {
    const { feeds, quoteSources, connectors } = this.deps.sources
    const loads = [feeds.load(), quoteSources.load(), connectors.load()] as const
    const [state, sources, runs] = await Promise.all(loads)
    return { feeds: state ?? noState, sources, connectors: runs }
  }

  /**
   * Publishes accounts and keys, and what else was loaded. Publications of this process during the
   * read are newer: those accounts are read again, so that a revoked key cannot come back.
   */
  async #publishAccess(load: () => Promise<Access>, others: Publication = {}): Promise<void> {
    const { memory, clock } = this.deps
    for (let reads = 1; ; reads++) {
      const { keys } = memory.current
      const access = await load()
      if (memory.current.keys !== keys && reads < ACCESS_READS_MAX) continue
      return memory.publish({ ...others, access }, clock.now())
    }
  }

  async #loadUsage(accountIds: readonly string[]): Promise<void> {
    const { sources, meter, clock } = this.deps
    const { settlements } = meter
    const span = { day: dayOf(clock.now()) - COUNTED_DAYS + 1, days: COUNTED_DAYS }
    this.#readAgain(meter.load(await sources.usage.ofAccounts(accountIds, span), settlements))
  }

  /** Queues accounts that were being written during the read, to be read again after it. */
  #readAgain(accountIds: readonly string[]): void {
    if (accountIds.length === 0) return
    void this.deps.meter.written().then(() => {
      if (!this.#isStopped) this.note({ kind: 'usage', accountIds })
    })
  }

  /** Loads everything. Changes queued before it began are covered by it, later ones are not. */
  async #catchUp(): Promise<void> {
    this.#backlog.clear()
    try {
      await this.#loadEverything()
      this.#isBehind = false
      this.deps.onCaughtUp?.()
    } catch (error) {
      this.#isBehind = true
      throw error
    }
  }

  async #loadEverything(): Promise<void> {
    const { sources, meter, clock } = this.deps
    const { settlements } = meter
    const since = dayOf(clock.now()) - USAGE_DAYS + 1
    const loads = [this.#loadStates(), sources.usage.since(since)] as const
    const [states, usage] = await Promise.all(loads)
    await this.#publishAccess(() => sources.access.load(), states)
    this.#readAgain(meter.load(usage, settlements))
  }
}
