import type { Access } from '~/domain/account.ts'
import { corridorKey } from '~/domain/corridor.ts'
import { ranBefore } from '~/domain/feed/attempts.ts'
import type { ConnectorRecord } from '~/domain/feed/connector.ts'
import { type FeedState, noState } from '~/domain/feed/state.ts'
import type { Reference } from '~/domain/mid.ts'
import { Anchors } from '~/domain/price/anchors.ts'
import { momentsOf, type Probe, type ProbeAnswer } from '~/domain/price/day-mids.ts'
import type { Catalogue } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { compareText } from '~/domain/rank.ts'
import type { SourceRecord } from '~/domain/source/state.ts'
import { CatalogueIndex } from './catalogue-index.ts'
import { DayReferences } from './day-references.ts'
import { KeyIndex } from './key-index.ts'
import { Positions } from './positions.ts'
import { QuoteIndex } from './quote-index.ts'
import { ReferenceIndex } from './reference-index.ts'

/** Everything that is served at one time. Never changed, so a reader may hold on to it. */
export type Generation = {
  readonly catalogue: CatalogueIndex
  readonly quotes: QuoteIndex
  /** The corridors that could not be loaded yet, by name; null before anything was loaded. */
  readonly unloaded: ReadonlySet<string> | null
  readonly references: ReferenceIndex
  /** The references of the times at which the quotes took effect. */
  readonly days: DayReferences
  readonly feeds: FeedState
  /** State of the banks whose official rates are fetched, by name. */
  readonly sources: readonly SourceRecord[]
  /** State of the connectors, by name. */
  readonly connectors: readonly ConnectorRecord[]
  readonly keys: KeyIndex
}

/**
 * Changes of a publication; parts that it leaves out stay. A catalogue replaces the one before, and
 * so do a feed state and the record of a source unless their run is older; one in the future, from
 * a replica whose clock was ahead, is older than any.
 */
export type Publication = {
  readonly catalogue?: Catalogue
  readonly quotes?: readonly Quote[]
  /** Quotes that were withdrawn: they go, and none of them comes back. */
  readonly withdrawn?: readonly Quote[]
  /** The corridors that a load of all quotes could not have; absent if `quotes` are no load. */
  readonly missing?: ReadonlySet<string>
  readonly references?: readonly Reference[]
  readonly feeds?: FeedState
  readonly sources?: readonly SourceRecord[]
  /** The current state of all connectors, which replaces the previous one. */
  readonly connectors?: readonly ConnectorRecord[]
  /** Says whether more changed than is listed here, at any time: all of history may be new. */
  readonly isPastChanged?: boolean
  readonly access?: Access
}

const NOTHING: Generation = {
  catalogue: CatalogueIndex.empty,
  quotes: QuoteIndex.empty,
  unloaded: null,
  references: ReferenceIndex.empty,
  days: DayReferences.empty,
  feeds: noState,
  sources: [],
  connectors: [],
  keys: KeyIndex.empty,
}

/**
 * The one pointer to the current generation. Readers take `current` once and see a whole
 * publication or none of it; writers publish and never wait.
 */
export class Memory {
  #current: Generation
  #daysMax = DAYS_SPARE
  /**
   * Says whether served data may hold sample prices: set at the start by the database, and from
   * then on by references of the sample. It stays set: nothing removes the sample from a database.
   */
  isSample = false
  /** Position of the served data in the log of changes. */
  readonly positions = new Positions()

  /**
   * Calls `onPublication` with each publication once it is served. A publication that changes who
   * was active when counts as a change of the whole past. Goes on from `start`, which may be
   * another memory's.
   */
  constructor(
    private readonly onPublication: (publication: Publication) => void = () => {},
    start: Generation = NOTHING,
  ) {
    this.#current = start
  }

  get current(): Generation {
    return this.#current
  }

  /**
   * Makes `added` part of what is served, all at once. Adding quotes or references twice adds
   * nothing. Of each series it retains the values that a reader can request at any of the times.
   */
  publish(added: Publication, ...timesMs: readonly [number, ...number[]]): void {
    const { current: before } = this
    const { feeds, keys } = before
    const nowMs = Math.max(...timesMs)
    const { references: newReferences = [] } = added
    const unloaded = unloadedAfter(before, added)
    const newQuotes = loadedAmong(added.quotes ?? [], unloaded)
    const catalogue = added.catalogue ? new CatalogueIndex(added.catalogue) : before.catalogue
    const { anchors } = catalogue
    const quotes = before.quotes.without(added.withdrawn ?? []).with(newQuotes, ...timesMs)
    const references = before.references.with(newReferences, ...timesMs).anchored(anchors)
    const served = anchors.isSame(before.catalogue.anchors) ? newQuotes : quotes.allQuotes()
    const moments = momentsOf(served, anchors)
    this.#current = {
      catalogue,
      quotes,
      unloaded,
      references,
      days: before.days.with(newReferences).serving(moments, references),
      feeds: feedsWith(feeds, added.feeds, nowMs),
      sources: sourcesWith(before.sources, added.sources, nowMs),
      connectors: added.connectors ?? before.connectors,
      keys: added.access ? keys.with(added.access) : keys,
    }
    if (this.#current.days.size > this.#daysMax) this.#pruneDays()
    const isActivityNew = catalogue.changes !== before.catalogue.changes
    this.onPublication(isActivityNew ? { ...added, isPastChanged: true } : added)
  }

  /**
   * Notes the references of days that the quotes of a coming publication need. Returns those that
   * the caller has to look up and `learn` before they are known. A publication that does not wait
   * for them serves its quotes without their mids.
   */
  expect({ catalogue, quotes: added = [] }: Publication): Probe[] {
    const { days, references, quotes, catalogue: known } = this.#current
    const anchors = catalogue ? new Anchors(catalogue.currencies) : known.anchors
    const isRepriced = !anchors.isSame(known.anchors)
    const newest = references.newest(Number.POSITIVE_INFINITY)
    if (!isRepriced && added.every(({ atMs }) => !newest || atMs >= newest.atMs)) return []
    const all = isRepriced ? [...quotes.allQuotes(), ...added] : added
    const missing = days.missing(momentsOf(all, anchors), references)
    const expecting = days.expecting(missing)
    if (expecting !== days) this.#current = { ...this.#current, days: expecting }
    return missing
  }

  /** Takes in the results of probes; results of forgotten probes are dropped. */
  learn(answers: readonly ProbeAnswer[]): void {
    const days = this.#current.days.answered(answers)
    if (days !== this.#current.days) this.#current = { ...this.#current, days }
  }

  /** Forgets values that no reader can ask for any more. */
  prune(nowMs: number): void {
    const { quotes, references } = this.#current
    this.#current = {
      ...this.#current,
      quotes: quotes.pruned(nowMs),
      references: references.pruned(nowMs),
    }
    this.#pruneDays()
  }

  /** Forgets the days that no quote needs any more. */
  #pruneDays(): void {
    const { days, quotes, catalogue } = this.#current
    const pruned = days.pruned(momentsOf(quotes.allQuotes(), catalogue.anchors))
    this.#current = { ...this.#current, days: pruned }
    this.#daysMax = 2 * pruned.size + DAYS_SPARE
  }
}

/**
 * The number of days that may be held before unused ones are forgotten, apart from twice as many as
 * the last time: quotes that come one by one leave theirs behind.
 */
const DAYS_SPARE = 1000

/** Corridors that are still not loaded: a loaded corridor stays up to date from then on. */
const unloadedAfter = ({ unloaded }: Generation, { missing }: Publication) =>
  missing && unloaded ? missing.intersection(unloaded) : (missing ?? unloaded)

/** The quotes without those of corridors that are not loaded, whose others are unknown. */
const loadedAmong = (quotes: readonly Quote[], unloaded: Generation['unloaded']) =>
  unloaded && unloaded.size > 0
    ? quotes.filter((quote) => !unloaded.has(corridorKey(quote)))
    : quotes

/** The records merged with those that are at least as new; the same array if there are none. */
function sourcesWith(
  before: readonly SourceRecord[],
  added: readonly SourceRecord[] | undefined,
  nowMs: number,
) {
  if (!added?.length) return before
  const records = new Map(before.map((record) => [record.id, record]))
  for (const record of added)
    if ((record.triedMs ?? 0) >= (ranBefore(records.get(record.id)?.triedMs ?? null, nowMs) ?? 0))
      records.set(record.id, record)
  return [...records.values()].sort((a, b) => compareText(a.id, b.id))
}

/** The feed state added, unless its run is older. */
const feedsWith = (before: FeedState, added: FeedState | undefined, nowMs: number): FeedState =>
  added && (added.ranMs ?? 0) >= (ranBefore(before.ranMs, nowMs) ?? 0) ? added : before
