import type { Log } from '~/log.ts'

/** The part of a process's file descriptors, an eighth, that connections may not use. */
const RESERVE_PART = 8
/** The number of checks in a row that must find enough room before a crowd counts as over. */
const CALM_CHECKS = 100

export type Room = {
  /** The number of file descriptors in use; null if unknown. */
  open(): number | null
  /** The number of descriptors that the process may have. */
  readonly max: number | null
}

/** The actions of the connection limiter. */
export type Threshold = {
  /** Closes connections without a request in progress. */
  dropIdle(): void
  /** Refuses new connections at once; existing ones are still served. */
  shut(): void
  /** Accepts connections again; throws when that fails. */
  reopen(): void
}

/**
 * Keeps a process from running out of file descriptors, one for each connection: a server without
 * any left can neither accept nor refuse, and tries for ever.
 *
 * Near the limit it closes idle connections, which costs a client no more than connecting again. If
 * that is not enough it refuses new ones until there is room.
 */
export class ConnectionLimiter {
  /** Number of times that idle connections were closed for lack of room. */
  crowds = 0
  /** Number of times that new connections began to be refused. */
  refusals = 0
  #state: 'open' | 'crowded' | 'shut' = 'open'
  #calmChecks = 0

  constructor(private readonly log: Log) {}

  get isShut(): boolean {
    return this.#state === 'shut'
  }

  /** Checks how much room there is and acts on it; called several times a second. */
  check({ open, max }: Room, threshold: Threshold): void {
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
    this.#calmChecks = 0
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
    this.#calmChecks += 1
    if (this.#calmChecks < CALM_CHECKS) return
    this.#state = 'open'
    this.log.info({}, 'there is room for connections again')
  }
}
