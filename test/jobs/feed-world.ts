import {
  FeedError,
  type FeedSnapshot,
  type ReferenceAnswer,
  type ReferenceFeed,
} from '~/domain/feed/feed.ts'
import type { FeedState } from '~/domain/feed/state.ts'
import type { Reference } from '~/domain/mid.ts'
import type { FeedStore, FetchReferencesDeps } from '~/jobs/fetch-references.ts'
import { ReferenceIndex } from '~/memory/reference-index.ts'
import { clockAt, type HandClock } from '../support/clock.ts'
import { KeptLog } from '../support/log.ts'

export const HOUR_MS = 3_600_000
export const KNOWN = ['USD', 'NGN', 'KES', 'GHS', 'ETB', 'ZAR', 'UGX', 'XOF', 'EUR', 'EGP', 'MAD']

/** A store in memory, which also holds the mids to serve. */
export class KeptStore implements FeedStore {
  readonly snapshots: FeedSnapshot[] = []
  index = ReferenceIndex.empty
  isBusy = false
  failure: Error | null = null
  #state = 'null'
  #id = 0
  readonly #latest = new Map<string, Reference>()

  async once<T>(work: () => Promise<T>): Promise<T | null> {
    if (this.isBusy) return null
    this.isBusy = true
    try {
      return await work()
    } finally {
      this.isBusy = false
    }
  }

  /** The last reference of every currency. */
  get latest(): Reference[] {
    return [...this.#latest.values()]
  }

  async live() {
    return this.latest
  }

  async append(snapshot: FeedSnapshot): Promise<void> {
    if (this.failure) throw this.failure
    this.snapshots.push(snapshot)
    const { source, fetchedMs: atMs } = snapshot
    const references = snapshot.rates.map(({ currency, perUsd, basis, dispersionBps = null }) => {
      this.#id++
      const value = { id: this.#id, atMs, source, currency, perUsd: Number(perUsd) }
      return { ...value, basis: basis ?? 'single', dispersionBps }
    })
    for (const reference of references) this.#latest.set(reference.currency, reference)
    this.index = this.index.with(references, atMs)
  }

  async loadState(): Promise<FeedState | null> {
    return JSON.parse(this.#state)
  }

  async saveState(state: FeedState): Promise<void> {
    this.#state = JSON.stringify(state)
  }

  mid(from: string, to: string) {
    return this.index.mid(from, to, Number.POSITIVE_INFINITY)
  }
}

export const RATES = {
  ...{ USD: 1, NGN: 1604, KES: 131, GHS: 15.4, ETB: 57.7, ZAR: 18.2 },
  ...{ UGX: 3721, XOF: 604, EUR: 0.92, EGP: 48.3, MAD: 9.86 },
}

export type World = FetchReferencesDeps & { store: KeptStore; clock: HandClock; log: KeptLog }

export function worldOf(
  feeds: readonly ReferenceFeed[],
  more: Partial<FetchReferencesDeps> = {},
): World {
  const clock = clockAt('2024-07-29T14:07:00Z')
  return {
    feeds,
    clock,
    store: new KeptStore(),
    log: new KeptLog(),
    known: () => KNOWN,
    ...more,
  } as World
}

/** A feed that returns the result of `say`, which can be replaced. */
export function feedOf(source: string, say: () => Partial<typeof RATES> & Record<string, number>) {
  const feed = {
    id: source,
    source,
    origin: source,
    currencies: null,
    asked: 0,
    upstreamMs: Date.parse('2024-07-29T12:00:00Z'),
    say,
    async ask(): Promise<ReferenceAnswer> {
      feed.asked++
      const rates = Object.entries(feed.say()).map(([code, rate]) => [code, String(rate)] as const)
      return { base: 'USD', upstreamMs: feed.upstreamMs, perUsd: new Map(rates) }
    },
  }
  return feed
}

export const dead =
  (error = new FeedError('http_error', 'returned 503')) =>
  () => {
    throw error
  }
