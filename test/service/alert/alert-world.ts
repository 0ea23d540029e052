import type { Account } from '~/domain/account.ts'
import type { AlertWish } from '~/domain/alert/alert.ts'
import type { Plan } from '~/domain/quota.ts'
import { Memory } from '~/memory/memory.ts'
import type { AlertDeps } from '~/service/alert/alerts.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createAlertStore } from '~/store/alert/alert-store.ts'
import { createDeliveryList } from '~/store/alert/delivery-list.ts'
import type { Database } from '~/store/database.ts'
import { createAttemptStore } from '~/store/portal/attempt-store.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import { clockAt } from '../../support/clock.ts'
import { emptyPast } from '../../support/past.ts'

const NOW = '2026-03-05T14:25:30.500Z'

export const WISH: AlertWish = {
  corridor: { from: 'USD', to: 'KES' },
  sourceCountry: null,
  targetCountry: null,
  amount: null,
  when: { field: 'best', op: 'above', value: 130, periodMs: null },
  to: { kind: 'webhook', url: 'https://example.com/hook' },
  name: null,
  isOnce: false,
}

/** The alerts of a database, with memory filled by hand. */
export class AlertWorld {
  readonly clock = clockAt(NOW)
  readonly memory = new Memory()
  readonly live = { position: 7 }
  readonly changed: string[] = []
  readonly deps: AlertDeps
  #ids = 0

  constructor(
    private readonly database: Database,
    more: Partial<AlertDeps> = {},
  ) {
    const catalogue = { currencies: CURRENCIES, providers: PROVIDERS }
    this.memory.publish({ catalogue }, this.clock.now())
    this.deps = {
      alerts: createAlertStore(database),
      attempts: createAttemptStore(database),
      deliveries: createDeliveryList(database),
      memory: this.memory,
      ageLimits: { midMaxAgeMs: 1e9, quoteMaxAgeMs: null, staleAfterMs: 1e9 },
      past: emptyPast(),
      clock: this.clock,
      live: { caughtUp: async () => ({ ...this.live, current: this.memory.current }) },
      secrets: {
        make: async () => ({ text: `whsec_${++this.#ids}`, sealed: `sealed_${this.#ids}` }),
        opened: async (sealed) => sealed.replace('sealed', 'whsec'),
      },
      receivers: { faultOf: async () => null },
      isMailed: true,
      onChange: async (accountId) => void this.changed.push(accountId),
      testBody: ({ id }) => JSON.stringify({ test: id }),
      newId: () => crypto.randomUUID(),
      ...more,
    }
  }

  async account(plan: Plan = 'free'): Promise<Account> {
    const key = { keyName: 'default', keyHash: crypto.randomUUID() }
    const who = { email: `${crypto.randomUUID()}@example.com`, plan, role: 'member' } as const
    const { account } = await createAccountStore(this.database).create({ ...who, ...key })
    return account
  }

  /** Serves a retail price of USD/KES. */
  quote(rate: number, providerId = 'retail-a', atMs = this.clock.now()): void {
    const pair = { from: 'USD', to: 'KES', fee: null, feeCurrency: null, offer: null }
    const quote = { id: ++this.#ids, providerId, rate, atMs, ...pair }
    const said = { rateType: 'retail', evidence: 'observed' } as const
    this.memory.publish({ quotes: [{ ...quote, ...said }] }, this.clock.now())
  }
}
