import { HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import type { Quote } from '~/domain/quote.ts'
import type { Log } from '~/log.ts'
import { publishWithDays } from '~/memory/day-publication.ts'
import { KeyIndex } from '~/memory/key-index.ts'
import type { LiveMemory, LoggedChange } from '~/memory/live/live.ts'
import { Memory } from '~/memory/memory.ts'
import { Answered } from './answered.ts'
import { AHEAD_MS_MAX, idsOf, isUnnamed, type LogRow, parts, runs, timesAt } from './change-log.ts'
import { addLogged, type LoggedSources, quotesOf, type ReadRows, ROWS_MAX } from './logged-rows.ts'
import type { Refresher } from './refresh.ts'
import { isServed, serve } from './served.ts'

type FollowerDeps = LoggedSources & {
  /** Served memory, and what keeps it in step with the database. */
  readonly memory: Memory
  readonly refresher: Pick<Refresher, 'reload'>
  readonly live: LiveMemory
  readonly log: Log
}

/** The time that changes may wait while nothing is watched. */
const UNWATCHED_WAIT_MS = 250
/** The time for which there is no tick while nothing is watched; else there is one each minute. */
const UNWATCHED_MS = 3 * MINUTE_MS
/** Number of times that a beginning is retried, because of rows that the log does not name. */
const BEGINNINGS_MAX = 5

/** Copies the served memory without keys, which are not logged. */
const copied = ({ current }: Memory): Memory =>
  new Memory(undefined, { ...current, keys: KeyIndex.empty })

/** Signals that the order is broken: the next row has no step. */
class Broken extends Error {}

/**
 * Applies the log of changes to a memory of its own, row by row, in the same way in every process.
 *
 * News only wake it: what it missed while its connection was lost stands in the log. Where the log
 * does not tell what changed (its rows are gone, an import names none, a version that does not
 * know the log recorded something, a clock was set back) it begins again from all that is served.
 */
export class Follower {
  #isBegun = false
  #isLost = false
  #gaps = 0
  #tickMs = Number.NEGATIVE_INFINITY
  #isStopped = false
  #isFailing = false
  #isWanted = false
  #run: Promise<void> | null = null
  #timer: ReturnType<typeof setTimeout> | null = null
  /** The time when the oldest change arrived that is not applied; null if everything is. */
  #waitingSinceMs: number | null = null
  readonly answered = new Answered()

  constructor(private readonly deps: FollowerDeps) {}

  /** The time of the oldest news that is not applied yet; null for none. */
  get waitingSinceMs(): number | null {
    return this.#waitingSinceMs
  }

  /** The time when the last tick was logged; -Infinity before the first. */
  get tickMs(): number {
    return this.#tickMs
  }

  /** Number of times that it began again. */
  get gaps(): number {
    return this.#gaps
  }

  /** Reports whether the last attempt failed, or what comes next has no step. */
  get isBehind(): boolean {
    return this.#isFailing || this.#isLost
  }

  /** End of the log: to be read before memory is loaded, for `begin` after it. */
  async mark(): Promise<number> {
    return (await this.deps.changes.end()).position
  }

  /** Begins with what is served, in which everything up to the mark is loaded. */
  async begin(mark: number): Promise<void> {
    for (let fromPosition = mark, tries = 1; ; tries++) {
      const end = await this.#beginAfter(fromPosition)
      if (end === null) break
      if (tries === BEGINNINGS_MAX) throw new Error('the log of changes does not come to rest')
      fromPosition = end
      await this.deps.refresher.reload()
    }
    this.#isBegun = true
    if (this.#isWanted) this.wake()
  }

  /** Begins at the end of the log; answers the end where the log does not name all up to it. */
  async #beginAfter(mark: number): Promise<number | null> {
    const { live, memory, clock, changes } = this.deps
    const end = await changes.end()
    if (!(await addLogged(this.deps, { memory, mark, end }))) return end.position
    live.begin({ memory: copied(memory), position: end.position, ...timesAt(end, clock.now()) })
    memory.positions.reach(end.position)
    this.#tickMs = end.tickMs ?? Number.NEGATIVE_INFINITY
    return null
  }

  /** Hears of news; those without a position come from a version that does not log. */
  hear({ position }: { readonly position?: number | null }): void {
    if (position === null) return
    if (position === undefined) this.#isLost = true
    else if (position <= this.deps.live.position) return
    this.wake()
  }

  /** Has the log read soon: at once while something is watched. */
  wake(): void {
    this.#waitingSinceMs ??= this.deps.clock.now()
    this.#isWanted = true
    if (this.#isStopped || !this.#isBegun || this.#run || this.#timer) return
    const waitMs = this.deps.live.watched.size > 0 ? 0 : UNWATCHED_WAIT_MS
    if (waitMs === 0) this.#start()
    else this.#timer = setTimeout(() => this.#start(), waitMs).unref()
  }

  /** Reads the log now; resolves when everything that was logged before is applied, or failed. */
  async caughtUp(): Promise<void> {
    this.wake()
    while (this.#isWanted && this.#isBegun && !this.#isStopped) {
      if (this.#timer) this.#start()
      await this.#run
    }
    await this.#run
  }

  /** Resolves when everything answered so far is applied, or after some seconds at the latest. */
  async answersApplied(): Promise<void> {
    if (this.answered.isApplied || !this.#isBegun || this.#isStopped) return
    const applied = this.answered.applied()
    this.#isWanted = true
    this.#start()
    await applied
  }

  /** Begins again if something was served that the log did not report. */
  async check(): Promise<void> {
    const { memory, live } = this.deps
    const { current } = memory
    await this.caughtUp()
    if (!this.#isFailing && live.lacks(current)) await this.lose()
  }

  stop(): void {
    this.#isStopped = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  /** Begins again, now. */
  async lose(): Promise<void> {
    this.#isLost = true
    await this.caughtUp()
  }

  #start(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#run ??= this.#follow().finally(() => {
      this.#run = null
      if (this.#isWanted) this.wake()
    })
  }

  async #follow(): Promise<void> {
    while (this.#isWanted && !this.#isStopped) {
      this.#isWanted = false
      const { noted } = this.answered
      try {
        await this.#turn()
        this.#isFailing = false
        this.answered.reached(noted)
        if (!this.#isWanted) this.#waitingSinceMs = null
      } catch (error) {
        if (!this.#isFailing) this.deps.log.warn({ err: error }, 'changes could not be followed')
        this.#isFailing = true
        this.answered.reached(Number.POSITIVE_INFINITY)
      }
    }
  }

  async #turn(): Promise<void> {
    try {
      if (!this.#isLost) while (await this.#takeSome());
    } catch (error) {
      if (!(error instanceof Broken)) throw error
      this.deps.log.info({ why: error.message }, 'changes are followed again')
      this.#isLost = true
    }
    if (!this.#isLost || this.#isStopped) return
    const mark = await this.mark()
    await this.deps.refresher.reload()
    this.#isLost = false
    try {
      await this.begin(mark)
    } catch (error) {
      this.#isLost = true
      throw error
    }
    this.#gaps++
    this.#isWanted = true
  }

  /** Applies the next rows; answers whether there were any. */
  async #takeSome(): Promise<boolean> {
    const { live, memory, changes } = this.deps
    const rows = await changes.from(live.position, ROWS_MAX)
    if (live.position > 0 && rows[0]?.position !== live.position)
      throw new Broken('the log goes on elsewhere')
    const news = rows.filter(({ position }) => position > live.position)
    for (const run of this.#isUnwatched ? runs(news) : [news]) {
      for (const part of parts(run.slice(this.#adopted(run)))) {
        const read = await quotesOf(this.deps, part)
        for (const row of part) {
          if (this.#isStopped || this.#isLost) return false
          await this.#take(row, read)
          memory.positions.reach(row.position)
        }
      }
    }
    return news.length > 0
  }

  /**
   * If nothing is watched, adopts the served state for the leading rows that it holds, and returns
   * how many: as many as are served. Later ones may be in it too; whoever begins to watch after
   * this was told of none of them.
   */
  #adopted(rows: readonly LogRow[]): number {
    const { live, memory, recent } = this.deps
    if (!this.#isUnwatched) return 0
    const next = rows.findIndex((row) => !isServed(this.deps, row))
    const served = next < 0 ? rows : rows.slice(0, next)
    if (served.length === 0) return 0
    recent.take(idsOf(served, 'observations'))
    const { position } = served.at(-1)!
    live.begin({ ...live.times, memory: copied(memory), position })
    memory.positions.reach(position)
    return served.length
  }

  /** Reports whether nothing is watched, in this process or another. */
  get #isUnwatched(): boolean {
    const { live, clock } = this.deps
    return live.watched.size === 0 && clock.now() - this.#tickMs > UNWATCHED_MS
  }

  async #take(row: LogRow, { quotes, aside }: ReadRows): Promise<void> {
    const { live, references, clock } = this.deps
    const nowMs = clock.now()
    const { position, kind, ids } = row
    if (aside.has(position)) return live.pass(position)
    if (isUnnamed(row)) throw new Broken('a change does not say what it changed')
    const atMs = row.atMs > nowMs + AHEAD_MS_MAX ? nowMs : row.atMs
    const apply = async (more: Partial<LoggedChange>) => {
      await serve(this.deps, more)
      return live.apply({ position, kind, atMs, ...more }, references)
    }
    switch (kind) {
      case 'tick':
        this.#tickMs = atMs
        return apply({})
      case 'hour': {
        const isOwnTime = atMs === row.atMs && row.atMs > (live.hourMs ?? 0)
        if (!isOwnTime) return live.pass(position)
        if (live.hourMs !== null && atMs > live.hourMs + HOUR_MS)
          throw new Broken('hours are missing')
        return apply({})
      }
      case 'catalogue':
        return apply({ catalogue: row.catalogue! })
      case 'observations': {
        const read = (ids: readonly number[] = []) => ids.flatMap((id) => quotes.get(id) ?? [])
        if (row.spread?.state === 'again') return this.#takeLate(row, read(ids!))
        return apply({ quotes: read(ids!), withdrawn: read(row.withdrawn) })
      }
      case 'references':
        return apply({ references: await references.byIds(ids!) })
    }
  }

  /** Takes what some processes went on without, as a gap for the readers of all of them. */
  async #takeLate({ position }: LogRow, quotes: readonly Quote[]): Promise<void> {
    const { live, references, clock } = this.deps
    await serve(this.deps, { quotes })
    const memory = new Memory(undefined, live.current)
    await publishWithDays({ memory, days: references, clock }, { quotes })
    live.begin({ ...live.times, memory, position })
  }
}
