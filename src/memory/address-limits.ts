import { LRUCache } from 'lru-cache'

export type AddressBudget = {
  /** So many at once, and so many in each window from then on. */
  readonly requestsMax: number
  readonly windowMs: number
}

/** The addresses remembered at most: over it, those not heard of for longest start anew. */
export const ADDRESSES_MAX = 20_000

type Bucket = { readonly left: number; readonly atMs: number }

/**
 * What each address may still ask for: a bucket of tokens that fills evenly. Mutable, like the
 * usage meter.
 */
export class AddressLimits {
  readonly #buckets: LRUCache<string, Bucket>
  readonly #max: number
  readonly #stepMs: number

  constructor({ requestsMax, windowMs }: AddressBudget, addressesMax: number = ADDRESSES_MAX) {
    this.#buckets = new LRUCache({ max: addressesMax })
    this.#max = requestsMax
    this.#stepMs = windowMs / requestsMax
  }

  /** Takes one request: 0 when it may go on, else the milliseconds until one may. */
  take(address: string, nowMs: number): number {
    const known = this.#buckets.get(address) ?? { left: this.#max, atMs: nowMs }
    const passedMs = Math.max(0, nowMs - known.atMs)
    const left = Math.min(this.#max, known.left + passedMs / this.#stepMs)
    if (left < 1 - ROUNDING) return Math.ceil((1 - left) * this.#stepMs)
    this.#buckets.set(address, { left: left - 1, atMs: nowMs })
    return 0
  }
}

/** Who waits as long as was said must not be short by a rounding. */
const ROUNDING = 1e-9
