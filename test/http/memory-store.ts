import type { Observation, Recording, Withdrawal } from '~/domain/observation.ts'
import type { IngestDeps } from '~/service/recording/ingest.ts'
import type { NamedObservation } from '~/service/recording/withdraw.ts'

/** The id of the first recorded observation. */
export const FIRST_ID = 1_000_001

/** Stores batches instead of a database, so that a test can see what was recorded. */
export class MemoryStore {
  readonly recorded: Observation[] = []
  readonly #named = new Map<number, NamedObservation>()
  #nextId = FIRST_ID

  async record({ observations, origin }: Parameters<IngestDeps['store']['record']>[0]) {
    this.recorded.push(...observations)
    const ids = observations.map(({ providerId }) => {
      const id = this.#nextId++
      const accountId = origin?.recorder?.accountId ?? null
      this.#named.set(id, { id, providerId, accountId, isWithdrawn: false })
      return id
    })
    return { kind: 'recorded', ids } satisfies Recording
  }

  async named(ids: readonly number[]) {
    return ids.flatMap((id) => this.#named.get(id) ?? [])
  }

  async withdraw({ ids, atMs }: Withdrawal) {
    const gone = ids.filter((id) => !this.#named.get(id)!.isWithdrawn)
    for (const id of gone) this.#named.set(id, { ...this.#named.get(id)!, isWithdrawn: true })
    const withdrawn = gone.map((id) => ({
      ...{ id, atMs, providerId: this.#named.get(id)!.providerId, from: 'USD', to: 'KES', rate: 1 },
      ...{ fee: null, feeCurrency: null, rateType: 'retail' as const, offer: null },
      evidence: 'observed' as const,
    }))
    return { withdrawn, quotes: [] }
  }
}
