import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import type { FeedError } from '~/domain/feed/feed.ts'
import { DOCUMENT_BYTES_MAX } from '~/feed/document.ts'
import { createFeeds } from '~/feed/feeds.ts'
import { ATTEMPT_MS_MAX, type DocumentRequest, fetchAnswer, fetchDocument } from '~/feed/fetcher.ts'
import { allowedPlaces } from '~/outbound/places.ts'
import { selfSigned } from '../support/certificates.ts'
import { fixture, Pace, PUBLIC_ADDRESS, startRawServer, startUpstream } from './upstream.ts'

const upstream = startUpstream(() => new Response('{}'))
afterAll(() => upstream.stop())
beforeEach(() => void upstream.asked.splice(0))

const request = (address = `${upstream.origin}/a`): DocumentRequest => ({
  url: new URL(address),
  headers: {},
  secretHeaders: {},
  validators: null,
})

const failure = (pace = new Pace(), asked = request()): Promise<FeedError> =>
  fetchDocument(asked, pace).then(
    () => Promise.reject(new Error('it answered')),
    (error) => error as FeedError,
  )

/** Gives these responses in turn, the last one for ever. */
function answerWith(...responses: (() => Response)[]): void {
  let turn = 0
  upstream.answer = () => responses[Math.min(turn++, responses.length - 1)]!()
}

const status =
  (code: number, headers: Record<string, string> = {}) =>
  () =>
    new Response('no', { status: code, headers })
const good = () => new Response('{"a":1}', { headers: { 'content-type': 'application/json' } })

describe('retries', () => {
  test('a 5xx is retried twice, after about half a second and a second', async () => {
    answerWith(status(503), status(500), good)
    const pace = new Pace()
    expect((await fetchDocument(request(), pace)).text).toBe('{"a":1}')
    expect(pace.slept).toEqual([375, 750])
  })

  test('nothing is requested again after three failures', async () => {
    answerWith(status(502))
    const error = await failure()
    expect([error.fault, error.message]).toEqual(['http_error', 'returned 502'])
    expect(upstream.asked).toHaveLength(3)
  })

  test('a 4xx is not retried', async () => {
    for (const [code, fault] of [
      [400, 'http_error'],
      [401, 'unauthorized'],
      [403, 'unauthorized'],
    ] as const) {
      upstream.asked.splice(0)
      answerWith(status(code))
      expect((await failure()).fault).toBe(fault)
      expect(upstream.asked).toHaveLength(1)
    }
  })

  test('the wait of a 429 is respected, in seconds or as a date', async () => {
    answerWith(
      status(429, { 'retry-after': '20' }),
      status(429, { 'retry-after': 'Mon, 29 Jul 2024 14:07:45 GMT' }),
      good,
    )
    const pace = new Pace()
    await fetchDocument(request(), pace)
    expect(pace.slept).toEqual([20_000, 25_000])
  })

  test('a wait beyond half a minute is left to a later run', async () => {
    answerWith(status(429, { 'retry-after': '1200' }))
    const pace = new Pace()
    const error = await failure(pace)
    expect([error.fault, error.retryAfterMs, pace.slept]).toEqual(['rate_limited', 1_200_000, []])
    expect(upstream.asked).toHaveLength(1)
  })

  test('a 429 without a wait is retried at the usual pace', async () => {
    answerWith(status(429), status(429, { 'retry-after': 'soon' }), good)
    const pace = new Pace()
    await fetchDocument(request(), pace)
    expect(pace.slept).toEqual([375, 750])
  })
})

describe('time', () => {
  test('a hang before the first byte ends with the attempt', async () => {
    const pace = new Pace()
    upstream.answer = () => {
      queueMicrotask(() => pace.runOut())
      return new Promise(() => {})
    }
    const error = await failure(pace)
    expect([error.fault, error.message]).toEqual(['timeout', 'did not respond within 10 s'])
    expect(pace.deadlines.map(({ ms }) => ms)).toEqual([
      ATTEMPT_MS_MAX,
      ATTEMPT_MS_MAX,
      ATTEMPT_MS_MAX,
    ])
  })

  test('a hang in the middle of the body ends with the attempt', async () => {
    const pace = new Pace()
    upstream.answer = () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            controller.enqueue(new TextEncoder().encode('{"a"'))
            await Bun.sleep(0)
            pace.runOut()
            await new Promise(() => {})
          },
        }),
      )
    expect((await failure(pace)).fault).toBe('timeout')
  })
})

describe('the connection', () => {
  const cases: [string, string][] = [
    ['is reset before an answer', ''],
    ['is cut in the middle of a body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a"'],
    ['speaks no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ]
  for (const [what, bytes] of cases)
    test(`is unreachable after three attempts: ${what}`, async () => {
      const server = startRawServer(bytes)
      const pace = new Pace()
      const error = await failure(pace, request(server.origin))
      server.stop()
      expect(error.fault).toBe('unreachable')
      expect(pace.slept).toHaveLength(2)
    })

  test('is unreachable if it is refused', async () => {
    const error = await failure(new Pace(), request('http://127.0.0.1:1/'))
    expect([error.fault, error.message]).toEqual([
      'unreachable',
      'could not be reached (ECONNREFUSED)',
    ])
  })

  test('is insecure without TLS, and not retried', async () => {
    const pace = new Pace()
    const error = await failure(pace, request(upstream.origin.replace('http:', 'https:')))
    expect(error.fault).toBe('insecure')
    expect(pace.slept).toEqual([])
  })

  test('is insecure with an untrusted certificate, and sent nothing', async () => {
    const asked: string[] = []
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      tls: selfSigned('127.0.0.1'),
      fetch({ url }) {
        asked.push(url)
        return good()
      },
    })
    const error = await failure(new Pace(), request(`https://127.0.0.1:${server.port}/`))
    server.stop(true)
    expect(error.fault).toBe('insecure')
    expect(asked).toEqual([])
  })
})

describe('size', () => {
  const packed =
    (bytes: Uint8Array<ArrayBuffer>, encoding = 'gzip') =>
    () =>
      new Response(bytes, { headers: { 'content-encoding': encoding } })

  test('a document at the bound is read, and one byte more is not', async () => {
    for (const encode of [
      (text: string) => () => new Response(text),
      (text: string) => packed(gzipSync(text)),
    ]) {
      answerWith(encode('x'.repeat(DOCUMENT_BYTES_MAX)))
      expect((await fetchDocument(request(), new Pace())).text).toHaveLength(DOCUMENT_BYTES_MAX)
      answerWith(encode('x'.repeat(DOCUMENT_BYTES_MAX + 1)))
      expect((await failure()).fault).toBe('too_large')
    }
  })

  test('gzip is unpacked', async () => {
    answerWith(packed(gzipSync('{"a":1}')))
    expect((await fetchDocument(request(), new Pace())).text).toBe('{"a":1}')
    expect(upstream.asked[0]!.headers.get('accept-encoding')).toBe('gzip')
  })

  test('a gzip bomb is dropped at the bound, and not requested again', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000), { level: 9 })
    expect(bomb.length).toBeLessThan(DOCUMENT_BYTES_MAX)
    answerWith(packed(bomb))
    expect((await failure()).fault).toBe('too_large')
    expect(upstream.asked).toHaveLength(1)
  })

  test('50 MB are dropped at the bound, whether or not their length is announced', async () => {
    answerWith(() => new Response(new Uint8Array(50_000_000)))
    expect((await failure()).fault).toBe('too_large')
    let sent = 0
    answerWith(
      () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              sent += 65_536
              if (sent > 50_000_000) controller.close()
              else controller.enqueue(new Uint8Array(65_536))
            },
          }),
        ),
    )
    expect((await failure()).fault).toBe('too_large')
    expect(sent).toBeLessThan(50_000_000)
  })

  test('invalid gzip, gzip cut short, and another encoding are malformed', async () => {
    for (const broken of [
      packed(Buffer.from('plain')),
      packed(gzipSync('{"a":1}').subarray(0, 12)),
      packed(Buffer.from('{}'), 'br'),
      () => new Response(new Uint8Array([0x7b, 0xff, 0xfe])),
    ]) {
      answerWith(broken)
      expect((await failure()).fault).toBe('malformed')
    }
  })
})

const to =
  (location: string, code = 302) =>
  () =>
    new Response(null, { status: code, headers: { location } })

describe('redirects', () => {
  test('three are followed, and a fourth is not', async () => {
    answerWith(to('/b', 301), to(`${upstream.origin}/c`, 307), to('d', 308), good)
    expect((await fetchDocument(request(), new Pace())).text).toBe('{"a":1}')
    expect(upstream.asked.map(({ path }) => path)).toEqual(['/a', '/b', '/c', '/d'])
    answerWith(to('/b'), to('/c'), to('/d'), to('/e'), good)
    expect(await failure()).toMatchObject({
      fault: 'redirect',
      message: 'redirects more than 3 times',
    })
  })

  test('a circle is noticed at once', async () => {
    answerWith(to('/b'), to('/a#again'))
    expect(await failure()).toMatchObject({ fault: 'redirect', message: 'redirects in a circle' })
    expect(upstream.asked).toHaveLength(2)
  })

  test.each([
    'https://127.0.0.1/a',
    'ftp://127.0.0.1/a',
    'file:///etc/passwd',
    'data:application/json,{}',
    'http://',
  ])('%s is not followed', async (location) => {
    answerWith(to(location))
    const error = await failure()
    expect(error.fault).toBe('redirect')
    expect(upstream.asked).toHaveLength(1)
  })
})

describe('an address', () => {
  const leadingTo = (host: string) =>
    to(`http://${host}:${new URL(upstream.origin).port}/elsewhere`)

  test('is looked up once for each hop, and the connection uses the result', async () => {
    answerWith(leadingTo('moved.example'), good)
    const pace = new Pace()
    const answers = [[PUBLIC_ADDRESS], ['127.0.0.1']]
    const lookedUp: string[] = []
    pace.addressesOf = async (host) => {
      lookedUp.push(host)
      return answers[lookedUp.length - 1]!
    }
    expect((await fetchDocument(request(), pace)).text).toBe('{"a":1}')
    expect(lookedUp).toEqual(['moved.example'])
    expect(pace.connectedTo).toEqual([['127.0.0.1'], [PUBLIC_ADDRESS]])
  })

  test('in a private network is one that only the configured host may have', async () => {
    const pace = new Pace()
    const { port } = new URL(upstream.origin)
    for (const name of ['feed.inside', 'other.inside']) pace.names.set(name, ['127.0.0.1'])
    answerWith(good)
    const asked = request(`http://feed.inside:${port}/a`)
    expect((await fetchDocument(asked, pace)).text).toBe('{"a":1}')
    answerWith(leadingTo('other.inside'), good)
    expect(await failure(pace, asked)).toMatchObject({
      fault: 'redirect',
      message: 'redirects to an address in a private network',
    })
  })

  test('has to be within the bounds that are given, that of the configured host too', async () => {
    answerWith(good)
    const limits = { bytesMax: 1000, attemptMsMax: 1000 }
    const within = (allowed: readonly string[]) =>
      fetchAnswer(request(), { ...limits, allowed: allowedPlaces(allowed) }, new Pace())
    await expect(within([])).rejects.toThrow('has an address in a private network')
    expect((await within(['127.0.0.1'])).bytes).toBeDefined()
  })

  test('to an unknown host name is retried, like one to a host that does not respond', async () => {
    const pace = new Pace()
    pace.addressesOf = () => Promise.reject(new Error('ENOTFOUND'))
    const error = await failure(pace, request('http://nobody.example/'))
    expect([error.fault, error.message]).toEqual([
      'unreachable',
      'could not be reached (ENOTFOUND)',
    ])
    expect(pace.slept).toHaveLength(2)
  })

  test('that is not looked up in time is a timeout', async () => {
    const pace = new Pace()
    pace.addressesOf = () => {
      queueMicrotask(() => pace.runOut())
      return new Promise(() => {})
    }
    expect((await failure(pace, request('http://slow.example/'))).fault).toBe('timeout')
  })
})

describe('validators', () => {
  const feed = (pace = new Pace()) =>
    createFeeds([{ name: 'open-er-api', url: upstream.origin, key: null }], pace)[0]!

  test('are sent the next time, and "not modified" gives the last response again', async () => {
    const body = await fixture('open-er-api.json')
    const modified = 'Mon, 29 Jul 2024 00:02:32 GMT'
    upstream.answer = ({ headers }) =>
      headers.get('if-none-match') === '"v1"'
        ? new Response(null, { status: 304 })
        : new Response(body, { headers: { etag: '"v1"', 'last-modified': modified } })
    const asked = feed()
    const first = await asked.ask()
    expect(await asked.ask()).toEqual(first)
    const [before, after] = upstream.asked
    expect(before!.headers.has('if-none-match')).toBe(false)
    expect(after!.headers.get('if-modified-since')).toBe(modified)
  })

  test('are replaced by those of a new version', async () => {
    const body = await fixture('open-er-api.json')
    const version = (nr: number) => () =>
      new Response(body.replace('1604.551', `160${nr}`), { headers: { etag: `"v${nr}"` } })
    answerWith(version(1), version(2), () => new Response(null, { status: 304 }))
    const asked = feed()
    await asked.ask()
    await asked.ask()
    expect((await asked.ask()).perUsd.get('NGN')).toBe('1602')
    expect(upstream.asked[2]!.headers.get('if-none-match')).toBe('"v2"')
  })

  test('are sent to the address that gave them, not to one before it in a redirect', async () => {
    const body = await fixture('open-er-api.json')
    upstream.answer = ({ url }) =>
      url.endsWith('/moved')
        ? new Response(body, { headers: { etag: '"v1"' } })
        : Response.redirect(`${upstream.origin}/moved`)
    const asked = feed()
    await asked.ask()
    await asked.ask()
    expect(upstream.asked.map(({ headers }) => headers.get('if-none-match'))).toEqual([
      ...[null, null],
      ...[null, '"v1"'],
    ])
  })

  test('a response that could not be read is not remembered', async () => {
    answerWith(() => new Response('{', { headers: { etag: '"bad"' } }))
    const asked = feed()
    await asked.ask().catch(() => {})
    await asked.ask().catch(() => {})
    expect(upstream.asked[1]!.headers.has('if-none-match')).toBe(false)
  })

  test('"not modified" without a validator is an error', async () => {
    answerWith(status(304))
    expect((await failure()).fault).toBe('http_error')
  })
})

describe('a form', () => {
  const limits = { bytesMax: 1000, attemptMsMax: 1000 }
  const posted = (form: string) => fetchAnswer({ ...request(), form }, limits, new Pace())

  test('is sent by POST, again by 307, and dropped if a redirect asks to look elsewhere', async () => {
    const asked: [method: string, body: string][] = []
    let location: [number, string] | null = [307, '/b']
    upstream.answer = async (one) => {
      asked.push([one.method, await one.text()])
      const [code, to] = location ?? [200, '']
      location = code === 307 ? [303, '/c'] : null
      return new Response('', { status: code, headers: to ? { location: to } : {} })
    }
    await posted('a=1')
    expect(asked).toEqual([
      ['POST', 'a=1'],
      ['POST', 'a=1'],
      ['GET', ''],
    ])
  })

  test('comes back with the cookies that the response sets', async () => {
    const headers = new Headers([
      ['set-cookie', 'a=1; Path=/'],
      ['set-cookie', 'b=2'],
    ])
    answerWith(() => new Response('', { headers }))
    expect((await posted('')).cookies).toEqual(['a=1', 'b=2'])
  })

  test('is not sent on to a private network, by address or by name', async () => {
    for (const host of [
      '10.0.0.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[64:ff9b::10.0.0.1]',
      'db.local.',
      'inside.example',
    ]) {
      answerWith(status(302, { location: `http://${host}/` }))
      const pace = new Pace()
      pace.names.set('inside.example', ['93.184.216.34', '192.168.1.1'])
      const failed = fetchAnswer(request(), limits, pace).catch((error: FeedError) => error.message)
      expect([host, await failed]).toEqual([host, 'redirects to an address in a private network'])
    }
  })
})
