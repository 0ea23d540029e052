import { Writable } from 'node:stream'
import { SECOND_MS } from '~/domain/duration.ts'
import { type BucketLogin, signedRequest } from '~/outbound/signed-request.ts'
import type { Output } from '~/store/transfer/compressed.ts'

/** The limit on a request to a bucket, and the number of times that it is made. */
const REQUEST_MS_MAX = 120 * SECOND_MS
const TRIES_MAX = 3
/** The pause after the first try; it doubles. */
const PAUSE_MS = SECOND_MS
/** The bytes of each part but the last. A part is sent while the next one is filled. */
const PART_BYTES = 8 * 1_048_576

/** The clock, and what waits by it. */
export type Pace = {
  readonly clock: { now(): number }
  deadline(ms: number): AbortSignal
  sleep(ms: number): Promise<unknown>
}

export type Bucket = BucketLogin & { readonly pace: Pace }

type Wanted = Omit<Parameters<typeof signedRequest>[1], 'nowMs'> & {
  readonly body?: Uint8Array<ArrayBuffer> | string
  readonly triesMax?: number
  /** Ends the request early. */
  readonly signal?: AbortSignal
}

/** Makes a request to a bucket, again if that may help. Throws for a refusal, and for silence. */
export async function bucketReply(bucket: Bucket, wanted: Wanted) {
  const { triesMax = TRIES_MAX, signal } = wanted
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(bucket, wanted)
    } catch (error) {
      if (error instanceof Refusal || signal?.aborted || tries >= triesMax) throw error
    }
    await bucket.pace.sleep(PAUSE_MS * 2 ** (tries - 1))
  }
}

/** A response that another try would not change. */
class Refusal extends Error {}

async function attempt({ pace, ...login }: Bucket, wanted: Wanted) {
  const { method = 'GET', body, signal } = wanted
  const deadline = pace.deadline(REQUEST_MS_MAX)
  const ends = signal ? AbortSignal.any([deadline, signal]) : deadline
  const { url, headers } = await signedRequest(login, { ...wanted, nowMs: pace.clock.now() })
  try {
    const request = { method, headers, signal: ends, redirect: 'manual' } as const
    const response = await fetch(url, { ...request, ...(body !== undefined && { body }) })
    const { status, ok } = response
    const text = await response.text()
    // The completion of an upload may fail after the status was sent.
    const fault = /<Error>.*?<Message>(.*?)<\/Message>/s.exec(text)?.[1]
    if (ok && fault === undefined) return { text, etag: response.headers.get('etag') ?? '' }
    const message = fault || `it returned ${status}`
    throw ok || [408, 429].includes(status) || status >= 500
      ? new Error(message)
      : new Refusal(message)
  } catch (error) {
    if (!deadline.aborted) throw error
    throw new Error(`it did not respond within ${REQUEST_MS_MAX / SECOND_MS} s`)
  }
}

/** An object in parts, there only once `keep` ends; `drop` removes the parts. */
export function uploadOf(bucket: Bucket, key: string, place: string): Output {
  const upload = new Upload(bucket, key)
  const faultOf = ({ message }: Error) => new Error(`${place} cannot be written: ${message}`)
  const stream = new Writable({
    write: (chunk, _, done) => void upload.take(chunk).then(() => done(), done),
    final: (done) => void upload.end().then(() => done(), done),
  })
  return {
    stream,
    faultOf,
    keep: () => upload.complete().catch((error) => Promise.reject(faultOf(error))),
    drop: () => upload.abort(),
  }
}

class Upload {
  readonly #etags: string[] = []
  readonly #ended = new AbortController()
  #chunks: Uint8Array[] = []
  #bytes = 0
  #id: string | null = null
  #isCompleting = false
  /** The part on its way, which rejects with what ended it. */
  #sent: Promise<void> = Promise.resolve()

  constructor(
    private readonly bucket: Bucket,
    private readonly key: string,
  ) {}

  async take(chunk: Buffer): Promise<void> {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes >= PART_BYTES) await this.#send(PART_BYTES)
  }

  async end(): Promise<void> {
    if (this.#bytes > 0) await this.#send(this.#bytes)
    await this.#sent
  }

  async complete(): Promise<void> {
    this.#isCompleting = true
    const parts = this.#etags.map(
      (etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
    )
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
    await this.#ask({ method: 'POST', parameters: { uploadId: this.#id! }, body })
  }

  /** Removes the parts, and the object if its completion may have succeeded. */
  async abort(): Promise<void> {
    this.#ended.abort()
    await this.#sent.catch(() => {})
    const gone = { method: 'DELETE', key: this.key, triesMax: 1 } as const
    const ends = this.#id === null ? [] : [{ ...gone, parameters: { uploadId: this.#id } }]
    for (const end of this.#isCompleting ? [...ends, gone] : ends)
      await bucketReply(this.bucket, end).catch(() => {})
  }

  /** Sends the first bytes that are held as a part, once the part before has arrived. */
  async #send(bytes: number): Promise<void> {
    await this.#sent
    const all = Buffer.concat(this.#chunks)
    this.#chunks = [all.subarray(bytes)]
    this.#bytes -= bytes
    this.#sent = this.#part(all.subarray(0, bytes))
    this.#sent.catch(() => {})
  }

  async #part(body: Uint8Array<ArrayBuffer>): Promise<void> {
    this.#id ??= await this.#begin()
    const parameters = { partNumber: String(this.#etags.length + 1), uploadId: this.#id }
    this.#etags.push((await this.#ask({ method: 'PUT', parameters, body })).etag)
  }

  async #begin(): Promise<string> {
    const { text } = await this.#ask({ method: 'POST', parameters: { uploads: '' } })
    const [, id] = /<UploadId>([^<]+)<\/UploadId>/.exec(text) ?? []
    if (id === undefined) throw new Error('it gave the upload no id')
    return id
  }

  #ask(wanted: Omit<Wanted, 'key'>) {
    return bucketReply(this.bucket, { ...wanted, key: this.key, signal: this.#ended.signal })
  }
}
