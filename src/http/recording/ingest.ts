import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { ServiceError } from '~/domain/errors.ts'
import { freshnessAt } from '~/domain/freshness.ts'
import type { Idempotency } from '~/domain/observation.ts'
import { csvRows, jsonLines } from '~/file/sent-rows.ts'
import { type AccessDeps, callerOfRequest } from '~/http/access.ts'
import { assertAwaited, bodyText, mediumOf } from '~/http/body.ts'
import { errorReply, jsonReply, orError } from '~/http/reply.ts'
import type { Route } from '~/http/route.ts'
import { View } from '~/memory/view.ts'
import { assertMayIngest, assertMayRecordFor, recorderOf } from '~/service/access.ts'
import { earlierAnswer, type IngestDeps, ingest, invalidRows } from '~/service/recording/ingest.ts'
import { doubtsOf } from '~/service/recording/plausibility.ts'
import type { Operation } from '~/wire/openapi/operation.ts'
import { NoQuery } from '~/wire/parameters.ts'
import { readQuery } from '~/wire/query.ts'
import {
  assertForCsv,
  BULK_BYTES_MAX,
  BULK_EXAMPLES,
  BULK_ROWS_MAX,
  BulkBody,
  BulkQuery,
  BulkResponse,
  listedWarnings,
  notationOf,
  withListedFaults,
} from '~/wire/recording/bulk.ts'
import {
  assertCount,
  BATCH_ROWS_MAX,
  type BatchReading,
  BODY_BYTES_MAX,
  IDEMPOTENCY_KEY_LENGTH_MAX,
  INGEST_EXAMPLES,
  INGEST_MEDIA,
  INGEST_TEXTS,
  IngestBody,
  IngestHeaders,
  IngestResponse,
  jsonRows,
  presentDoubts,
  readRows,
} from '~/wire/recording/ingest.ts'
import type { Notation } from '~/wire/row/notation.ts'
import type { RowRules } from '~/wire/row/observation.ts'
import { positionHeader, RECORDING } from './recording.ts'

export type IngestRouteDeps = AccessDeps & Pick<IngestDeps, 'store'>

/** So few rows that other requests do not wait long while they are read. */
const SLICE_ROWS = 500

const operation: Operation = {
  ...RECORDING,
  id: 'recordRates',
  summary: 'Record observations',
  description:
    '1 to 100 rows, all recorded or none, as JSON, as a CSV with a header, or as one JSON object ' +
    'a line. The response is sent after the commit, when reads show the rows. With an ' +
    'Idempotency-Key a retry within 24 hours is safe: the same body gets the first response ' +
    'again. A misspelt field is refused; an unknown one is ignored and named in warnings.',
  query: NoQuery,
  headers: IngestHeaders,
  body: { schema: IngestBody, examples: INGEST_EXAMPLES, texts: INGEST_TEXTS },
  success: { status: 201, body: IngestResponse },
  errors: [
    ...RECORDING.errors,
    ...(['invalid_parameter', 'invalid_rows', 'idempotency_key_reused', 'storage_full'] as const),
  ],
}

const bulkOperation: Operation = {
  ...operation,
  id: 'recordRatesBulk',
  summary: 'Record many observations',
  description:
    'Up to 10,000 rows and 8 MiB, all recorded or none: a JSON list, a CSV with a header, or one ' +
    'JSON object a line. Parameters say if a CSV has decimal commas or local times. The first ' +
    '100 errors are listed, and all are counted. Idempotency-Key and the rules for rows are ' +
    'those of POST /rates. With dry_run=true nothing is recorded.',
  query: BulkQuery,
  body: { schema: BulkBody, examples: BULK_EXAMPLES, texts: INGEST_TEXTS },
  success: { status: 200, body: BulkResponse },
}

/** Parameters of a recording besides its body. */
type Way = {
  readonly rowsMax: number
  readonly bytesMax: number
  readonly notation: Notation
  readonly isDry: boolean
  /** Parameters that a retry has to repeat besides the body. */
  readonly said: string
}

const ONE_BATCH: Way = {
  rowsMax: BATCH_ROWS_MAX,
  bytesMax: BODY_BYTES_MAX,
  notation: notationOf({}, ' of /rates/bulk'),
  isDry: false,
  said: '',
}

function bulkWay(request: Request, medium: Medium): Way {
  const query = readQuery(BulkQuery, request.url)
  if (medium !== 'text/csv') assertForCsv(query)
  const { decimal, dates, time_zone } = query
  return {
    rowsMax: BULK_ROWS_MAX,
    bytesMax: BULK_BYTES_MAX,
    notation: notationOf(query),
    isDry: query.dry_run === 'true',
    said: JSON.stringify(['bulk', decimal, dates, time_zone]),
  }
}

type Done = {
  readonly inserted: number
  readonly would_insert?: number
  readonly ids?: number[]
  readonly warnings: BatchReading['warnings']
  readonly position?: number | null
}

type Medium = (typeof INGEST_MEDIA)[number]

const ROWS_OF: Record<
  Medium,
  (text: string, notation: Notation) => Promise<unknown[]> | unknown[]
> = { 'application/json': jsonRows, 'text/csv': csvRows, 'application/x-ndjson': jsonLines }

export const ingestRoutes = (deps: IngestRouteDeps): Route[] => [
  {
    method: 'POST',
    path: '/rates',
    operation,
    handle: orError(deps, async (request) => {
      const done = await recorded(deps, request, () => ONE_BATCH)
      const { inserted, ids, warnings, position } = done
      const warned = warnings.length > 0 && { warnings }
      const headers = positionHeader(deps, position)
      return jsonReply({ inserted, ...(ids && { ids }), ...warned }, 201, headers)
    }),
  },
  {
    method: 'POST',
    path: '/rates/bulk',
    operation: bulkOperation,
    async handle(request) {
      try {
        const { warnings, position, ...done } = await recorded(deps, request, bulkWay)
        const headers = positionHeader(deps, position)
        return jsonReply({ ...done, ...listedWarnings(warnings) }, 200, headers)
      } catch (error) {
        return errorReply(withListedFaults(error), deps.log)
      }
    },
  },
]

async function recorded(
  deps: IngestRouteDeps,
  request: Request,
  wayOf: (request: Request, medium: Medium) => Way,
): Promise<Done> {
  const { memory, clock } = deps
  const caller = await callerOfRequest(deps, request, clock.now())
  assertMayIngest(caller)
  const key = idempotencyKeyOf(request)
  const medium = mediumOf(request, { what: 'rates', media: INGEST_MEDIA })
  const way = wayOf(request, medium)
  const text = await bodyText(request, way.bytesMax)
  const nowMs = clock.now()
  const accountId = caller.account.id
  const idempotency: Idempotency | null =
    key === null || way.isDry ? null : { accountId, key, bodyHash: hashOf(way.said + text), nowMs }
  const rules = { catalogue: memory.current.catalogue, nowMs, defaultEffectiveMs: nowMs }
  const sent = await ROWS_OF[medium](text, way.notation)
  assertCount(sent, way.rowsMax)
  const reading = await readInSlices(sent, rules)
  assertMayRecordFor(caller, reading.providerIds)
  const { rows } = reading
  const doubts = presentDoubts(rows, await doubtsOf({ ...deps, viewNow: viewNow(deps) }, rows))
  const faults = [...reading.faults, ...doubts.faults].sort((a, b) => a.index - b.index)
  const warnings = [...reading.warnings, ...doubts.warnings].sort((a, b) => a.index - b.index)
  const refusal = faults.length > 0 ? invalidRows(faults) : null
  if (way.isDry) {
    if (refusal) throw refusal
    return { inserted: 0, would_insert: rows.length, warnings }
  }
  if (refusal) deps.store.noteRefused?.(reading.providerIds)
  const { inserted, ids, position } = refusal
    ? await earlierOr(refusal, deps, idempotency)
    : await ingest(deps, {
        observations: rows.map(({ observation }) => observation),
        origin: { recorder: recorderOf(caller), via: 'api' },
        idempotency,
        assertAwaited: () => assertAwaited(request),
      })
  return { inserted, ...(ids && { ids: [...ids] }), warnings, position: position ?? null }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Reads rows some at a time, so that other requests are served in between. */
export async function readInSlices(
  rows: readonly unknown[],
  rules: RowRules,
): Promise<BatchReading> {
  const read: BatchReading[] = []
  for (let at = 0; at < rows.length; at += SLICE_ROWS) {
    if (at > 0) await turn()
    read.push(readRows(rows.slice(at, at + SLICE_ROWS), rules, at))
  }
  return {
    rows: read.flatMap(({ rows }) => rows),
    faults: read.flatMap(({ faults }) => faults),
    warnings: read.flatMap(({ warnings }) => warnings),
    providerIds: read.flatMap(({ providerIds }) => providerIds),
  }
}

const viewNow =
  ({ memory, clock, ageLimits }: IngestRouteDeps) =>
  () =>
    new View(memory.current, freshnessAt('realtime', clock.now()), ageLimits)

/** The first response for a retry, even if its rows would now be refused; else the given work. */
async function earlierOr(
  refusal: ServiceError,
  deps: IngestRouteDeps,
  idempotency: Idempotency | null,
): ReturnType<typeof ingest> {
  const earlier = idempotency && (await earlierAnswer(deps, idempotency))
  if (!earlier) throw refusal
  return earlier
}

function idempotencyKeyOf(request: Request): string | null {
  const key = request.headers.get('idempotency-key')
  if (key === null) return null
  if (key === '' || key.length > IDEMPOTENCY_KEY_LENGTH_MAX)
    throw new ServiceError(
      'invalid_parameter',
      `Idempotency-Key must have 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} characters`,
      { parameter: 'Idempotency-Key' },
    )
  return key
}
