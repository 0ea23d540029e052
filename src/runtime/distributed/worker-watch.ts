import type { StoredCorridor } from '~/domain/corridor.ts'
import type { WorkersAway } from '~/http/health.ts'
import type { Job } from '~/jobs/schedule.ts'
import type { Log } from '~/log.ts'
import { reachability } from '~/runtime/reachability.ts'

type Node = { readonly group: number; readonly host: string; readonly port: number }

type WorkerStore = {
  nodes(): Promise<readonly Node[]>
  ask(node: Node): Promise<void>
  corridorsOn(groups: readonly number[]): Promise<readonly StoredCorridor[]>
}

type Divided = Readonly<Record<'here' | 'away', readonly StoredCorridor[]>>

type WorkerFigures = Omit<WorkersAway, 'unloaded'>

type WatchDeps = {
  readonly store: WorkerStore
  readonly log: Log
  /** Called with the corridors of servers that answer again after they were found away. */
  readonly onBack: (corridors: readonly StoredCorridor[]) => Promise<void>
}

/** Knows which of the servers that keep rows answer. */
export class WorkerWatch {
  #figures: WorkerFigures = { workers: 0, away: 0, corridors: 0 }
  #owed: readonly number[] = []
  readonly #asking = new Map<string, () => Promise<boolean>>()

  constructor(private readonly deps: WatchDeps) {}

  get figures(): WorkerFigures {
    return this.#figures
  }

  get jobs(): Job[] {
    const waiting = () => (this.#owed.length > 0 ? this.look() : undefined)
    return [
      { name: 'watch-workers', pattern: '*/5 * * * * *', run: () => this.look() },
      { name: 'await-workers', pattern: '* * * * * *', run: waiting },
    ]
  }

  /** Asks every server. Rejects when the coordinator does not answer, or `onBack` fails. */
  async look(): Promise<void> {
    const { all, away } = await this.#asked()
    await this.#awayIn(all, away)
    if (this.#owed.length > away.length) await this.#tellBack(away)
  }

  /** The corridors of servers that are away; keeps the figures, and logs when the first goes. */
  async #awayIn(all: readonly number[], away: readonly number[]) {
    const { store, log } = this.deps
    const corridors = away.length > 0 ? await store.corridorsOn(away) : []
    const before = this.#figures.away
    this.#figures = { workers: all.length, away: away.length, corridors: corridors.length }
    if (away.length > 0 && before === 0) log.warn(this.#figures, 'database workers are away')
    return corridors
  }

  /** Tells that all but those who are away are back; again at the next look where that fails. */
  async #tellBack(away: readonly number[]): Promise<void> {
    const owed = this.#owed
    this.#owed = away
    this.deps.log.info(this.#figures, 'database workers answer again')
    const back = owed.filter((group) => !away.includes(group))
    try {
      await this.deps.onBack(await this.deps.store.corridorsOn(back))
    } catch (error) {
      this.#owed = owed
      throw error
    }
  }

  /**
   * The corridors by whether their servers answer; null if all do. A server is asked twice, as
   * one that is only busy may not answer in time.
   */
  async divided(): Promise<Divided | null> {
    const first = await this.#asked()
    const { all, away } = first.away.length === 0 ? first : await this.#asked()
    const corridors = await this.#awayIn(all, away)
    if (away.length === 0) return null
    const here = all.filter((group) => !away.includes(group))
    return { here: await this.deps.store.corridorsOn(here), away: corridors }
  }

  async #asked() {
    const nodes = await this.deps.store.nodes()
    const answers = await Promise.all(nodes.map((node) => this.#answers(node)))
    const all = nodes.map(({ group }) => group)
    const away = all.filter((_, i) => !answers[i])
    this.#owed = all.filter((group) => away.includes(group) || this.#owed.includes(group))
    return { all, away }
  }

  #answers(node: Node): Promise<boolean> {
    const key = `${node.host} ${node.port}`
    const ask = this.#asking.get(key) ?? reachability(() => this.deps.store.ask(node))
    this.#asking.set(key, ask)
    return ask()
  }
}
