import type { StreamReader } from './reader.ts'

/** Readers by the corridors that they hear of. */
export class Audience {
  readonly #everywhere = new Set<StreamReader>()
  readonly #byName = new Map<string, Set<StreamReader>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(reader: StreamReader): void {
    this.#size++
    const { names } = reader.subscription
    if (names === null) this.#everywhere.add(reader)
    for (const name of names ?? []) {
      const readers = this.#byName.get(name)
      if (readers) readers.add(reader)
      else this.#byName.set(name, new Set([reader]))
    }
  }

  remove(reader: StreamReader): void {
    this.#size--
    this.#everywhere.delete(reader)
    for (const name of reader.subscription.names ?? []) {
      const readers = this.#byName.get(name)
      readers?.delete(reader)
      if (readers?.size === 0) this.#byName.delete(name)
    }
  }

  /** Those who hear of one of these corridors, each once; of null everybody. */
  of(names: ReadonlySet<string> | null): Set<StreamReader> {
    if (names?.size === 0) return NOBODY
    const readers = new Set(this.#everywhere)
    const lists = names ? [...names].map((name) => this.#byName.get(name)) : this.#byName.values()
    for (const list of lists) for (const reader of list ?? []) readers.add(reader)
    return readers
  }
}

const NOBODY = new Set<StreamReader>()
