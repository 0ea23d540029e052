import { afterAll, describe, expect, spyOn, test } from 'bun:test'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Server } from 'bun'
import { Connection } from '~/client/connection.ts'
import { CorridorError } from '~/client/corridor-error.ts'
import type { CorridorOptions, StreamOptions } from '~/client/options.ts'
import { waited } from '~/client/patience.ts'
import type { StreamEvent } from '~/client/stream-event.ts'

/** A client like the generated one, with a stream. */
class Client extends Connection {
  stream(corridors: readonly string[], options?: StreamOptions) {
    return this.events({ method: 'GET', path: '/stream', parameters: { corridors } }, options)
  }
}

const PAIRS = ['GBP/KES', 'USD/NGN']
const HELLO = 'event: hello\nid: 5-\ndata: {"tier":"realtime"}\n\n'
const quote = (id: string) => `event: quote\nid: ${id}\ndata: {"provider_name":"Café"}\n\n`

type Asked = { readonly url: URL; readonly headers: Headers }
type Answer = (request: Request) => Response | Promise<Response>

const servers: Server<undefined>[] = []
afterAll(() => Promise.all(servers.map((server) => server.stop(true))))

/** A client of a service whose connections give these responses in turn. */
function clientOf(answers: readonly Answer[], options: Partial<CorridorOptions> = {}) {
  const requests: Asked[] = []
  const waits: number[] = []
  const server = Bun.serve({
    port: 0,
    idleTimeout: 0,
    fetch(request) {
      requests.push({ url: new URL(request.url), headers: new Headers(request.headers) })
      return answers[Math.min(requests.length, answers.length) - 1]!(request)
    },
  })
  servers.push(server)
  const wait = async (ms: number) => void waits.push(ms)
  const client = new Client({ url: server.url, key: 'crd_key', wait, ...options })
  const lastIds = () => requests.map(({ headers }) => headers.get('last-event-id'))
  return { client, requests, waits, lastIds, server }
}

const stream = (body: BodyInit) =>
  new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
/** A connection that the service closes after this string. */
const saying = (text: string) => () => stream(text)
/** A connection that stays open after this string, and its end. */
function staying(text: string) {
  const left = Promise.withResolvers<void>()
  const answer: Answer = () =>
    stream(
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
        cancel: () => left.resolve(),
      }),
    )
  return { answer, left: left.promise }
}
const refusal =
  (code: string, status: number, headers: Record<string, string> = {}): Answer =>
  () =>
    Response.json({ error: 'no', code }, { status, headers })

/** The first events; the loop is left after them. */
async function first(
  count: number,
  events: AsyncGenerator<StreamEvent, void, void>,
): Promise<StreamEvent[]> {
  const found: StreamEvent[] = []
  for await (const event of events) if (found.push(event) === count) break
  return found
}

/** Holds the timers of this length; the test fires the newest. */
function limitsOf(lengthMs: number) {
  const real = globalThis.setTimeout
  let newest = () => {}
  const held = ((work: () => void, ms?: number) => {
    if (ms === lengthMs) newest = work
    return real(work, ms)
  }) as typeof setTimeout
  const spy = spyOn(globalThis, 'setTimeout').mockImplementation(held)
  return { passed: () => newest(), end: () => spy.mockRestore() }
}

const listed = (events: readonly StreamEvent[]) => events.map(({ type, id }) => `${type} ${id}`)
const failure = (call: Promise<unknown>): Promise<CorridorError> =>
  call.then(
    () => expect.unreachable(),
    (error) => {
      expect(error).toBeInstanceOf(CorridorError)
      return error
    },
  )

describe('a stream', () => {
  test('requests all corridors once, with the key, and yields their events', async () => {
    const { client, requests } = clientOf([staying(HELLO + quote('6-0')).answer])
    expect(await first(2, client.stream(PAIRS))).toEqual([
      { type: 'hello', id: '5-', data: { tier: 'realtime' } },
      { type: 'quote', id: '6-0', data: { provider_name: 'Café' } },
    ] as unknown as StreamEvent[])
    expect(requests).toHaveLength(1)
    const { url, headers } = requests[0]!
    expect([url.pathname, url.searchParams.get('corridors')]).toEqual([
      ...['/api/v1/stream', 'GBP/KES,USD/NGN'],
    ])
    expect([headers.get('accept'), headers.get('x-api-key')]).toEqual([
      ...['text/event-stream', 'crd_key'],
    ])
    expect(headers.has('last-event-id')).toBe(false)
  })

  test('is the same wherever the bytes are cut, comments and other line ends included', async () => {
    const text = `: here\r\n\r\n${HELLO}:\n\n${quote('6-0').replaceAll('\n', '\r\n')}${quote('6-1')}`
    for (const size of [1, 2, 7, 1000]) {
      const bytes = new TextEncoder().encode(text)
      const body = new ReadableStream({
        type: 'direct',
        async pull(controller: { write(piece: Uint8Array): void; flush(): Promise<number> }) {
          for (let at = 0; at < bytes.length; at += size) {
            controller.write(bytes.slice(at, at + size))
            await controller.flush()
          }
        },
      } as unknown as UnderlyingDefaultSource)
      const { client } = clientOf([() => stream(body), staying('').answer])
      const events = await first(3, client.stream(PAIRS))
      expect(listed(events)).toEqual(['hello 5-', 'quote 6-0', 'quote 6-1'])
      expect(events[1]!.data).toEqual(events[2]!.data)
      expect(events[1]!.data).toEqual({ provider_name: 'Café' } as never)
    }
  })

  test('ends its connection when the loop is left', async () => {
    const { answer, left } = staying(HELLO)
    const { client, requests } = clientOf([answer])
    for await (const _ of client.stream(PAIRS)) break
    await left
    expect(requests).toHaveLength(1)
  })

  test('ignores unknown events, and continues after them', async () => {
    const newer = 'event: forecast\nid: 7-0\ndata: {}\n\ndata: nameless\n\n'
    const { client, lastIds } = clientOf([saying(HELLO + newer), saying(quote('8-0'))])
    expect(listed(await first(2, client.stream(PAIRS)))).toEqual(['hello 5-', 'quote 8-0'])
    expect(lastIds()).toEqual([null, '7-0'])
  })
})

describe('a stream that ended', () => {
  test('is opened again after its last whole event', async () => {
    const half = quote('6-1').slice(0, -1)
    const { client, lastIds } = clientOf([
      saying(HELLO + quote('6-0') + half),
      saying(quote('6-1')),
    ])
    expect(listed(await first(3, client.stream(PAIRS)))).toEqual([
      ...['hello 5-', 'quote 6-0', 'quote 6-1'],
    ])
    expect(lastIds()).toEqual([null, '6-0'])
  })

  test('is opened again from the position of the last heartbeat', async () => {
    const beat = ': 8-\nid: 8-\n\n'
    const { client, lastIds } = clientOf([saying(quote('6-0') + beat), saying(quote('9-0'))])
    expect(listed(await first(2, client.stream(PAIRS)))).toEqual(['quote 6-0', 'quote 9-0'])
    expect(lastIds()).toEqual([null, '8-'])
  })

  test('is opened again at the start of its first hello, but not of a later one', async () => {
    const later = HELLO.replace('5-', '9-')
    const answers = [
      saying(HELLO),
      saying(later),
      saying(quote('6-0')),
      saying(later + quote('10-0')),
    ]
    const { client, lastIds } = clientOf(answers)
    expect(listed(await first(5, client.stream(PAIRS)))).toEqual([
      ...['hello 5-', 'hello 9-', 'quote 6-0', 'hello 9-', 'quote 10-0'],
    ])
    expect(lastIds()).toEqual([null, '5-', '5-', '6-0'])
  })

  test('yields that it was reset, slow or ended, and continues after a reset', async () => {
    const reset = 'event: reset\nid: 9-\ndata: {"reason":"old","ask":"/api/v1/rates"}\n\n'
    const slow = 'event: slow\ndata: {}\n\n'
    const answers = [saying(quote('6-0')), saying(reset + slow), saying(quote('9-2'))]
    const { client, lastIds } = clientOf(answers)
    expect(listed(await first(4, client.stream(PAIRS)))).toEqual([
      ...['quote 6-0', 'reset 9-', 'slow null', 'quote 9-2'],
    ])
    expect(lastIds()).toEqual([null, '6-0', '9-'])
  })

  test('can be continued by another program', async () => {
    const { client, lastIds } = clientOf([staying(quote('6-1')).answer])
    await first(1, client.stream(PAIRS, { lastEventId: '6-0' }))
    expect(lastIds()).toEqual(['6-0'])
  })

  test('is opened again when nothing arrives any more', async () => {
    const silent = staying(quote('6-0'))
    const { client, lastIds } = clientOf([silent.answer, saying(quote('6-1'))])
    const events = await first(2, client.stream(PAIRS, { silenceMsMax: 30 }))
    expect(listed(events)).toEqual(['quote 6-0', 'quote 6-1'])
    await silent.left
    expect(lastIds()).toEqual([null, '6-0'])
  })

  test('is opened again when its connection is cut', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n'
    const lastIds: (string | undefined)[] = []
    const service = createServer((socket) => {
      socket.once('data', (data) => {
        lastIds.push(/last-event-id: (\S+)/i.exec(String(data))?.[1])
        const text = `${head}${quote(`6-${lastIds.length}`)}`
        socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), 10))
      })
    }).listen(0, '127.0.0.1')
    await once(service, 'listening')
    const { port } = service.address() as AddressInfo
    const client = new Client({ url: `http://127.0.0.1:${port}`, wait: async () => {} })
    expect(listed(await first(2, client.stream(PAIRS)))).toEqual(['quote 6-1', 'quote 6-2'])
    expect(lastIds).toEqual([undefined, '6-1'])
    service.close()
  })
})

describe('the waits of a stream', () => {
  /** Expects each wait to be as given, or up to half longer. */
  const expectWaits = (waits: readonly number[], wanted: readonly number[]) => {
    expect(waits).toHaveLength(wanted.length)
    for (const [i, ms] of wanted.entries()) {
      expect(waits[i]).toBeGreaterThanOrEqual(ms)
      expect(waits[i]).toBeLessThanOrEqual(ms * 1.5)
    }
  }

  test('grow until an event comes again, and stay below the longest', async () => {
    const nothing = Array.from({ length: 9 }, () => saying(HELLO))
    const answers = [saying(quote('6-0')), ...nothing, saying(quote('6-1')), saying(quote('6-2'))]
    const { client, waits } = clientOf(answers, { waitMsMax: 20_000 })
    for await (const { id } of client.stream(PAIRS)) if (id === '6-2') break
    const growing = [250, 500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000, 20_000]
    expectWaits(waits, [...growing, 250])
  })

  test('stay short while there is no service, which may be back at any time', async () => {
    const proxy: Answer = () => new Response('<h1>Bad Gateway', { status: 502 })
    const away = Array.from({ length: 8 }, () => proxy)
    const { client, waits } = clientOf([saying(quote('6-0')), ...away, saying(quote('6-1'))])
    await first(2, client.stream(PAIRS))
    expectWaits(waits, [250, 500, 1000, 2000, 4000, 5000, 5000, 5000, 5000])
  })

  test('are as long as the service says', async () => {
    const stopping = saying(`${quote('6-0')}retry: 1234\n\n`)
    const busy = refusal('too_many_streams', 429, { 'retry-after': '3' })
    const { client, waits } = clientOf([stopping, busy, saying(quote('6-1'))])
    await first(2, client.stream(PAIRS))
    expectWaits(waits, [1234, 3000])
  })

  test('are no longer than waitMsMax', async () => {
    const stopping = saying(`${quote('6-0')}retry: 86400000\n\n`)
    const { client, waits } = clientOf([stopping, saying(quote('6-1'))], { waitMsMax: 7000 })
    await first(2, client.stream(PAIRS))
    expectWaits(waits, [7000])
  })

  test('follow a timeout and a proxy without its service, however often', async () => {
    const limits = limitsOf(30_000)
    const never: Answer = () => {
      limits.passed()
      return new Promise(() => {})
    }
    const proxy: Answer = () => new Response('<h1>Bad Gateway', { status: 502 })
    const answers = [saying(quote('6-0')), never, proxy, proxy, proxy, saying(quote('6-1'))]
    const { client, waits } = clientOf(answers, { retries: 0 })
    await first(2, client.stream(PAIRS, { timeoutMs: 30_000 })).finally(limits.end)
    expectWaits(waits, [250, 500, 1000, 2000, 4000])
  })
})

describe('a stream fails', () => {
  test('if it is refused: at once, or when it is opened again', async () => {
    const { client, waits } = clientOf([refusal('too_many_corridors', 400)])
    expect((await failure(first(1, client.stream(PAIRS)))).code as string).toBe(
      'too_many_corridors',
    )
    expect(waits).toEqual([])
    const ended = 'event: ended\ndata: {"error":"the key was revoked","code":"revoked_key"}\n\n'
    const revoked = clientOf([saying(quote('6-0') + ended), refusal('revoked_key', 401)])
    const seen: string[] = []
    const loop = async () => {
      for await (const { type } of revoked.client.stream(PAIRS)) seen.push(type)
    }
    expect((await failure(loop())).code as string).toBe('revoked_key')
    expect(seen).toEqual(['quote', 'ended'])
  })

  test('like a call before its first connection: after a few tries, and after a timeout', async () => {
    const { client, requests } = clientOf([refusal('overloaded', 503, { 'retry-after': '1' })])
    expect((await failure(first(1, client.stream(PAIRS)))).status).toBe(503)
    expect(requests).toHaveLength(3)
    const slow = clientOf([() => new Promise(() => {})])
    const error = await failure(first(1, slow.client.stream(PAIRS, { timeoutMs: 20 })))
    expect(error.code).toBe('timeout')
    // a busy machine may have sent none of it yet
    expect(slow.requests.length).toBeLessThan(2)
  })

  test('for a budget that comes back tomorrow, also when it is opened again', async () => {
    const spent = refusal('quota_exceeded', 429, { 'retry-after': '40000' })
    const { client } = clientOf([saying(quote('6-0')), spent])
    expect((await failure(first(2, client.stream(PAIRS)))).retryAfterSeconds).toBe(40_000)
  })

  test.each([
    ['no stream', () => Response.json({ count: 1 })],
    ['no JSON', saying('event: quote\ndata: {"rate":\n\n')],
    ['an event without end', saying(`event: quote\ndata: ${'x'.repeat(2 ** 21)}`)],
  ])('if the response is %s', async (_, answer) => {
    const { client } = clientOf([answer])
    const error = await failure(first(1, client.stream(PAIRS)))
    expect([error.code, error.message]).toEqual([
      ...['unexpected_answer', expect.stringContaining('not as Corridor does')],
    ])
  })

  test('with the reason of a signal: before, while it waits for events, between connections', async () => {
    const reason = new Error('the user left')
    const gone = clientOf([saying(HELLO)])
    const aborted = { signal: AbortSignal.abort(reason) }
    await expect(first(1, gone.client.stream(PAIRS, aborted))).rejects.toBe(reason)
    expect(gone.requests).toEqual([])

    const listening = new AbortController()
    const { answer, left } = staying(HELLO)
    const open = clientOf([answer])
    const loop = async () => {
      const { signal } = listening
      for await (const _ of open.client.stream(PAIRS, { signal }))
        setTimeout(() => listening.abort(reason), 10)
    }
    await expect(loop()).rejects.toBe(reason)
    await left

    const pausing = new AbortController()
    const wait: CorridorOptions['wait'] = (_, signal) => {
      queueMicrotask(() => pausing.abort(reason))
      return waited(60_000, signal)
    }
    const held = clientOf([saying(HELLO)], { wait })
    const { signal } = pausing
    await expect(first(2, held.client.stream(PAIRS, { signal }))).rejects.toBe(reason)
    expect(held.requests).toHaveLength(1)
  })
})
