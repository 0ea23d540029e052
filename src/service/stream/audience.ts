import type { StreamReader } from './reader.ts'

/** Readers by the corridors that they subscribe to. */
export class Audience {
  readonly #all = new Set<StreamReader>()
  readonly #everywhere = new Set<StreamReader>()
  readonly #byName = new Map<string, Set<StreamReader>>()

  get size(): number {
    return this.#all.size
  }

  add(reader: StreamReader): void {
    this.#all.add(reader)
    const { names } = reader.subscription
    if (names === null) this.#everywhere.add(reader)
    for (const name of names ?? [])
      this.#byName.getOrInsertComputed(name, () => new Set()).add(reader)
  }

  remove(reader: StreamReader): void {
    this.#all.delete(reader)
    this.#everywhere.delete(reader)
    for (const name of reader.subscription.names ?? []) {
      const readers = this.#byName.get(name)
      readers?.delete(reader)
      if (readers?.size === 0) this.#byName.delete(name)
    }
  }

  /** The subscribers of any of these corridors, each once; all readers for null. */
  of(names: ReadonlySet<string> | null): ReadonlySet<StreamReader> {
    if (names === null) return this.#all
    if (names.size === 0) return NONE
    const readers = new Set(this.#everywhere)
    for (const name of names)
      for (const reader of this.#byName.get(name) ?? NONE) readers.add(reader)
    return readers
  }
}

const NONE: ReadonlySet<StreamReader> = new Set()
