import type { StoredCorridor } from '~/domain/corridor.ts'
import { HOUR_MS } from '~/domain/duration.ts'
import type { Quote } from '~/domain/quote.ts'
import type { ChangeStore, LogRow } from './change-log.ts'

/** The log of changes of a database on several servers, which may show a commit in parts. */
type SpreadChanges = Pick<ChangeStore, 'end' | 'from'> & {
  /** The oldest changes of observations that were not seen whole yet; at most `rowsMax`. */
  unseen(rowsMax: number): Promise<readonly LogRow[]>
  /** Notes that open changes were seen whole. */
  settle(positions: readonly number[]): Promise<void>
  /** Marks a change to be reported again once it can be seen. */
  setAside(position: number): Promise<void>
  /** Logs again, once, the rows of a change that was set aside. */
  tellAgain(position: number): Promise<void>
}

/** Rows that are not to be seen, by their ids and by ranges of ids. */
export type Hidden = {
  readonly ids: readonly number[]
  readonly ranges: readonly { readonly firstId: number; readonly lastId: number }[]
}

type SpreadQuotes = {
  /** Live quotes, of some corridors or of all, as if hidden rows had not been recorded. */
  live(
    nowMs: number,
    hidden: Hidden | null,
    corridors: readonly StoredCorridor[] | null,
  ): Promise<readonly Quote[]>
  /** The rows of changes that name them, withdrawn ones too, as far as they can be seen. */
  ofChanges(rows: readonly LogRow[]): Promise<readonly Quote[]>
  withdrawnAmong(ids: readonly number[]): Promise<readonly Quote[]>
  /** Reports whether all witnesses of a change that names no rows can be seen. */
  hasWitnesses(row: LogRow): Promise<boolean>
}

type WholeDeps = {
  readonly changes: SpreadChanges
  readonly quotes: SpreadQuotes
  readonly clock: { now(): number }
  readonly pause: (ms: number) => Promise<unknown>
}

/** The time for which a change is waited for, whose parts appear one after the other. */
const POLL_MS = 25
const POLLS_MAX = 20
/** The longest time that a server may take to respond; then it counts as unreachable. */
const ANSWER_MS_MAX = 2000
/** Rows that their servers have lacked for this long, while responding, were deleted. */
const MISSING_MS_MAX = HOUR_MS
/** The maximum number of incomplete changes that are looked at in one turn. */
const UNSEEN_MAX = 500
const ROWS_MAX = 500
/** Number of times that everything is loaded because of commits meanwhile, at most. */
const LOADS_MAX = 5

/** The quotes of changes by position; null for one that is set aside. */
type SeenQuotes = ReadonlyMap<number, readonly Quote[] | null>

/**
 * Reads the observations of a database on several servers a whole commit at a time.
 *
 * The servers show their parts of a commit one after the other, and one that went away in between
 * shows its part when it is back. So a change counts once every row that it names can be seen. A
 * change that stays incomplete for a short time is set aside: no process waits for it, and it is
 * logged again, for all processes, when it can be seen whole.
 */
export class Whole {
  /** The time since which servers that respond have lacked rows of a change, by its position. */
  readonly #lackedSinceMs = new Map<number, number>()

  constructor(private readonly deps: WholeDeps) {}

  /** The quotes of changes of observations, each as soon as all of it can be seen. */
  async quotesOf(rows: readonly LogRow[]): Promise<SeenQuotes> {
    const { changes, pause } = this.deps
    const found = new Map<number, readonly Quote[] | null>()
    const isLeft = ({ position, kind }: LogRow) => kind === 'observations' && !found.has(position)
    for (const { position, spread } of rows)
      if (spread?.state === 'aside') found.set(position, null)
    const lost: number[] = []
    let left = rows.filter(isLeft)
    for (let polls = 0; left.length > 0; polls++) {
      const { seen, away } = await this.#seen(left)
      for (const [position, quotes] of seen) found.set(position, quotes)
      const isLost = ({ position }: LogRow) => away.has(position) || polls === POLLS_MAX
      left = left.filter(isLeft)
      lost.push(...left.filter(isLost).map(({ position }) => position))
      left = left.filter((row) => !isLost(row))
      if (left.length > 0) await pause(POLL_MS)
    }
    const open = rows.filter(({ position, spread }) => isOpen(spread) && found.get(position))
    if (open.length > 0) await changes.settle(open.map(({ position }) => position))
    for (const position of lost) {
      await changes.setAside(position)
      found.set(position, null)
    }
    return found
  }

  /**
   * Live quotes as if incomplete commits had not been made: a commit made meanwhile is in it whole,
   * or not at all. If corridors are named, others may be there in part.
   */
  async live(
    nowMs: number,
    corridors: readonly StoredCorridor[] | null = null,
  ): Promise<readonly Quote[]> {
    const { changes, quotes } = this.deps
    let hidden: Hidden | null = null
    for (let loads = 0; loads < LOADS_MAX; loads++) {
      // In this order: what is logged in between is found by one of the two at least.
      const { position: mark } = await changes.end()
      const earlier = await changes.unseen(UNSEEN_MAX)
      const loaded = await quotes.live(nowMs, hidden, corridors)
      const rows = [...earlier, ...(await this.#since(mark))]
      const seen = await this.quotesOf(rows)
      const isImported = ({ position, ids }: LogRow) => ids === null && seen.get(position) !== null
      hidden = hiddenOf(rows.filter(({ position }) => seen.get(position) === null))
      if (rows.some(isImported) || isAnyOf(hidden, loaded)) continue
      const whole = [...seen.values()].flatMap((some) => some ?? [])
      const found = new Map([...loaded, ...whole].map((quote) => [quote.id, quote]))
      if (whole.length > 0)
        for (const { id } of await quotes.withdrawnAmong(whole.map((quote) => quote.id)))
          found.delete(id)
      return [...found.values()]
    }
    throw new Error('the servers do not agree on what was committed for long enough to load it')
  }

  /** Checks whether incomplete changes are whole by now, and returns the number that are not. */
  async look(): Promise<number> {
    const { changes } = this.deps
    const rows = await changes.unseen(UNSEEN_MAX)
    this.#forgetLacking(rows)
    if (rows.length === 0) return 0
    const { seen } = await this.#seen(rows)
    const whole = rows.filter(({ position }) => seen.has(position))
    const open = whole.filter(({ spread }) => isOpen(spread))
    if (open.length > 0) await changes.settle(open.map(({ position }) => position))
    for (const { position, spread } of whole) if (!isOpen(spread)) await changes.tellAgain(position)
    return rows.length - whole.length
  }

  /** The changes of observations after a position. */
  async #since(mark: number): Promise<LogRow[]> {
    const found: LogRow[] = []
    for (let position = mark; ; ) {
      const rows = await this.deps.changes.from(position, ROWS_MAX)
      const newer = rows.filter((row) => row.position > position)
      if (newer.length === 0) return found
      found.push(...newer.filter(({ kind }) => kind === 'observations'))
      position = newer.at(-1)!.position
    }
  }

  /** The quotes of changes that can be seen whole, and the changes that cannot be queried. */
  async #seen(rows: readonly LogRow[]) {
    const all = await this.#read(rows)
    if (all) return { seen: all, away: new Set<number>() }
    const seen = new Map<number, readonly Quote[]>()
    const away = new Set<number>()
    for (const row of rows) {
      const one = await this.#read([row])
      if (!one) {
        away.add(row.position)
        this.#lackedSinceMs.delete(row.position)
      } else for (const [position, quotes] of one) seen.set(position, quotes)
    }
    return { seen, away }
  }

  /** The quotes of changes seen whole; null if a server with some of them is unreachable. */
  async #read(rows: readonly LogRow[]): Promise<Map<number, readonly Quote[]> | null> {
    const { quotes } = this.deps
    const read = async () => {
      const named = rows.filter(({ ids }) => ids !== null)
      const byId = new Map<number, Quote>()
      if (named.length > 0)
        for (const quote of await quotes.ofChanges(named)) byId.set(quote.id, quote)
      const seen = new Map<number, readonly Quote[]>()
      for (const row of rows) {
        const isAll = row.ids ? row.ids.every((id) => byId.has(id)) : await quotes.hasWitnesses(row)
        const isSettled = row.spread?.state === null || row.spread?.state === 'again'
        if (isAll || isSettled || this.#isDeleted(row))
          seen.set(
            row.position,
            (row.ids ?? []).flatMap((id) => byId.get(id) ?? []),
          )
      }
      return seen
    }
    const { promise: late, resolve } = Promise.withResolvers<null>()
    const timer = setTimeout(() => resolve(null), ANSWER_MS_MAX)
    return Promise.race([read().catch(() => null), late]).finally(() => clearTimeout(timer))
  }

  /**
   * Says whether rows that servers do not show are gone. The age of their change does not show
   * that: a server that was unreachable for long shows its part only some time after it responds
   * again.
   */
  #isDeleted({ position }: LogRow): boolean {
    const nowMs = this.deps.clock.now()
    return this.#lackedSinceMs.getOrInsert(position, nowMs) < nowMs - MISSING_MS_MAX
  }

  /** Forgets since when rows were lacking of all but these changes. */
  #forgetLacking(rows: readonly LogRow[]): void {
    const positions = new Set(rows.map(({ position }) => position))
    for (const position of this.#lackedSinceMs.keys())
      if (!positions.has(position)) this.#lackedSinceMs.delete(position)
  }
}

const isOpen = (spread: LogRow['spread']): boolean => spread?.state === 'open'

/** The rows of changes: one that names none may hold any row between its witnesses. */
function hiddenOf(rows: readonly LogRow[]): Hidden {
  const ranges = rows.flatMap(({ ids, spread }) => {
    const witnesses = spread?.witnesses ?? []
    return ids ? [] : [{ firstId: Math.min(...witnesses), lastId: Math.max(...witnesses) }]
  })
  return { ids: rows.flatMap(({ ids }) => ids ?? []), ranges }
}

function isAnyOf({ ids, ranges }: Hidden, quotes: readonly Quote[]): boolean {
  const named = new Set(ids)
  const isHidden = ({ id }: Quote) =>
    named.has(id) || ranges.some(({ firstId, lastId }) => id >= firstId && id <= lastId)
  return (named.size > 0 || ranges.length > 0) && quotes.some(isHidden)
}
