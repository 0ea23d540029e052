import http, { type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { isIPv6 } from 'node:net'
import type { Answer } from '~/domain/alert/claim.ts'
import { transportError } from '~/feed/transport.ts'
import { addressesOf, ending, type ReceiverDeps, Unsendable } from './receiver.ts'

export type SendingDeps = ReceiverDeps & {
  /** Certificates to trust beside those of the system, as PEM. */
  readonly authorities?: readonly string[]
}

type Message = {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The limit on everything: the name, connecting, sending, and as much of the answer as counts. */
const ANSWER_MS_MAX = 15_000
const ANSWER_BYTES_MAX = 4096
export const ERROR_LENGTH_MAX = 200

/**
 * Posts a message once, to an address that was checked, and to no other: the name is looked up
 * once, and the connection goes to what came of it. Redirects are not followed. Never rejects.
 *
 * `stop` ends it early, as if there had been no answer.
 */
export async function send(
  deps: SendingDeps,
  message: Message,
  stop: AbortSignal,
): Promise<Answer> {
  const deadline = deps.deadline(ANSWER_MS_MAX)
  const signal = AbortSignal.any([deadline, stop])
  try {
    const addresses = await Promise.race([addressesOf(deps, message.url), ending(signal)])
    const response = await posted({ deps, message, addresses, signal })
    const status = response.statusCode ?? 0
    if (status >= 200 && status < 300) {
      response.destroy()
      return { status, error: null }
    }
    const text = await Promise.race([beginningOf(response), ending(signal)]).catch(() => '')
    response.destroy()
    return { status, error: refusalOf(status, text) }
  } catch (error) {
    return { status: null, error: shortened(reasonOf(error, deadline)) }
  }
}

type Posting = {
  readonly deps: SendingDeps
  readonly message: Message
  readonly addresses: readonly string[]
  readonly signal: AbortSignal
}

/** The beginning of the answer: its status, before its body. */
function posted({ deps, message, addresses, signal }: Posting): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const { url, headers, body } = message
  const options: RequestOptions & { ca?: string[] } = {
    method: 'POST',
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' },
    agent: false,
    lookup: pinnedTo(addresses),
    signal,
    ...(deps.authorities && { ca: [...deps.authorities] }),
  }
  const request = (url.protocol === 'https:' ? https : http).request(url, options)
  request.on('error', reject)
  request.on('close', () => reject(new Unsendable('it closed the connection without an answer')))
  request.on('upgrade', (response, socket) => {
    socket.destroy()
    resolve(response)
  })
  request.on('response', resolve)
  request.end(body)
  return promise
}

/** Gives the addresses that were checked, whatever the name stands for by now. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  return (_, options, answer) => {
    if (options.all) answer(null, all)
    else answer(null, all[0]!.address, all[0]!.family)
  }
}

async function beginningOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response) {
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
      ? `it answered ${status}; redirects are not followed`
      : `it answered ${status}`
  return shortened(said === '' ? verdict : `${verdict}: ${said}`)
}

function reasonOf(error: unknown, deadline: AbortSignal): string {
  if (error instanceof Unsendable) return error.message
  if (deadline.aborted) return `it did not answer within ${ANSWER_MS_MAX / 1000} s`
  const isNoHttp = error instanceof Error && 'code' in error && /^HPE_/.test(String(error.code))
  return isNoHttp ? 'its answer is not HTTP' : `it ${transportError(error).message}`
}

const shortened = (text: string): string =>
  [...text].length <= ERROR_LENGTH_MAX
    ? text
    : `${[...text].slice(0, ERROR_LENGTH_MAX - 1).join('')}…`
