import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import type { Freshness } from '~/domain/freshness.ts'
import { corridorPlace, GENERAL_PLACE, ORDINAL } from '~/domain/live/event-id.ts'
import type { Subscription } from '~/domain/live/subscription.ts'
import type { CorridorChange, StreamEvent, StreamTexts } from './event.ts'

/** Approximate size of an event besides its string, and of the bare step. */
const EVENT_BYTES = 256
const STEP_BYTES = 128

/** An event whose string is written once, for all its subscribers. */
class WrittenEvent {
  #text: string | null = null
  #bytes = 0

  constructor(readonly event: StreamEvent) {}

  get place(): number {
    return this.event.id.place
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The string; if it is written only now, `grew` receives the number of bytes added. */
  text(texts: StreamTexts, grew: (bytes: number) => void): string {
    if (this.#text !== null) return this.#text
    const text = texts.event(this.event)
    this.#text = text
    this.#bytes = Buffer.byteLength(text)
    grew(this.#bytes)
    return text
  }
}

/** Place of a reader within a step, and the event that it gets there, if any. */
type Mark = { readonly place: number; readonly event: WrittenEvent | null }

/** One step, as subscribers to its events receive it. */
export type Entry = {
  readonly position: number
  readonly events: number
  readonly bytes: number
  /** The names of the corridors that have events; null if every corridor may have some. */
  readonly touched: ReadonlySet<string> | null
  /** Says whether every process reports the same. */
  readonly isWhole: boolean
  /**
   * Yields a subscription's events after a place, in order. A mark comes for each corridor that is
   * looked at, so that a reader that stops in between can go on from there.
   */
  after(place: number, subscription: Subscription): Iterable<Mark>
}

type Place = { readonly position: number; readonly freshness: Freshness }

/** A change, and its place among the events of its step. */
type PlacedChange = { readonly place: number; readonly change: CorridorChange }

/** Changes in one corridor in order of their place: a mid first, then quotes, then a best. */
export const placedByCorridor = (changes: readonly CorridorChange[]): PlacedChange[] =>
  changes.map((change, i) => ({
    place: corridorPlace(change.corridor, ordinalOf(change, i)),
    change,
  }))

/** The ordinal of a corridor's change that is at index `i` of a step. */
function ordinalOf({ kind }: CorridorChange, i: number): number {
  if (kind === 'mid') return ORDINAL.mid
  return kind === 'best' ? ORDINAL.best : ORDINAL.quotes + i
}

/** A step whose events are all known when it happens, by their places. */
export class ListedEntry implements Entry {
  readonly position: number
  readonly touched: ReadonlySet<string>
  readonly isWhole = true
  readonly #events: readonly WrittenEvent[]
  /** The name of the corridor of each. */
  readonly #names: readonly string[]

  /** The changes have the places given, smallest first. */
  constructor({ position, freshness }: Place, changes: readonly PlacedChange[]) {
    this.position = position
    this.#names = changes.map(({ change }) => corridorKey(change.corridor))
    this.touched = new Set(this.#names)
    this.#events = changes.map(
      ({ place, change }) => new WrittenEvent({ id: { position, place }, freshness, change }),
    )
  }

  get events(): number {
    return this.#events.length
  }

  get bytes(): number {
    return this.#events.reduce((sum, { bytes }) => sum + EVENT_BYTES + bytes, STEP_BYTES)
  }

  *after(place: number, { names }: Subscription): Generator<Mark> {
    for (const [i, event] of this.#events.entries()) {
      if (event.place <= place || (names && !names.has(this.#names[i]!))) continue
      yield { place: event.place, event }
    }
  }
}

type Lookup = Place & {
  readonly general: StreamEvent['change'] | null
  /** Changes in a corridor: a mid first, then quotes, then a best. */
  readonly changesOf: (corridor: Corridor) => readonly CorridorChange[]
  /** Every corridor that may have events, by source, then target. */
  readonly corridors: () => readonly Corridor[]
  readonly isWhole: boolean
  /** Approximate size of what is held for look-ups. */
  readonly heldBytes: number
}

/** A step whose events are looked up when those of a corridor are first needed. */
export class LookedUpEntry implements Entry {
  readonly position: number
  readonly events = 1
  readonly touched = null
  readonly #events = new Map<string, readonly WrittenEvent[]>()
  readonly #general: WrittenEvent | null

  constructor(private readonly lookup: Lookup) {
    const { position, freshness, general } = lookup
    this.position = position
    const id = { position, place: GENERAL_PLACE }
    this.#general = general && new WrittenEvent({ id, freshness, change: general })
  }

  get isWhole(): boolean {
    return this.lookup.isWhole
  }

  get bytes(): number {
    let bytes = STEP_BYTES + this.lookup.heldBytes + (this.#general?.bytes ?? 0)
    for (const events of this.#events.values()) for (const one of events) bytes += one.bytes
    return bytes
  }

  *after(place: number, { corridors }: Subscription): Generator<Mark> {
    if (this.#general && place < GENERAL_PLACE) yield { place: GENERAL_PLACE, event: this.#general }
    for (const corridor of corridors ?? this.lookup.corridors()) {
      const end = corridorPlace(corridor, ORDINAL.end)
      if (end <= place) continue
      for (const event of this.#of(corridor))
        if (event.place > place) yield { place: event.place, event }
      yield { place: end, event: null }
    }
  }

  #of(corridor: Corridor): readonly WrittenEvent[] {
    const name = corridorKey(corridor)
    const known = this.#events.get(name)
    if (known) return known
    const { position, freshness } = this.lookup
    const events = placedByCorridor(this.lookup.changesOf(corridor)).map(
      ({ place, change }) => new WrittenEvent({ id: { position, place }, freshness, change }),
    )
    if (events.length > 0) this.#events.set(name, events)
    return events
  }
}
