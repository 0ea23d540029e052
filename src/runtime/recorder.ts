import type { Config } from '~/config.ts'
import { ServiceError } from '~/domain/errors.ts'
import type { Place } from '~/domain/observation.ts'
import type { Follower } from '~/jobs/follower.ts'
import type { OwnCommit } from '~/jobs/own-commits.ts'
import type { DaySource } from '~/memory/day-publication.ts'
import { type IngestDeps, type ObservationStore, quoteOf } from '~/service/recording/ingest.ts'
import type { WithdrawalStore } from '~/service/recording/withdraw.ts'
import { WorkLimit } from '~/service/work-limit.ts'
import { CHANGE_ROWS_MAX } from '~/store/notification-channel.ts'
import { orUnavailable } from '~/store/outage.ts'
import type { RowFigures } from '~/telemetry/row-figures.ts'
import { type Tracing, traced } from '~/telemetry/tracing.ts'
import type { StorageWatch } from './storage/storage-watch.ts'

type RecorderDeps = {
  readonly observations: ObservationStore
  readonly withdrawals: WithdrawalStore
  /** The source of references of days, which responds within a time limit. */
  readonly days: DaySource
  readonly tracing: Tracing | null
  readonly work: Config['work']
  readonly storage: Pick<StorageWatch, 'watched'>
  readonly rows: Pick<RowFigures, 'count'>
  readonly follower: Pick<Follower, 'committing' | 'serve'>
}

const WITHDRAWING_AWAY =
  'the database cannot be reached; retry shortly: withdrawing twice does no harm'

export const RECORDING_AWAY =
  'the database cannot be reached; ' +
  'retry shortly: with one Idempotency-Key for both tries nothing is recorded twice'

const OUTCOMES = {
  recorded: 'recorded',
  replayed: 'repeated',
  refused: 'refused',
  key_reused: 'refused',
} as const

/** The recording store; `limit` keeps it from taking the whole database. */
export type Recorder = IngestDeps['store'] & WithdrawalStore & { readonly limit: WorkLimit }

/**
 * The store that records observations: when it returns, memory serves the recorded rows, in the
 * order of the log. A batch whose response was lost may still be recorded, and is served then too.
 */
export function recorderOf(deps: RecorderDeps): Recorder {
  const { observations, days, tracing, work, storage, rows, follower } = deps
  const { ingestMax, waitingMax } = work
  const limit = new WorkLimit({ runningMax: ingestMax, waitingMax })
  const record: ObservationStore['record'] = async (batch) => {
    const recorded = traced(tracing, 'database record', () => observations.record(batch))
    const recording = await orUnavailable(storage.watched(recorded), RECORDING_AWAY)
    rows.count(
      OUTCOMES[recording.kind],
      batch.observations.map(({ providerId }) => providerId),
    )
    return recording
  }
  return {
    answered: async (idempotency) => {
      const earlier = await limit.run(() =>
        orUnavailable(observations.answered(idempotency), RECORDING_AWAY),
      )
      if (earlier) await served(deps, RECORDING_AWAY)
      return earlier
    },
    record: (batch) =>
      follower.committing(async () => {
        const recording = await limit.run(() => {
          batch.assertAwaited?.()
          return record(batch)
        })
        if (recording.kind === 'replayed') await served(deps, RECORDING_AWAY)
        if (recording.kind === 'recorded') {
          const quotes = batch.observations.map((row, i) => quoteOf(row, recording.ids[i]!))
          const rows = { quotes, withdrawn: [], isNamed: quotes.length <= CHANGE_ROWS_MAX }
          await served(deps, RECORDING_AWAY, ownOf(recording, rows))
        }
        return recording
      }),
    ...withdrawing(deps, limit),
    referencesAt: days.referencesAt,
    limit,
    noteRefused: (providerIds) => rows.count('refused', providerIds),
  }
}

/** The part of a commit for the follower; null if its place is unknown, so it reads the log. */
const ownOf = (
  { position, previous, atMs }: Place,
  rows: Pick<OwnCommit, 'quotes' | 'withdrawn' | 'isNamed'>,
): OwnCommit | null =>
  position && previous !== undefined && atMs !== undefined
    ? { position, previous, atMs, ...rows }
    : null

/** Waits until a commit is served; without one, until everything committed so far is. */
async function served(
  { follower }: RecorderDeps,
  away: string,
  commit: OwnCommit | null = null,
): Promise<void> {
  if (!(await follower.serve(commit))) throw new ServiceError('database_unavailable', away)
}

function withdrawing(deps: RecorderDeps, limit: WorkLimit): WithdrawalStore {
  const { withdrawals } = deps
  return {
    named: (ids) => limit.run(() => orUnavailable(withdrawals.named(ids), WITHDRAWING_AWAY)),
    withdraw: async (withdrawal) => {
      const done = await limit.run(() =>
        orUnavailable(withdrawals.withdraw(withdrawal), WITHDRAWING_AWAY),
      )
      if (done.position)
        await served(deps, WITHDRAWING_AWAY, ownOf(done, { ...done, isNamed: true }))
      return done
    },
  }
}
