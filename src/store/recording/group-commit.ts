import { ServiceError } from '~/domain/errors.ts'
import type { Idempotency, Logged, Place, Recording } from '~/domain/observation.ts'
import { isOutage } from '~/store/outage.ts'
import { areFree, nameOf } from './idempotency.ts'
import type { PreparedBatch } from './new-rows.ts'

const CLAIMS_MAX = 3

/** SQLSTATEs of a statement that took too long, or waited too long for a lock. */
const LATE = new Set(['57014', '55P03'])

const TOO_LATE =
  'the database takes too long at the moment, and nothing was recorded; retry shortly'

type Outcome = PromiseSettledResult<Recording>

export type GroupDeps = {
  /** The rows of all batches in one transaction; null for each whose idempotency key is taken. */
  insert(batches: readonly PreparedBatch[]): Promise<readonly (Logged | null)[]>
  earlier(idempotency: Idempotency): Promise<Recording | null>
}

/**
 * Records batches by one commit, which has one position in the log, and answers the outcome of
 * each, in their order.
 *
 * A batch that the database refuses takes no other down: its group is halved until it is alone.
 * When the database is unreachable or late, no batch is tried again. Of batches with one
 * idempotency key, those after the first are recorded once it has committed.
 */
export async function commitGroup(
  batches: readonly PreparedBatch[],
  deps: GroupDeps,
): Promise<readonly Outcome[]> {
  const outcomes = new Map<PreparedBatch, Outcome>()
  for (let left = batches; left.length > 0; ) {
    const { group, repeated } = withoutRepeats(left)
    await commitAll(group, deps, outcomes)
    left = repeated
  }
  return batches.map((batch) => outcomes.get(batch)!)
}

function withoutRepeats(batches: readonly PreparedBatch[]) {
  const names = new Set<string>()
  const { group = [], repeated = [] } = Object.groupBy(batches, ({ idempotency }) => {
    if (!idempotency) return 'group'
    const name = nameOf(idempotency)
    return names.size === names.add(name).size ? 'repeated' : 'group'
  })
  return { group, repeated }
}

async function commitAll(
  group: readonly PreparedBatch[],
  deps: GroupDeps,
  outcomes: Map<PreparedBatch, Outcome>,
): Promise<void> {
  let logged: readonly (Logged | null)[]
  try {
    logged = await deps.insert(group)
  } catch (reason) {
    if (group.length > 1 && mayBeOfOne(reason)) {
      const half = Math.ceil(group.length / 2)
      await commitAll(group.slice(0, half), deps, outcomes)
      await commitAll(group.slice(half), deps, outcomes)
    } else for (const batch of group) outcomes.set(batch, rejected(reason))
    return
  }
  for (const [nth, batch] of group.entries()) {
    const done = logged[nth]
    if (done) outcomes.set(batch, { status: 'fulfilled', value: { kind: 'recorded', ...done } })
    else outcomes.set(batch, await settled(answerOrRecord(batch, deps)))
  }
}

/** The answer that was given under the key of a batch; without one any more, it is recorded. */
async function answerOrRecord(batch: PreparedBatch, deps: GroupDeps): Promise<Recording> {
  for (let claim = 1; claim <= CLAIMS_MAX; claim++) {
    const earlier = await deps.earlier(batch.idempotency!)
    if (earlier) return earlier
    const [logged] = await deps.insert([batch])
    if (logged) return { kind: 'recorded', ...logged }
  }
  throw new Error('an idempotency record was held and gone at every attempt')
}

const settled = async (work: Promise<Recording>): Promise<Outcome> =>
  (await Promise.allSettled([work]))[0]

type Failure = { readonly code?: unknown; readonly severity?: unknown }

const isLate = (error: unknown): boolean => LATE.has(String((error as Failure).code))

/** Reports whether an error is the server's, and may be due to one batch of a group. */
const mayBeOfOne = (error: unknown): boolean =>
  (error as Failure).severity === 'ERROR' && !isOutage(error) && !isLate(error)

function rejected(error: unknown): Outcome {
  if (!isLate(error)) return { status: 'rejected', reason: error }
  const late = new ServiceError('database_unavailable', TOO_LATE)
  late.cause = error
  return { status: 'rejected', reason: late }
}

type Added = {
  /** The ids of all recorded rows, ascending. */
  readonly ids: readonly number[]
  readonly place: Place
  readonly claimed: readonly string[] | null
}

/** What was recorded of each batch; null for those whose keys were taken. */
export function loggedOf(
  batches: readonly PreparedBatch[],
  { ids, place, claimed }: Added,
): readonly (Logged | null)[] {
  const free = areFree(batches, claimed)
  const parts = idsOf(
    batches.filter((_, nth) => free[nth]),
    ids,
  )
  return free.map((isFree) => (isFree ? { ids: parts.shift()!, ...place } : null))
}

/** The ids of each batch, of ids of all their rows in order. */
export function idsOf(batches: readonly PreparedBatch[], ids: readonly number[]): number[][] {
  let end = 0
  return batches.map(({ observations }) => {
    end += observations.length
    return ids.slice(end - observations.length, end)
  })
}
