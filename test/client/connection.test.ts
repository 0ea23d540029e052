import { afterAll, describe, expect, test } from 'bun:test'
import type { Server } from 'bun'
import { Connection } from '~/client/connection.ts'
import { CorridorError } from '~/client/corridor-error.ts'
import type { CorridorOptions, RecordingOptions } from '~/client/options.ts'
import { waited } from '~/client/patience.ts'
import { BASE_PATH } from '~/http/path.ts'
import { answerable } from '../http/questions.ts'
import { ORIGIN } from '../support/world.ts'

/** A client like the generated one, with an operation of each kind. */
class Client extends Connection {
  rates(parameters: object, options?: RecordingOptions) {
    return this.call<{ count: number }>({ method: 'GET', path: '/rates', parameters }, options)
  }
  record(body: object, options?: RecordingOptions) {
    const call = { method: 'POST', path: '/rates', body, isKeyed: true } as const
    return this.call<{ inserted: number }>(call, options)
  }
  pair(parameters: object) {
    return this.call<{ pair: string }>({ method: 'GET', path: '/pairs/{from}-{to}', parameters })
  }
  file(options?: RecordingOptions) {
    return this.call<Response>({ method: 'GET', path: '/file', isRaw: true }, options)
  }
  remove() {
    return this.call<undefined>({ method: 'DELETE', path: '/thing' })
  }
  history(parameters: { from: string; to: string; limit: number; order?: string; until?: string }) {
    const ask = (page: object) =>
      this.call<History>({ method: 'GET', path: '/rates/history', parameters: page })
    return this.pages<typeof parameters & { offset?: number }, History>(ask, parameters)
  }
}

type History = { has_more: boolean; count: number; offset: number; to_date: string }
type Asked = { readonly url: string; readonly headers: Headers }
type Answer = (request: Request) => Response | Promise<Response>

const USD_KES = { from: 'USD', to: 'KES' }
const servers: Server<undefined>[] = []
afterAll(() => Promise.all(servers.map((server) => server.stop(true))))

/** A client of a service that gives these responses in turn. */
function clientOf(answers: readonly Answer[], options: Partial<CorridorOptions> = {}) {
  const requests: Asked[] = []
  const waits: number[] = []
  const server = Bun.serve({
    port: 0,
    fetch(request) {
      requests.push({ url: request.url, headers: new Headers(request.headers) })
      return answers[Math.min(requests.length, answers.length) - 1]!(request)
    },
  })
  servers.push(server)
  const wait = async (ms: number) => void waits.push(ms)
  const client = new Client({ url: server.url, key: 'crd_key', wait, ...options })
  return { client, requests, waits, server }
}

const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  () =>
    Response.json(body, { status, headers })
const fine = json({ count: 1 })
const busy = (seconds: number, status = 503) =>
  json({ error: 'later', code: 'overloaded' }, status, { 'retry-after': `${seconds}` })
const never: Answer = () => new Promise(() => {})

/** A fetch whose first responses are lost. */
const losing = (count: number) => {
  let left = count
  return async (request: Request) => {
    const response = await fetch(request)
    if (left-- > 0) throw new TypeError('the connection was lost')
    return response
  }
}

const failure = (call: Promise<unknown>): Promise<CorridorError> =>
  call.then(
    () => expect.unreachable(),
    (error) => {
      expect(error).toBeInstanceOf(CorridorError)
      return error
    },
  )

describe('a call', () => {
  test('is sent below the base path, wherever the service is', async () => {
    for (const suffix of ['', '/', '/api/v1', '/api/v1/', '/fx', '/fx/api/v1/']) {
      const { requests, server } = clientOf([fine])
      const client = new Client({ url: server.url.origin + suffix, key: 'crd_key' })
      await client.rates(USD_KES)
      const mount = suffix.startsWith('/fx') ? '/fx' : ''
      expect(new URL(requests[0]!.url).pathname).toBe(`${mount}${BASE_PATH}/rates`)
    }
  })

  test('has the key in the chosen header, and none without a key', async () => {
    const sent = async (options: Partial<CorridorOptions>) => {
      const { client, requests } = clientOf([fine], options)
      await client.rates(USD_KES)
      const { headers } = requests[0]!
      return [headers.get('x-api-key'), headers.get('authorization')]
    }
    expect(await sent({})).toEqual(['crd_key', null])
    expect(await sent({ keyHeader: 'Authorization' })).toEqual([null, 'Bearer crd_key'])
    expect(await sent({ key: undefined })).toEqual([null, null])
  })

  test('writes lists with commas, fills in the path, and leaves out what is undefined', async () => {
    const { client, requests } = clientOf([fine])
    await client.rates({ from: 'USD', to: ['KES', 'X Y'], max_age: undefined })
    await client.pair({ from: 'a/b', to: 'KES', limit: 2 })
    expect(requests.map(({ url }) => url.split(BASE_PATH)[1])).toEqual([
      '/rates?from=USD&to=KES,X%20Y',
      '/pairs/a%2Fb-KES?limit=2',
    ])
  })

  test('returns the body, nothing for 204, and the response itself if it is not JSON', async () => {
    const { client } = clientOf([
      fine,
      () => new Response(null, { status: 204 }),
      () => new Response('a,b\n', { headers: { 'content-type': 'text/csv' } }),
    ])
    expect(await client.rates(USD_KES)).toEqual({ count: 1 })
    expect(await client.remove()).toBeUndefined()
    const file = await client.file()
    expect([file.headers.get('content-type'), await file.text()]).toEqual(['text/csv', 'a,b\n'])
  })

  test.each([
    [{ url: 'corridor.example' }, /url/i],
    [{ url: 'ftp://corridor.example' }, /http/],
    [{ url: 'https://corridor.example', key: 'crd_1\n' }, /^key: /],
    [{ url: 'https://corridor.example', key: '' }, /^key: /],
  ])('cannot be made with %p', (options, message) => {
    expect(() => new Client(options)).toThrow(message)
    expect(() => new Client(options)).toThrow(TypeError)
  })
})

describe('a failure', () => {
  test('of the service has its code, status, details, request id and wait', async () => {
    const world = answerable()
    const client = new Client({ url: ORIGIN, fetch: (request) => world.app.handle(request) })
    const noKey = await failure(client.rates(USD_KES))
    expect(noKey).toMatchObject({
      ...{ name: 'CorridorError', code: 'missing_key', status: 401, retryAfterSeconds: null },
      ...{ details: { code: 'missing_key', error: noKey.message }, idempotencyKey: null },
      requestId: expect.stringMatching(/^[\w.-]+$/),
    })
    const { client: held } = clientOf([busy(86_400, 429)])
    expect(await failure(held.rates(USD_KES))).toMatchObject({
      ...{ code: 'overloaded', status: 429, retryAfterSeconds: 86_400, requestId: null },
    })
  })

  test('in transport has its own code: no connection, no response in time, another host, no Corridor', async () => {
    const away = clientOf([fine], { retries: 0 })
    await away.server.stop(true)
    expect(await failure(away.client.rates(USD_KES))).toMatchObject({
      ...{ code: 'unreachable', status: null, details: null, cause: expect.any(Error) },
      message: expect.stringContaining('the service cannot be reached: '),
    })
    const slow = clientOf([never], { timeoutMs: 20 })
    expect(await failure(slow.client.rates(USD_KES))).toMatchObject({
      ...{ code: 'timeout', status: null },
      message: 'no response within 20 ms',
    })
    expect(slow.waits).toEqual([])
    const proxy = clientOf([() => new Response('<h1>Bad Gateway</h1>', { status: 500 })])
    expect(await failure(proxy.client.rates(USD_KES))).toMatchObject({
      ...{ code: 'unexpected_answer', status: 500 },
      message:
        'the address responded 500, but not as Corridor does; check the url. It said: ' +
        '"<h1>Bad Gateway</h1>"',
    })
  })

  test.each([
    ['a page', () => new Response('<p>Sign in to this hotel', { status: 200 })],
    ['an empty body', () => new Response('', { status: 200 })],
    ['half of a body', () => new Response('{"count":', { status: 200 })],
    ['an error of others', json({ message: 'no' }, 404)],
  ])('is also %s instead of a response', async (_, answer) => {
    const { client } = clientOf([answer])
    expect((await failure(client.rates(USD_KES))).code).toBe('unexpected_answer')
  })

  test('contains only an excerpt of an unexpected response', async () => {
    const { client } = clientOf([() => new Response('x'.repeat(1_000_000))])
    expect((await failure(client.rates(USD_KES))).message.length).toBeLessThan(400)
  })

  test('is a redirect too, so that no other host is sent the key', async () => {
    const other = clientOf([fine])
    const location = `${other.server.url}api/v1/rates`
    for (const status of [301, 302, 307, 308]) {
      const { client } = clientOf([() => new Response(null, { status, headers: { location } })])
      const error = await failure(client.record([]))
      expect(error).toMatchObject({ code: 'redirected', status })
      expect(error.message).toContain(location)
    }
    expect(other.requests).toEqual([])
  })

  test('never contains the key', async () => {
    const { client } = clientOf([json({ message: 'no' }, 404)], { key: 'crd_secret' })
    const error = await failure(client.rates(USD_KES))
    expect(Bun.inspect(error)).not.toContain('crd_secret')
  })
})

describe('retries', () => {
  test('wait as long as Retry-After says, and stop after the allowed number', async () => {
    const { client, waits, requests } = clientOf([busy(2), busy(5, 429), fine])
    expect(await client.rates(USD_KES)).toEqual({ count: 1 })
    expect([waits, requests.length]).toEqual([[2000, 5000], 3])
    const hopeless = clientOf([busy(1)])
    expect((await failure(hopeless.client.rates(USD_KES))).status).toBe(503)
    expect([hopeless.waits, hopeless.requests.length]).toEqual([[1000, 1000], 3])
  })

  test('follow the options of a call before those of the client', async () => {
    const { client, waits, requests } = clientOf([busy(2)], { retries: 5, waitMsMax: 1000 })
    await failure(client.rates(USD_KES))
    await failure(client.rates(USD_KES, { retries: 1, waitMsMax: 2000 }))
    await failure(client.rates(USD_KES, { retries: undefined }))
    expect([waits, requests.length]).toEqual([[2000], 4])
  })

  test('do not wait for a budget that comes back tomorrow', async () => {
    const world = answerable()
    const key = world.key('free')
    const client = new Client({ url: ORIGIN, key, fetch: (request) => world.app.handle(request) })
    for (let asked = 0; asked < 50; asked++) await client.rates(USD_KES)
    const error = await failure(client.rates(USD_KES))
    expect([error.code, error.status]).toEqual(['quota_exceeded', 429])
    expect(error.retryAfterSeconds).toBeGreaterThan(30_000)
  })

  test('follow a lost connection', async () => {
    const { client, requests, waits } = clientOf([fine], { fetch: losing(1) })
    expect(await client.rates(USD_KES)).toEqual({ count: 1 })
    expect([requests.length, waits]).toEqual([2, [250]])
    const hopeless = clientOf([fine], { fetch: losing(3) })
    expect((await failure(hopeless.client.rates(USD_KES))).code).toBe('unreachable')
    expect([hopeless.requests.length, hopeless.waits]).toEqual([3, [250, 500]])
  })

  test('end with the reason of a signal: before, during the request, while waiting', async () => {
    const reason = new Error('the user left')
    const gone = clientOf([fine])
    const options = { signal: AbortSignal.abort(reason) }
    await expect(gone.client.rates(USD_KES, options)).rejects.toBe(reason)
    expect(gone.requests).toEqual([])

    const asked = new AbortController()
    const slow = clientOf([
      () => {
        asked.abort(reason)
        return new Promise<never>(() => {})
      },
    ])
    await expect(slow.client.rates(USD_KES, { signal: asked.signal })).rejects.toBe(reason)

    const waiting = new AbortController()
    const wait: CorridorOptions['wait'] = (ms, signal) => {
      queueMicrotask(() => waiting.abort(reason))
      return waited(ms, signal)
    }
    const held = clientOf([busy(3600)], { wait, waitMsMax: Number.POSITIVE_INFINITY })
    await expect(held.client.rates(USD_KES, { signal: waiting.signal })).rejects.toBe(reason)
    expect(held.requests).toHaveLength(1)
  })

  test('abort a response that takes long to read too, but not a returned one', async () => {
    const drop = async (controller: ReadableStreamDefaultController) => {
      controller.enqueue(new TextEncoder().encode('{"count":'))
      await new Promise(() => {})
    }
    const { client } = clientOf([() => new Response(new ReadableStream({ pull: drop }))])
    expect((await failure(client.rates(USD_KES, { timeoutMs: 50 }))).code).toBe('timeout')

    const signals: AbortSignal[] = []
    const fetch = async ({ signal }: Request) => {
      signals.push(signal)
      return new Response('a')
    }
    const { client: second } = clientOf([], { fetch, timeoutMs: 10 })
    const file = await second.file()
    await Bun.sleep(20)
    expect([signals.map(({ aborted }) => aborted), await file.text()]).toEqual([[false], 'a'])
  })
})

describe('the position of a client', () => {
  const at = (position: number | null): Answer => {
    const headers = position === null ? {} : { 'x-corridor-position': String(position) }
    return () => Response.json({ count: 1 }, { headers })
  }

  test('is the greatest of any response, and 0 before', async () => {
    const { client } = clientOf([at(null), at(70), at(65), at(null)])
    const seen = [client.position]
    for (let i = 0; i < 4; i++) {
      await client.rates(USD_KES)
      seen.push(client.position)
    }
    expect(seen).toEqual([0, 0, 70, 70, 70])
  })
})

describe('recording', () => {
  const row = { provider_id: 'retail-a', ...USD_KES, rate: 129.5, fee: null }

  test('has a key of its own for each call, the same for each try', async () => {
    const { client, requests } = clientOf([busy(1), json({ inserted: 1 }, 201)])
    await client.record([row])
    await client.record([row])
    await client.record([row], { idempotencyKey: 'batch-17' })
    const keys = requests.map(({ headers }) => headers.get('idempotency-key'))
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
    expect(keys[1]).toBe(keys[0]!)
    expect(keys[2]).not.toBe(keys[0]!)
    expect(keys[3]).toBe('batch-17')
  })

  test('is sent once more with its key if the response was lost', async () => {
    const { client, requests } = clientOf([json({ inserted: 1 }, 201)], { fetch: losing(1) })
    expect(await client.record([row])).toEqual({ inserted: 1 })
    const [first, second] = requests.map(({ headers }) => headers.get('idempotency-key'))
    expect(second).toBe(first!)
    expect(requests).toHaveLength(2)
  })

  test('sends nothing that cannot be JSON', async () => {
    const { client, requests } = clientOf([fine])
    await expect(client.record({ rate: 1n })).rejects.toThrow(TypeError)
    expect(requests).toEqual([])
  })

  test('has its key in its error', async () => {
    const { client } = clientOf([never], { timeoutMs: 20 })
    const error = await failure(client.record([row], { idempotencyKey: 'batch-18' }))
    expect([error.code, error.idempotencyKey]).toEqual(['timeout', 'batch-18'])
  })
})

describe('pages', () => {
  const page = (offset: number, has_more: boolean, count = 2) =>
    json({ has_more, count, offset, to_date: '2026-03-05T14:25:30.500Z' })
  const asked = (requests: readonly Asked[]) =>
    requests.map(({ url }) => Object.fromEntries(new URL(url).searchParams))

  test('follow each other in the window of the first, until the last', async () => {
    const { client, requests } = clientOf([page(0, true), page(2, true), page(4, false)])
    const offsets: number[] = []
    for await (const { offset } of client.history({ ...USD_KES, limit: 2 })) offsets.push(offset)
    const until = '2026-03-05T14:25:30.500Z'
    expect(offsets).toEqual([0, 2, 4])
    expect(asked(requests)).toEqual([
      { ...USD_KES, limit: '2', offset: '0' },
      { ...USD_KES, limit: '2', offset: '2', until },
      { ...USD_KES, limit: '2', offset: '4', until },
    ])
  })

  test('are requested one by one, and no more once the loop is left', async () => {
    const { client, requests } = clientOf([page(0, true)])
    for await (const _ of client.history({ ...USD_KES, limit: 2 })) break
    expect(requests).toHaveLength(1)
  })

  test('end at an empty one, even if it says that there are more', async () => {
    const { client, requests } = clientOf([page(0, true, 0)])
    for await (const _ of client.history({ ...USD_KES, limit: 2, until: 'x' })) void _
    expect(asked(requests)).toEqual([{ ...USD_KES, limit: '2', offset: '0', until: 'x' }])
  })

  test('fail if a page fails', async () => {
    const { client } = clientOf([page(0, true), json({ error: 'no', code: 'revoked_key' }, 401)])
    const seen: number[] = []
    const loop = async () => {
      for await (const { offset } of client.history({ ...USD_KES, limit: 2 })) seen.push(offset)
    }
    expect([(await failure(loop())).code, seen]).toEqual(['revoked_key', [0]])
  })
})
