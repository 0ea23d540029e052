import { createHash } from 'node:crypto'
import { ServiceError } from '~/domain/errors.ts'
import { assertMayIngest } from '~/service/access.ts'
import { type Idempotency, type IngestDeps, ingest } from '~/service/ingest.ts'
import { BODY_BYTES_MAX, readIngestBody } from '~/wire/ingest.ts'
import { type AccessDeps, callerOfRequest } from './access.ts'
import { bodyText } from './body.ts'
import { errorReply, jsonReply } from './reply.ts'
import type { Route } from './route.ts'

const IDEMPOTENCY_KEY_LENGTH_MAX = 255

export type IngestRouteDeps = AccessDeps & Pick<IngestDeps, 'store'>

export const ingestRoutes = (deps: IngestRouteDeps): Route[] => [
  {
    method: 'POST',
    path: '/rates',
    async handle(request) {
      try {
        return jsonReply(await recorded(deps, request), 201)
      } catch (error) {
        return errorReply(error, deps.log)
      }
    },
  },
]

async function recorded(deps: IngestRouteDeps, request: Request): Promise<{ inserted: number }> {
  const { memory, clock } = deps
  const caller = callerOfRequest(memory, request)
  assertMayIngest(caller)
  const idempotencyKey = idempotencyKeyOf(request)
  assertJson(request)
  const text = await bodyText(request, BODY_BYTES_MAX)
  const nowMs = clock.now()
  const { catalogue } = memory.current
  const observations = readIngestBody(text, { catalogue, nowMs, defaultEffectiveMs: nowMs })
  const idempotency: Idempotency | null =
    idempotencyKey === null
      ? null
      : {
          accountId: caller.account.id,
          key: idempotencyKey,
          bodyHash: createHash('sha256').update(text).digest('hex'),
          nowMs,
        }
  return ingest(deps, { observations, idempotency })
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

function assertJson(request: Request): void {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw new ServiceError('malformed_body', 'send the rates with Content-Type: application/json')
}
