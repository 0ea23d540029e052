import { afterAll, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { ask, Unaskable } from '~/outbound/ask.ts'
import { type Answer, type Pinned, systemOutside } from '~/outbound/connection.ts'
import { ANYWHERE, allowedPlaces, NOWHERE } from '~/outbound/places.ts'
import { flood, rawReceiver } from '../support/receivers.ts'

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) =>
    Response.json({
      method: request.method,
      host: request.headers.get('host'),
      body: await request.text(),
    }),
})
afterAll(() => server.stop(true))

const never = () => new AbortController().signal
const free = { allowed: ANYWHERE, isSecureOnly: false }

const requestOf = (url: string, signal = never()): Omit<Pinned, 'addresses'> => ({
  url: new URL(url),
  headers: {},
  signal,
})

/** An outside network in which every name resolves to these addresses. */
const standingFor = (...addresses: string[]) => ({
  ...systemOutside,
  addressesOf: async () => addresses,
})

async function textOf({ body }: Answer): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

describe('ask', () => {
  test('names the host in its request, at the address that was checked', async () => {
    const request = requestOf(`http://a.example:${server.port}/x`)
    const answer = await ask(
      standingFor('127.0.0.1'),
      { ...request, body: 'é', method: 'POST' },
      free,
    )
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'application/json;charset=utf-8',
    ])
    expect(JSON.parse(await textOf(answer))).toEqual({
      method: 'POST',
      host: `a.example:${server.port}`,
      body: 'é',
    })
  })

  test('looks a name up once, however it resolves the next time', async () => {
    const answers = [['1.1.1.1'], ['127.0.0.1']]
    const connected: Pinned[] = []
    let lookUps = 0
    const rebinding = {
      addressesOf: async () => answers[lookUps++]!,
      connect: async (request: Pinned) => {
        connected.push(request)
        throw new Error('as far as this goes')
      },
    }
    const bounds = { allowed: NOWHERE, isSecureOnly: true }
    const asked = () => ask(rebinding, requestOf('https://a.example/'), bounds)
    await expect(asked()).rejects.toThrow('as far as this goes')
    await expect(asked()).rejects.toThrow(new Unaskable('private'))
    expect(connected.map(({ addresses }) => addresses)).toEqual([['1.1.1.1']])
  })

  test('continues with the next address if one does not respond', async () => {
    const answer = await ask(
      standingFor('127.0.0.9', '127.0.0.1'),
      requestOf(`http://a.example:${server.port}/`),
      free,
    )
    expect(answer.status).toBe(200)
    answer.end()
  })

  test.each([
    [[], 'unknown', NOWHERE],
    [['10.0.0.1'], 'private', NOWHERE],
    [['1.1.1.1'], 'insecure', NOWHERE],
    [['10.0.0.1', '1.1.1.1'], 'private', allowedPlaces(['10.0.0.2'])],
  ] as const)('connects to nothing if a name resolves to %j: %s', async (at, reason, allowed) => {
    const connect = () => Promise.reject(new Error('it connected'))
    const outside = { ...standingFor(...at), connect }
    const asked = ask(outside, requestOf('http://a.example/'), { allowed, isSecureOnly: true })
    await expect(asked).rejects.toThrow(new Unaskable(reason))
  })

  test('asks a private place that is allowed over plain http', async () => {
    const bounds = { allowed: allowedPlaces(['127.0.0.0/8']), isSecureOnly: true }
    const request = requestOf(`http://a.example:${server.port}/`)
    const answer = await ask(standingFor('127.0.0.1'), request, bounds)
    expect(answer.status).toBe(200)
    answer.end()
  })
})

describe('a response', () => {
  const at = ({ port }: { port: number }, signal?: AbortSignal) =>
    ask(systemOutside, requestOf(`http://127.0.0.1:${port}/`, signal), free)

  test('comes packed as it was sent', async () => {
    const packed = gzipSync('{"a":1}')
    using to = await rawReceiver((socket) => {
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`,
      )
      socket.end(packed)
    })
    const chunks: Uint8Array[] = []
    for await (const chunk of (await at(to)).body) chunks.push(chunk)
    expect(Buffer.concat(chunks)).toEqual(packed)
  })

  test.each([
    ['a length', 'content-length: 100\r\n\r\nabc'],
    ['chunks', 'transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n'],
  ])('that breaks off is a failure, with %s', async (_, rest) => {
    using to = await rawReceiver((socket) => socket.end(`HTTP/1.1 200 OK\r\n${rest}`))
    await expect(at(to).then(textOf)).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  test('that hangs ends at the signal, and its connection too', async () => {
    using to = await rawReceiver((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc'),
    )
    const stop = new AbortController()
    const answer = await at(to, stop.signal)
    const read = textOf(answer)
    stop.abort(new Error('enough'))
    await expect(read).rejects.toThrow('enough')
    await to.closed
  })

  test('without end is closed where its reader stops', async () => {
    using to = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      flood(socket, 'x'.repeat(65_536))
    })
    for await (const _ of (await at(to)).body) break
    await to.closed
  })

  test('is not waited for beyond the signal', async () => {
    using to = await rawReceiver(() => {})
    const stop = new AbortController()
    const asked = at(to, stop.signal)
    await to.asked
    stop.abort()
    await expect(asked).rejects.toThrow()
    await to.closed
  })
})
