import { AwsV4Signer } from 'aws4fetch'
import { FeedError } from '~/domain/feed/feed.ts'
import { documentText } from '~/feed/document.ts'
import { type FetcherDeps, fetchAnswer, type Limits } from '~/feed/fetcher.ts'
import { xmlElements, xmlValue } from '~/feed/xml.ts'
import type { Folder } from './files.ts'

type Bucket = {
  readonly endpoint: URL
  readonly region: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Prefix of the files' names: empty, or ending in a slash. */
  readonly prefix: string
  readonly limits: Limits
  readonly fetcher: FetcherDeps
}

type Listed = { readonly Key: string; readonly Size: string; readonly LastModified: string }

/** The files of a bucket under a prefix, those deeper than that left out. */
export function bucketFolder({
  prefix,
  bucket,
  endpoint,
  limits,
  fetcher,
  ...login
}: Bucket): Folder {
  const asked = async (key: string, parameters: Record<string, string> = {}) => {
    const url = new URL(`${endpoint.href.replace(/\/$/, '')}/${bucket}/${pathOf(key)}`)
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    const datetime = new Date(fetcher.clock.now()).toISOString().replace(/[:-]|\.\d{3}/g, '')
    const signed = await new AwsV4Signer({
      ...login,
      url: url.href,
      service: 's3',
      datetime,
    }).sign()
    const secretHeaders = Object.fromEntries(signed.headers)
    const request = { url, headers: {}, secretHeaders, validators: null, refusal }
    return (await fetchAnswer(request, limits, fetcher)).bytes!
  }
  return {
    async list(pattern, max) {
      const wanted = { 'list-type': '2', prefix, delimiter: '/', 'max-keys': String(max) }
      const list = xmlValue(xmlElements(documentText(await asked('', wanted)))[0]!)
      const { Contents: contents = [], IsTruncated: more } = list as Record<string, Listed[]>
      if (String(more) === 'true')
        throw new FeedError(
          'too_large',
          `finds more than ${max} files there: move old ones elsewhere`,
        )
      return [contents]
        .flat()
        .map(({ Key: key, Size: size, LastModified: at }) => ({
          ...{ name: key.slice(prefix.length), bytes: Number(size), isWhole: true },
          ...{ atMs: Date.parse(at), read: () => asked(key) },
        }))
        .filter(({ name }) => pattern.match(name))
    },
    close: async () => {},
  }
}

/** Characters that a signature escapes and encodeURIComponent does not. */
const RESERVED = /[!'()*]/g

const pathOf = (key: string): string =>
  encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replace(RESERVED, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** The code in the body of a refusal, such as `NoSuchBucket`. */
const refusal = (text: string): string | null =>
  /<Code>([A-Za-z]{1,60})<\/Code>/.exec(text)?.[1] ?? null
