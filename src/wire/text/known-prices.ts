import { LRUCache } from 'lru-cache'
import type { Freshness, Tier } from '~/domain/freshness.ts'
import type { AnswerBasis } from '~/memory/answer-basis.ts'
import type { Generation } from '~/memory/memory.ts'
import type { View } from '~/memory/view.ts'
import type { Priced, Prices } from '~/service/convert.ts'
import { ConvertQuery } from '~/wire/parameters.ts'
import { plainNumber } from '~/wire/query.ts'

/** The maximum number of requests that are remembered for each tier. */
const QUESTIONS_MAX = 256

/** The maximum number of offers of a tier's cached requests; each retains some 3 kB of strings. */
const OFFERS_MAX = 10_000

/** Longer requests are read again each time, so that anonymous callers cannot fill memory. */
const STEM_LENGTH_MAX = 256

const AMOUNT = '&amount='

/** The prices found, and what they were read from. */
type Known = { readonly prices: Prices; readonly basis: AnswerBasis }

/**
 * Prices of earlier requests for another amount, by the whole URL except the amount at its end.
 *
 * Requests rarely repeat an amount, but often a corridor: reading and looking up the rest again
 * would cost as much as all the arithmetic.
 *
 * Cache 3 of a read, see docs/architecture.md.
 */
export class KnownPrices {
  /** Each created for its first request. */
  readonly #byTier: Record<Tier, LRUCache<string, Known> | null> = { hourly: null, realtime: null }

  /** The request with its prices, as reading it would return them; null if it must be read. */
  find(
    url: string,
    generation: Generation,
    freshness: Freshness,
  ): { readonly found: Priced; readonly basis: AnswerBasis } | null {
    const end = stemLengthOf(url)
    if (end === null) return null
    const [cache, stem] = [this.#byTier[freshness.tier], url.slice(0, end)]
    const known = cache?.get(stem)
    if (!cache || !known) return null
    if (!known.basis.holds(generation, freshness)) {
      cache.delete(stem)
      return null
    }
    const amount = plainNumber(ConvertQuery.properties.amount, url.slice(end))
    return amount === null
      ? null
      : {
          found: { prices: known.prices, goal: { amount, recipientGets: null } },
          basis: known.basis,
        }
  }

  /** Caches the prices of a request that was just read without an error. */
  keep(url: string, found: Priced, { freshness: { tier }, basis }: View): Priced {
    const end = stemLengthOf(url)
    if (end !== null && plainNumber(ConvertQuery.properties.amount, url.slice(end)) !== null) {
      this.#byTier[tier] ??= new LRUCache({
        max: QUESTIONS_MAX,
        maxSize: OFFERS_MAX,
        sizeCalculation: ({ prices }) => 1 + prices.offers.length,
      })
      this.#byTier[tier].set(url.slice(0, end), { prices: found.prices, basis })
    }
    return found
  }
}

/** Start of the amount in a URL that ends with it; null for any other. */
function stemLengthOf(url: string): number | null {
  const last = url.lastIndexOf('&')
  const end = last + AMOUNT.length
  return last > 0 && end <= STEM_LENGTH_MAX && url.startsWith(AMOUNT, last) ? end : null
}
