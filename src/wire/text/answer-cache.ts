import { LRUCache } from 'lru-cache'
import type { Freshness, Tier } from '~/domain/freshness.ts'
import type { AnswerBasis } from '~/memory/answer-basis.ts'
import type { Generation } from '~/memory/memory.ts'
import type { View } from '~/memory/view.ts'
import { iso } from '~/wire/present.ts'

/**
 * The parts around a response's timestamp, what it was read from, and its last full body. Under
 * load many requests fall into one millisecond, and joining the parts for each would cost as much
 * as the rest of a response.
 */
type Kept = {
  readonly parts: readonly string[]
  readonly basis: AnswerBasis
  stampedMs: number
  stamped: string
}

/** A string, or UTF-8 bytes that are overwritten for the next body. */
export type Body = string | Uint8Array<ArrayBuffer>

/** Maximum bytes cached for each tier. */
const BYTES_MAX = 16 * 1_048_576

/** Longer requests are never cached, so that anonymous callers cannot fill memory. */
const QUESTION_LENGTH_MAX = 512
const ENTRY_BYTES = 500
/** The number of requests that are remembered only by their hash. */
const ASKED_SLOTS = 8192

const TIMESTAMP = '"timestamp":"'
const INSTANT_LENGTH = '2026-03-05T14:00:00.000Z'.length

/**
 * Bodies that would be written again byte for byte, except for the time.
 *
 * The key is the URL of a request, or a tool call; the response is a pure function of it, a
 * generation and a freshness. It is cached until what it was read from changes, or room is needed.
 * The first response to a request is not cached: most amounts are never requested again.
 *
 * Cache 2 of a read, see docs/architecture.md.
 */
export class AnswerCache {
  readonly #byTier: Readonly<Record<Tier, LRUCache<string, Kept>>>
  readonly #asked = new Int32Array(ASKED_SLOTS)

  constructor({ bytesMax = BYTES_MAX }: { bytesMax?: number } = {}) {
    const cache = () =>
      new LRUCache<string, Kept>({
        maxSize: bytesMax,
        sizeCalculation: ({ parts }, url) =>
          parts.reduce((bytes, part) => bytes + 2 * part.length, 2 * url.length + ENTRY_BYTES),
      })
    this.#byTier = { hourly: cache(), realtime: cache() }
  }

  /** The cached body with the present time; null on a miss. */
  find(url: string, generation: Generation, freshness: Freshness): string | null {
    const kept = this.#byTier[freshness.tier].get(url)
    if (!kept?.basis.holds(generation, freshness)) return null
    const { nowMs } = freshness
    if (nowMs !== kept.stampedMs) {
      kept.stampedMs = nowMs
      kept.stamped = kept.parts.join(iso(nowMs))
    }
    return kept.stamped
  }

  /**
   * Caches a new body, whose timestamp is the last string in it that could be one. Returns the body
   * to respond with.
   */
  keep<B extends Body>(
    url: string,
    body: B,
    { freshness, basis }: Pick<View, 'freshness' | 'basis'>,
  ): B | string {
    if (url.length > QUESTION_LENGTH_MAX || !this.#wasAsked(url)) return body
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
    const at = text.lastIndexOf(TIMESTAMP) + TIMESTAMP.length
    const parts = [text.slice(0, at), text.slice(at + INSTANT_LENGTH)]
    this.#byTier[freshness.tier].set(url, { parts, basis, stampedMs: Number.NaN, stamped: '' })
    return text
  }

  /** Says whether the same request came before, as far as a table of hashes shows. */
  #wasAsked(url: string): boolean {
    const hash = hashOf(url)
    const slot = hash & (ASKED_SLOTS - 1)
    const wasAsked = this.#asked[slot] === hash
    this.#asked[slot] = hash
    return wasAsked
  }
}

/** FNV-1a over the UTF-16 units. http://www.isthe.com/chongo/tech/comp/fnv/ */
function hashOf(text: string): number {
  let hash = 0x811c9dc5 | 0
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash
}
