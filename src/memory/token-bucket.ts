export type Budget = {
  /** The number of requests allowed at once, and in each window from then on. */
  readonly requestsMax: number
  readonly windowMs: number
}

/** Forgives a rounding error, so that a client that waited as long as requested is let in. */
const ROUNDING = 1e-9

/** The requests still allowed, as tokens that fill up evenly. Mutable, like the usage meter. */
export class TokenBucket {
  readonly #max: number
  readonly #stepMs: number
  #left: number
  #atMs: number

  constructor({ requestsMax, windowMs }: Budget, nowMs: number) {
    this.#max = requestsMax
    this.#stepMs = windowMs / requestsMax
    this.#left = requestsMax
    this.#atMs = nowMs
  }

  /** Takes one request: 0 when it may proceed, else the milliseconds until one may. */
  take(nowMs: number): number {
    if (nowMs < this.#atMs) this.#atMs = nowMs
    const passedMs = nowMs - this.#atMs
    const left = Math.min(this.#max, this.#left + passedMs / this.#stepMs)
    if (left < 1 - ROUNDING) return Math.ceil((1 - left) * this.#stepMs)
    this.#left = left - 1
    this.#atMs = nowMs
    return 0
  }
}
