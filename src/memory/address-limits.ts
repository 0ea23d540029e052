import { LRUCache } from 'lru-cache'
import { type Budget, TokenBucket } from './token-bucket.ts'

/** The addresses remembered at most: over it, those not heard of for longest start anew. */
const ADDRESSES_MAX = 20_000

/** What each address may still ask for: a bucket of tokens for each. */
export class AddressLimits {
  readonly #buckets: LRUCache<string, TokenBucket>

  constructor(
    private readonly budget: Budget,
    addressesMax: number = ADDRESSES_MAX,
  ) {
    this.#buckets = new LRUCache({ max: addressesMax })
  }

  /** Takes one request: 0 when it may go on, else the milliseconds until one may. */
  take(address: string, nowMs: number): number {
    let bucket = this.#buckets.get(address)
    if (!bucket) {
      bucket = new TokenBucket(this.budget, nowMs)
      this.#buckets.set(address, bucket)
    }
    return bucket.take(nowMs)
  }
}
