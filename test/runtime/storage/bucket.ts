import { expect } from 'bun:test'
import { s3Signature } from '../../support/s3-signature.ts'

/** A server with the parts of S3 that a backup needs; it accepts one bucket, and any key. */
export async function startBucket() {
  const objects = new Map<string, Uint8Array>()
  const parts = new Map<string, Uint8Array[]>()
  const bucket = {
    ...{ objects, parts, refuses: false, origin: '', stop: () => server.stop(true) },
    /** Called for a part that then gets no response; null for responses. */
    silence: null as (() => void) | null,
  }
  const xml = (body: string) =>
    new Response(`<?xml version="1.0"?>${body}`, { headers: { 'content-type': 'application/xml' } })
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      const key = decodeURIComponent(pathname).split('/').slice(2).join('/')
      const upload = searchParams.get('uploadId')
      const bytes = new Uint8Array(await request.arrayBuffer())
      if (bucket.refuses && request.method !== 'GET')
        return new Response('<Error><Code>AccessDenied</Code><Message>no</Message></Error>', {
          status: 403,
        })
      const signature = s3Signature(request, () => 'a secret of the bucket')
      if (!signature || signature.sent !== signature.right)
        return new Response(null, { status: 403 })
      switch (request.method) {
        case 'POST':
          if (upload === null) {
            parts.set(key, [])
            return xml(
              '<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>',
            )
          }
          expect(tags(Buffer.from(bytes).toString())).toEqual([...parts.get(key)!.keys()])
          objects.set(key, Buffer.concat(parts.get(key)!))
          parts.delete(key)
          return xml(
            `<CompleteMultipartUploadResult><Key>${key}</Key></CompleteMultipartUploadResult>`,
          )
        case 'PUT': {
          const at = Number(searchParams.get('partNumber')) - 1
          if (bucket.silence) {
            bucket.silence()
            return new Promise<Response>(() => {})
          }
          parts.get(key)![at] = bytes
          return new Response(null, { headers: { etag: `"e${at}"` } })
        }
        case 'DELETE':
          if (upload === null) objects.delete(key)
          else parts.delete(key)
          return new Response(null, { status: 204 })
        default: {
          const prefix = searchParams.get('prefix') ?? ''
          const most = Number(searchParams.get('max-keys') ?? 1000)
          const found = [...objects.keys()].filter((one) => one.startsWith(prefix)).sort()
          const contents = found
            .slice(0, most)
            .map((one) => `<Contents><Key>${one}</Key><Size>1</Size></Contents>`)
          return xml(
            `<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`,
          )
        }
      }
    },
  })
  bucket.origin = server.url.origin
  return bucket
}

/** The places of the parts that complete an upload, by their tags. */
const tags = (text: string): number[] =>
  [...text.matchAll(/<ETag>"e(\d+)"<\/ETag>/g)].map(([, at]) => Number(at))
