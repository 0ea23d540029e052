import { createHash } from 'node:crypto'
import { isHeld } from '~/http/entity-tag.ts'
import { takesGzip } from '~/http/gzip.ts'
import type { Fetch } from '~/http/handler.ts'
import type { Headers } from '~/http/reply.ts'

/** A document that does not change while the process lives. */
export type Publication = {
  readonly bytes: Uint8Array<ArrayBuffer> | string
  readonly type: string
  readonly headers?: Headers
}

/**
 * Answers with what `make` returns at the first request, and from then on with the same bytes:
 * compressed for callers that accept gzip, and as a 304 for those that already have them. If `make`
 * fails the next request calls it again.
 */
export function published(make: () => Publication | Promise<Publication>): Fetch {
  const prepare = async () => preparedOf(await make())
  let prepared: Promise<Prepared> | null = null
  return async (request) => {
    prepared ??= prepare().catch((error) => {
      prepared = null
      throw error
    })
    const { bytes, zipped, headers } = await prepared
    if (isHeld(request, headers.etag)) return new Response(null, { status: 304, headers })
    return takesGzip(request)
      ? new Response(zipped, { headers: { ...headers, 'content-encoding': 'gzip' } })
      : new Response(bytes, { headers })
  }
}

type Bytes = Uint8Array<ArrayBuffer>
type Prepared = { bytes: Bytes; zipped: Bytes; headers: Headers & { etag: string } }

const ETAG_LENGTH = 32

function preparedOf({ bytes: given, type, headers = {} }: Publication): Prepared {
  const bytes = typeof given === 'string' ? new TextEncoder().encode(given) : given
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, ETAG_LENGTH)
  return {
    bytes,
    zipped: Bun.gzipSync(bytes),
    headers: {
      'content-type': type,
      'cache-control': 'no-cache',
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
      ...headers,
      etag: `W/"${digest}"`,
    },
  }
}
