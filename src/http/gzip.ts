import { preferred } from '~/wire/accept.ts'

/** Reports whether a caller prefers a compressed body, or has no preference. */
export const takesGzip = ({ headers }: Request): boolean =>
  preferred(headers.get('accept-encoding') || 'identity', ['gzip', 'identity']) === 'gzip'

/** A stream that is compressed as it is read. */
export const zipped = (stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> =>
  stream.pipeThrough(new CompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array>)
