import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { type Freshness, freshnessAt } from '~/domain/freshness.ts'
import { bestPlace, rowPlace } from '~/domain/live/event-id.ts'
import { UNSELECTED } from '~/domain/offer/selection.ts'
import { lastMsOf } from '~/domain/offer/terms.ts'
import { legsOf, midAt } from '~/domain/price/day-mids.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import type { CorridorBook } from '~/memory/corridor-book.ts'
import { DayReferences } from '~/memory/day-references.ts'
import { KeyIndex } from '~/memory/key-index.ts'
import type { Step } from '~/memory/live/step.ts'
import type { Generation } from '~/memory/memory.ts'
import { QuoteIndex } from '~/memory/quote-index.ts'
import { type AgeLimits, View } from '~/memory/view.ts'
import { isSupported } from '~/service/supported.ts'
import {
  allChanges,
  bestChanges,
  evaluatedOf,
  midChanges,
  quoteChanges,
  type Sight,
} from './changes.ts'
import { type Entry, ListedEntry, LookedUpEntry, placedByCorridor } from './entry.ts'
import type { CorridorChange, StreamEvent } from './event.ts'

/** Approximate memory retained by a step, for references and per generation. */
const REFERENCES_BYTES = 32 * 1024
export const GENERATION_BYTES = 1024 * 1024

/** Events of a step for those who see everything at once. */
export function realtimeEntry(step: Step, limits: AgeLimits): Entry {
  switch (step.kind) {
    case 'observations':
      return observed(step, sightOf(step, limits))
    case 'references':
      return referred(step, limits)
    case 'catalogue':
      return catalogued(step, sightOf(step, limits))
    case 'tick':
      return passed(step, limits)
    case 'hour':
      return forgotten(step, limits)
  }
}

export const catalogueChange = ({ catalogue }: Generation): StreamEvent['change'] => ({
  kind: 'catalogue',
  currencies: catalogue.currencies.length,
  providers: catalogue.providers.length,
})

/**
 * Every corridor ever quoted that can be requested, or could be before, by source, then target.
 * Until the function is called it retains only the generations' names, and the catalogues.
 */
export function corridorsIn({ before, after }: Pick<Step, 'before' | 'after'>): () => Corridor[] {
  const { names } = after.quotes
  const catalogues = [...new Set([after.catalogue, before.catalogue])]
  return () =>
    names.flatMap((name) => {
      const [from, to] = name.split('/')
      const corridor = { from: from!, to: to! }
      const isKnown = catalogues.some((one) => isSupported(one, corridor, UNSELECTED.filters))
      return isKnown ? [corridor] : []
    })
}

const sightOf = ({ before, after, beforeMs, atMs }: Step, limits: AgeLimits): Sight => ({
  before: [new View(before, freshnessAt('realtime', beforeMs), limits)],
  after: new View(after, freshnessAt('realtime', atMs), limits),
})

/** The freshness of events: the view goes by ticks, the JSON by the commit time. */
const shownFreshness = ({ committedMs }: Step): Freshness => freshnessAt('realtime', committedMs)

const placeOf = (step: Step) => ({ position: step.position, freshness: shownFreshness(step) })

/**
 * The rows that are live after their commit, and each best that they changed. A row that is older
 * than what is live of its offer changes nothing that is shown.
 */
function observed(step: Step, sight: Sight): Entry {
  if (step.withdrawn.length > 0) return withdrawn(step, sight)
  const { after } = sight
  const changes: { place: number; change: CorridorChange }[] = []
  const rows = step.quotes.map((quote, row) => ({ quote, row }))
  for (const [, group] of Map.groupBy(rows, ({ quote }) => corridorKey(quote))) {
    const { from, to } = group[0]!.quote
    const corridor = { from, to }
    if (!isSupported(after.catalogue, corridor, UNSELECTED.filters)) continue
    const mid = after.mid(from, to)
    const ids = new Set(group.map(({ quote }) => quote.id))
    const live = after.offers(from, to).filter(({ quote }) => ids.has(quote.id))
    for (const { quote, row } of group) {
      const ranked = live.find(({ quote: { id } }) => id === quote.id)
      if (!ranked) continue
      const change = { corridor, kind: 'quote' as const, quote: evaluatedOf(ranked, mid) }
      changes.push({ place: rowPlace(row), change })
    }
    const place = bestPlace(group.at(-1)!.row)
    for (const change of bestChanges(sight, corridor)) changes.push({ place, change })
  }
  return new ListedEntry(
    placeOf(step),
    changes.sort((a, b) => a.place - b.place),
  )
}

/** The prices that are gone or hold again as others were withdrawn, and the bests that changed. */
function withdrawn(step: Step, sight: Sight): Entry {
  const corridors = new Map(
    step.withdrawn.map((quote) => [corridorKey(quote), { from: quote.from, to: quote.to }]),
  )
  const changes = [...corridors.values()].flatMap((corridor) =>
    placedByCorridor([...quoteChanges(sight, corridor), ...bestChanges(sight, corridor)]),
  )
  return new ListedEntry(
    placeOf(step),
    changes.sort((a, b) => a.place - b.place),
  )
}

/**
 * The mids that changed, and the prices that are held against another mid: that of their day, or
 * the current one where they have none.
 */
function referred(step: Step, limits: AgeLimits): Entry {
  const { before, after } = step
  const isMidNew = before.references !== after.references
  const isDayNew = before.days.serial !== after.days.serial
  const changes = isMidNew || isDayNew ? changesIn(step, limits, isHeld(step, limits)) : NO_CHANGES
  return entryOf(step, limits, { changes, isMidNew })
}

function isHeld({ references, after }: Step, limits: AgeLimits): (book: CorridorBook) => boolean {
  const { anchors } = after.catalogue
  const firstMs = new Map<string, number>()
  for (const { currency, atMs } of references)
    firstMs.set(currency, Math.min(atMs, firstMs.get(currency) ?? atMs))
  return (book) => {
    const legs = legsOf([book.from, book.to], anchors)
    const sinceMs = Math.min(...legs.map((leg) => firstMs.get(leg) ?? Number.POSITIVE_INFINITY))
    if (sinceMs === Number.POSITIVE_INFINITY) return false
    for (const quote of book.allQuotes())
      if (quote.atMs >= sinceMs || isByCurrent(quote, after, limits)) return true
    return false
  }
}

/** Says whether a price has no mid of its day, so that the current mid evaluates it. */
const isByCurrent = (
  { rateType, atMs, from, to }: Quote,
  { catalogue: { anchors }, days }: Generation,
  { midMaxAgeMs: maxAgeMs }: AgeLimits,
): boolean =>
  isExecutable(rateType) &&
  midAt(atMs, [from, to], { anchors, referenceAt: days.reference, maxAgeMs }) === null

type Changes = ReadonlyMap<string, readonly CorridorChange[]>

const NO_CHANGES: Changes = new Map()

/** Changes in the corridors of these books, by name, by source, then target. */
function changesIn(
  step: Step,
  limits: AgeLimits,
  isConcerned: (book: CorridorBook) => boolean,
): Changes {
  const sight = sightOf(step, limits)
  const changes = new Map<string, readonly CorridorChange[]>()
  for (const book of step.after.quotes.allBooks()) {
    if (!isConcerned(book)) continue
    const { from, to } = book
    const corridor = { from, to }
    const own = [...quoteChanges(sight, corridor), ...bestChanges(sight, corridor)]
    if (own.length > 0) changes.set(corridorKey(corridor), own)
  }
  return changes
}

/** The changes of corridors, and the new mids; retains only the inputs of mids. */
function entryOf(
  step: Step,
  limits: AgeLimits,
  { changes, isMidNew }: { readonly changes: Changes; readonly isMidNew: boolean },
): Entry {
  if (!isMidNew)
    return new ListedEntry(placeOf(step), [...changes.values()].flatMap(placedByCorridor))
  const sight = sightOf({ ...step, before: midsOf(step.before), after: midsOf(step.after) }, limits)
  return new LookedUpEntry({
    ...placeOf(step),
    general: null,
    changesOf: (one) => [...midChanges(sight, one), ...(changes.get(corridorKey(one)) ?? [])],
    corridors: corridorsIn(step),
    isWhole: true,
    heldBytes: REFERENCES_BYTES,
  })
}

/** A generation without everything that mids do not need. */
const midsOf = (generation: Generation): Generation => ({
  ...generation,
  quotes: QuoteIndex.empty,
  days: DayReferences.empty,
  keys: KeyIndex.empty,
  sources: [],
})

/** Event for a changed catalogue, and the changes that follow from it. */
const catalogued = (step: Step, sight: Sight): Entry =>
  new LookedUpEntry({
    ...placeOf(step),
    general: catalogueChange(step.after),
    changesOf: (corridor) => allChanges(sight, corridor),
    corridors: corridorsIn(step),
    isWhole: true,
    heldBytes: 2 * GENERATION_BYTES,
  })

/** Changes by time alone: prices that expired or are stale by now, and mids that are too old. */
function passed(step: Step, limits: AgeLimits): Entry {
  const { catalogue, references } = step.after
  const isMidNew = catalogue.referenceCodes.some((code) => {
    const reference = references.reference(code, Number.POSITIVE_INFINITY)
    return reference && isWithin(reference.atMs + limits.midMaxAgeMs, step)
  })
  const isConcerned = (book: CorridorBook) =>
    isPassing(book.allQuotes(), step, limits) ||
    (isMidNew && book.allQuotes().some((quote) => isByCurrent(quote, step.after, limits)))
  return entryOf(step, limits, { changes: changesIn(step, limits, isConcerned), isMidNew })
}

/**
 * Prices that expired before the hour, if no tick came in time: the hour forgets what only ticks
 * before it could have shown.
 */
function forgotten(step: Step, limits: AgeLimits): Entry {
  const hourMs = step.hour!.ms
  const changes = changesIn(step, limits, (book) => {
    const old = step.before.quotes.book(book.from, book.to)
    return old !== book && old !== undefined && hasEnded(old.allQuotes(), hourMs)
  })
  return entryOf(step, limits, { changes, isMidNew: false })
}

const hasEnded = (quotes: Iterable<Quote>, ms: number): boolean => {
  for (const quote of quotes) if (lastMsOf(quote) < ms) return true
  return false
}

/** Reports whether one of these may have expired, become stale or too old between two times. */
function isPassing(quotes: Iterable<Quote>, step: Step, limits: AgeLimits): boolean {
  const { staleAfterMs, quoteMaxAgeMs } = limits
  for (const quote of quotes) {
    if (isWithin(lastMsOf(quote), step)) return true
    if (staleAfterMs !== null && isWithin(quote.atMs + staleAfterMs, step)) return true
    if (quoteMaxAgeMs !== null && isWithin(quote.atMs + quoteMaxAgeMs, step)) return true
  }
  return false
}

/** Reports whether what held until `lastMs` held before a step, and does not after it. */
const isWithin = (lastMs: number, { beforeMs, atMs }: Step): boolean =>
  beforeMs <= lastMs && lastMs < atMs
