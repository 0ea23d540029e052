const BLOCK = 2 ** 16
const WORD = 32

/** A set of keys, of which most follow upon each other: a bit each. */
export class Keys {
  readonly #blocks = new Map<number, Uint32Array>()

  add(key: number): void {
    const at = Math.floor(key / BLOCK)
    const block = this.#blocks.get(at) ?? new Uint32Array(BLOCK / WORD)
    this.#blocks.set(at, block)
    const bit = key % BLOCK
    block[Math.floor(bit / WORD)]! |= 1 << (bit % WORD)
  }

  has(key: number): boolean {
    const bit = key % BLOCK
    const word = this.#blocks.get(Math.floor(key / BLOCK))?.[Math.floor(bit / WORD)] ?? 0
    return (word & (1 << (bit % WORD))) !== 0
  }
}
