import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { invalidParameter } from '~/domain/errors.ts'
import { type Freshness, freshnessAt } from '~/domain/freshness.ts'
import type { Reference } from '~/domain/mid.ts'
import type { Catalogue } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { type DaySource, learnDays } from '~/memory/day-publication.ts'
import { Memory } from '~/memory/memory.ts'
import { type AgeLimits, View } from '~/memory/view.ts'
import { WindowCache } from '~/memory/window-cache.ts'

/** The database as it was known at a time; `P` is the store of the past. */
type KnownTables<P> = DaySource & {
  readonly past: P
  /** Says whether nothing at all had been recorded by then. */
  readonly isBeforeAll: boolean
  catalogue(): Promise<Catalogue>
  /** Returns the references in force of every currency. */
  references(): Promise<readonly Reference[]>
  quotes(corridors: readonly Corridor[]): Promise<readonly Quote[]>
  /** Reports whether the sample had been loaded. */
  holdsSample(): Promise<boolean>
}

export type KnownStore<P> = {
  /** Runs work on what was known. Throws `not_kept` if some of that was deleted since. */
  at<T>(knownMs: number, work: (tables: KnownTables<P>) => Promise<T>): Promise<T>
}

/** State of knowledge at a time, for one request. */
export type KnownPast<P> = {
  readonly store: P
  readonly windows: WindowCache
  readonly isOfOneTime?: boolean
}

type Asked = {
  readonly knownMs: number
  /** Freshness that the caller may see now. */
  readonly freshness: Freshness
  readonly limits: AgeLimits
  /** Says whether the response is about the present of that time, and not about its past alone. */
  readonly isLive: boolean
  /** Says whether the caller's own tier is to see it as it did then, and not as a realtime key. */
  readonly isOfTier?: boolean
}

type Known<T> = {
  readonly answer: T
  /** Requested time, or the cutoff of the caller's tier if that is earlier. */
  readonly knownMs: number
  readonly isBeforeAll: boolean
}

/** The maximum number of times that a response is computed, each with the corridors it needed. */
const ROUNDS_MAX = 6

/**
 * The result that `find` would have had at an earlier time: from a view of memory that is loaded
 * from the database as it was known then, and from the stores of the past.
 *
 * Only the corridors that `find` looks at are loaded, so it is called until it looks at no other;
 * those that it looks at first, and references, are loaded while it queries the past. Throws
 * `invalid_parameter` for a time in the future, and `not_kept`.
 */
export function knownAnswer<P, T>(
  store: KnownStore<P>,
  { knownMs: askedMs, freshness: asker, limits, isLive, isOfTier = false }: Asked,
  find: (view: View, past: KnownPast<P>) => T | Promise<T>,
): Promise<Known<T>> {
  const { nowMs, cutoffMs, isSample = false } = asker
  if (askedMs > nowMs)
    throw invalidParameter({
      name: 'known_at',
      fault: 'it is in the future; leave it out for the present',
    })
  const knownMs = isOfTier ? askedMs : Math.min(askedMs, cutoffMs)
  return store.at(knownMs, async (tables) => {
    const wasSample = isSample && (await tables.holdsSample())
    const freshness = freshnessAt(isOfTier ? asker.tier : 'realtime', knownMs, wasSample)
    const memory = new Memory()
    memory.publish({ catalogue: await tables.catalogue() }, knownMs)
    const past = { store: tables.past, windows: new WindowCache(), isOfOneTime: true }
    const answer = await settled(tables, memory, {
      knownMs,
      isLive,
      viewOf: () => new View(memory.current, freshness, limits),
      find: (view) => find(view, past),
    })
    return { answer, knownMs, isBeforeAll: tables.isBeforeAll }
  })
}

type Question<T> = Pick<Asked, 'knownMs' | 'isLive'> & {
  viewOf(): View
  find(view: View): T | Promise<T>
}

async function settled<P, T>(
  tables: KnownTables<P>,
  memory: Memory,
  { knownMs, isLive, viewOf, find }: Question<T>,
): Promise<T> {
  const known = new Set<string>()
  const load = async (view: View, isFirst = false): Promise<boolean> => {
    const added = corridorsIn(view, known)
    if (!isLive || (added.length === 0 && !isFirst)) return false
    for (const corridor of added) known.add(corridorKey(corridor))
    const references = isFirst ? tables.references() : []
    const [quotes] = await Promise.all([tables.quotes(added), references])
    memory.publish({ references: await references }, knownMs)
    await learnDays({ memory, days: tables }, { quotes })
    memory.publish({ quotes }, knownMs)
    return true
  }
  for (let round = 1; ; round++) {
    const view = viewOf()
    const found = outcomeOf(() => find(view))
    const [answer, isSoon] = await Promise.all([found, load(view, round === 1)])
    if (!(await load(view)) && !isSoon) return answer()
    if (round === ROUNDS_MAX) throw new Error('a response depended on other corridors every time')
  }
}

/** The corridors that a result used, except for known ones. */
const corridorsIn = ({ basis }: View, known: ReadonlySet<string>): Corridor[] => [
  ...new Map(basis.corridors.map((corridor) => [corridorKey(corridor), corridor] as const))
    .entries()
    .flatMap(([key, corridor]) => (known.has(key) ? [] : [corridor])),
]

/** A result, or the error thrown, which a result without all of its corridors may cause. */
async function outcomeOf<T>(find: () => T | Promise<T>): Promise<() => T> {
  try {
    const answer = await find()
    return () => answer
  } catch (error) {
    return () => {
      throw error
    }
  }
}
