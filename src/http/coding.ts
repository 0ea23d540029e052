import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants } from 'node:zlib'
import { preferred } from '~/wire/accept.ts'

/** Reports whether a caller prefers a compressed body, or has no preference. */
export const takesGzip = ({ headers }: Request): boolean =>
  preferred(headers.get('accept-encoding') || 'identity', ['gzip', 'identity']) === 'gzip'

export const zipped = (stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> =>
  stream.pipeThrough(new CompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array>)

const CODINGS = ['br', 'gzip', 'identity'] as const

export type Coding = (typeof CODINGS)[number]

/** The coding that a caller prefers for a body that is sent as a whole: of equals, the smallest. */
export const codingFor = ({ headers }: Request): Coding =>
  preferred(headers.get('accept-encoding') || 'identity', CODINGS) ?? 'identity'

/** The quality from which Brotli beats gzip by far, at the cost of gzip. */
const QUALITY = 5

const brotliOptions = (quality: number, length: number) => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: length,
  },
})

export function coded(bytes: Uint8Array<ArrayBuffer>, coding: Coding): Uint8Array<ArrayBuffer> {
  if (coding === 'gzip') return Bun.gzipSync(bytes)
  if (coding === 'identity') return bytes
  return new Uint8Array(brotliCompressSync(bytes, brotliOptions(QUALITY, bytes.length)))
}

const compressed = promisify(brotliCompress)

/**
 * Compresses in Brotli at the highest quality, which takes ten times as long; on another thread.
 */
export async function packed(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const options = brotliOptions(constants.BROTLI_MAX_QUALITY, bytes.length)
  return new Uint8Array(await compressed(bytes, options))
}

export const codingHeader = (coding: Coding) =>
  coding === 'identity' ? {} : { 'content-encoding': coding }
