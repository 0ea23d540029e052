import type { Alert } from '~/domain/alert/alert.ts'
import type { Transition } from '~/domain/alert/transition.ts'
import type { AlertEvaluator } from './evaluator.ts'

type WatchDeps = {
  readonly store: {
    /** The active alerts of an account, or of all, oldest first. */
    active(accountId: string | null): Promise<readonly Alert[]>
    /** Stores states with deliveries; returns whose transition was stored, at most one for each. */
    settle(transitions: readonly Transition[]): Promise<ReadonlySet<string>>
  }
  readonly evaluator: Pick<AlertEvaluator, 'replace'>
  /** Receives the reason why the database took nothing; once until it does again. */
  readonly onFault: (error: unknown) => void
}

/** The maximum number of transitions stored at once, and of those that may wait. */
const BATCH_MAX = 500
const WAITING_MAX = 10_000

/** All accounts. */
const EVERYBODY = '*'

/** Synchronises alerts between memory and the database: reads them, and stores transitions. */
export class AlertWatch {
  #transitions: Transition[] = []
  readonly #unread = new Set<string>()
  #work: Promise<void> | null = null
  #isFailing = false

  constructor(private readonly deps: WatchDeps) {}

  /** Takes a transition, to be stored at once or as soon as the database is back. */
  take(transition: Transition): void {
    this.#transitions.push(transition)
    if (this.#transitions.length > WAITING_MAX) {
      this.#transitions = []
      this.#unread.add(EVERYBODY)
    }
    if (!this.#isFailing) void this.#start()
  }

  /** Reads the alerts of an account again, or all; later if the database is unreachable. */
  read(accountId: string | null): Promise<void> {
    this.#unread.add(accountId ?? EVERYBODY)
    return this.run()
  }

  /** Writes and reads what waits. Never rejects. */
  async run(): Promise<void> {
    await this.#work
    if (this.#isWaiting) await this.#start()
  }

  get #isWaiting(): boolean {
    return this.#transitions.length > 0 || this.#unread.size > 0
  }

  #start(): Promise<void> {
    this.#work ??= this.#catchUp().finally(() => {
      this.#work = null
      if (this.#isWaiting && !this.#isFailing) void this.#start()
    })
    return this.#work
  }

  async #catchUp(): Promise<void> {
    try {
      while (this.#isWaiting) {
        while (this.#transitions.length > 0) await this.#settleSome()
        for (const id of [...this.#unread]) await this.#readOne(id)
      }
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.deps.onFault(error)
      this.#isFailing = true
    }
  }

  /** Stores the first transition of each alert. An alert whose transition is rejected is read. */
  async #settleSome(): Promise<void> {
    const first = new Map<string, Transition>()
    for (const one of this.#transitions) {
      if (first.size === BATCH_MAX) break
      if (!first.has(one.alert.id)) first.set(one.alert.id, one)
    }
    const batch = [...first.values()]
    const kept = await this.deps.store.settle(batch)
    const taken = new Set(batch)
    this.#transitions = this.#transitions.filter((one) => !taken.has(one))
    for (const { alert } of batch) if (!kept.has(alert.id)) this.#unread.add(alert.accountId)
  }

  async #readOne(id: string): Promise<void> {
    this.#unread.delete(id)
    const accountId = id === EVERYBODY ? null : id
    try {
      this.deps.evaluator.replace(await this.deps.store.active(accountId), accountId)
    } catch (error) {
      this.#unread.add(id)
      throw error
    }
  }
}
