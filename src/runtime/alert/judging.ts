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
import { AlertJudge } from '~/service/alert/judge.ts'
import { MonthlyAlerts } from '~/service/alert/monthly.ts'
import { AlertWatch } from '~/service/alert/watch.ts'
import type { SnapshotDeps } from '~/service/snapshot.ts'
import { createAlertStore } from '~/store/alert/alert-store.ts'
import { createJudgementStore } from '~/store/alert/judgement-store.ts'
import type { Database } from '~/store/database.ts'
import { once } from '~/store/once.ts'
import { firedBody, monthlyBody } from '~/wire/alert/delivery.ts'

type JudgingDeps = {
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
export class AlertJudging {
  readonly #judge: AlertJudge
  readonly #watch: AlertWatch
  readonly #store: ReturnType<typeof createJudgementStore>
  readonly #monthly: MonthlyAlerts
  readonly #end: () => void

  constructor(private readonly deps: JudgingDeps) {
    const { database, log, live } = deps
    this.#store = createJudgementStore(database)
    this.#judge = new AlertJudge({
      ...deps,
      take: (transition) => this.#watch.take(transition),
      bodyOf: (firing) => firedBody(firing, deps.memory.isSample),
      onFault: (err) => log.error({ err }, 'an alert could not be evaluated'),
    })
    this.#watch = new AlertWatch({
      store: this.#store,
      judge: this.#judge,
      onFault: (err) =>
        log.warn({ err }, 'alert transitions could not be stored; they are retried'),
    })
    this.#monthly = new MonthlyAlerts({
      ...deps,
      store: this.#store,
      judged: () => this.#judge.judged,
      bodyOf: (firing) => monthlyBody(firing, deps.memory.isSample),
    })
    this.#end = live.hear(this.#judge)
  }

  /** Reads the alerts of an account again, or of all; later if the database is unreachable. */
  readonly read = (accountId: string | null): Promise<void> => this.#watch.read(accountId)

  get jobs(): readonly Job[] {
    const { database, clock } = this.deps
    const alone = (name: string, work: () => Promise<void>) => () => once(database, name, work)
    return [
      { name: 'keep-alerts', pattern: '* * * * * *', run: () => this.#watch.run() },
      { name: 'watch-alerts', pattern: '30 * * * * *', run: () => this.#judge.watchTime() },
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
    await this.#judge.settled()
    await this.#watch.run()
    this.#judge.stop()
  }

  /** Measures moves over a period, from the value at its start until now. */
  async #measure(): Promise<void> {
    const { memory, ageLimits, past, clock } = this.deps
    const moving = this.#judge.judged.filter(({ alert: { when } }) => isOverPeriod(when))
    const alike = Map.groupBy(moving, ({ alert: { corridor, when }, tier }) =>
      [corridorKey(corridor), when.field, when.periodMs, tier].join(' '),
    )
    const bases: { id: string; revision: number; base: number | null }[] = []
    for (const own of [...alike.values()].slice(0, MEASURED_MAX)) {
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
