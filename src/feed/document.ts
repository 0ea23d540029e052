import { gunzip } from 'node:zlib'
import { FeedError } from '~/domain/feed/feed.ts'
import type { Answer } from '~/outbound/connection.ts'

type Response = Pick<Answer, 'headers' | 'body'>

/** Four times the longest that a feed may send; parsed quickly between two requests. */
export const DOCUMENT_BYTES_MAX = 64 * 1024

/** The bytes of a response, at most `bytesMax`, sent or unpacked. Throws a FeedError. */
export async function documentBytes(response: Response, bytesMax: number): Promise<Buffer> {
  const packed = await boundedBytes(response, bytesMax)
  const encoding = response.headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  return unpacked(packed, { encoding, bytesMax })
}

/** Decodes bytes as text. Throws a FeedError for invalid UTF-8. */
export function documentText(bytes: Uint8Array, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    throw new FeedError('malformed', 'returned text that is not UTF-8')
  }
}

/** Throws a FeedError for a web page, such as an error page, a login or a parked domain. */
export function refuseWebPage(text: string, contentType = ''): void {
  const isHtml = /html/i.test(contentType) || /^\s*<(!doctype html|html|head|body)\b/i.test(text)
  if (isHtml) throw new FeedError('not_data', 'returned a web page instead of rates')
}

/** A JSON value. Throws a FeedError for a string that is not whole JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new FeedError('malformed', 'did not return complete JSON')
  }
}

/** Beginning of a response, on one line, for an operator. */
export const excerptOf = (text: string, lengthMax: number): string =>
  text
    .slice(0, 10 * lengthMax)
    .replace(/[\s\p{Cc}\p{Cf}\uFFFD]+/gu, ' ')
    .trim()
    .slice(0, lengthMax)

async function boundedBytes(response: Response, bytesMax: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body) {
    size += chunk.length
    if (size > bytesMax) throw tooLarge(bytesMax)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

type Packing = { readonly encoding: string; readonly bytesMax: number }

async function unpacked(bytes: Buffer, { encoding, bytesMax }: Packing): Promise<Buffer> {
  if (encoding === 'identity') return bytes
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw new FeedError('malformed', 'responded in an encoding that was not requested')
  return new Promise((resolve, reject) => {
    gunzip(bytes, { maxOutputLength: bytesMax }, (error, result) => {
      if (!error) resolve(result)
      else if ('code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') reject(tooLarge(bytesMax))
      else reject(new FeedError('malformed', 'returned gzip that cannot be unpacked'))
    })
  })
}

const tooLarge = (bytesMax: number) =>
  new FeedError('too_large', `returned more than ${bytesMax / 1024} KiB`)
