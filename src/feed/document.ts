import { gunzip } from 'node:zlib'
import { FeedError } from '~/domain/feed/feed.ts'

/** Four times the longest that a feed may send; read in a moment between two requests. */
export const DOCUMENT_BYTES_MAX = 64 * 1024

/**
 * The text of a response, never holding more than DOCUMENT_BYTES_MAX of it, sent or unpacked.
 *
 * The response must still be compressed as it was sent (`decompress: false`). Throws a FeedError.
 */
export async function documentText(response: Response): Promise<string> {
  const packed = await boundedBytes(response)
  const encoding = response.headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  const bytes = await unpacked(packed, encoding)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new FeedError('malformed', 'answered text that is not UTF-8')
  }
}

/**
 * Throws a FeedError when a document is a web page, such as an error page, a login or a parked
 * domain.
 */
export function refuseWebPage(text: string, response: Response): void {
  const isHtml =
    /html/i.test(response.headers.get('content-type') ?? '') ||
    /^\s*<(!doctype html|html|head|body)\b/i.test(text)
  if (isHtml) throw new FeedError('not_data', 'answered a web page instead of rates')
}

async function boundedBytes(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > DOCUMENT_BYTES_MAX) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function unpacked(bytes: Buffer, encoding: string): Promise<Buffer> {
  if (encoding === 'identity') return bytes
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw new FeedError('malformed', 'answered in an encoding nobody asked for')
  return new Promise((resolve, reject) => {
    gunzip(bytes, { maxOutputLength: DOCUMENT_BYTES_MAX }, (error, result) => {
      if (!error) resolve(result)
      else if ('code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') reject(tooLarge())
      else reject(new FeedError('malformed', 'answered gzip that cannot be unpacked'))
    })
  })
}

const tooLarge = () =>
  new FeedError('too_large', `answered more than ${DOCUMENT_BYTES_MAX / 1024} KiB`)
