import { s3Signature } from './s3-signature.ts'

/**
 * The parts of S3 that reading a folder needs: a list by prefix, and an object of the bucket
 * `prices`. A request with a wrong signature is refused.
 */
export class S3Server {
  /** The secret of each key. */
  readonly secrets = new Map([['S3RVER', 'S3RVER']])
  readonly files = new Map<string, string | Uint8Array>()
  readonly asked: { readonly url: string; readonly headers: Headers }[] = []
  /** Refusal of every request: a code and a status. */
  refusal: readonly [code: string, status: number] | null = null
  readonly #server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => this.#answer(request),
  })

  get origin(): string {
    return this.#server.url.origin
  }

  stop(): Promise<void> {
    return this.#server.stop(true)
  }

  #answer(request: Request): Response {
    this.asked.push({ url: request.url, headers: new Headers(request.headers) })
    const { pathname, searchParams } = new URL(request.url)
    if (this.refusal) return fault(...this.refusal)
    const signature = s3Signature(request, (id) => this.secrets.get(id))
    if (signature === null) return fault('InvalidAccessKeyId', 403)
    if (signature.sent !== signature.right) return fault('SignatureDoesNotMatch', 403)
    const [, bucket = '', ...parts] = decodeURIComponent(pathname).split('/')
    if (bucket !== 'prices') return fault('NoSuchBucket', 404)
    const key = parts.join('/')
    if (key !== '') {
      const held = this.files.get(key)
      return held === undefined ? fault('NoSuchKey', 404) : new Response(held as BodyInit)
    }
    const prefix = searchParams.get('prefix') ?? ''
    const found = [...this.files].filter(
      ([name]) => name.startsWith(prefix) && !name.slice(prefix.length).includes('/'),
    )
    const contents = found.map(
      ([name, held], at) =>
        `<Contents><Key>${name}</Key><Size>${Buffer.from(held).length}</Size>` +
        `<LastModified>2026-11-2${at}T10:00:00.000Z</LastModified></Contents>`,
    )
    const list = `<IsTruncated>false</IsTruncated>${contents.join('')}`
    const body = `<?xml version="1.0"?><ListBucketResult>${list}</ListBucketResult>`
    return new Response(body, { headers: { 'content-type': 'application/xml' } })
  }
}

const fault = (code: string, status: number) =>
  new Response(`<Error><Code>${code}</Code><Message>no</Message></Error>`, {
    status,
    ...(status === 503 && { headers: { 'retry-after': '120' } }),
  })
