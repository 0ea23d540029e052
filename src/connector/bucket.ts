import { FeedError } from '~/domain/feed/feed.ts'
import { documentText } from '~/feed/document.ts'
import { type FetcherDeps, fetchAnswer, type Limits } from '~/feed/fetcher.ts'
import { xmlValue } from '~/feed/xml.ts'
import { type BucketLogin, signedRequest } from '~/outbound/signed-request.ts'
import type { Folder } from './files.ts'

type Bucket = BucketLogin & {
  /** Prefix of the files' names: empty, or ending in a slash. */
  readonly prefix: string
  readonly limits: Limits
  readonly fetcher: FetcherDeps
}

type Listed = { readonly Key: string; readonly Size: string; readonly LastModified: string }

/** The files of a bucket under a prefix, those deeper than that left out. */
export function bucketFolder({ prefix, limits, fetcher, ...login }: Bucket): Folder {
  const asked = async (key: string, parameters: Record<string, string> = {}) => {
    const wanted = { key, parameters, nowMs: fetcher.clock.now() }
    const { url, headers } = await signedRequest(login, wanted)
    const secretHeaders = Object.fromEntries(headers)
    const request = { url, headers: {}, secretHeaders, validators: null, refusal }
    return (await fetchAnswer(request, limits, fetcher)).bytes!
  }
  return {
    async list(pattern, max) {
      const wanted = { 'list-type': '2', prefix, delimiter: '/', 'max-keys': String(max) }
      const list = xmlValue(documentText(await asked('', wanted)))
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

/** The code in the body of a refusal, such as `NoSuchBucket`. */
const refusal = (text: string): string | null =>
  /<Code>([A-Za-z]{1,60})<\/Code>/.exec(text)?.[1] ?? null
