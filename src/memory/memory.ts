import type { Account, Key } from '~/domain/account.ts'
import { type FeedState, noState } from '~/domain/feed/state.ts'
import { boundariesMs, hourStartMs } from '~/domain/freshness.ts'
import type { Reference } from '~/domain/mid.ts'
import type { Catalogue } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { CatalogueIndex } from './catalogue-index.ts'
import { KeyIndex } from './key-index.ts'
import { QuoteIndex } from './quote-index.ts'
import { ReferenceIndex } from './reference-index.ts'

/** Everything that is served at one moment. Never changed, so a reader may keep it. */
export type Generation = {
  readonly catalogue: CatalogueIndex
  readonly quotes: QuoteIndex
  readonly references: ReferenceIndex
  readonly feeds: FeedState
  readonly keys: KeyIndex
}

/**
 * What a publication adds; parts that it leaves out stay. A catalogue replaces the one before, and
 * so does a feed state unless its run is older.
 */
export type Publication = {
  readonly catalogue?: Catalogue
  readonly quotes?: readonly Quote[]
  readonly references?: readonly Reference[]
  readonly feeds?: FeedState
  /** Whether more changed than is listed here, at any time: all of history may be new. */
  readonly isPastChanged?: boolean
  readonly access?: { readonly accounts: readonly Account[]; readonly keys: readonly Key[] }
}

/**
 * The one pointer to the current generation. Readers take `current` once and see a whole
 * publication or none of it; writers publish and never wait.
 */
export class Memory {
  #current: Generation = {
    catalogue: CatalogueIndex.empty,
    quotes: QuoteIndex.empty,
    references: ReferenceIndex.empty,
    feeds: noState,
    keys: KeyIndex.empty,
  }

  #prunedMs = Number.NEGATIVE_INFINITY

  /**
   * Calls `onPublication` with each publication once it is served. A publication that changes who
   * was active when counts as a change of the whole past.
   */
  constructor(private readonly onPublication: (publication: Publication) => void = () => {}) {}

  get current(): Generation {
    return this.#current
  }

  /**
   * Whether values from the top of this hour may be missing, because the clock was further ahead
   * before and memory was pruned by it.
   */
  lacks(nowMs: number): boolean {
    return nowMs < this.#prunedMs && !boundariesMs(this.#prunedMs).includes(hourStartMs(nowMs))
  }

  /** Records that everything live at `nowMs` has been published again. */
  recovered(nowMs: number): void {
    this.#prunedMs = nowMs
  }

  /**
   * Makes `added` part of what is served, all at once. Adding quotes or references twice adds
   * nothing.
   */
  publish(added: Publication, nowMs: number): void {
    this.#prunedMs = Math.max(this.#prunedMs, nowMs)
    const { catalogue, quotes, references, feeds, keys } = this.#current
    const { changes } = catalogue
    this.#current = {
      catalogue: added.catalogue ? new CatalogueIndex(added.catalogue) : catalogue,
      quotes: added.quotes ? quotes.with(added.quotes, nowMs) : quotes,
      references: added.references ? references.with(added.references, nowMs) : references,
      feeds: added.feeds && runMs(added.feeds) >= runMs(feeds) ? added.feeds : feeds,
      keys: added.access ? keys.with(added.access) : keys,
    }
    const isActivityNew = this.#current.catalogue.changes !== changes
    this.onPublication(isActivityNew ? { ...added, isPastChanged: true } : added)
  }

  /** Forgets values that no reader can ask for any more. */
  prune(nowMs: number): void {
    const { quotes, references } = this.#current
    this.#prunedMs = Math.max(this.#prunedMs, nowMs)
    this.#current = {
      ...this.#current,
      quotes: quotes.pruned(nowMs),
      references: references.pruned(nowMs),
    }
  }
}

const runMs = ({ ranMs }: FeedState): number => ranMs ?? Number.NEGATIVE_INFINITY
