import type { Access } from '~/domain/account.ts'
import type { ConnectorRecord } from '~/domain/feed/connector.ts'
import { type FeedState, noState } from '~/domain/feed/state.ts'
import { type DaySpan, dayOf, type UsageCount } from '~/domain/quota.ts'
import type { SourceRecord } from '~/domain/source/state.ts'
import type { Log } from '~/log.ts'
import type { Memory, Publication } from '~/memory/memory.ts'
import { USAGE_DAYS, type UsageMeter } from '~/memory/usage-meter.ts'
import { LoadTurns } from './load-turns.ts'

/** Sources of the changes that the log of changes does not report. */
export type Sources = {
  readonly feeds: { load(): Promise<FeedState | null> }
  /** The records of the banks and of the connectors that this process shows. */
  readonly quoteSources: { load(): Promise<readonly SourceRecord[]> }
  readonly connectors: { load(): Promise<readonly ConnectorRecord[]> }
  readonly access: {
    /** Every account and key, revoked keys included; an account's keys in order of creation. */
    load(): Promise<Access>
    /** One account and its keys; nothing for an unknown account. */
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
  /** Called when everything was loaded, including data that an earlier load could not read. */
  readonly onCaughtUp?: () => void
}

/** Number of times that access is read again because of publications meanwhile. */
const ACCESS_READS_MAX = 5
/** The number of days of usage that are loaded: today and yesterday, whose last units come late. */
const COUNTED_DAYS = 2

/** The maximum number of accounts with changed access that are loaded one by one. */
export const ACCESS_MAX = 500
/** The maximum number of accounts with changed usage that are loaded together. */
export const USAGE_ACCOUNTS_MAX = 5000

/** A change in the database that the log of changes does not report. */
export type DatabaseChange =
  | { readonly kind: 'access'; readonly accountId?: string }
  | { readonly kind: 'feeds' }
  | { readonly kind: 'usage'; readonly accountIds: readonly string[] }
  | { readonly kind: 'everything' }

/** Changes that wait to be loaded. Each loads the present state, so their order does not matter. */
class Backlog {
  /** Accounts with changed access; null for all. */
  access: Set<string> | null = new Set()
  readonly usage = new Set<string>()
  isFeeds = false
  isEverything = false

  add(change: DatabaseChange): void {
    if (change.kind === 'access' && !change.accountId) this.access = null
    else if (change.kind === 'access') this.access?.add(change.accountId!)
    else if (change.kind === 'usage') for (const id of change.accountIds) this.usage.add(id)
    else if (change.kind === 'feeds') this.isFeeds = true
    else this.isEverything = true
    if (this.access && this.access.size > ACCESS_MAX) this.access = null
    this.isEverything ||= this.usage.size > USAGE_ACCOUNTS_MAX
    if (this.isEverything) this.usage.clear()
  }
}

/**
 * Publishes accounts and keys, and other loaded data. Publications of this process during the read
 * are newer: those accounts are read again, so that a revoked key cannot come back.
 */
export async function publishAccess(
  { memory, clock }: Pick<RefreshDeps, 'memory' | 'clock'>,
  load: () => Promise<Access>,
  others: Publication = {},
): Promise<void> {
  for (let reads = 1; ; reads++) {
    const { keys } = memory.current
    const access = await load()
    if (memory.current.keys !== keys && reads < ACCESS_READS_MAX) continue
    return memory.publish({ ...others, access }, clock.now())
  }
}

/**
 * Keeps accounts, keys, usage and the states of feeds in step with the database: access first,
 * then usage, then the rest.
 *
 * A change that cannot be loaded turns into a full reload, which the next change, `retry` and every
 * re-check try again.
 */
export class Refresher {
  #backlog = new Backlog()
  readonly #turns: LoadTurns

  constructor(private readonly deps: RefreshDeps) {
    const failure = 'memory could not be refreshed'
    this.#turns = new LoadTurns({ ...deps, failure, work: () => this.#turn() })
  }

  /** Queues a change, which is loaded in its turn. */
  note(change: DatabaseChange): void {
    this.#backlog.add(change)
    void this.#turns.take()
  }

  async loadAccess(accountId: string): Promise<void> {
    this.note({ kind: 'access', accountId })
    await this.settled()
  }

  /** Loads everything if an earlier load failed; rejects when this load fails too. */
  async retry(): Promise<void> {
    if (this.isBehind) await this.reload()
  }

  stop(): void {
    this.#turns.stop()
  }

  /** Reports whether a queued change could not be loaded yet. */
  get isBehind(): boolean {
    return this.#turns.failure !== null
  }

  /** Resolves when every change queued so far is loaded or has failed. */
  settled(): Promise<void> {
    return this.#turns.settled()
  }

  /** Loads everything, in its turn. Rejects if the database does not respond. */
  async reload(): Promise<void> {
    this.note({ kind: 'everything' })
    await this.settled()
    const { failure } = this.#turns
    if (failure) throw failure.error
  }

  /** Loads waiting requests. Later ones get a turn of their own, so that this one ends. */
  async #turn(): Promise<void> {
    const { access, usage, isFeeds, isEverything } = this.#backlog
    this.#backlog = new Backlog()
    if (this.isBehind) return this.#loadEverything()
    const { sources, memory, clock } = this.deps
    if (access === null) await publishAccess(this.deps, () => sources.access.load())
    for (const id of access ?? [])
      await publishAccess(this.deps, () => sources.access.loadAccount(id))
    if (isEverything) return this.#loadEverything()
    if (usage.size > 0) await this.#loadUsage([...usage])
    if (isFeeds) memory.publish(await this.#loadStates(), clock.now())
  }

  /** State of feeds and banks, shared by all processes. */
  async #loadStates() {
    const { feeds, quoteSources, connectors } = this.deps.sources
    const loads = [feeds.load(), quoteSources.load(), connectors.load()] as const
    const [state, sources, runs] = await Promise.all(loads)
    return { feeds: state ?? noState, sources, connectors: runs }
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
    void this.deps.meter.written().then(() => this.note({ kind: 'usage', accountIds }))
  }

  async #loadEverything(): Promise<void> {
    const { sources, meter, clock } = this.deps
    const { settlements } = meter
    const since = dayOf(clock.now()) - USAGE_DAYS + 1
    const loads = [this.#loadStates(), sources.usage.since(since)] as const
    const [states, usage] = await Promise.all(loads)
    await publishAccess(this.deps, () => sources.access.load(), states)
    this.#readAgain(meter.load(usage, settlements))
    this.deps.onCaughtUp?.()
  }
}
