import { ServiceError } from '~/domain/errors.ts'

/**
 * The text of a request body of at most `bytesMax` bytes; no more than that is ever held.
 *
 * Throws `body_too_large`, and `malformed_body` for a body that breaks off or is not UTF-8.
 */
export async function bodyText(request: Request, bytesMax: number): Promise<string> {
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > bytesMax) throw tooLarge(bytesMax)
  const bytes = await bodyBytes(request, bytesMax)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ServiceError('malformed_body', 'the body is not UTF-8 text; send JSON as UTF-8')
  }
}

async function bodyBytes(request: Request, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength
      if (size > bytesMax) throw tooLarge(bytesMax)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw new ServiceError('malformed_body', 'the body broke off; send the whole of it again')
  }
  return Buffer.concat(chunks)
}

const tooLarge = (bytesMax: number): ServiceError =>
  new ServiceError(
    'body_too_large',
    `the body is larger than ${bytesMax} bytes; send fewer rows in one request`,
  )
