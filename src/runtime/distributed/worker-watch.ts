import type { WorkersAway } from '~/http/health.ts'
import type { Job } from '~/jobs/schedule.ts'
import type { Log } from '~/log.ts'
import { reachability } from '~/runtime/reachability.ts'

type Node = { readonly group: number; readonly host: string; readonly port: number }

type WorkerStore = {
  nodes(): Promise<readonly Node[]>
  ask(node: Node): Promise<void>
  corridorIdsOn(groups: readonly number[]): Promise<readonly number[]>
}

type WatchDeps = {
  readonly store: WorkerStore
  readonly log: Log
  /** Called when all servers answer again after some were found away. */
  readonly onBack: () => void
}

/** Knows which of the servers that keep rows answer. */
export class WorkerWatch {
  #figures: WorkersAway = { workers: 0, away: 0, corridors: 0 }
  #isOwed = false
  readonly #asking = new Map<string, () => Promise<boolean>>()

  constructor(private readonly deps: WatchDeps) {}

  get figures(): WorkersAway {
    return this.#figures
  }

  get job(): Job {
    return { name: 'watch-workers', pattern: '*/5 * * * * *', run: () => this.look() }
  }

  /** Asks every server. Rejects when the coordinator does not answer. */
  async look(): Promise<void> {
    const { store, log, onBack } = this.deps
    const { all, away } = await this.#asked()
    const ids = away.length > 0 ? await store.corridorIdsOn(away) : []
    const before = this.#figures.away
    this.#figures = { workers: all.length, away: away.length, corridors: ids.length }
    if (away.length > 0 && before === 0) log.warn(this.#figures, 'database workers are away')
    if (away.length > 0 || !this.#isOwed) return
    this.#isOwed = false
    log.info({}, 'all database workers answer again')
    onBack()
  }

  /** The corridors of the servers that answer; null where all do. */
  async reachable(): Promise<readonly number[] | null> {
    const { all, away } = await this.#asked()
    if (away.length === 0) return null
    return this.deps.store.corridorIdsOn(all.filter((group) => !away.includes(group)))
  }

  async #asked() {
    const nodes = await this.deps.store.nodes()
    const answers = await Promise.all(nodes.map((node) => this.#answers(node)))
    const all = nodes.map(({ group }) => group)
    const away = all.filter((_, i) => !answers[i])
    this.#isOwed ||= away.length > 0
    return { all, away }
  }

  #answers(node: Node): Promise<boolean> {
    const key = `${node.host} ${node.port}`
    const ask = this.#asking.get(key) ?? reachability(() => this.deps.store.ask(node))
    this.#asking.set(key, ask)
    return ask()
  }
}
