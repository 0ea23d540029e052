import { createHash } from 'node:crypto'
import { type Coding, coded, codingFor, codingHeader, packed } from './coding.ts'
import { isHeld } from './entity-tag.ts'
import type { Headers } from './reply.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** The rules by which callers may keep a file. */
const CACHE = {
  /** Revalidate on each use. */
  revalidated: 'no-cache',
  /** Revalidate on each use; no shared cache may keep it for others. */
  own: 'private, no-cache',
  minutes: 'public, max-age=300',
  day: 'public, max-age=86400',
  forever: 'public, max-age=31536000, immutable',
} as const

export type CacheRule = keyof typeof CACHE

export type FileContent = {
  readonly bytes: Bytes | string
  readonly type: string
  readonly headers?: Headers
  /** Says whether the bytes are compressed by themselves, so that no coding would gain anything. */
  readonly isPacked?: boolean
}

const ETAG_LENGTH = 32

/** A file that does not change while the process lives. */
export class StaticFile {
  /** The SHA-256 of the bytes, in hexadecimal. */
  readonly digest: string
  readonly #bytes: Bytes
  readonly #headers: Headers & { etag: string }
  readonly #isPacked: boolean
  readonly #coded = new Map<Coding, Bytes>()

  constructor({ bytes, type, headers = {}, isPacked = false }: FileContent) {
    this.#isPacked = isPacked
    this.#bytes = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes
    this.digest = createHash('sha256').update(this.#bytes).digest('hex')
    this.#headers = {
      'content-type': type,
      ...(!isPacked && { vary: 'accept-encoding' }),
      'x-content-type-options': 'nosniff',
      ...headers,
      etag: `W/"${this.digest.slice(0, ETAG_LENGTH)}"`,
    }
  }

  /** Compresses the file as far as can be, on another thread: for files that callers keep. */
  async pack(): Promise<void> {
    this.#coded.set('br', await packed(this.#bytes))
  }

  /** The file, compressed for callers that accept it; a 304 for those that already have it. */
  reply(request: Request, rule: CacheRule): Response {
    const headers = { ...this.#headers, 'cache-control': CACHE[rule] }
    if (isHeld(request, headers.etag)) return new Response(null, { status: 304, headers })
    if (this.#isPacked) return new Response(this.#bytes, { headers })
    const coding = codingFor(request)
    const bytes = this.#coded.getOrInsertComputed(coding, () => coded(this.#bytes, coding))
    return new Response(bytes, { headers: { ...headers, ...codingHeader(coding) } })
  }
}
