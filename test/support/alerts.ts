import type { Alert } from '~/domain/alert/alert.ts'
import type { Delivery } from '~/domain/alert/delivery.ts'
import { Memory } from '~/memory/memory.ts'
import type { AlertDeps, AlertStore } from '~/service/alert/alerts.ts'
import { testBody } from '~/wire/alert/delivery.ts'
import { clockAt } from './clock.ts'
import { emptyPast } from './past.ts'

const nothingKnown = (): Places => ({
  memory: new Memory(),
  ageLimits: { midMaxAgeMs: 0, quoteMaxAgeMs: null, staleAfterMs: null },
  past: emptyPast(),
  clock: clockAt('2026-03-05T14:25:30.500Z'),
})

type Places = Pick<AlertDeps, 'memory' | 'ageLimits' | 'past' | 'clock'>

/** Alerts that exist for the duration of a test, of accounts with an email address and webhooks. */
export function heldAlerts(places: Places = nothingKnown()): AlertDeps {
  const deliveries: Delivery[] = []
  const counts = new Map<string, number>()
  return {
    ...places,
    alerts: new HeldAlerts(),
    deliveries: {
      list: async (alertId) => deliveries.filter((one) => one.alertId === alertId).reverse(),
      async add({ nowMs, ...one }) {
        const times = { createdMs: nowMs, nextMs: nowMs, doneMs: null, tries: 0 }
        const last = { lastStatus: null, lastError: null, lastReply: null, lastMs: null }
        deliveries.push({ ...one, ...times, ...last, status: 'waiting' })
        return deliveries.at(-1)!
      },
    },
    attempts: {
      async countAttempt(scope, endsMs) {
        const count = (counts.get(`${scope} ${endsMs}`) ?? 0) + 1
        counts.set(`${scope} ${endsMs}`, count)
        return count
      },
    },
    live: { caughtUp: async () => ({ position: 1, current: places.memory.current }) },
    secrets: {
      make: async () => ({ text: 'whsec_c2VjcmV0', sealed: 'sealed' }),
      opened: async () => 'whsec_c2VjcmV0',
    },
    receivers: {
      faultOf: async (url) => (url.startsWith('https://') ? null : 'it must be an https URL'),
    },
    isMailed: true,
    onChange: async () => {},
    testBody,
    newId: () => crypto.randomUUID(),
  }
}

class HeldAlerts implements AlertStore {
  #all: Alert[] = []

  list = async (accountId: string) => this.#all.filter((alert) => alert.accountId === accountId)

  find = async (accountId: string, id: string) =>
    (await this.list(accountId)).find((alert) => alert.id === id) ?? null

  create: AlertStore['create'] = async ({ secret, ...made }, max) => {
    if ((await this.list(made.accountId)).length >= max) return null
    const fresh = { status: 'active', reason: null, revision: 0, firedMs: null } as const
    this.#all.push({ ...made, ...fresh, id: crypto.randomUUID() })
    return { alert: this.#all.at(-1)!, secret }
  }

  change: AlertStore['change'] = async (accountId, id, { secret: _, evaluated, ...change }) => {
    const old = await this.find(accountId, id)
    if (!old) return null
    const changed = { ...old, ...change, ...evaluated }
    this.#all = this.#all.map((alert) => (alert === old ? changed : alert))
    return changed
  }

  async remove(accountId: string, id: string) {
    const old = await this.find(accountId, id)
    this.#all = this.#all.filter((alert) => alert !== old)
    return old
  }

  rotate: AlertStore['rotate'] = (accountId, id) => this.find(accountId, id)

  addressOf = async () => 'owner@example.com'
}
