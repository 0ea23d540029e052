import type { Config } from '~/config.ts'
import type { Recording } from '~/domain/observation.ts'
import type { Answered } from '~/jobs/answered.ts'
import type { Refresher } from '~/jobs/refresh.ts'
import type { DaySource } from '~/memory/day-publication.ts'
import { inTime } from '~/service/deadline.ts'
import type { IngestDeps, ObservationStore } from '~/service/recording/ingest.ts'
import type { WithdrawalStore } from '~/service/recording/withdraw.ts'
import { WorkLimit } from '~/service/work-limit.ts'
import { isRefused, orUnavailable } from '~/store/outage.ts'
import type { RowFigures } from '~/telemetry/row-figures.ts'
import { type Tracing, traced } from '~/telemetry/tracing.ts'
import type { ChangeListener } from './change-listener.ts'
import type { StorageWatch } from './storage/storage-watch.ts'

type RecorderDeps = {
  readonly observations: ObservationStore
  readonly withdrawals: WithdrawalStore
  readonly references: DaySource
  readonly refresher: Pick<Refresher, 'note'>
  readonly changes: Pick<ChangeListener, 'noteLostAnswer' | 'caughtUp'>
  readonly tracing: Tracing | null
  readonly work: Config['work']
  readonly storage: Pick<StorageWatch, 'watched'>
  readonly rows: Pick<RowFigures, 'count'>
  readonly follower: { readonly answered: Pick<Answered, 'note'>; caughtUp(): Promise<void> }
}

const WITHDRAWING_AWAY =
  'the database cannot be reached at the moment; retry shortly: withdrawing twice does no harm'

export const RECORDING_AWAY =
  'the database cannot be reached at the moment; ' +
  'retry shortly: with one Idempotency-Key for both tries nothing is recorded twice'

/** The limit on looking up the days of what was recorded, whose sender waits for it. */
const DAYS = { msMax: 2_000, message: 'the references of earlier days took too long to read' }

/** Outcomes of the rows of a batch. */
const OUTCOMES = {
  recorded: 'recorded',
  replayed: 'repeated',
  refused: 'refused',
  key_reused: 'refused',
} as const

/** The recording store; `limit` keeps it from taking the whole database. */
export type Recorder = IngestDeps['store'] & WithdrawalStore & { readonly limit: WorkLimit }

/**
 * The store that records observations. A batch whose answer was lost may still be recorded: memory
 * then has to learn of it, at the latest before a retry is answered.
 */
export function recorderOf(deps: RecorderDeps): Recorder {
  const { observations, changes, tracing, work } = deps
  const { storage, rows, follower } = deps
  const { ingestMax, waitingMax } = work
  const limit = new WorkLimit({ runningMax: ingestMax, waitingMax })
  /**
   * Waits for what an earlier call recorded, here or elsewhere, which may still be on its way into
   * memory.
   */
  const served = async (recording: Recording): Promise<Recording> => {
    if (recording.kind === 'replayed') {
      await orUnavailable(changes.caughtUp(), RECORDING_AWAY)
      await follower.caughtUp()
    }
    follower.answered.note()
    return recording
  }
  const record: ObservationStore['record'] = async (batch) => {
    try {
      const recorded = traced(tracing, 'database record', () => observations.record(batch))
      const watched = storage.watched(recorded)
      const recording = await served(await orUnavailable(watched, RECORDING_AWAY))
      const ofRows = batch.observations.map(({ providerId }) => providerId)
      rows.count(OUTCOMES[recording.kind], ofRows)
      return recording
    } catch (error) {
      if (!isRefused(error)) changes.noteLostAnswer()
      throw error
    }
  }
  return {
    answered: (idempotency) =>
      limit.run(async () => {
        const earlier = await orUnavailable(observations.answered(idempotency), RECORDING_AWAY)
        return earlier && served(earlier)
      }),
    record: (batch) =>
      limit.run(() => {
        batch.assertAwaited?.()
        return record(batch)
      }),
    ...withdrawing(deps, limit),
    ...datingBack(deps),
    limit,
    noteRefused: (providerIds) => rows.count('refused', providerIds),
  }
}

/** The part that looks up the references of a row's day; memory loads them where that fails. */
function datingBack({
  references,
  refresher,
  tracing,
}: RecorderDeps): Pick<Recorder, 'referencesAt'> {
  return {
    async referencesAt(probes) {
      try {
        const found = traced(tracing, 'database referencesAt', () =>
          references.referencesAt(probes),
        )
        return await inTime(found, DAYS)
      } catch (error) {
        refresher.note({ kind: 'references' })
        throw error
      }
    },
  }
}

/** The part that withdraws. An answer that was lost is made up for by loading everything. */
function withdrawing(
  { withdrawals, changes, follower }: RecorderDeps,
  limit: WorkLimit,
): WithdrawalStore {
  return {
    named: (ids) => limit.run(() => orUnavailable(withdrawals.named(ids), WITHDRAWING_AWAY)),
    withdraw: (withdrawal) =>
      limit.run(async () => {
        try {
          const done = await orUnavailable(withdrawals.withdraw(withdrawal), WITHDRAWING_AWAY)
          if (done.position === null) await follower.caughtUp()
          follower.answered.note()
          return done
        } catch (error) {
          if (!isRefused(error)) changes.noteLostAnswer()
          throw error
        }
      }),
  }
}
