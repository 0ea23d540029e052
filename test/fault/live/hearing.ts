import type { StreamEvent } from '~/client/stream-event.ts'
import type { Hour, Price } from './story.ts'

/** Events of one reader, in order. */
export class Hearing {
  /** The position of its first hello. */
  beganAt: number | null = null
  readonly quotes: {
    readonly position: number
    readonly corridor: string
    readonly rate: number
  }[] = []
  /** The positions after which and up to which a reset replaced the events. */
  readonly resets: { readonly after: number; readonly upTo: number; readonly reason: string }[] = []
  readonly faults: string[] = []
  doubled = 0
  connections = 0
  readonly #ids = new Set<string>()
  #last = { position: 0, place: Number.POSITIVE_INFINITY }

  receive({ type, id, data }: StreamEvent): void {
    const place = id === null ? null : placeOf(id)
    if (id !== null && place === null) this.faults.push(`${type} has the id ${id}`)
    if (type === 'hello') this.#begin(place?.position ?? null)
    else if (type === 'reset' && place) {
      const { reason } = data as { reason: string }
      this.resets.push({ after: this.#last.position, upTo: place.position, reason })
      this.#last = place
    } else if (place) this.#tell(type, id!, place, data as { corridor: string; rate: number })
  }

  #begin(position: number | null): void {
    this.connections += 1
    if (this.beganAt !== null) return
    this.beganAt = position
    this.#last = { position: position ?? 0, place: Number.POSITIVE_INFINITY }
  }

  #tell(type: string, id: string, place: Place, { corridor, rate }: Quoted): void {
    if (this.#ids.has(id)) this.doubled += 1
    else if (!isAfter(place, this.#last))
      this.faults.push(`${type} ${id} came after ${this.#last.position}-${this.#last.place}`)
    this.#ids.add(id)
    this.#last = place
    if (type === 'quote') this.quotes.push({ position: place.position, corridor, rate })
  }
}

type Place = { readonly position: number; readonly place: number }
type Quoted = { readonly corridor: string; readonly rate: number }

function placeOf(id: string): Place | null {
  const [, position, place] = /^(\d+)-(\d*)$/.exec(id) ?? []
  if (position === undefined) return null
  return { position: Number(position), place: place ? Number(place) : Number.POSITIVE_INFINITY }
}

const isAfter = (one: Place, other: Place): boolean =>
  one.position > other.position || (one.position === other.position && one.place > other.place)

type Wanted = {
  readonly prices: readonly Price[]
  /** The prices in force when the story began, one for each corridor. */
  readonly before: readonly Price[]
}

/**
 * The prices that became the newest of their corridors; others are possible after a clock change.
 */
export function newest({ prices, before }: Wanted): Price[] {
  const latest = new Map(before.map((price) => [price.corridor, price]))
  return prices.filter((price) => {
    const known = latest.get(price.corridor)
    if (known && !isNewer(price, known)) return false
    latest.set(price.corridor, price)
    return true
  })
}

/** The prices that each hour showed and the previous one did not, at the hour's position. */
export function newByHour({ prices, before }: Wanted, hours: readonly Hour[]): Price[] {
  const shown = new Map<string, Price>()
  const show = (all: readonly Price[], hour: Hour) =>
    all.filter((price) => {
      const known = shown.get(price.corridor)
      const isIn = price.effectiveMs <= hour.ms && price.position < hour.position
      if (!isIn || (known && !isNewer(price, known))) return false
      shown.set(price.corridor, price)
      return true
    })
  const [first] = hours
  if (first) show([...before, ...prices], { ms: first.ms - 3_600_000, position: first.position })
  return hours.flatMap((hour) => {
    const { position } = hour
    const changed = new Set(show(prices, hour).map(({ corridor }) => corridor))
    return [...changed].map((corridor) => ({ ...shown.get(corridor)!, position }))
  })
}

const isNewer = (one: Price, other: Price): boolean =>
  one.effectiveMs > other.effectiveMs ||
  (one.effectiveMs === other.effectiveMs && one.id > other.id)

type Missing = {
  readonly hearing: Hearing
  /** Expected prices, by position. */
  readonly wanted: readonly Price[]
  /** The corridors that were subscribed; null for all. */
  readonly corridors: readonly string[] | null
}

/** Prices that a reader should have received since it began, and that no reset excuses. */
export function missing({ hearing, wanted, corridors }: Missing): Price[] {
  const { beganAt, quotes, resets } = hearing
  if (beganAt === null) return [...wanted]
  const heard = new Set(quotes.map(keyOf))
  const isExcused = (position: number) =>
    resets.some(({ after, upTo }) => position > after && position <= upTo)
  return wanted.filter(
    (price) =>
      price.position > beganAt &&
      (corridors?.includes(price.corridor) ?? true) &&
      !heard.has(keyOf(price)) &&
      !isExcused(price.position),
  )
}

const keyOf = ({ position, corridor, rate }: Pick<Price, 'position' | 'corridor' | 'rate'>) =>
  `${position} ${corridor} ${rate}`
