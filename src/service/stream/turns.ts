/** Something that has work to do, and does a bounded part of it in each turn. */
type Worker = {
  /** Does the next part; reports whether more is left. */
  turn(): boolean
}

/** The number of turns that are taken before requests and responses have theirs. */
const TURNS_AT_ONCE = 100

/** Runs many workers in turns, so that the process does other things in between. */
export class Turns {
  #waiting = new Set<Worker>()
  #isPlanned = false

  constructor(private readonly soon: (work: () => void) => void) {}

  /** Gives a worker a turn soon, and further ones for as long as more is left to do. */
  add(worker: Worker): void {
    this.#waiting.add(worker)
    this.#plan()
  }

  remove(worker: Worker): void {
    this.#waiting.delete(worker)
  }

  #plan(): void {
    if (this.#isPlanned || this.#waiting.size === 0) return
    this.#isPlanned = true
    this.soon(() => this.#run())
  }

  #run(): void {
    this.#isPlanned = false
    let left = TURNS_AT_ONCE
    for (const worker of this.#waiting) {
      if (left-- === 0) break
      this.#waiting.delete(worker)
      if (worker.turn()) this.#waiting.add(worker)
    }
    this.#plan()
  }
}
