import { createHash, createHmac } from 'node:crypto'

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8}\/[^/]+\/s3\/aws4_request),\s*SignedHeaders=([^,]+),\s*Signature=(\w+)$/

type Asked = { readonly method: string; readonly url: string; readonly headers: Headers }

/**
 * The signature of a request by Signature Version 4, computed from what arrived; null if the header
 * has none. https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function s3Signature(asked: Asked, secretOf: (id: string) => string | undefined) {
  const [, id, scope, signed, sent] = AUTHORIZATION.exec(authorizationOf(asked)) ?? []
  const secret = id === undefined ? undefined : secretOf(id)
  if (secret === undefined) return null
  const { headers, method } = asked
  const { pathname, searchParams } = new URL(asked.url)
  const query = [...searchParams].map((pair) => pair.map(escaped).join('=')).sort()
  const named = signed!.split(';').map((name) => `${name}:${headers.get(name)!.trim()}\n`)
  const payload = headers.get('x-amz-content-sha256')!
  const path = decodeURIComponent(pathname).split('/').map(escaped).join('/')
  const canonical = [method, path, query.join('&'), named.join(''), signed, payload].join('\n')
  const text = ['AWS4-HMAC-SHA256', headers.get('x-amz-date'), scope, sha256(canonical)].join('\n')
  const key = scope!.split('/').reduce<string | Buffer>(hmac, `AWS4${secret}`)
  return { sent: sent!, right: hmac(key, text).toString('hex') }
}

const authorizationOf = ({ headers }: Asked): string => headers.get('authorization') ?? ''

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest()

/** Escapes all but the unreserved characters of RFC 3986. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
