import { LRUCache } from 'lru-cache'
import { WIDER_SHARES, widerNetworkOf } from '~/domain/network.ts'
import { type Budget, TokenBucket } from './token-bucket.ts'

/** The most addresses remembered; beyond that, those silent for longest start afresh. */
const ADDRESSES_MAX = 20_000

/** Remaining requests of each address, and of the /56 around it: a bucket of tokens for each. */
export class AddressLimits {
  /** Created for the first address: it allocates half a megabyte at once. */
  #buckets: LRUCache<string, TokenBucket> | null = null
  readonly #widerBudget: Budget

  constructor(
    private readonly budget: Budget,
    private readonly addressesMax: number = ADDRESSES_MAX,
  ) {
    this.#widerBudget = { ...budget, requestsMax: WIDER_SHARES * budget.requestsMax }
  }

  /** Takes one request: 0 when it may proceed, else the milliseconds until one may. */
  take(address: string, nowMs: number): number {
    const waitMs = this.#bucketOf(address, this.budget, nowMs).take(nowMs)
    if (waitMs > 0) return waitMs
    const wider = widerNetworkOf(address)
    return wider === null ? 0 : this.#bucketOf(wider, this.#widerBudget, nowMs).take(nowMs)
  }

  #bucketOf(network: string, budget: Budget, nowMs: number): TokenBucket {
    this.#buckets ??= new LRUCache({ max: this.addressesMax })
    let bucket = this.#buckets.get(network)
    if (!bucket) {
      bucket = new TokenBucket(budget, nowMs)
      this.#buckets.set(network, bucket)
    }
    return bucket
  }
}
