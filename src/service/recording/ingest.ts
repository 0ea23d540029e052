import { ServiceError } from '~/domain/errors.ts'
import type {
  Batch,
  Idempotency,
  Logged,
  Observation,
  Recorded,
  Recording,
  RowFault,
} from '~/domain/observation.ts'
import type { Quote } from '~/domain/quote.ts'
import type { DaySource } from '~/memory/day-publication.ts'
import { ANSWER_MS_MAX, inTime } from '~/service/deadline.ts'

export type ObservationStore = {
  /**
   * Records all of a batch, or none of it when it throws; an empty one records nothing. When it
   * resolves, memory serves the rows.
   *
   * Among batches with one idempotency key, only the first is recorded while the key is stored. The
   * others wait until it has committed, then return `replayed`, or `key_reused` for another body.
   */
  record(batch: Batch): Promise<Recording>
  /** The earlier result for this idempotency key; null for a key that is new or too old. */
  answered(idempotency: Idempotency): Promise<Recording | null>
}

export type IngestDeps = {
  readonly store: ObservationStore &
    DaySource & {
      /** Counts the rows of a batch that was refused before it came here, by known providers. */
      noteRefused?(providerIds: readonly string[]): void
    }
}

/** Recorded rows, and their position in the log. */
type Done = Recorded & Pick<Logged, 'position'>

/**
 * Records a batch, all rows or none, and returns their number and ids.
 *
 * When it returns, the rows are committed and memory serves them, without the mids of their days if
 * those could not be looked up. A repeated idempotency key returns the first result again and
 * records nothing; with another body it throws `idempotency_key_reused`. Any other error means that
 * nothing was recorded, or that we cannot know: a retry with the same idempotency key is safe
 * either way. One of them is `database_unavailable` after `ANSWER_MS_MAX`; rows that the database
 * commits after that are served from then on.
 */
export function ingest(deps: IngestDeps, batch: Batch): Promise<Done> {
  return inTime(recorded(deps, batch), { msMax: ANSWER_MS_MAX, message: OVERDUE })
}

/** The error that lists what is wrong with the rows of a batch. */
export function invalidRows(errors: readonly RowFault[]): ServiceError {
  const [first] = errors
  return new ServiceError(
    'invalid_rows',
    `nothing was inserted: correct the rows listed in errors and send all again ` +
      `(row ${first!.index}: ${first!.error})`,
    { errors },
  )
}

/**
 * The earlier response to this idempotency key, or null when it is new. A retry gets that response
 * even if the rules would now refuse its rows: a provider deactivated since, a row too old. Throws
 * `idempotency_key_reused` if the earlier body was another.
 */
export async function earlierAnswer(
  { store }: { readonly store: Pick<ObservationStore, 'answered'> },
  idempotency: Idempotency,
): Promise<Done | null> {
  const recording = await inTime(store.answered(idempotency), {
    msMax: ANSWER_MS_MAX,
    message: OVERDUE,
  })
  if (recording?.kind === 'key_reused') throw keyReused()
  return recording?.kind === 'replayed' ? recordedOf(recording) : null
}

const recordedOf = ({ inserted, ids }: Recorded): Done => ({ inserted, ids })

const keyReused = (): ServiceError =>
  new ServiceError(
    'idempotency_key_reused',
    'this Idempotency-Key was used with another body; use a new key for a new batch',
    { errors: [] },
  )

const OVERDUE =
  'the database does not respond, so it is unknown whether the batch was recorded; ' +
  'retry shortly: with one Idempotency-Key for both tries nothing is recorded twice'

async function recorded({ store }: IngestDeps, batch: Batch): Promise<Done> {
  const recording = await store.record(batch)
  switch (recording.kind) {
    case 'recorded': {
      const { ids, position } = recording
      return { inserted: ids.length, ids, ...(position && { position }) }
    }
    case 'replayed':
      return recordedOf(recording)
    case 'key_reused':
      throw keyReused()
    case 'refused':
      throw invalidRows(recording.faults)
  }
}

export function quoteOf(observation: Observation, id: number): Quote {
  const { notes } = observation
  const quote = {
    id,
    atMs: observation.effectiveMs,
    providerId: observation.providerId,
    from: observation.from,
    to: observation.to,
    rate: Number(observation.rate),
    fee: observation.fee === null ? null : Number(observation.fee),
    feeCurrency: observation.feeCurrency,
    rateType: observation.rateType,
    evidence: observation.evidence,
    offer: observation.offer,
  }
  return notes === null ? quote : { ...quote, notes }
}
