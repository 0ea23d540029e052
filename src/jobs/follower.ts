import type { StoredCorridor } from '~/domain/corridor.ts'
import { HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import type { Log } from '~/log.ts'
import type { DaySource } from '~/memory/day-publication.ts'
import type { LiveMemory, LoggedChange } from '~/memory/live/live.ts'
import type { Memory } from '~/memory/memory.ts'
import { isUnnamed, type LogRow, parts, timesAt } from './change-log.ts'
import { type Checked, Checks } from './checks.ts'
import { LoadTurns } from './load-turns.ts'
import { type LoggedLoads, load, publishLoaded } from './loaded.ts'
import { changeOf, type LoggedSources, quotesOf, type ReadRows, ROWS_MAX } from './logged-rows.ts'
import { type OwnCommit, OwnCommits } from './own-commits.ts'

type FollowerDeps = LoggedSources &
  Omit<LoggedLoads, 'quotes' | 'references'> & {
    readonly quotes: LoggedSources['quotes'] & LoggedLoads['quotes']
    readonly references: LoggedSources['references'] & LoggedLoads['references']
    /** The source of days for rows whose sender waits. */
    readonly days: DaySource
    readonly memory: Memory
    readonly live: LiveMemory
    readonly log: Log
  }

/** The time for which there is no tick while nothing is watched; else there is one each minute. */
const UNWATCHED_MS = 3 * MINUTE_MS
/** The maximum number of full loads in a row, because of rows that the log does not name. */
const LOADS_MAX = 5
/** The longest time that the sender of a commit waits for it to be served. */
const SERVED_MS_MAX = 8_000

/** Signals that the order is broken: the next row has no step. */
class Broken extends Error {}

/**
 * Applies the log of changes to memory, row by row, in every process. It is the only writer of
 * quotes, references and the catalogue there.
 *
 * Change notifications only wake it: changes that it missed while its connection was lost are in
 * the log. If the log does not say what changed (its rows are gone, an import names none, a version
 * without the log recorded something, a clock was set back) everything is loaded.
 */
export class Follower {
  #isLost = false
  /** The position up to which the log is to be read. */
  #wantedPosition = 0
  #gaps = 0
  #tickMs = Number.NEGATIVE_INFINITY
  readonly #own = new OwnCommits()
  readonly #checks: Checks
  readonly #turns: LoadTurns

  constructor(private readonly deps: FollowerDeps) {
    this.#checks = new Checks(deps)
    const failure = 'changes could not be followed'
    this.#turns = new LoadTurns({ ...deps, failure, work: () => this.#turn() }, false)
  }

  /** The time of the oldest change notification that is not applied yet; null for none. */
  get waitingSinceMs(): number | null {
    return this.#turns.waitingSinceMs
  }

  /** The time when the last tick was logged; -Infinity before the first. */
  get tickMs(): number {
    return this.#tickMs
  }

  /** The number of times that everything was loaded. */
  get gaps(): number {
    return this.#gaps
  }

  get isFailing(): boolean {
    return this.#turns.failure !== null
  }

  /** Reports whether the last attempt failed, or the next change has no step. */
  get isBehind(): boolean {
    return this.isFailing || this.#isLost
  }

  /** Loads everything and goes on from there. Rejects if the database does not respond. */
  async begin(): Promise<void> {
    await this.#load()
    this.#turns.begin()
  }

  /** Receives a change notification; one without a position is of a version that does not log. */
  receive({ kind, position }: { kind?: string; position?: number | null }, isOwn = false): void {
    const { memory, clock } = this.deps
    if (position) {
      const isServed = isOwn && kind === 'observations' && this.#own.isAwaited(position)
      if (!isServed) this.#readTo(position)
    } else if (position === null) memory.publish({ isPastChanged: true }, clock.now())
    else void this.lose()
  }

  /**
   * Runs `work`, which commits observations and hands them to `serve`. Meanwhile notifications of
   * own commits cause no read of the log, unless the response to a commit was lost.
   */
  committing<T>(work: () => Promise<T>): Promise<T> {
    return this.#own.during(work, (position) => this.#readTo(position))
  }

  /** Reads the log now; resolves when everything that was logged before is served, or failed. */
  caughtUp(): Promise<void> {
    this.#wantedPosition = Number.POSITIVE_INFINITY
    return this.#turns.take()
  }

  /** Resolves once everything received so far is served, or failed. */
  settled(): Promise<void> {
    return this.#turns.settled()
  }

  /**
   * Serves a commit of this process in its turn, or without `commit` everything committed so far.
   * Returns false if that fails or takes too long. The log is read only if others committed since
   * the last applied row.
   */
  async serve(commit: OwnCommit | null): Promise<boolean> {
    const { live, memory } = this.deps
    if (!commit || commit.position <= live.position) {
      // It was read from the log already, or the log of another server continues elsewhere.
      await this.caughtUp()
      return !this.isFailing
    }
    this.#own.add(commit)
    this.#readTo(commit.position)
    return memory.positions.reached(commit.position, SERVED_MS_MAX)
  }

  /** Whether a load could not be compared with memory yet, which the log keeps up to date. */
  get isUnchecked(): boolean {
    return !this.#checks.isEmpty
  }

  /**
   * Loads everything, or the quotes of some corridors alone, as a gap if that brings changes that
   * the log did not report. The log is followed meanwhile. A later turn repeats a failed load.
   */
  async check(corridors: readonly StoredCorridor[] | null = null): Promise<void> {
    await this.#checks.add(corridors)
    await this.caughtUp()
  }

  stop(): void {
    this.#turns.stop()
  }

  /** Loads everything, as a gap. */
  lose(): Promise<void> {
    this.#isLost = true
    return this.caughtUp()
  }

  #readTo(position: number): void {
    if (position <= this.deps.live.position) return
    this.#wantedPosition = Math.max(this.#wantedPosition, position)
    void this.#turns.take()
  }

  async #turn(): Promise<void> {
    if (!this.#isLost && !(await this.#catchUp())) this.#isLost = true
    if (this.#turns.isStopped) return
    if (!this.#isLost) await this.#checks.compare((found) => this.#compare(found))
    if (!this.#isLost) return
    this.#isLost = false
    this.#checks.clear()
    try {
      await this.#load()
      this.#gaps++
    } catch (error) {
      this.#isLost = true
      throw error
    }
  }

  /** Applies all wanted rows of the log; returns false if the log does not contain all changes. */
  async #catchUp({ isReported = true } = {}): Promise<boolean> {
    const { live, log } = this.deps
    const wanted = isReported ? this.#wantedPosition : Number.POSITIVE_INFINITY
    // Positions that a read does not reach are given up: of another database, or read again.
    if (isReported) this.#wantedPosition = 0
    try {
      if (isReported) await this.#takeOwn()
      if (wanted > live.position) while (await this.#takeSome(isReported));
      return true
    } catch (error) {
      if (!(error instanceof Broken)) throw error
      log.info({ why: error.message }, 'changes are followed again')
      return false
    } finally {
      if (isReported && !this.#isUnwatched) live.settle()
    }
  }

  /** Loads everything; rows logged meanwhile are applied too before readers are notified. */
  async #load(): Promise<void> {
    const { live, changes, memory, references, clock } = this.deps
    for (let loads = 1; ; loads++) {
      const end = await changes.end()
      const nowMs = clock.now()
      const loaded = await load(this.deps, memory, { nowMs, corridors: null })
      const times = timesAt(end, nowMs)
      const keptMs = Math.max(times.atMs, times.hourMs ?? times.atMs)
      await publishLoaded({ memory, references, timesMs: [keptMs] }, loaded)
      live.begin({ ...times, position: end.position })
      this.#tickMs = end.tickMs ?? Number.NEGATIVE_INFINITY
      if (await this.#catchUp({ isReported: false })) break
      if (loads === LOADS_MAX) throw new Error('the log of changes does not come to rest')
    }
    live.settle()
  }

  /** Applies the log up to now: a gap if it did not report all that was loaded before. */
  async #compare({ before, catalogue, ...others }: Checked): Promise<void> {
    const { live, memory, references, clock, log } = this.deps
    this.#wantedPosition = Number.POSITIVE_INFINITY
    if (!(await this.#catchUp())) {
      this.#isLost = true
      return
    }
    const isOlder = memory.current.catalogue !== before
    const loaded = isOlder ? others : { ...others, catalogue }
    const timesMs = [live.keptMs, clock.now()] as const
    if (!(await publishLoaded({ memory, references, timesMs }, loaded))) return
    log.info({}, 'memory lacked rows that the database has; they are loaded now')
    this.#gaps++
    live.begin({ ...live.times, position: live.position })
    live.settle()
  }

  /** Applies the commits of this process that come next. */
  async #takeOwn(): Promise<void> {
    const { live } = this.deps
    for (let own = this.#own.takeAfter(live.position); own; ) {
      const { previous, isNamed, ...change } = own
      await this.#apply({ kind: 'observations', ...change }, isNamed && !this.#isUnwatched)
      own = this.#own.takeAfter(live.position)
    }
  }

  /** Applies the next rows; returns whether there may be more. */
  async #takeSome(isReported: boolean): Promise<boolean> {
    const { live, changes } = this.deps
    const rows = await changes.from(live.position, ROWS_MAX)
    if (live.position > 0 && rows[0]?.position !== live.position)
      throw new Broken('the log goes on elsewhere')
    const newer = rows.filter(({ position }) => position > live.position)
    for (const part of parts(newer)) {
      const read = await quotesOf(this.deps, part)
      for (const row of part) {
        if (this.#turns.isStopped || (isReported && this.#isLost)) return false
        await this.#take(row, { read, isReported })
      }
    }
    return rows.length === ROWS_MAX
  }

  /** Whether no client watches, in this process or another, so that quotes need no step. */
  get #isUnwatched(): boolean {
    const { live, clock } = this.deps
    return live.watched.size === 0 && clock.now() - this.#tickMs > UNWATCHED_MS
  }

  async #take(
    row: LogRow,
    { read, isReported }: { read: ReadRows; isReported: boolean },
  ): Promise<void> {
    const { live } = this.deps
    const { position, kind } = row
    if (isUnnamed(row)) throw new Broken('a change does not say what it changed')
    if (read.aside.has(position)) return live.pass(position)
    const change = await changeOf(this.deps, row, read)
    const { atMs } = change
    if (kind === 'tick') this.#tickMs = atMs
    if (kind === 'hour') {
      if (atMs !== row.atMs || atMs <= (live.hourMs ?? 0)) return live.pass(position)
      if (live.hourMs !== null && atMs > live.hourMs + HOUR_MS)
        throw new Broken('hours are missing')
    }
    // Changes that some processes went on without are a gap for the readers of all processes.
    const isStep = kind !== 'observations' || (row.spread?.state !== 'again' && !this.#isUnwatched)
    return this.#apply(change, isReported && isStep)
  }

  async #apply(change: LoggedChange, isReported: boolean): Promise<void> {
    const { live, days } = this.deps
    if (!(await live.apply(change, days, isReported)))
      throw new Broken('the references of earlier days could not be looked up')
  }
}
