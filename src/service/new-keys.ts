import { isWellFormedKey, keyHashOf } from '~/domain/api-key.ts'
import { TokenBucket } from '~/memory/token-bucket.ts'
import { inTime } from './deadline.ts'

type NewKeysDeps = {
  /** Makes memory load the key with this hash, if there is one. */
  readonly load: (hash: string) => Promise<unknown>
  readonly clock: { now(): number }
}

/** The limit on look-ups, so that made-up keys, however many, cost no further queries. */
const LOOK_UPS = { requestsMax: 20, windowMs: 2_000 }
const LOOK_UPS_AT_ONCE_MAX = 4
const LOOK_UP = {
  msMax: 1_000,
  message: 'the database did not look up this key in time',
}
/** The maximum number of keys remembered as not existing; none of them is created later. */
const VAIN_MAX = 1_000

/**
 * Keys that were created on another replica just now and are not in memory yet.
 *
 * A well-formed key that memory does not know is looked up in the database, once. Anybody can make
 * up such keys, so look-ups are limited, and keys beyond the limit are refused without one.
 */
export class NewKeys {
  readonly #lookUps: TokenBucket
  readonly #underWay = new Map<string, Promise<void>>()
  readonly #vain = new Set<string>()

  constructor(private readonly deps: NewKeysDeps) {
    this.#lookUps = new TokenBucket(LOOK_UPS, deps.clock.now())
  }

  /** Waits before memory is searched for a key again; null when the key is not looked up. */
  lookUp(text: string): Promise<void> | null {
    const underWay = this.#underWay.get(text)
    if (underWay) return underWay
    if (this.#vain.has(text) || this.#underWay.size >= LOOK_UPS_AT_ONCE_MAX) return null
    if (!isWellFormedKey(text) || this.#lookUps.take(this.deps.clock.now()) > 0) return null
    const lookUp = this.#load(text).finally(() => this.#underWay.delete(text))
    this.#underWay.set(text, lookUp)
    return lookUp
  }

  /** Loads a key. Never rejects: a failing database counts as one without the key. */
  async #load(text: string): Promise<void> {
    try {
      await inTime(this.deps.load(keyHashOf(text)), LOOK_UP)
      if (this.#vain.size >= VAIN_MAX) this.#vain.clear()
      this.#vain.add(text)
    } catch {
      // A key that could not be looked up is looked up again when it is shown again.
    }
  }
}
