import type { StoredCorridor } from '~/domain/corridor.ts'
import type { Log } from '~/log.ts'
import type { CatalogueIndex } from '~/memory/catalogue-index.ts'
import type { Memory } from '~/memory/memory.ts'
import { type Loaded, type LoggedLoads, load } from './loaded.ts'

type CheckDeps = LoggedLoads & {
  readonly memory: Memory
  readonly clock: { now(): number }
  readonly log: Log
}

/** Loaded data, and the catalogue of the time at which the load began. */
export type Checked = Loaded & { readonly before: CatalogueIndex }

/** `corridors` is null for all; `found` is null if the load failed, and is to be made again. */
type Check = {
  readonly corridors: readonly StoredCorridor[] | null
  readonly found: Checked | null
}

/**
 * Loads that are to be compared with memory, which has what the log reports. A failed load is
 * repeated at the next turn, but once for all that a load of everything covers; memory stays as it
 * was until then.
 */
export class Checks {
  #waiting: Check[] = []

  constructor(private readonly deps: CheckDeps) {}

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  /** Loads the quotes of some corridors, or of all. */
  async add(corridors: readonly StoredCorridor[] | null): Promise<void> {
    const found = await this.#loaded(corridors).catch((err) => this.#failed(err))
    const isCovered = this.#waiting.some((one) => one.corridors === null && one.found === null)
    if (found || !isCovered) this.#waiting.push({ corridors, found })
  }

  /** Forgets waiting checks: everything is loaded instead. */
  clear(): void {
    this.#waiting = []
  }

  async compare(work: (found: Checked) => Promise<void>): Promise<void> {
    const waiting = this.#waiting
    this.clear()
    for (const { corridors, found } of waiting)
      try {
        await work(found ?? (await this.#loaded(corridors)))
      } catch (err) {
        this.#waiting.push({ corridors, found: found && this.#failed(err) })
      }
  }

  async #loaded(corridors: Check['corridors']): Promise<Checked> {
    const { memory, clock } = this.deps
    const { catalogue: before } = memory.current
    return { before, ...(await load(this.deps, memory, { nowMs: clock.now(), corridors })) }
  }

  #failed(err: unknown): null {
    this.deps.log.warn({ err }, 'memory could not be compared with the database')
    return null
  }
}
