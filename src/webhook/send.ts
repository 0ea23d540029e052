import type { Answer } from '~/domain/alert/claim.ts'
import { transportError } from '~/feed/transport.ts'
import { ask, Unaskable } from '~/outbound/ask.ts'
import type { Outside, Answer as Response } from '~/outbound/connection.ts'
import { boundsOf, type ReceiverDeps } from './receiver.ts'

export type SendingDeps = ReceiverDeps &
  Pick<Outside, 'connect'> & {
    /** Certificates to trust in addition to those of the system, as PEM. */
    readonly authorities?: readonly string[]
  }

type Message = {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The limit on the lookup, connecting, sending, and the relevant part of the response. */
const ANSWER_MS_MAX = 15_000
const ANSWER_BYTES_MAX = 4096
export const ERROR_LENGTH_MAX = 200

/**
 * Posts a message once, to an address that was checked, and to no other. Redirects are not
 * followed. Never rejects.
 *
 * `stop` ends it early, as if there had been no response.
 */
export async function send(
  deps: SendingDeps,
  { url, headers, body }: Message,
  stop: AbortSignal,
): Promise<Answer> {
  const deadline = deps.deadline(ANSWER_MS_MAX)
  const signal = AbortSignal.any([deadline, stop])
  const { authorities } = deps
  const request = {
    url,
    method: 'POST',
    headers,
    body,
    signal,
    ...(authorities && { authorities }),
  }
  try {
    const response = await ask(deps, request, boundsOf(deps))
    const { status } = response
    if (status >= 200 && status < 300) {
      response.end()
      return { status, error: null }
    }
    const text = await beginningOf(response).catch(() => '')
    response.end()
    return { status, error: refusalOf(status, text) }
  } catch (error) {
    return { status: null, error: shortened(reasonOf(error, deadline)) }
  }
}

async function beginningOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= ANSWER_BYTES_MAX) break
  }
  return Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX).toString()
}

const NOT_TEXT = /[\s\p{C}]+/gu

function refusalOf(status: number, text: string): string {
  const said = text.replace(NOT_TEXT, ' ').trim()
  const verdict =
    status >= 300 && status < 400
      ? `it returned ${status}; redirects are not followed`
      : `it returned ${status}`
  return shortened(said === '' ? verdict : `${verdict}: ${said}`)
}

function reasonOf(error: unknown, deadline: AbortSignal): string {
  if (error instanceof Unaskable) return error.message
  if (deadline.aborted) return `it did not respond within ${ANSWER_MS_MAX / 1000} s`
  const isNoHttp = error instanceof Error && 'code' in error && /^HPE_/.test(String(error.code))
  return isNoHttp ? 'its response is not HTTP' : `it ${transportError(error).message}`
}

const shortened = (text: string): string =>
  [...text].length <= ERROR_LENGTH_MAX
    ? text
    : `${[...text].slice(0, ERROR_LENGTH_MAX - 1).join('')}…`
