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
  /** Called with the corridors of servers that respond again after they were unreachable. */
  readonly onBack: (corridors: readonly StoredCorridor[]) => Promise<void>
}

/** Knows which of the servers that store rows respond. */
export class WorkerWatch {
  #figures: WorkerFigures = { workers: 0, away: 0, corridors: 0 }
  #owed: readonly number[] = []
  #awayIds: ReadonlySet<number> = new Set()
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

  /** Queries every server. Rejects if the coordinator does not respond, or `onBack` fails. */
  async look(): Promise<void> {
    const { away } = await this.#asked()
    if (this.#owed.length > away.length) await this.#tellBack(away)
  }

  /** Reports whether one of these corridors was on an unreachable server at the last look. */
  isAnyAway(corridorIds: readonly number[]): boolean {
    return corridorIds.some((id) => this.#awayIds.has(id))
  }

  /** Reports all but the unreachable servers as back; again at the next look if that fails. */
  async #tellBack(away: readonly number[]): Promise<void> {
    const owed = this.#owed
    this.#owed = away
    this.deps.log.info(this.#figures, 'database workers respond again')
    const back = owed.filter((group) => !away.includes(group))
    try {
      await this.deps.onBack(await this.deps.store.corridorsOn(back))
    } catch (error) {
      this.#owed = owed
      throw error
    }
  }

  /** The corridors by whether their servers respond; null if all do. */
  async divided(): Promise<Divided | null> {
    const { all, away, corridors } = await this.#asked()
    if (away.length === 0) return null
    const here = all.filter((group) => !away.includes(group))
    return { here: await this.deps.store.corridorsOn(here), away: corridors }
  }

  /**
   * Queries every server, twice if a reachable one seems unreachable now: a busy one may not
   * respond in time. Updates the metrics, and logs when the first becomes unreachable.
   */
  async #asked() {
    const { store, log } = this.deps
    const nodes = await store.nodes()
    const all = nodes.map(({ group }) => group)
    const groupsAway = async () => {
      const answers = await Promise.all(nodes.map((node) => this.#answers(node)))
      return all.filter((_, i) => !answers[i])
    }
    const first = await groupsAway()
    const isKnown = first.every((group) => this.#owed.includes(group))
    const away = isKnown ? first : await groupsAway()
    this.#owed = all.filter((group) => away.includes(group) || this.#owed.includes(group))
    const corridors = away.length > 0 ? await store.corridorsOn(away) : []
    this.#awayIds = new Set(corridors.map(({ id }) => id))
    const before = this.#figures.away
    this.#figures = { workers: all.length, away: away.length, corridors: corridors.length }
    if (away.length > 0 && before === 0) log.warn(this.#figures, 'database workers are unreachable')
    return { all, away, corridors }
  }

  #answers(node: Node): Promise<boolean> {
    const key = `${node.host} ${node.port}`
    const ask = () => reachability(() => this.deps.store.ask(node))
    return this.#asking.getOrInsertComputed(key, ask)()
  }
}
