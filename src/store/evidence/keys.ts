/** The number of keys that are counted together. */
export const KEYS_BLOCK = 2 ** 16
const WORD = 32

type Block = { count: number; readonly words: Uint32Array }

const newBlock = (): Block => ({ count: 0, words: new Uint32Array(KEYS_BLOCK / WORD) })

/** A set of keys, of which most follow upon each other: a bit each. */
export class Keys {
  readonly #blocks = new Map<number, Block>()

  add(key: number): void {
    if (this.has(key)) return
    const at = Math.floor(key / KEYS_BLOCK)
    const block = this.#blocks.getOrInsertComputed(at, newBlock)
    const bit = key % KEYS_BLOCK
    block.words[Math.floor(bit / WORD)]! |= 1 << (bit % WORD)
    block.count++
  }

  delete(key: number): void {
    if (!this.has(key)) return
    const block = this.#blocks.get(Math.floor(key / KEYS_BLOCK))!
    const bit = key % KEYS_BLOCK
    block.words[Math.floor(bit / WORD)]! &= ~(1 << (bit % WORD))
    block.count--
  }

  /** The number of keys from `nth * KEYS_BLOCK` on, up to the next block. */
  countIn(nth: number): number {
    return this.#blocks.get(nth)?.count ?? 0
  }

  has(key: number): boolean {
    const bit = key % KEYS_BLOCK
    const block = this.#blocks.get(Math.floor(key / KEYS_BLOCK))
    const word = block?.words[Math.floor(bit / WORD)] ?? 0
    return (word & (1 << (bit % WORD))) !== 0
  }
}
