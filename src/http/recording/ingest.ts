import { createHash } from 'node:crypto'
import type { Static } from '@sinclair/typebox'
import { ServiceError } from '~/domain/errors.ts'
import { freshnessAt } from '~/domain/freshness.ts'
import type { Idempotency, Recorded } from '~/domain/observation.ts'
import { csvRows, jsonLines } from '~/file/sent-rows.ts'
import { type AccessDeps, callerOfRequest } from '~/http/access.ts'
import { assertAwaited, bodyText, mediumOf } from '~/http/body.ts'
import { errorReply, jsonReply } from '~/http/reply.ts'
import type { Route } from '~/http/route.ts'
import { View } from '~/memory/view.ts'
import { assertMayIngest, assertMayRecordFor, recorderOf } from '~/service/access.ts'
import { earlierAnswer, type IngestDeps, ingest, invalidRows } from '~/service/recording/ingest.ts'
import { doubtsOf } from '~/service/recording/plausibility.ts'
import type { Operation } from '~/wire/openapi/operation.ts'
import { NoQuery } from '~/wire/parameters.ts'
import {
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

export type IngestRouteDeps = AccessDeps & Pick<IngestDeps, 'store'>

const operation: Operation = {
  id: 'recordRates',
  tag: 'Recording',
  summary: 'Record observations',
  description:
    'One row or up to 100, all of them or none, as JSON, as a CSV with a header, or as one JSON ' +
    'object a line. The answer comes after the commit, when reads ' +
    'show the rows. With an Idempotency-Key a retry within 24 hours is safe: the same body gets ' +
    'the first answer again. A misspelt member is refused, and an unknown one is ignored ' +
    'and named in warnings.',
  query: NoQuery,
  headers: IngestHeaders,
  body: { schema: IngestBody, examples: INGEST_EXAMPLES, texts: INGEST_TEXTS },
  access: 'recording',
  isMetered: false,
  isTiered: false,
  success: { status: 201, body: IngestResponse },
  errors: [
    'invalid_parameter',
    'malformed_body',
    'body_too_large',
    'forbidden',
    'invalid_rows',
    'idempotency_key_reused',
    'database_unavailable',
    'storage_full',
    'overloaded',
  ],
}

const ROWS_OF: Record<
  (typeof INGEST_MEDIA)[number],
  (text: string) => Promise<unknown[]> | unknown[]
> = {
  'application/json': jsonRows,
  'text/csv': csvRows,
  'application/x-ndjson': jsonLines,
}

export const ingestRoutes = (deps: IngestRouteDeps): Route[] => [
  {
    method: 'POST',
    path: '/rates',
    operation,
    async handle(request) {
      try {
        return jsonReply(await recorded(deps, request), 201)
      } catch (error) {
        return errorReply(error, deps.log)
      }
    },
  },
]

async function recorded(
  deps: IngestRouteDeps,
  request: Request,
): Promise<Static<typeof IngestResponse>> {
  const { memory, clock } = deps
  const caller = await callerOfRequest(deps, request, clock.now())
  assertMayIngest(caller)
  const idempotencyKey = idempotencyKeyOf(request)
  const medium = mediumOf(request, { what: 'rates', media: INGEST_MEDIA })
  const text = await bodyText(request, BODY_BYTES_MAX)
  const nowMs = clock.now()
  const idempotency: Idempotency | null =
    idempotencyKey === null
      ? null
      : {
          accountId: caller.account.id,
          key: idempotencyKey,
          bodyHash: createHash('sha256').update(text).digest('hex'),
          nowMs,
        }
  const rules = { catalogue: memory.current.catalogue, nowMs, defaultEffectiveMs: nowMs }
  const reading = readRows(await ROWS_OF[medium](text), rules)
  assertMayRecordFor(caller, reading.providerIds)
  const { rows } = reading
  const doubts = presentDoubts(rows, await doubtsOf({ ...deps, viewNow: viewNow(deps) }, rows))
  const faults = [...reading.faults, ...doubts.faults].sort((a, b) => a.index - b.index)
  const warnings = [...reading.warnings, ...doubts.warnings].sort((a, b) => a.index - b.index)
  const refusal = faults.length > 0 ? invalidRows(faults) : null
  if (refusal) deps.store.noteRefused?.(reading.providerIds)
  const origin = { recorder: recorderOf(caller), via: 'api' }
  const { inserted, ids } = refusal
    ? await earlierOr(refusal, deps, idempotency)
    : await ingest(deps, {
        observations: rows.map(({ observation }) => observation),
        origin,
        idempotency,
        assertAwaited: () => assertAwaited(request),
      })
  return {
    inserted,
    ...(ids && { ids: [...ids] }),
    ...(warnings.length > 0 && { warnings }),
  }
}

const viewNow =
  ({ memory, clock, ageLimits }: IngestRouteDeps) =>
  () =>
    new View(memory.current, freshnessAt('realtime', clock.now()), ageLimits)

/**
 * The first answer for a retry, even where its rows would be refused by now; else the given work.
 */
async function earlierOr(
  refusal: ServiceError,
  deps: IngestRouteDeps,
  idempotency: Idempotency | null,
): Promise<Recorded> {
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
