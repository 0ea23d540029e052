import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { type Freshness, freshnessAt } from '~/domain/freshness.ts'
import { bestPlace, rowPlace } from '~/domain/live/event-id.ts'
import { UNSELECTED } from '~/domain/offer/selection.ts'
import { lastMsOf } from '~/domain/offer/terms.ts'
import type { Quote } from '~/domain/quote.ts'
import { DayReferences } from '~/memory/day-references.ts'
import { KeyIndex } from '~/memory/key-index.ts'
import type { Step } from '~/memory/live/step.ts'
import type { Generation } from '~/memory/memory.ts'
import { QuoteIndex } from '~/memory/quote-index.ts'
import { type AgeLimits, View } from '~/memory/view.ts'
import { isSupported } from '~/service/supported.ts'
import { bestChanges, judgedOf, midChanges, quoteChanges, type Sight } from './changes.ts'
import { type Entry, ListedEntry, LookedUpEntry, placedByCorridor } from './entry.ts'
import type { CorridorChange, StreamEvent } from './event.ts'

/** What references and what whole generations take in memory that are held for a step, roughly. */
const REFERENCES_BYTES = 32 * 1024
export const GENERATION_BYTES = 1024 * 1024

/** What a step tells those who see everything at once. */
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
      return forgotten(step, sightOf(step, limits))
  }
}

/** What an event says of the catalogue of a generation. */
export const catalogueChange = ({ catalogue }: Generation): StreamEvent['change'] => ({
  kind: 'catalogue',
  currencies: catalogue.currencies.length,
  providers: catalogue.providers.length,
})

/**
 * Every corridor ever quoted of which one may ask, by source, then target. Until it is called only
 * their names are held of the generation, and the catalogue.
 */
export function corridorsIn({ quotes, catalogue }: Generation): () => Corridor[] {
  const { names } = quotes
  return () =>
    names.flatMap((name) => {
      const [from, to] = name.split('/')
      const corridor = { from: from!, to: to! }
      return isSupported(catalogue, corridor, UNSELECTED.filters) ? [corridor] : []
    })
}

const sightOf = ({ before, after, beforeMs, atMs }: Step, limits: AgeLimits): Sight => ({
  before: [new View(before, freshnessAt('realtime', beforeMs), limits)],
  after: new View(after, freshnessAt('realtime', atMs), limits),
})

/** The freshness that events show: the view goes by ticks, the text by when it was. */
const shownFreshness = ({ committedMs }: Step): Freshness => freshnessAt('realtime', committedMs)

const placeOf = (step: Step) => ({ position: step.position, freshness: shownFreshness(step) })

/**
 * The rows that are live after their commit, and each best that they changed. A row that is older
 * than what is live of its offer changes nothing that is shown.
 */
function observed(step: Step, sight: Sight): Entry {
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
      const change = { corridor, kind: 'quote' as const, quote: judgedOf(ranked, mid) }
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

/** The mids that changed. */
const referred = (step: Step, limits: AgeLimits): Entry =>
  step.before.references === step.after.references
    ? new ListedEntry(placeOf(step), [])
    : withMids(step, limits, () => [])

/** The mids that changed, and what else did. Only what mids are made of is held for it. */
function withMids(
  step: Step,
  limits: AgeLimits,
  others: (corridor: Corridor) => readonly CorridorChange[],
): Entry {
  const sight = sightOf({ ...step, before: midsOf(step.before), after: midsOf(step.after) }, limits)
  return new LookedUpEntry({
    ...placeOf(step),
    general: null,
    changesOf: (corridor) => [...midChanges(sight, corridor), ...others(corridor)],
    corridors: corridorsIn(step.after),
    isWhole: true,
    isBarrier: false,
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

/** That the catalogue changed, and the bests that changed by that. */
const catalogued = (step: Step, sight: Sight): Entry =>
  new LookedUpEntry({
    ...placeOf(step),
    general: catalogueChange(step.after),
    changesOf: (corridor) => bestChanges(sight, corridor),
    corridors: corridorsIn(step.after),
    isWhole: false,
    isBarrier: true,
    heldBytes: 2 * GENERATION_BYTES,
  })

/** What time alone changed: prices that ran out or are stale by now, and mids that are too old. */
function passed(step: Step, limits: AgeLimits): Entry {
  const { quotes, catalogue, references } = step.after
  const sight = sightOf(step, limits)
  const changes = new Map<string, readonly CorridorChange[]>()
  for (const book of quotes.allBooks()) {
    const { from, to } = book
    if (!isPassing(book.allQuotes(), step, limits)) continue
    const corridor = { from, to }
    if (!isSupported(catalogue, corridor, UNSELECTED.filters)) continue
    const own = [...quoteChanges(sight, corridor), ...bestChanges(sight, corridor)]
    if (own.length > 0) changes.set(corridorKey(corridor), own)
  }
  const isMidPassing = catalogue.referenceCodes.some((code) => {
    const reference = references.reference(code, Number.POSITIVE_INFINITY)
    return reference && isWithin(reference.atMs + limits.midMaxAgeMs, step)
  })
  if (isMidPassing) return withMids(step, limits, (one) => changes.get(corridorKey(one)) ?? [])
  return new ListedEntry(placeOf(step), [...changes.values()].flatMap(placedByCorridor))
}

/**
 * What ran out before the hour, if no tick came in time: the hour forgets what only ticks before it
 * could have shown.
 */
function forgotten(step: Step, sight: Sight): Entry {
  const changes: CorridorChange[][] = []
  const hourMs = step.hour!.ms
  for (const book of step.before.quotes.allBooks()) {
    const { from, to } = book
    if (book === step.after.quotes.book(from, to)) continue
    const corridor = { from, to }
    if (!isSupported(step.after.catalogue, corridor, UNSELECTED.filters)) continue
    if (![...book.allQuotes()].some((quote) => lastMsOf(quote) < hourMs)) continue
    changes.push([...quoteChanges(sight, corridor), ...bestChanges(sight, corridor)])
  }
  return new ListedEntry(placeOf(step), changes.flatMap(placedByCorridor))
}

/** Whether one of these may have run out, become stale or too old between two moments. */
function isPassing(quotes: Iterable<Quote>, step: Step, limits: AgeLimits): boolean {
  const { staleAfterMs, quoteMaxAgeMs } = limits
  for (const quote of quotes) {
    if (isWithin(lastMsOf(quote), step)) return true
    if (staleAfterMs !== null && isWithin(quote.atMs + staleAfterMs, step)) return true
    if (quoteMaxAgeMs !== null && isWithin(quote.atMs + quoteMaxAgeMs, step)) return true
  }
  return false
}

/** Whether what held up to and including `lastMs` held before a step, and does not after it. */
const isWithin = (lastMs: number, { beforeMs, atMs }: Step): boolean =>
  beforeMs <= lastMs && lastMs < atMs
