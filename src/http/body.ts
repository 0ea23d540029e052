import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import { ServiceError } from '~/domain/errors.ts'
import { bodyBytes } from '~/wire/body-bytes.ts'

/** The longest wait for what may follow the last chunk of a body; it comes with it or at once. */
const TRAILER_MS_MAX = 25

/**
 * Reads a request body of at most `bytesMax` bytes; never holds more than that.
 *
 * Throws `body_too_large`, and `malformed_body` for a body that breaks off, is not UTF-8, or is
 * followed by trailers or anything else: the runtime responds to those with a 400 of its own, which
 * must mean that nothing was done.
 */
export async function bodyText(request: Request, bytesMax: number): Promise<string> {
  const bytes = await wholeBody(request, bytesMax)
  if (WORKBOOK_STARTS.some((start) => start.every((byte, i) => bytes[i] === byte)))
    throw malformed(WORKBOOK)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw malformed('the body is not UTF-8 text; save it as UTF-8 and send that')
  }
}

/** The bytes of a request body, as `bodyText` reads them. */
export async function wholeBody(request: Request, bytesMax: number): Promise<Uint8Array> {
  if (request.headers.has('trailer')) throw malformed(TRAILERS)
  const bytes = await bodyBytes(request, bytesMax).catch(() => {
    throw malformed(BROKEN_OFF)
  })
  if (bytes === null) throw tooLarge(bytesMax)
  await assertWhole(request)
  return bytes
}

/**
 * Rejects a body with anything behind its last chunk. The runtime ends a body there and reads on:
 * to whatever it finds, even a trailer, it responds with 400 although the request is being worked
 * on. It aborts the request in a later turn than the end of the body.
 */
async function assertWhole(request: Request): Promise<void> {
  if (request.headers.has('transfer-encoding')) await delay(TRAILER_MS_MAX)
  await turn()
  assertAwaited(request)
}

/** Throws `malformed_body` for a body that is not said to be plain JSON; `what` is in it. */
export const assertJson = (request: Request, what: string): void => {
  mediumOf(request, { what, media: ['application/json'] })
}

/** The medium that a body is said to be of. Throws `malformed_body` for another than `media`. */
export function mediumOf<T extends string>(
  request: Request,
  { what, media }: { readonly what: string; readonly media: readonly T[] },
): T {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  const medium = media.find((one) => one === type)
  if (!medium) throw malformed(`send the ${what} with Content-Type: ${media.join(' or ')}`)
  const coding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (coding !== 'identity')
    throw malformed(`send the ${what} as they are, without Content-Encoding`)
  return medium
}

/** Throws `malformed_body` once the runtime or the client has aborted the request. */
export function assertAwaited(request: Request): void {
  if (request.signal.aborted) throw malformed(BROKEN_OFF)
}

/** First bytes of an Excel workbook: an XLSX, which is a ZIP archive, and an XLS. */
const WORKBOOK_STARTS = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
]
const WORKBOOK = 'the body is an Excel workbook; save its sheet as CSV UTF-8 and send that'
const BROKEN_OFF = 'the body was cut short; send it again as a whole'
const TRAILERS = 'send the body without trailers, and without a Trailer header'

const malformed = (message: string) => new ServiceError('malformed_body', message)

const tooLarge = (bytesMax: number): ServiceError =>
  new ServiceError(
    'body_too_large',
    `the body is larger than ${bytesMax} bytes; send fewer rows in one request`,
  )
