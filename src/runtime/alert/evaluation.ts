import type { Clock } from '~/clock.ts'
import type { Alert } from '~/domain/alert/alert.ts'
import { corridorKey } from '~/domain/corridor.ts'
import { DAY_MS } from '~/domain/duration.ts'
import { freshnessAt } from '~/domain/freshness.ts'
import type { Job } from '~/jobs/schedule.ts'
import type { Log } from '~/log.ts'
import type { LiveMemory } from '~/memory/live/live.ts'
import type { Memory } from '~/memory/memory.ts'
import { type AgeLimits, View } from '~/memory/view.ts'
import { baseOf } from '~/service/alert/base.ts'
import { AlertEvaluator } from '~/service/alert/evaluator.ts'
import { MonthlyAlerts } from '~/service/alert/monthly.ts'
import { AlertWatch } from '~/service/alert/watch.ts'
import type { SnapshotDeps } from '~/service/snapshot.ts'
import { createAlertStore } from '~/store/alert/alert-store.ts'
import { createEvaluationStore } from '~/store/alert/evaluation-store.ts'
import type { Database } from '~/store/database.ts'
import { once } from '~/store/once.ts'
import { firedBody, monthlyBody } from '~/wire/alert/delivery.ts'

type AlertEvaluationDeps = {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly memory: Memory
  readonly live: LiveMemory
  readonly ageLimits: AgeLimits
  readonly past: SnapshotDeps
}

/** The longest time for which ended alerts are retained. */
const ENDED_MS_MAX = 30 * DAY_MS
/** The maximum number of moves over a period that are measured again in one run. */
const MEASURED_MAX = 5000

/** Evaluates alerts by the log of changes, from the start of a process to its end. */
export class AlertEvaluation {
  readonly #evaluator: AlertEvaluator
  readonly #watch: AlertWatch
  readonly #store: ReturnType<typeof createEvaluationStore>
  readonly #monthly: MonthlyAlerts
  readonly #end: () => void

  constructor(private readonly deps: AlertEvaluationDeps) {
    const { database, log, live } = deps
    this.#store = createEvaluationStore(database)
    this.#evaluator = new AlertEvaluator({
      ...deps,
      take: (transition) => this.#watch.take(transition),
      bodyOf: (firing) => firedBody(firing, deps.memory.isSample),
      onFault: (err) => log.error({ err }, 'an alert could not be evaluated'),
    })
    this.#watch = new AlertWatch({
      store: this.#store,
      evaluator: this.#evaluator,
      onFault: (err) =>
        log.warn({ err }, 'alert transitions could not be stored; they are retried'),
    })
    this.#monthly = new MonthlyAlerts({
      ...deps,
      store: this.#store,
      evaluated: () => this.#evaluator.evaluated,
      bodyOf: (firing) => monthlyBody(firing, deps.memory.isSample),
    })
    this.#end = live.subscribe(this.#evaluator)
  }

  /** Reads the alerts of an account again, or of all; later if the database is unreachable. */
  readonly read = (accountId: string | null): Promise<void> => this.#watch.read(accountId)

  get jobs(): readonly Job[] {
    const { database, clock } = this.deps
    const alone = (name: string, work: () => Promise<void>) => () => once(database, name, work)
    return [
      { name: 'keep-alerts', pattern: '* * * * * *', run: () => this.#watch.run() },
      { name: 'watch-alerts', pattern: '30 * * * * *', run: () => this.#evaluator.watchTime() },
      {
        name: 'measure-alerts',
        pattern: '*/5 * * * *',
        run: alone('corridor alert bases', () => this.#measure()),
      },
      {
        name: 'monthly-alerts',
        pattern: '20 * * * * *',
        run: alone('corridor monthly alerts', () => this.#monthly.run()),
      },
      {
        name: 'prune-alerts',
        pattern: '6 * * * *',
        run: () => createAlertStore(database).prune(clock.now() - ENDED_MS_MAX),
      },
    ]
  }

  /** Evaluates the received changes, and stores the results, as far as the database takes them. */
  async stop(): Promise<void> {
    this.#end()
    await this.#evaluator.settled()
    await this.#watch.run()
    this.#evaluator.stop()
  }

  /** Measures moves over a period, from the value at its start until now. */
  async #measure(): Promise<void> {
    const { memory, ageLimits, past, clock } = this.deps
    const moving = this.#evaluator.evaluated.filter(({ alert: { when } }) => isOverPeriod(when))
    const groups = Map.groupBy(moving, ({ alert: { corridor, when }, tier }) =>
      [corridorKey(corridor), when.field, when.periodMs, tier].join(' '),
    )
    const bases: { id: string; revision: number; base: number | null }[] = []
    for (const own of [...groups.values()].slice(0, MEASURED_MAX)) {
      const [{ alert, tier }] = own as [(typeof own)[number]]
      const view = new View(memory.current, freshnessAt(tier, clock.now()), ageLimits)
      const base = await baseOf(past, view, alert)
      for (const { alert } of own)
        if (alert.standing.base !== base)
          bases.push({ id: alert.id, revision: alert.revision, base })
    }
    if (bases.length > 0) await this.#store.rebase(bases)
  }
}

const isOverPeriod = ({ op, periodMs }: Alert['when']) => op === 'moves_pct' && periodMs !== null
