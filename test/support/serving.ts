import { learnDays } from '~/memory/day-publication.ts'
import type { Memory, Publication } from '~/memory/memory.ts'
import { type IngestDeps, quoteOf } from '~/service/recording/ingest.ts'
import type { WithdrawalStore } from '~/service/recording/withdraw.ts'
import { noReferences } from './days.ts'

type Store = Pick<IngestDeps['store'], 'record'> &
  Partial<Pick<IngestDeps['store'], 'referencesAt'> & Pick<WithdrawalStore, 'withdraw'>>

/** A store whose memory serves what it records, without a log in between. */
export function serving<S extends Store>(
  store: S,
  { memory, clock }: { readonly memory: Memory; readonly clock: { now(): number } },
) {
  const { referencesAt = noReferences } = store
  const publish = async (added: Publication) => {
    await learnDays({ memory, days: { referencesAt } }, added).catch(() => {})
    memory.publish(added, clock.now())
  }
  return {
    ...store,
    record: async (batch: Parameters<Store['record']>[0]) => {
      const recording = await store.record(batch)
      if (recording.kind === 'recorded') {
        const quotes = batch.observations.map((row, i) => quoteOf(row, recording.ids[i]!))
        await publish({ quotes })
      }
      return recording
    },
    ...(store.withdraw && {
      withdraw: async (withdrawal: Parameters<WithdrawalStore['withdraw']>[0]) => {
        const { withdrawn, quotes, ...done } = await store.withdraw!(withdrawal)
        await publish({ withdrawn, quotes })
        return { withdrawn, quotes, ...done }
      },
    }),
  }
}
