import type { Config } from '~/config.ts'
import { ServiceError } from '~/domain/errors.ts'
import type { Batch, Place, Recording } from '~/domain/observation.ts'
import type { Quote } from '~/domain/quote.ts'
import type { Follower } from '~/jobs/follower.ts'
import type { DaySource } from '~/memory/day-publication.ts'
import { GroupLimit } from '~/service/recording/group-limit.ts'
import { type IngestDeps, quoteOf } from '~/service/recording/ingest.ts'
import type { WithdrawalStore } from '~/service/recording/withdraw.ts'
import { type WorkFigures, WorkLimit } from '~/service/work-limit.ts'
import { CHANGE_ROWS_MAX } from '~/store/news-channel.ts'
import type { createObservationStore } from '~/store/observation-store.ts'
import { orUnavailable } from '~/store/outage.ts'
import type { PreparedBatch } from '~/store/recording/new-rows.ts'
import type { RowFigures } from '~/telemetry/row-figures.ts'
import { type Tracing, traced } from '~/telemetry/tracing.ts'
import type { StorageWatch } from './storage/storage-watch.ts'

type RecorderDeps = {
  readonly observations: Observations
  readonly withdrawals: WithdrawalStore
  /** Where references of days are looked up, within a time. */
  readonly days: DaySource
  readonly tracing: Tracing | null
  readonly work: Config['work']
  readonly storage: Pick<StorageWatch, 'watched'>
  readonly rows: Pick<RowFigures, 'count'>
  readonly follower: Pick<Follower, 'committing' | 'serve' | 'caughtUp' | 'isFailing'>
}

const WITHDRAWING_AWAY =
  'the database cannot be reached at the moment; retry shortly: withdrawing twice does no harm'

export const RECORDING_AWAY =
  'the database cannot be reached at the moment; ' +
  'retry shortly: with one Idempotency-Key for both tries nothing is recorded twice'

/** Outcomes of the rows of a batch. */
const OUTCOMES = {
  recorded: 'recorded',
  replayed: 'repeated',
  refused: 'refused',
  key_reused: 'refused',
} as const

/** The maximum number of commits of a process at once. */
const COMMITS_MAX = 2

/** The part of the store of observations that records in two steps. */
type Observations = Pick<
  ReturnType<typeof createObservationStore>,
  'prepare' | 'commit' | 'answered'
>

type Waiting = Pick<Batch, 'assertAwaited'> & { readonly prepared: PreparedBatch }

/** The outcome of a batch; `isServed` resolves when memory serves what was committed. */
type Done = { readonly recording: Recording; readonly isServed?: Promise<void> }

/** The recording store, whose work is limited so that it does not take the whole database. */
export type Recorder = IngestDeps['store'] &
  WithdrawalStore & { readonly figures: () => WorkFigures }

/**
 * The store that records observations: when it answers, memory serves what was recorded, in the
 * order of the log. Batches that wait while others are committed share the next commit. A batch
 * whose answer was lost may still be recorded, and is served then too.
 */
export function recorderOf(deps: RecorderDeps): Recorder {
  const { observations, days, tracing, work, storage, rows, follower } = deps
  const { ingestMax, waitingMax } = work
  const limit = new WorkLimit({ runningMax: ingestMax, waitingMax })
  const commits = commitsOf(deps, limit)
  const recorded = async (batch: Batch): Promise<Done> => {
    const { assertAwaited } = batch
    const prepared = await limit.run(() => {
      assertAwaited?.()
      return observations.prepare(batch)
    })
    if (prepared.kind !== 'prepared') return { recording: prepared }
    return commits.run({ prepared, ...(assertAwaited && { assertAwaited }) })
  }
  const record = async (batch: Batch): Promise<Recording> => {
    const done = traced(tracing, 'database record', () => recorded(batch))
    const watched = storage.watched(done.then(({ recording }) => recording))
    const recording = await orUnavailable(watched, RECORDING_AWAY)
    rows.count(
      OUTCOMES[recording.kind],
      batch.observations.map(({ providerId }) => providerId),
    )
    if (recording.kind === 'replayed') await served(deps, { away: RECORDING_AWAY })
    await (await done).isServed
    return recording
  }
  return {
    answered: async (idempotency) => {
      const earlier = await limit.run(() =>
        orUnavailable(observations.answered(idempotency), RECORDING_AWAY),
      )
      if (earlier) await served(deps, { away: RECORDING_AWAY })
      return earlier
    },
    record: (batch) => follower.committing(() => record(batch)),
    ...withdrawing(deps, limit),
    referencesAt: days.referencesAt,
    figures() {
      const { running, waiting, refused } = limit.figures
      const { figures } = commits
      return { running, waiting: waiting + figures.waiting, refused: refused + figures.refused }
    },
    noteRefused: (providerIds) => rows.count('refused', providerIds),
  }
}

/** The commits of batches, of which those that wait together are a group. */
function commitsOf(deps: RecorderDeps, limit: WorkLimit) {
  const { observations, work } = deps
  const commit = async (waiting: readonly Waiting[]) => {
    const awaited = waiting.map(({ assertAwaited, prepared }) => {
      try {
        assertAwaited?.()
        return { prepared }
      } catch (reason) {
        return { unawaited: { status: 'rejected', reason } as const }
      }
    })
    const batches = awaited.flatMap(({ prepared }) => prepared ?? [])
    const outcomes = await limit.run(() => observations.commit(batches))
    const done = handedOver(deps, batches, outcomes)
    return awaited.map(({ unawaited }) => unawaited ?? done.shift()!)
  }
  const runningMax = Math.min(COMMITS_MAX, work.ingestMax)
  const sizeOf = ({ prepared }: Waiting) => prepared.observations.length
  const bounds = { runningMax, waitingMax: work.waitingMax, sizeMax: CHANGE_ROWS_MAX, sizeOf }
  return new GroupLimit<Waiting, Done>(bounds, commit)
}

/** Hands over what was committed, each position of the log with the rows of all its batches. */
function handedOver(
  deps: RecorderDeps,
  batches: readonly PreparedBatch[],
  outcomes: readonly PromiseSettledResult<Recording>[],
): PromiseSettledResult<Done>[] {
  const commits = new Map<Place['position'], Place & { readonly quotes: Quote[] }>()
  for (const [nth, outcome] of outcomes.entries()) {
    if (outcome.status === 'rejected' || outcome.value.kind !== 'recorded') continue
    const { ids, ...place } = outcome.value
    const commit = commits.get(place.position) ?? { ...place, quotes: [] }
    for (const [i, row] of batches[nth]!.observations.entries())
      commit.quotes.push(quoteOf(row, ids[i]!))
    commits.set(place.position, commit)
  }
  const served = new Map(
    Array.from(commits, ([position, commit]) => {
      const isNamed = commit.quotes.length <= CHANGE_ROWS_MAX
      return [position, ownServed(deps, { ...commit, isNamed, away: RECORDING_AWAY })]
    }),
  )
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') return outcome
    const recording = outcome.value
    if (recording.kind !== 'recorded') return { status: 'fulfilled', value: { recording } }
    const isServed = served.get(recording.position)!
    return { status: 'fulfilled', value: { recording, isServed } }
  })
}

type Committed = Place & {
  readonly quotes: readonly Quote[]
  readonly withdrawn?: readonly Quote[]
  /** Whether the log names its rows. */
  readonly isNamed: boolean
  /** What to say if it is not served in time. */
  readonly away: string
}

/** Waits until what was committed is served, which need not be read from the log then. */
async function ownServed(deps: RecorderDeps, { away, ...commit }: Committed): Promise<void> {
  const { position, previous, atMs, quotes, withdrawn = [], isNamed } = commit
  if (!position) return
  if (previous === undefined || atMs === undefined) return served(deps, { away })
  const own = { position, previous, atMs, quotes, withdrawn, isNamed }
  if (!(await deps.follower.serve(own))) throw new ServiceError('database_unavailable', away)
}

/** Waits until everything that was committed is served. */
async function served({ follower }: RecorderDeps, { away }: { away: string }): Promise<void> {
  await follower.caughtUp()
  if (follower.isFailing) throw new ServiceError('database_unavailable', away)
}

/** The part that withdraws. */
function withdrawing(deps: RecorderDeps, limit: WorkLimit): WithdrawalStore {
  const { withdrawals } = deps
  return {
    named: (ids) => limit.run(() => orUnavailable(withdrawals.named(ids), WITHDRAWING_AWAY)),
    withdraw: async (withdrawal) => {
      const done = await limit.run(() =>
        orUnavailable(withdrawals.withdraw(withdrawal), WITHDRAWING_AWAY),
      )
      await ownServed(deps, { ...done, isNamed: true, away: WITHDRAWING_AWAY })
      return done
    },
  }
}
