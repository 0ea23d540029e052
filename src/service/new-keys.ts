import { isWellFormedKey, keyHashOf } from '~/domain/api-key.ts'
import { TokenBucket } from '~/memory/token-bucket.ts'
import { inTime } from './deadline.ts'

type NewKeysDeps = {
  /** Has memory know of the key with this hash, if there is one. */
  readonly load: (hash: string) => Promise<unknown>
  readonly clock: { now(): number }
}

/** Whoever makes up keys by the thousand, from whatever addresses, costs no more queries. */
const LOOKS = { requestsMax: 20, windowMs: 2_000 }
const LOOKS_AT_ONCE_MAX = 4
const LOOK = { msMax: 1_000, message: 'whether this key is new could not be told in time' }
/** Keys that were looked for in vain: a key is random, so none of them comes to be later. */
const VAIN_MAX = 1_000

/**
 * Keys that were made a moment ago, elsewhere, and that memory has not heard of yet.
 *
 * A key in form that memory does not know is looked for in the database, once. Anybody can make up
 * such keys, so little of that is done at a time, and the rest is refused unseen.
 */
export class NewKeys {
  readonly #looks: TokenBucket
  readonly #looking = new Map<string, Promise<void>>()
  readonly #vain = new Set<string>()

  constructor(private readonly deps: NewKeysDeps) {
    this.#looks = new TokenBucket(LOOKS, deps.clock.now())
  }

  /** What to wait for before memory is asked again for a key; null where it is not looked for. */
  look(text: string): Promise<void> | null {
    const looking = this.#looking.get(text)
    if (looking) return looking
    if (this.#vain.has(text) || this.#looking.size >= LOOKS_AT_ONCE_MAX) return null
    if (!isWellFormedKey(text) || this.#looks.take(this.deps.clock.now()) > 0) return null
    const look = this.#load(text).finally(() => this.#looking.delete(text))
    this.#looking.set(text, look)
    return look
  }

  /** Never rejects: a database that does not answer knows of no key. */
  async #load(text: string): Promise<void> {
    try {
      await inTime(this.deps.load(keyHashOf(text)), LOOK)
      if (this.#vain.size >= VAIN_MAX) this.#vain.clear()
      this.#vain.add(text)
    } catch {
      // It is looked for again when it is shown again.
    }
  }
}
