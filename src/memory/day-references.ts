import { USD } from '~/domain/currency.ts'
import type { Reference } from '~/domain/mid.ts'
import type { Moments, Probe, ProbeAnswer } from '~/domain/price/day-mids.ts'
import { newestFirst } from '~/domain/quote.ts'

/**
 * State of a probe.
 *
 * - `expected`: it was noted for quotes that are not served yet, and has no result - `unanswered`:
 * quotes are served without its result - `known`: its reference is the newest there is, or there is
 * none
 */
type State = 'expected' | 'unanswered' | 'known'

/** A probe, and the newest reference that was received for it, whatever its state. */
type Day = {
  readonly atMs: number
  readonly reference: Reference | null
  readonly state: State
}

/** The days of each currency, the oldest first. */
type Days = ReadonlyMap<string, readonly Day[]>

/** Present references in memory, which may resolve a probe without a query. */
type Present = {
  /** The newest reference of a currency at a cutoff; that of any currency for `USD`. */
  said(currency: string, cutoffMs: number): Reference | undefined
}

/** The serials given so far, to the indexes of every memory: their books share views. */
let serials = 0

/**
 * The references in force at the times at which quotes took effect. Immutable like the quotes.
 *
 * A probe is noted before it is queried, and from then on takes the newest of the references that
 * it receives, whether a result or a reference published meanwhile: in whatever order, and however
 * often, these arrive, the same reference results.
 */
export class DayReferences {
  private constructor(
    private readonly days: Days,
    readonly size: number,
    /**
     * Changes whenever a value that may have been read becomes another; two indexes with one
     * serial give every reader the same.
     */
    readonly serial: number,
  ) {}

  static readonly empty = new DayReferences(new Map(), 0, 0)

  /** Result of a probe; undefined if it found nothing, or is pending. */
  reference = ({ currency, atMs }: Probe): Reference | undefined => {
    const day = this.#day(currency, atMs)
    return day?.state === 'known' ? (day.reference ?? undefined) : undefined
  }

  /** The probes without a result that `present` does not resolve either. */
  missing(moments: Moments, present: Present): Probe[] {
    const missing: Probe[] = []
    for (const [currency, all] of moments) {
      const newest = present.said(currency, Number.POSITIVE_INFINITY)
      for (const atMs of all) {
        const state = this.#day(currency, atMs)?.state ?? newDay(atMs, newest).state
        if (state !== 'known') missing.push({ currency, atMs })
      }
    }
    return missing
  }

  get probes(): Probe[] {
    return [...this.days].flatMap(([currency, days]) =>
      days.map(({ atMs }) => ({ currency, atMs })),
    )
  }

  /** Returns an index that notes probes to be resolved, for quotes to be served later. */
  expecting(probes: readonly Probe[]): DayReferences {
    const expected = (atMs: number, day?: Day): Day =>
      day ?? { atMs, reference: null, state: 'expected' }
    return this.#noting(
      Map.groupBy(probes, ({ currency }) => currency),
      (_, group) => [group.map(({ atMs }) => atMs), expected],
    )
  }

  /** An index that notes the probes of quotes that are served from now on. */
  serving(moments: Moments, present: Present): DayReferences {
    return this.#noting(moments, (currency, all) => {
      const newest = present.said(currency, Number.POSITIVE_INFINITY)
      const served = (atMs: number, day = newDay(atMs, newest)): Day =>
        day.state === 'expected' ? { ...day, state: 'unanswered' } : day
      return [all, served]
    })
  }

  /** An index in which each reference holds on every day from its time on, unless a newer does. */
  with(references: readonly Reference[]): DayReferences {
    const byCurrency = Map.groupBy(references, ({ currency }) => currency)
    byCurrency.delete(USD)
    if (this.days.has(USD) && references.length > 0) byCurrency.set(USD, references.map(asDollar))
    return this.#changed(byCurrency, joined)
  }

  /** Returns an index with these results; those of probes that are not noted are left out. */
  answered(answers: readonly ProbeAnswer[]): DayReferences {
    return this.#changed(
      Map.groupBy(answers, ({ currency }) => currency),
      answeredDays,
    )
  }

  /** An index of `needed` and of expected days alone. */
  pruned(needed: Moments): DayReferences {
    const days = new Map<string, readonly Day[]>()
    let size = 0
    for (const [currency, all] of this.days) {
      const moments = needed.get(currency)
      const left = all.filter(({ atMs, state }) => state === 'expected' || moments?.has(atMs))
      if (left.length > 0) days.set(currency, left)
      size += left.length
    }
    return size === this.size ? this : new DayReferences(days, size, this.serial)
  }

  #day(currency: string, atMs: number): Day | undefined {
    const days = this.days.get(currency)
    const day = days?.[placeOf(days, atMs)]
    return day?.atMs === atMs ? day : undefined
  }

  /** Returns an index with the days that `noted` creates from times and from existing days. */
  #noting<T>(
    added: ReadonlyMap<string, T>,
    noted: (currency: string, added: T) => [Iterable<number>, (atMs: number, day?: Day) => Day],
  ): DayReferences {
    const changed: [string, readonly Day[]][] = []
    let size = this.size
    for (const [currency, group] of added) {
      const before = this.days.get(currency) ?? NO_DAYS
      const after = withMoments(before, ...noted(currency, group))
      if (after === before) continue
      changed.push([currency, after])
      size += after.length - before.length
    }
    if (changed.length === 0) return this
    return new DayReferences(new Map([...this.days, ...changed]), size, this.serial)
  }

  #changed<T>(
    added: ReadonlyMap<string, readonly T[]>,
    changedBy: (days: readonly Day[], added: readonly T[]) => readonly Day[],
  ): DayReferences {
    const changed: [string, readonly Day[]][] = []
    let isRead = false
    for (const [currency, group] of added) {
      const before = this.days.get(currency)
      const after = before && changedBy(before, group)
      if (!after || after === before) continue
      changed.push([currency, after])
      isRead ||= after.some((day, i) => isOtherValue(before[i]!, day))
    }
    if (changed.length === 0) return this
    const days = new Map([...this.days, ...changed])
    return new DayReferences(days, this.size, isRead ? ++serials : this.serial)
  }
}

const NO_DAYS: readonly Day[] = []

/**
 * A day that is served. A probe from the time of the newest reference on needs no result: a later
 * reference is published, and joins.
 */
function newDay(atMs: number, newest: Reference | undefined): Day {
  if (!newest) return { atMs, reference: null, state: 'known' }
  if (newest.atMs > atMs) return { atMs, reference: null, state: 'unanswered' }
  return { atMs, reference: newest, state: 'known' }
}

/** Reports whether a reader of the day `before` has to read it again. */
function isOtherValue(before: Day, after: Day): boolean {
  if (before === after || before.state === 'expected') return false
  const seen = before.state === 'known' ? before.reference : null
  return after.state === 'known' && seen !== after.reference
}

/** The days after `dayAt` for `moments`; the same array if it changes nothing. */
function withMoments(
  days: readonly Day[],
  moments: Iterable<number>,
  dayAt: (atMs: number, day?: Day) => Day,
): readonly Day[] {
  const added: Day[] = []
  for (const atMs of moments) {
    const place = placeOf(days, atMs)
    const known = days[place]?.atMs === atMs ? days[place] : undefined
    const day = dayAt(atMs, known)
    if (day !== known) added.push(day)
  }
  if (added.length === 0) return days
  added.sort((a, b) => a.atMs - b.atMs)
  const last = days.at(-1)
  return !last || added[0]!.atMs > last.atMs ? days.concat(added) : merged(days, added)
}

/**
 * Merges both, the oldest first; of two at one time the second's. The days before and after the
 * second ones are copied at once.
 */
function merged(days: readonly Day[], added: readonly Day[]): readonly Day[] {
  const between: Day[] = []
  const start = placeOf(days, added[0]!.atMs)
  let place = start
  for (const day of added) {
    while (place < days.length && days[place]!.atMs < day.atMs) between.push(days[place++]!)
    if (days[place]?.atMs === day.atMs) place++
    between.push(day)
  }
  return days.slice(0, start).concat(between, days.slice(place))
}

/** The days on which each of `references` holds from its time on, unless a newer does. */
function joined(days: readonly Day[], references: readonly Reference[]): readonly Day[] {
  const oldestFirst = references.toSorted((a, b) => newestFirst(b, a))
  if (oldestFirst[0]!.atMs > days.at(-1)!.atMs) return days
  let place = 0
  let isChanged = false
  const next = days.map((day) => {
    while (place < oldestFirst.length && oldestFirst[place]!.atMs <= day.atMs) place++
    const reference = newerOf(day.reference, oldestFirst[place - 1] ?? null)
    if (reference === day.reference) return day
    isChanged = true
    return { ...day, reference }
  })
  return isChanged ? next : days
}

function answeredDays(days: readonly Day[], answers: readonly ProbeAnswer[]): readonly Day[] {
  const said = new Map(answers.map(({ atMs, reference }) => [atMs, reference]))
  let isChanged = false
  const next = days.map((day) => {
    const answer = said.get(day.atMs)
    if (answer === undefined) return day
    const reference = newerOf(day.reference, answer)
    if (day.state === 'known' && reference === day.reference) return day
    isChanged = true
    return { ...day, reference, state: 'known' as const }
  })
  return isChanged ? next : days
}

const newerOf = (held: Reference | null, received: Reference | null): Reference | null =>
  received && (!held || newestFirst(received, held) < 0) ? received : held

const asDollar = (reference: Reference): Reference => ({ ...reference, currency: USD, perUsd: 1 })

/** The place of the first day at `atMs` or later. */
function placeOf(days: readonly Day[], atMs: number): number {
  let [low, high] = [0, days.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (days[middle]!.atMs < atMs) low = middle + 1
    else high = middle
  }
  return low
}
