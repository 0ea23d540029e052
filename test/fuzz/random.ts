/**
 * Random numbers that depend on a seed alone.
 * https://github.com/bryc/code/blob/master/jshash/PRNGs.md
 */
export class Random {
  #state: number

  constructor(seed: number, turn = 0) {
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(turn + 1, 0xc2b2ae35)
  }

  /** From 0 to below 1. */
  unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  /** From 0 to `count - 1`. */
  below(count: number): number {
    return Math.floor(this.unit() * count)
  }

  chance(share: number): boolean {
    return this.unit() < share
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }

  /** A random number of draws, up to `countMax`. */
  some<T>(countMax: number, draw: () => T): T[] {
    return Array.from({ length: this.below(countMax + 1) }, draw)
  }
}
