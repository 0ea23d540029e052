import type { Account } from '~/domain/account.ts'
import type { Quote } from '~/domain/quote.ts'
import { LiveMemory, type LoggedChange } from '~/memory/live/live.ts'
import { Memory } from '~/memory/memory.ts'
import { AlertEvaluator } from '~/service/alert/evaluator.ts'
import { AlertWatch } from '~/service/alert/watch.ts'
import { createEvaluationStore } from '~/store/alert/evaluation-store.ts'
import type { Database } from '~/store/database.ts'
import { firedBody } from '~/wire/alert/delivery.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import type { HandClock } from '../../support/clock.ts'
import { noReferences } from '../../support/days.ts'

export const LIMITS = { midMaxAgeMs: 1e12, quoteMaxAgeMs: null, staleAfterMs: 7 * 86_400_000 }

/** A process that evaluates the alerts of a database by a log that is written by hand. */
export class Replica {
  readonly served = new Memory()
  readonly live = new LiveMemory(this.served)
  readonly faults: unknown[] = []
  readonly evaluator: AlertEvaluator
  readonly watch: AlertWatch

  constructor(
    database: Database,
    private readonly clock: HandClock,
    store = createEvaluationStore(database),
  ) {
    const onFault = (error: unknown) => void this.faults.push(error)
    this.evaluator = new AlertEvaluator({
      ...{ live: this.live, memory: this.served, clock, onFault },
      ageLimits: LIMITS,
      take: (transition) => this.watch.take(transition),
      bodyOf: firedBody,
    })
    this.watch = new AlertWatch({ store, evaluator: this.evaluator, onFault })
    this.live.subscribe(this.evaluator)
  }

  /** Begins with the quotes known at a position, and reads all alerts. */
  async start(position: number, quotes: readonly Quote[] = []): Promise<this> {
    const catalogue = { currencies: CURRENCIES, providers: PROVIDERS }
    this.served.publish({ catalogue, quotes }, this.clock.now())
    this.live.begin({ position, atMs: this.clock.now(), hourMs: null })
    this.live.settle()
    await this.read()
    return this
  }

  know(...accounts: readonly Account[]): this {
    this.served.publish({ access: { accounts, keys: [] } }, this.clock.now())
    return this
  }

  async apply(...changes: readonly Partial<LoggedChange>[]): Promise<void> {
    for (const change of changes) {
      const position = this.live.position + 1
      const atMs = this.clock.now() + position
      const days = { referencesAt: noReferences }
      await this.live.apply({ position, kind: 'observations', atMs, ...change }, days)
    }
    await this.settled()
  }

  async read(accountId: string | null = null): Promise<void> {
    await this.watch.read(accountId)
    await this.settled()
  }

  async settled(): Promise<void> {
    await this.evaluator.settled()
    await this.watch.run()
    await this.evaluator.settled()
    await this.watch.run()
  }
}

let ids = 0

/** A retail price of USD/KES. */
export const price = (rate: number, more: Partial<Quote> = {}): Quote => ({
  ...{ id: ++ids, providerId: 'retail-a', rate, atMs: 0, from: 'USD', to: 'KES' },
  ...{ fee: null, feeCurrency: null, offer: null, rateType: 'retail', evidence: 'observed' },
  ...more,
})
