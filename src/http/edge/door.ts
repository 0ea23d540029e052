import type { Log } from '~/log.ts'

/** Of the descriptors a process may have, an eighth is kept for all that is no connection. */
const RESERVE_PART = 8
/** Of looks that found enough room, before a crowd is over. */
const CALM_LOOKS = 100

export type Room = {
  /** How many file descriptors are in use; null where nobody can tell. */
  open(): number | null
  /** How many there may be. */
  readonly max: number | null
}

/** What is to be done with connections. */
export type Threshold = {
  /** Closes those on which nothing is being answered. */
  dropIdle(): void
  /** Lets nobody in: who knocks is refused at once. Those who are in are served on. */
  shut(): void
  /** Lets people in again; throws when it cannot be done. */
  reopen(): void
}

/**
 * Keeps a process from running out of file descriptors, of which each connection takes one: a
 * server that has none left can neither accept nor refuse, and tries for ever.
 *
 * Short of the limit it closes connections on which nothing is asked, which costs a client no more
 * than connecting anew. Where that is not enough it refuses new ones until there is room.
 */
export class Door {
  /** How often idle connections were closed for want of room. */
  crowds = 0
  /** How often new connections began to be refused. */
  refusals = 0
  #state: 'open' | 'crowded' | 'shut' = 'open'
  #calmLooks = 0

  constructor(private readonly log: Log) {}

  get isShut(): boolean {
    return this.#state === 'shut'
  }

  /** Looks how much room there is and does what is to be done; called several times a second. */
  look({ open, max }: Room, threshold: Threshold): void {
    const found = open()
    if (found === null || max === null) return
    const high = max - Math.ceil(max / RESERVE_PART)
    const low = high - Math.ceil(max / RESERVE_PART)
    if (found >= high) this.#make(threshold, { descriptors: found, descriptors_max: max })
    if (this.#state === 'shut') this.#tryToReopen(threshold, (open() ?? 0) <= low)
    else if (found >= high && (open() ?? 0) >= high) this.#shut(threshold, found, max)
    else if (found < high) this.#calm()
  }

  #make(threshold: Threshold, figures: object): void {
    threshold.dropIdle()
    this.#calmLooks = 0
    if (this.#state !== 'open') return
    this.#state = 'crowded'
    this.crowds += 1
    this.log.warn(figures, 'close to the limit of file descriptors: idle connections are closed')
  }

  #shut(threshold: Threshold, descriptors: number, max: number): void {
    this.#state = 'shut'
    this.refusals += 1
    const figures = { descriptors, descriptors_max: max }
    this.log.error(figures, 'out of file descriptors: new connections are refused')
    threshold.shut()
  }

  #tryToReopen(threshold: Threshold, hasRoom: boolean): void {
    if (!hasRoom) return
    try {
      threshold.reopen()
    } catch {
      return
    }
    this.#state = 'crowded'
    this.log.warn({}, 'new connections are accepted again')
  }

  #calm(): void {
    if (this.#state !== 'crowded') return
    this.#calmLooks += 1
    if (this.#calmLooks < CALM_LOOKS) return
    this.#state = 'open'
    this.log.info({}, 'there is room for connections again')
  }
}
