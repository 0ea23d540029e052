import { lookup } from 'node:dns/promises'
import http, { type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import { isIPv6, type LookupFunction } from 'node:net'
import type { AddressesOf } from './places.ts'

/** A request whose host was looked up, and whose addresses were checked. */
export type Pinned = {
  readonly url: URL
  /** The only addresses to connect to, at least one. */
  readonly addresses: readonly string[]
  /** GET if it is absent. */
  readonly method?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Ends the request, and the reading of its response. */
  readonly signal: AbortSignal
  /** Certificates to trust in addition to those of the system, as PEM. */
  readonly authorities?: readonly string[]
}

/** A response from its beginning on: its body is read as it comes, compressed as it was sent. */
export type Answer = {
  readonly status: number
  readonly headers: Headers
  /** Throws at the signal of the request, and if the response breaks off. */
  readonly body: AsyncIterable<Uint8Array>
  end(): void
}

/** The outside world: the resolution of names, and connections to an address. */
export type Outside = {
  readonly addressesOf: AddressesOf
  connect(request: Pinned): Promise<Answer>
}

export const systemOutside: Outside = {
  addressesOf: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  connect: connected,
}

/**
 * Sends a request over a connection of its own to one of its addresses, without a second lookup of
 * the host; over https it checks the certificate of the name. Redirects are not followed.
 */
async function connected(request: Pinned): Promise<Answer> {
  const response = await responseTo(request)
  const headers = new Headers()
  for (let i = 0; i < response.rawHeaders.length; i += 2)
    headers.append(response.rawHeaders[i]!, response.rawHeaders[i + 1]!)
  return {
    status: response.statusCode ?? 0,
    headers,
    body: bodyOf(response, request.signal),
    end: () => void response.destroy(),
  }
}

/** The maximum number of responses such as 100 and 103 before the one that counts. */
const INTERIM_MAX = 20

function responseTo(request: Pinned): Promise<IncomingMessage> {
  const { url, addresses, method = 'GET', headers, body, signal, authorities } = request
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const options: RequestOptions & { ca?: string[] } = {
    method,
    headers: { ...headers, ...length, connection: 'close' },
    agent: false,
    lookup: pinnedTo(addresses),
    signal,
    ...(authorities && { ca: [...authorities] }),
  }
  const sending = (url.protocol === 'https:' ? https : http).request(url, options)
  sending.on('error', reject)
  sending.on('close', () => reject(brokenOff()))
  let interim = 0
  sending.on('information', () => {
    if (++interim > INTERIM_MAX) sending.destroy(neverBegun())
  })
  sending.on('upgrade', (response, socket) => {
    socket.destroy()
    resolve(response)
  })
  sending.on('response', resolve)
  sending.end(body)
  return promise
}

/** Returns the addresses that were checked, whatever the name resolves to by now. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  return (_, options, answer) => {
    if (options.all) answer(null, all)
    else answer(null, all[0]!.address, all[0]!.family)
  }
}

async function* bodyOf(response: IncomingMessage, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const chunks = response[Symbol.asyncIterator]()
  try {
    while (true) {
      const { done, value } = await beforeEnd(chunks.next(), signal)
      if (done) break
      yield value
    }
    if (!response.complete) throw brokenOff()
  } finally {
    response.destroy()
  }
}

const neverBegun = (): Error =>
  Object.assign(new Error('there were too many responses before the response'), {
    code: 'HPE_HEADER_OVERFLOW',
  })

const brokenOff = (): Error =>
  Object.assign(new Error('the connection was closed before the end of the response'), {
    code: 'ECONNRESET',
  })

/** The result of work that cannot be aborted; rejects at the signal if that comes first. */
export async function beforeEnd<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const end = () => reject(signal.reason)
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  return Promise.race([work, ended]).finally(() => signal.removeEventListener('abort', end))
}
