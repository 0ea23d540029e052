import { LRUCache } from 'lru-cache'
import { corridorKey } from '~/domain/corridor.ts'
import { USD } from '~/domain/currency.ts'
import type { Window } from '~/domain/period.ts'
import type { Publication } from './memory.ts'

/** Source of a response: a corridor's observations or a currency's references; USD is any. */
export type Source = Window & { readonly of: string }

/** The cache's metrics since the process started. */
type CacheFigures = {
  readonly hits: number
  readonly misses: number
  /** Entries dropped for lack of room. */
  readonly evictions: number
  /** Entries dropped because a publication fell into their windows. */
  readonly invalidations: number
  readonly entries: number
  /** An estimate of the bytes that the entries take. */
  readonly bytes: number
}

const WINDOW_CACHE_BYTES_MAX = 64 * 1_048_576

/** Size of an entry besides its value: key, sources and the maps that hold them. */
const ENTRY_BYTES = 500

type Kept = { readonly value: unknown; readonly bytes: number; readonly sources: readonly Source[] }
type Pending = { readonly value: Promise<unknown>; readonly sources: readonly Source[] }

type Question<T> = {
  /** Identifies the whole query: two that can differ in their result differ in their key. */
  readonly key: string
  readonly sources: readonly Source[]
  ask(): Promise<T>
  /** The approximate size of a result in bytes. */
  bytesOf(value: T): number
}

/**
 * Results about stretches of history, cached until something is recorded inside them or space runs
 * short. Mutable, like the usage meter.
 *
 * A query made after a publication was noted never gets a result from before it, not even one that
 * was already being computed: such a result goes to earlier callers, and is not cached.
 */
export class WindowCache {
  readonly #kept: LRUCache<string, Kept>
  readonly #pending = new Map<string, Pending>()
  /** The entries and pending results that depend on a source, by source. */
  readonly #keysBySource = new Map<string, Set<string>>()
  #hits = 0
  #misses = 0
  #evictions = 0
  #invalidations = 0

  constructor(bytesMax: number = WINDOW_CACHE_BYTES_MAX) {
    this.#kept = new LRUCache<string, Kept>({
      maxSize: bytesMax,
      sizeCalculation: ({ bytes }) => bytes,
      dispose: ({ sources }, key, reason) => {
        if (reason === 'evict') this.#evictions++
        this.#unlist(key, sources)
      },
    })
  }

  get figures(): CacheFigures {
    return {
      hits: this.#hits,
      misses: this.#misses,
      evictions: this.#evictions,
      invalidations: this.#invalidations,
      entries: this.#kept.size,
      bytes: this.#kept.calculatedSize,
    }
  }

  /** Returns the cached result, the pending one, or a new one. A failure is not cached. */
  answer<T>(question: Question<T>): Promise<T> {
    const { key } = question
    const kept = this.#kept.get(key)
    if (kept) {
      this.#hits++
      return Promise.resolve(kept.value as T)
    }
    const pending = this.#pending.get(key)
    if (pending) {
      this.#hits++
      return pending.value as Promise<T>
    }
    this.#misses++
    return this.#asked(question)
  }

  /** Drops the results that a publication falls into; all of them if the past changed. */
  note(publication: Publication): void {
    const { quotes = [], withdrawn = [], references = [], isPastChanged = false } = publication
    if (isPastChanged) this.clear()
    for (const quote of [...quotes, ...withdrawn]) this.#drop(corridorKey(quote), quote.atMs)
    for (const { currency, atMs } of references) this.#drop(currency, atMs)
    for (const atMs of new Set(references.map((one) => one.atMs))) this.#drop(USD, atMs)
  }

  clear(): void {
    this.#invalidations += this.#kept.size
    for (const [key, { sources }] of this.#pending) this.#unlist(key, sources)
    this.#pending.clear()
    this.#kept.clear()
  }

  #asked<T>({ key, sources, ask, bytesOf }: Question<T>): Promise<T> {
    const pending: Pending = { value: ask(), sources }
    this.#pending.set(key, pending)
    this.#list(key, sources)
    const isCurrent = () => this.#pending.get(key) === pending
    const settle = () => {
      this.#pending.delete(key)
      this.#unlist(key, sources)
    }
    const value = pending.value as Promise<T>
    return value.then(
      (answer) => {
        if (!isCurrent()) return answer
        settle()
        this.#list(key, sources)
        const bytes = bytesOf(answer) + key.length + ENTRY_BYTES
        this.#kept.set(key, { value: answer, bytes, sources })
        if (!this.#kept.has(key)) this.#unlist(key, sources)
        return answer
      },
      (error) => {
        if (isCurrent()) settle()
        throw error
      },
    )
  }

  #drop(source: string, atMs: number): void {
    for (const key of this.#keysBySource.get(source) ?? []) {
      const held = this.#pending.get(key) ?? this.#kept.peek(key)
      if (!held?.sources.some((window) => window.of === source && holds(window, atMs))) continue
      this.#invalidations++
      if (this.#pending.delete(key)) this.#unlist(key, held.sources)
      else this.#kept.delete(key)
    }
  }

  #list(key: string, sources: readonly Source[]): void {
    for (const { of } of sources)
      this.#keysBySource.getOrInsertComputed(of, () => new Set()).add(key)
  }

  #unlist(key: string, sources: readonly Source[]): void {
    for (const { of } of sources) {
      const keys = this.#keysBySource.get(of)
      keys?.delete(key)
      if (keys?.size === 0) this.#keysBySource.delete(of)
    }
  }
}

const holds = ({ fromMs, beforeMs }: Window, atMs: number): boolean =>
  fromMs <= atMs && atMs < beforeMs
