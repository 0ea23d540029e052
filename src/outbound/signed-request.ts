import { AwsV4Signer } from 'aws4fetch'

/** A bucket, wherever it is, and the key of its user. */
export type BucketLogin = {
  readonly endpoint: URL
  readonly region: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

type BucketRequest = {
  readonly method?: 'GET' | 'PUT' | 'POST' | 'DELETE'
  /** The object; empty for the bucket itself. */
  readonly key: string
  readonly parameters?: Readonly<Record<string, string>>
  readonly nowMs: number
}

/** The address and the headers of a request to a bucket, signed for its time. */
export async function signedRequest(
  { endpoint, bucket, ...login }: BucketLogin,
  { method = 'GET', key, parameters = {}, nowMs }: BucketRequest,
) {
  const url = new URL(`${endpoint.href.replace(/\/$/, '')}/${bucket}/${pathOf(key)}`)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  const datetime = new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, '')
  const signer = new AwsV4Signer({ ...login, method, url: url.href, service: 's3', datetime })
  const { headers } = await signer.sign()
  return { url, headers }
}

export const bucketEndpoint = (region: string): URL => new URL(`https://s3.${region}.amazonaws.com`)

/** Characters that a signature escapes and encodeURIComponent does not. */
const RESERVED = /[!'()*]/g

const pathOf = (key: string): string =>
  encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replace(RESERVED, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
