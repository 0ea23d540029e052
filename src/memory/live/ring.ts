/** Events of one step in a ring. */
type Held = {
  readonly position: number
  readonly events: number
  readonly bytes: number
}

export type RingLimits = {
  readonly steps: number
  readonly events: number
  readonly bytes: number
}

/**
 * The last steps in the order of their positions, as many as fit: all that came after `begin`.
 *
 * The newest step is retained however large it is.
 */
export class Ring<T extends Held> {
  #entries: T[] = []
  #first = 0
  #events = 0
  #bytes = 0
  #begin: number

  /** A ring of the steps after the position `begin`. */
  constructor(
    private readonly limits: RingLimits,
    begin: number,
  ) {
    this.#begin = begin
  }

  /** The position after which nothing is missing. */
  get begin(): number {
    return this.#begin
  }

  get steps(): number {
    return this.#entries.length - this.#first
  }

  get events(): number {
    return this.#events
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Adds the next step, and forgets the oldest ones until all fit again. */
  append(entry: T): void {
    this.#entries.push(entry)
    this.#events += entry.events
    this.#bytes += entry.bytes
    while (this.steps > 1 && this.#isFull()) this.#forget()
    if (this.#first < this.steps) return
    this.#entries = this.#entries.slice(this.#first)
    this.#first = 0
  }

  /** Notes that a retained step grew by `bytes` since it was added. */
  grew(bytes: number): void {
    this.#bytes += bytes
  }

  /** Forgets everything: steps after `position` are retained from now on. */
  clear(position: number): void {
    this.#entries = []
    this.#first = 0
    this.#events = 0
    this.#bytes = 0
    this.#begin = position
  }

  /** Reports whether a step of this position is retained, or the ring begins right after it. */
  has(position: number): boolean {
    if (position === this.#begin) return true
    return this.#entries[this.#placeOf(position)]?.position === position
  }

  /** The steps from `position` on, oldest first. */
  *since(position: number): Generator<T> {
    for (let i = this.#placeOf(position); i < this.#entries.length; i++) yield this.#entries[i]!
  }

  #isFull(): boolean {
    const { steps, events, bytes } = this.limits
    return this.steps > steps || this.#events > events || this.#bytes > bytes
  }

  #forget(): void {
    const oldest = this.#entries[this.#first]!
    this.#entries[this.#first++] = undefined as never
    this.#events -= oldest.events
    this.#bytes -= oldest.bytes
    this.#begin = oldest.position
  }

  /** The place of the first step at `position` or later. */
  #placeOf(position: number): number {
    let [low, high] = [this.#first, this.#entries.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#entries[middle]!.position < position) low = middle + 1
      else high = middle
    }
    return low
  }
}
