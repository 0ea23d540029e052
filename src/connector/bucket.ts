import { S3Client } from 'bun'
import { FeedError } from '~/domain/feed/feed.ts'
import { beforeEnd } from '~/outbound/connection.ts'
import type { Folder } from './files.ts'

type Bucket = {
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** What the names of the files begin with: empty, or ending in a slash. */
  readonly prefix: string
  readonly bytesMax: number
  /** Ends the asking. */
  readonly signal: AbortSignal
}

/** The files of a bucket under a prefix, those deeper than that left out. */
export function bucketFolder({ prefix, bytesMax, signal, ...login }: Bucket): Folder {
  const client = new S3Client({ ...login })
  const asked = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await beforeEnd(work, signal)
    } catch (error) {
      throw faultOf(error as { code?: string }, signal)
    }
  }
  return {
    async list(pattern, max) {
      const { contents = [], isTruncated } = await asked(client.list({ prefix, maxKeys: max }))
      if (isTruncated) throw new FeedError('too_large', `holds more than ${max} files there`)
      return contents
        .map(({ key, size = 0, lastModified }) => ({
          ...{ name: key.slice(prefix.length), bytes: size },
          atMs: Date.parse(String(lastModified)),
        }))
        .filter(({ name }) => !name.includes('/') && pattern.match(name))
    },
    read: (name) =>
      asked(
        client
          .file(prefix + name)
          .slice(0, bytesMax + 1)
          .bytes(),
      ),
    close: async () => {},
  }
}

const DENIED = /denied|forbidden|InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken/i

function faultOf({ code = '' }: { code?: string }, signal: AbortSignal): FeedError {
  if (signal.aborted) return new FeedError('timeout', 'did not answer in time')
  if (DENIED.test(code)) return new FeedError('unauthorized', 'refused the key or its secret')
  if (/NoSuch/.test(code)) return new FeedError('unreachable', 'has no bucket or file of that name')
  return new FeedError('unreachable', 'could not be reached as S3, or answered something else')
}
