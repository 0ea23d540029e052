import type { Access } from '~/domain/account.ts'
import type { ConnectorRecord } from '~/domain/feed/connector.ts'
import { type FeedState, noState } from '~/domain/feed/state.ts'
import type { Reference } from '~/domain/mid.ts'
import type { Probe } from '~/domain/price/day-mids.ts'
import type { Catalogue } from '~/domain/provider.ts'
import { type DaySpan, dayOf, type UsageCount } from '~/domain/quota.ts'
import type { Quote } from '~/domain/quote.ts'
import type { SourceRecord } from '~/domain/source/state.ts'
import type { Log } from '~/log.ts'
import { type DaySource, learnDays, publishWithDays } from '~/memory/day-publication.ts'
import type { Generation, Memory, Publication } from '~/memory/memory.ts'
import { USAGE_DAYS, type UsageMeter } from '~/memory/usage-meter.ts'
import { Backlog, type DatabaseChange, type IdRange } from './backlog.ts'
import { type Dated, rowsOf } from './dated.ts'

/** Quotes that were withdrawn together, and those that hold of their offers from there on. */
type Withdrawn = {
  readonly quotes: readonly Quote[]
  readonly withdrawn: readonly Quote[]
}

/** The stores that memory is loaded from. */
export type Sources = {
  readonly catalogue: {
    /**
     * Every currency and provider, inactive ones included, in no particular order, and the
     * providers' activity, all read at one moment.
     */
    load(): Promise<Catalogue>
  }
  readonly quotes: Dated<Quote> & {
    /** The corridors that the last `live` could not have, where it may lack some. */
    missing?(): ReadonlySet<string>
    /** Entry of a withdrawal in the log; null if it is no longer there. */
    withdrawal(position: number): Promise<Withdrawn | null>
    /** The quotes among these ids that were withdrawn. */
    withdrawnAmong(ids: readonly number[]): Promise<readonly Quote[]>
  }
  readonly references: Dated<Reference> & DaySource
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
const NONE: ReadonlySet<string> = new Set()

/**
 * Keeps memory in step with the database: one change at a time, the most urgent first.
 *
 * Loading merges into what memory holds, so it may run during ingestion. A change that cannot be
 * loaded turns into a full reload, which the next change, `retry` and every re-check try again.
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

  /**
   * Loads everything if an earlier load failed, or if the clock was turned back to a time whose
   * values memory has forgotten; rejects when this load fails too.
   */
  async retry(): Promise<void> {
    const { memory, clock } = this.deps
    if (this.#isBehind || memory.lacks(clock.now())) await this.reload()
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

  /**
   * Loads everything, in its turn, and answers whether memory lacked a quote or a reference before.
   * Rejects when the database does not answer.
   */
  reload(): Promise<boolean> {
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
      case 'catalogue':
        return this.#publishWithDays({ catalogue: await sources.catalogue.load() })
      case 'access': {
        const { accountId } = change
        const { access } = sources
        await this.#publishAccess(() => (accountId ? access.loadAccount(accountId) : access.load()))
        return
      }
      case 'observations': {
        if (change.isWithdrawal) return this.#loadWithdrawal(change)
        const { rows, isPastChanged } = await rowsOf(sources.quotes, change, clock.now())
        return this.#publishWithDays({ quotes: rows, isPastChanged })
      }
      case 'references': {
        const { rows, isPastChanged } = await rowsOf(sources.references, change, clock.now())
        memory.publish({ references: rows, isPastChanged }, clock.now())
        if (isPastChanged) await this.#lookUp(memory.current.days.probes)
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

  async #loadWithdrawal({ position }: IdRange): Promise<void> {
    const found = position ? await this.deps.sources.quotes.withdrawal(position) : null
    if (found) return this.#publishWithDays(found)
    await this.#loadEverything()
  }

  #publishWithDays(added: Publication): Promise<void> {
    const { sources, memory, clock } = this.deps
    return publishWithDays({ memory, days: sources.references, clock }, added)
  }

  /** Takes in the references of days; tells whether another one was served for some of them. */
  async #lookUp(probes: readonly Probe[]): Promise<boolean> {
    const { sources, memory } = this.deps
    if (probes.length === 0) return false
    const answers = await sources.references.referencesAt(probes)
    const { serial } = memory.current.days
    memory.learn(answers)
    return memory.current.days.serial !== serial
  }

  /**
   * Publishes accounts and keys, and everything else that was loaded; returns what was served
   * before. Publications of this process during the read are newer: those accounts are read again,
   * so that a revoked key cannot come back.
   */
  async #publishAccess(load: () => Promise<Access>, others: Publication = {}): Promise<Generation> {
    const { sources, memory, clock } = this.deps
    for (let reads = 1; ; reads++) {
      const { keys } = memory.current
      const access = await load()
      await learnDays({ memory, days: sources.references }, others)
      const before = memory.current
      if (before.keys !== keys && reads < ACCESS_READS_MAX) continue
      memory.publish({ ...others, access }, clock.now())
      return before
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
  async #catchUp(): Promise<boolean> {
    this.#backlog.clear()
    try {
      const hadMissed = await this.#loadEverything()
      this.#isBehind = false
      this.deps.onCaughtUp?.()
      return hadMissed
    } catch (error) {
      this.#isBehind = true
      throw error
    }
  }

  async #loadEverything(): Promise<boolean> {
    const { sources, memory, meter, clock } = this.deps
    const nowMs = clock.now()
    const { settlements } = meter
    const held = [...memory.current.quotes.allQuotes()].map(({ id }) => id)
    const [catalogue, quotes, withdrawn, references, states, usage] = await Promise.all([
      sources.catalogue.load(),
      sources.quotes.live(nowMs),
      held.length > 0 ? sources.quotes.withdrawnAmong(held) : [],
      sources.references.live(nowMs),
      this.#loadStates(),
      sources.usage.since(dayOf(nowMs) - USAGE_DAYS + 1),
    ])
    const hadMissed = await this.#publishReferences(references, { catalogue, quotes })
    const missing = sources.quotes.missing?.() ?? NONE
    const others = { catalogue, quotes, withdrawn, missing, ...states, isPastChanged: true }
    const before = await this.#publishAccess(() => sources.access.load(), others)
    memory.recovered(nowMs)
    this.#readAgain(meter.load(usage, settlements))
    return hadMissed || memory.current.quotes !== before.quotes
  }

  /**
   * Publishes references, then looks up those of every day that memory needs, now and once it
   * serves `coming`: a quote that comes meanwhile is held against what is published. Tells whether
   * memory lacked any.
   */
  async #publishReferences(
    references: readonly Reference[],
    coming: Publication,
  ): Promise<boolean> {
    const { memory, clock } = this.deps
    const before = memory.current
    memory.publish({ references }, clock.now())
    const hadMissed = memory.current.references !== before.references
    memory.expect(coming)
    return (await this.#lookUp(memory.current.days.probes)) || hadMissed
  }
}
