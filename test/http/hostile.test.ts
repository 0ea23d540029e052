import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newApiKey } from '~/domain/api-key.ts'
import { LiveServer, type RawReply, requestOf } from './live-server.ts'

const MIB = 1_048_576
const LEAK = /\n\s+at |node_modules|\/work\/|\/src\/|\.[jt]s\b|Error:|elysia|postgres|\bbun\b/i
const ROW = { provider_id: 'retail-a', rate: 129, from: 'USD', to: 'KES' }

let server: LiveServer
let account: { id: string; keyId: string; key: string }

beforeAll(() => {
  server = new LiveServer()
  account = server.world.account('enterprise', 'admin')
  server.world.reference({ KES: 130, GBP: 0.8, EUR: 0.9, NGN: 1500 })
  server.world.quote({ providerId: 'retail-a', rate: 129 })
})

afterAll(() => server.stop(), 15_000)

const keyHeader = () => `X-API-Key: ${account.key}`

/** Expects the promised response without internal details, and no other effect. */
async function expectRefusal(reply: RawReply, status: number, code: string | RegExp) {
  expect(reply.status).toBe(status)
  expect(reply.headers.get('content-type')).toBe('application/json')
  expect(reply.body.error).toMatch(/\w+ \w+/)
  expect(reply.body.code).toMatch(/^[a-z]+(_[a-z]+)*$/)
  expect(reply.body.code).toMatch(code)
  expect(reply.text).not.toMatch(LEAK)
  await expectUnharmed()
}

async function expectUnharmed() {
  expect(server.store.recorded).toEqual([])
  expect(server.world.logged).toEqual([])
  const usage = await server.ask(['GET /api/v1/admin/usage HTTP/1.1', keyHeader()])
  expect([usage.status, usage.body.used]).toEqual([200, 0])
}

const get = (path: string): Promise<RawReply> => server.ask([`GET ${path} HTTP/1.1`, keyHeader()])

const post = (body: string | Buffer, ...headers: string[]): Promise<RawReply> =>
  server.ask(
    [
      'POST /api/v1/rates HTTP/1.1',
      keyHeader(),
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...(headers.some((header) => /^content-type/i.test(header))
        ? headers
        : ['Content-Type: application/json', ...headers]),
    ],
    body,
  )

/** Every parameter of every read, with valid values for the others. */
const PARAMETERS: [path: string, name: string, others: string][] = [
  ['/rates', 'from', 'to=KES'],
  ['/rates', 'to', 'from=USD'],
  ['/convert', 'from', 'to=KES&amount=1'],
  ['/convert', 'to', 'from=USD&amount=1'],
  ['/convert', 'amount', 'from=USD&to=KES'],
  ['/fetch-one', 'from', 'to=KES'],
  ['/fetch-one', 'to', 'from=USD'],
  ['/fetch-multi', 'from', 'to=KES'],
  ['/fetch-multi', 'to', 'from=USD'],
  ['/fetch-matrix', 'from', 'to=KES'],
  ['/fetch-matrix', 'to', 'from=USD'],
  ['/fetch-many-to-one', 'from', 'to=KES'],
  ['/fetch-many-to-one', 'to', 'from=USD'],
  ['/rates/provider', 'provider', 'x=1'],
]

const HUGE = 'A'.repeat(12_000)

/** Values of a parameter, and the code of the response. */
const VALUES: [what: string, query: (name: string) => string, code: RegExp][] = [
  ['missing', () => '', /^missing_parameter$/],
  ['empty', (name) => `${name}=`, /^invalid_parameter$/],
  ['bare', (name) => name, /^invalid_parameter$/],
  ['blank', (name) => `${name}=%20%09`, /^invalid_parameter$/],
  ['doubled', (name) => `${name}=U1&${name}=U1`, /^(repeated_parameter|unsupported_currency)$/],
  ['doubled and empty', (name) => `${name}=&${name}=`, /^(repeated|invalid)_parameter$/],
  ['an array', (name) => `${name}[]=USD`, /^missing_parameter$/],
  ['an object', (name) => `${name}[a]=USD`, /^missing_parameter$/],
  ['in capitals', (name) => `${name.toUpperCase()}=USD`, /^missing_parameter$/],
  ['huge', (name) => `${name}=${HUGE}`, /^(invalid_parameter|unsupported_currency)$/],
  ['cut-off encoding', (name) => `${name}=%`, /^invalid_parameter$/],
  ['wrong encoding', (name) => `${name}=%zz`, /^invalid_parameter$/],
  ['no UTF-8', (name) => `${name}=%ff%fe`, /^invalid_parameter$/],
  ['an overlong encoding', (name) => `${name}=%C0%AF`, /^invalid_parameter$/],
  ['a lone surrogate', (name) => `${name}=%ED%A0%80`, /^invalid_parameter$/],
  ['NUL', (name) => `${name}=%00`, /./],
  ['a code with NUL', (name) => `${name}=USD%00`, /./],
  ['an emoji', (name) => `${name}=%F0%9F%98%80`, /./],
  ['full-width letters', (name) => `${name}=%EF%BC%B5%EF%BC%B3%EF%BC%A4`, /./],
  ['a right-to-left mark', (name) => `${name}=%E2%80%8FUSD`, /./],
  ['a number', (name) => `${name}=-1`, /./],
  ['JSON', (name) => `${name}=%7B%22a%22:1%7D`, /./],
  ['SQL', (name) => `${name}=USD'%20or%201=1--`, /./],
  ['__proto__', (name) => `${name}=__proto__`, /./],
  ['a path', (name) => `${name}=..%2F..%2Fetc%2Fpasswd`, /./],
  ['a script', (name) => `${name}=%3Cscript%3E`, /./],
  ['a line break', (name) => `${name}=USD%0d%0aX-Injected:%201`, /./],
]

describe.each(PARAMETERS)('GET %s?%s', (path, name, others) => {
  test.each(VALUES)(
    'returns 400 when it is %s, or 404 if it names a provider',
    async (_, query, code) => {
      const reply = await get(`/api/v1${path}?${[query(name), others].filter(Boolean).join('&')}`)
      expect(reply.headers.get('x-injected')).toBeNull()
      if (reply.status === 404) {
        expect(path).toBe('/rates/provider')
        return expectRefusal(reply, 404, 'unknown_provider')
      }
      await expectRefusal(reply, 400, code)
      if (reply.body.code !== 'unsupported_currency') expect(reply.body.parameter).toBe(name)
    },
  )
})

describe('GET with invalid numbers and lists', () => {
  test.each(['0', '-1', 'NaN', 'Infinity', '-Infinity', '1e309', '0x10', '1e3', '9'.repeat(99)])(
    'returns 400 for an amount of %s',
    async (amount) => {
      const reply = await get(`/api/v1/convert?from=USD&to=KES&amount=${amount}`)
      await expectRefusal(reply, 400, 'invalid_parameter')
    },
  )

  const codes = (count: number) => Array.from({ length: count }, (_, i) => `AA${i}`).join()

  test.each([
    ['21 codes', `/fetch-multi?from=USD&to=${codes(21)}`],
    ['21 codes on the other side', `/fetch-many-to-one?to=USD&from=${codes(21)}`],
    ['an 11x11 matrix', `/fetch-matrix?from=${codes(11)}&to=${codes(11)}`],
    ['2000 codes', `/fetch-multi?from=USD&to=${codes(2000)}`],
    ['a hole in a list', '/fetch-multi?from=GBP&to=USD,,EUR'],
    ['a hole in a list of bases', '/fetch-many-to-one?from=USD,,EUR&to=KES'],
    ['a hole in a matrix', '/fetch-matrix?from=USD,,EUR&to=KES'],
    ['a list of nothing', '/fetch-multi?from=GBP&to=,'],
    ['a long list of nothing', `/fetch-multi?from=GBP&to=${','.repeat(9000)}`],
  ])('returns 400 for %s', async (_name, path) => {
    await expectRefusal(await get(`/api/v1${path}`), 400, 'invalid_parameter')
  })

  test('returns 400 for 3000 parameters, of which one is doubled', async () => {
    const query = Array.from({ length: 3000 }, (_, i) => `${i}=`).join('&')
    const reply = await get(`/api/v1/rates?from=USD&to=KES&from=GBP&${query.slice(0, 12_000)}`)
    await expectRefusal(reply, 400, 'repeated_parameter')
  })
})

describe('POST /rates with an invalid body', () => {
  const rows = (count: number) => JSON.stringify(Array(count).fill(ROW))
  const nested = (open: string, close: string, inner = '') =>
    open.repeat(100_000) + inner + close.repeat(100_000)

  test.each<[string, string | Buffer]>([
    ['empty', ''],
    ['blank', ' \r\n\t'],
    ['no JSON', 'rate=1'],
    ['cut off', '[{"rate":1'],
    ['two documents', '{}{}'],
    ['followed by NUL', '[]\0'],
    ['NaN', '[NaN]'],
    ['single quotes', "[{'rate':1}]"],
    ['a trailing comma', '[{},]'],
    ['null', 'null'],
    ['true', 'true'],
    ['a text', '"rates"'],
    ['a number', '129.5'],
    ['a number of many digits', '1234567890123456789012345'],
    ['a list of no rows', '[]'],
    ['a list of 101 rows', rows(101)],
    ['a list of 20,000 rows of nothing', `[${'0,'.repeat(20_000)}0]`],
    ['no UTF-8', Buffer.from([0x5b, 0xff, 0xfe, 0x5d])],
    ['no UTF-8 inside a text', Buffer.from(JSON.stringify([{ ...ROW, notes: '\xff' }]), 'latin1')],
    ['UTF-16', Buffer.from('[{}]', 'utf16le')],
    ['compressed', Buffer.from(Bun.gzipSync(Buffer.from(rows(1))))],
  ])('returns 400 for %s', async (_name, body) => {
    await expectRefusal(await post(body), 400, 'malformed_body')
  })

  test.each([
    ['lists', nested('[', ']')],
    ['objects', nested('{"a":', '}', '1')],
    ['rows in lists', `[${nested('[', ']')}]`],
    ['lists with long numbers', nested('[', ']', '1234567890123456789')],
    ['objects with long numbers', nested('{"a":', '}', '1234567890123456789')],
  ])('returns 400 or 422 for 100,000 levels of %s', async (_name, body) => {
    const reply = await post(body)
    await expectRefusal(reply, reply.body.code === 'invalid_rows' ? 422 : 400, /^(malf|invalid_r)/)
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'text/json',
    'application/json, text/plain',
    'json',
    ';',
    '',
  ])('returns 400 for Content-Type: %s', async (type) => {
    const reply = await post(rows(1), `Content-Type: ${type}`)
    await expectRefusal(reply, 400, 'malformed_body')
  })

  test('returns 400 without any Content-Type', async () => {
    const lines = ['POST /api/v1/rates HTTP/1.1', keyHeader(), 'Content-Length: 2']
    await expectRefusal(await server.ask(lines, '{}'), 400, 'malformed_body')
  })

  test('returns 400 without any body or length', async () => {
    const type = 'Content-Type: application/json'
    const reply = await server.ask(['POST /api/v1/rates HTTP/1.1', keyHeader(), type])
    await expectRefusal(reply, 400, 'malformed_body')
  })

  test.each([1, MIB, 20 * MIB])(
    'returns 400 for a body %i bytes over 1 MiB, and not for 1 MiB',
    async (n) => {
      await expectRefusal(await post(Buffer.alloc(MIB + n, 0x20)), 400, 'body_too_large')
      await expectRefusal(await post(Buffer.alloc(MIB, 0x20)), 400, 'malformed_body')
    },
  )

  test('returns 400 for a body that only announces more, before any of it has arrived', async () => {
    const type = 'Content-Type: application/json'
    for (const length of [MIB + 1, 100 * MIB, 99_999_999_999]) {
      const head = `Content-Length: ${length}`
      const lines = ['POST /api/v1/rates HTTP/1.1', keyHeader(), type, head]
      await expectRefusal(await server.ask(lines), 400, 'body_too_large')
    }
  })

  const chunk = (bytes: Buffer) =>
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
  const chunked = (...chunks: Buffer[]) =>
    Buffer.concat([...chunks.map(chunk), Buffer.from('0\r\n\r\n')])
  const postChunked = (body: Buffer) =>
    server.ask(
      [
        'POST /api/v1/rates HTTP/1.1',
        keyHeader(),
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
      ],
      body,
    )

  test('returns 400 for over 1 MiB in chunks without a length, and not for 1 MiB', async () => {
    const part = Buffer.alloc(MIB / 16, 0x20)
    const full = Array<Buffer>(16).fill(part)
    await expectRefusal(await postChunked(chunked(...full)), 400, 'malformed_body')
    const over = chunked(...full, Buffer.from(' '))
    await expectRefusal(await postChunked(over), 400, 'body_too_large')
    await expectRefusal(
      await postChunked(chunked(...full, ...full, ...full)),
      400,
      'body_too_large',
    )
  })

  test('returns 400 for chunks that are empty', async () => {
    await expectRefusal(await postChunked(chunked()), 400, 'malformed_body')
  })

  test.each([0, 256, 9000])(
    'returns 400 for an Idempotency-Key of %i characters',
    async (length) => {
      const reply = await post(rows(1), `Idempotency-Key: ${'x'.repeat(length)}`)
      await expectRefusal(reply, 400, 'invalid_parameter')
      expect(reply.body.parameter).toBe('Idempotency-Key')
    },
  )
})

describe('POST /rates with invalid rows', () => {
  const text = (row: object) => JSON.stringify([row])

  test.each<[string, string]>([
    ['null', '[null]'],
    ['true', '[true]'],
    ['a list', '[[]]'],
    ['a text', '["row"]'],
    ['a number', '[1]'],
    ['a number of many digits', '[1234567890123456789012345]'],
    ['an empty object', '[{}]'],
    ['a bare empty object', '{}'],
    ['all in __proto__', `[{"__proto__":${JSON.stringify(ROW)}}]`],
    ['all in __proto__, with many digits', '[{"__proto__":{"rate":1.2345678901234567}}]'],
    ['all in constructor', `[{"constructor":{"prototype":${JSON.stringify(ROW)}}}]`],
    ['provider __proto__', text({ ...ROW, provider_id: '__proto__' })],
    ['provider toString', text({ ...ROW, provider_id: 'toString' })],
    ['provider of another type', text({ ...ROW, provider_id: ['retail-a'] })],
    ['currency constructor', text({ ...ROW, from: 'constructor' })],
    ['rate as a text', text({ ...ROW, rate: '129' })],
    ['rate of 1e400', '[{"provider_id":"retail-a","from":"USD","to":"KES","rate":1e400}]'],
    ['rate of -0', '[{"provider_id":"retail-a","from":"USD","to":"KES","rate":-0}]'],
    ['rate in a list', text({ ...ROW, rate: [129] })],
    ...Object.keys({ ...ROW, fee: 1, fee_currency: '', notes: '', effective_from: '' }).map(
      (member): [string, string] => [
        `${member} with methods of its own`,
        text({ ...ROW, [member]: { toString: '', valueOf: 1, toJSON: null, length: 9 } }),
      ],
    ),
    ['rate null', text({ ...ROW, rate: null })],
    ['notes with NUL', text({ ...ROW, notes: 'a\0b' })],
    ['notes with a lone surrogate', `[${text(ROW).slice(1, -2)},"notes":"\\ud800"}]`],
    ['notes of a megabyte', text({ ...ROW, notes: 'x'.repeat(1_000_000) })],
    ['a date that is none', text({ ...ROW, effective_from: '2026-02-30T00:00:00Z' })],
    ['a date of another type', text({ ...ROW, effective_from: 1_700_000_000 })],
  ])('returns 422 for %s', async (_name, body) => {
    const reply = await post(body)
    await expectRefusal(reply, 422, 'invalid_rows')
    expect(reply.body.errors).not.toBeEmpty()
    for (const { index, error } of reply.body.errors)
      expect([index, error]).toEqual([0, expect.stringMatching(/\w+ \w+/)])
    expect(reply.text.length).toBeLessThan(5000)
  })

  test('returns 422 for one bad row of 100, and none of the other 99 is stored', async () => {
    const body = JSON.stringify([...Array(99).fill(ROW), null])
    const reply = await post(body)
    await expectRefusal(reply, 422, 'invalid_rows')
    expect(reply.body.errors).toEqual([{ index: 99, error: 'a row must be a JSON object' }])
  })

  test('422 leaves the prototype of every object as it was', async () => {
    await post('[{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}]')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    await expectUnharmed()
  })
})

describe('an invalid key', () => {
  const unknown = newApiKey((count) => new Uint8Array(count).fill(9))
  const withKey = (...lines: string[]) => server.ask(['GET /api/v1/providers HTTP/1.1', ...lines])

  test.each<[string, string[], string]>([
    ['missing', [], 'missing_key'],
    ['empty', ['X-API-Key:'], 'missing_key'],
    ['blank', ['X-API-Key:    '], 'missing_key'],
    ['wrong', ['X-API-Key: wrong'], 'invalid_key'],
    ['unknown', [`X-API-Key: ${unknown}`], 'invalid_key'],
    ['10 kB long', [`X-API-Key: ${'k'.repeat(10_240)}`], 'invalid_key'],
    ['of bytes that are no ASCII', ['X-API-Key: crd_\u00ff\u00fe'], 'invalid_key'],
    ['in a header that is not for it', ['Api-Key: x'], 'missing_key'],
    ['SQL', ["X-API-Key: ' or 1=1 --"], 'invalid_key'],
  ])('returns 401 when it is %s', async (_name, lines, code) => {
    await expectRefusal(await withKey(...lines), 401, code)
  })

  test('returns 401 when a valid one is sent twice, or together with a wrong one', async () => {
    await expectRefusal(await withKey(keyHeader(), keyHeader()), 401, 'invalid_key')
    await expectRefusal(await withKey(keyHeader(), 'X-API-Key: wrong'), 401, 'invalid_key')
    await expectRefusal(await withKey('X-API-Key: wrong', keyHeader()), 401, 'invalid_key')
    const bearer = 'Authorization: Bearer wrong'
    await expectRefusal(await withKey(keyHeader(), bearer), 401, 'invalid_key')
  })

  test('returns 401 when it is revoked, for reads and for recording', async () => {
    const { world } = server
    const { keyId, key } = world.addKey(account.id, 'revoked')
    const [row] = world.memory.current.keys.keysOf(account.id).filter(({ id }) => id === keyId)
    const keys = [{ ...row!, revokedMs: world.clock.now() }]
    world.memory.publish({ access: { accounts: [], keys } }, world.clock.now())
    await expectRefusal(await withKey(`X-API-Key: ${key}`), 401, 'revoked_key')
    const lines = ['POST /api/v1/rates HTTP/1.1', `X-API-Key: ${key}`, 'Content-Length: 2']
    await expectRefusal(await server.ask(lines, '[]'), 401, 'revoked_key')
  })
})

describe('an unknown path or method', () => {
  test.each([
    ...['/nope', '/nope/', '/api/v1', '/api/v1/nope', '/%00', '/api/v1/rates%00', '/api/v1/%'],
    ...['/api/v1/%ff', '/%2e%2e/%2e%2e/etc/passwd', '/../../etc/passwd', '//api/v1/rates'],
    ...['/flags/%00', '/flags/..%2f..%2fpackage.json', '/api/v1/rates%2f', '/api/v1/é'],
    ...['/api/v1/rates#x', '/api/v1/rates;'],
    ...['/src/main.ts', '/.git/config', '/proc/self/environ'],
  ])('returns 404 for %s', async (path) => {
    await expectRefusal(await get(path), 404, 'unknown_path')
  })

  test('returns 404 for paths of 12 kB, flat and deep', async () => {
    for (const path of [`/${'x'.repeat(12_000)}`, `/flags/${'x/'.repeat(6000)}`])
      await expectRefusal(await get(path), 404, 'unknown_path')
  })

  test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'POST'])(
    'returns 405 for %s, with the allowed methods',
    async (method) => {
      const reply = await server.ask([`${method} /api/v1/convert HTTP/1.1`, keyHeader()])
      await expectRefusal(reply, 405, 'method_not_allowed')
      expect(reply.headers.get('allow')).toBe('GET, HEAD')
    },
  )
})

describe('HTTP that is odd but valid', () => {
  test('returns 200 without a Host, as in HTTP/1.0, on every kind of path', async () => {
    const { key } = server.world.account('free')
    for (const [path, status] of [
      ['/api/v1/status', 200],
      ['/api/v1/rates/provider?provider=retail-a', 200],
      ['/healthz', 200],
      ['/flags/ke.svg', 200],
      ['/x/healthz', 404],
    ] as const) {
      const head = `GET ${path} HTTP/1.0\r\nX-API-Key: ${key}\r\n\r\n`
      const [reply] = await server.say(head)
      expect([path, reply?.status]).toEqual([path, status])
    }
    await expectUnharmed()
  })

  test.each(['x:99999', 'x:abc', '[::1', '%', 'xn--a', '999.999.999.999'])(
    'returns 200 and 404 for a Host of %p, which cannot be part of a URL, on every kind of path',
    async (host) => {
      const { key } = server.world.account('free')
      for (const [path, status] of [
        ['/api/v1/change?from=USD&to=KES', 200],
        ['/api/v1/time-series?from=USD&to=KES', 200],
        ['/api/v1/rates?from=USD&to=KES', 200],
        ['/corridors', 200],
        ['/flags/ke.svg', 200],
        ['/x/healthz', 404],
      ] as const) {
        const head = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${key}\r\n\r\n`
        const [reply] = await server.say(head)
        expect([path, reply?.status]).toEqual([path, status])
      }
      await expectUnharmed()
    },
  )

  test.each(['a', 'db', 'x y', '', '/api/v1/nope?', 'ä', '[::1', 'evil.example', '@'])(
    'returns 200 for a Host of %p, which makes no difference',
    async (host) => {
      const head = `GET /api/v1/status HTTP/1.1\r\nHost: ${host}\r\n\r\n`
      const [reply] = await server.say(head)
      expect([reply?.status, reply?.body.version]).toEqual([200, 'v1'])
      await expectUnharmed()
    },
  )

  test('returns 200, 404 and 200 to three requests sent at once, in order', async () => {
    const line = (path: string) => requestOf([`GET ${path} HTTP/1.1`])
    const bytes = line('/api/v1/status') + line('/nope') + line('/healthz')
    const replies = await server.say(bytes, 3)
    expect(replies.map(({ status }) => status)).toEqual([200, 404, 200])
    expect(replies[2]?.body).toEqual({ status: 'ok' })
  })

  test('returns 200 to each of 50 pipelined reads and counts each', async () => {
    const { key } = server.world.account('free')
    const one = requestOf(['GET /api/v1/providers HTTP/1.1', `X-API-Key: ${key}`])
    const replies = await server.say(one.repeat(51), 51)
    expect(replies.map(({ status }) => status)).toEqual([...Array(50).fill(200), 429])
  })

  test('returns 400 and then 200 on one connection: the rest of a body is not mistaken for a request', async () => {
    const type = 'Content-Type: application/json'
    const smuggled = requestOf(['GET /api/v1/providers HTTP/1.1', keyHeader()])
    const body = Buffer.concat([Buffer.alloc(2 * MIB, 0x20), Buffer.from(smuggled)])
    const length = `Content-Length: ${body.length}`
    const head = requestOf(['POST /api/v1/rates HTTP/1.1', keyHeader(), type, length])
    const next = requestOf(['GET /healthz HTTP/1.1'])
    const replies = await server.say([head, body, next], 2)
    expect(replies.map(({ status }) => status)).toEqual([400, 200])
    expect(replies[1]?.body).toEqual({ status: 'ok' })
    await expectUnharmed()
  })

  test('returns 403 and then 200 on one connection, although the body was not read', async () => {
    const { key } = server.world.account('free')
    const body = Buffer.alloc(3 * MIB, 0x20)
    const length = `Content-Length: ${body.length}`
    const head = requestOf(['POST /api/v1/rates HTTP/1.1', `X-API-Key: ${key}`, length])
    const replies = await server.say([head, body, requestOf(['GET /healthz HTTP/1.1'])], 2)
    expect(replies.map(({ status }) => status)).toEqual([403, 200])
    await expectUnharmed()
  })

  test('returns 200 to a GET with a body, and to the request after it', async () => {
    const head = requestOf(['GET /api/v1/status HTTP/1.1', 'Content-Length: 5'])
    const replies = await server.say([head, 'hello', requestOf(['GET /healthz HTTP/1.1'])], 2)
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
  })

  test('returns 200 with 150 headers, with headers in any case, and to a request that comes byte by byte', async () => {
    const many = Array.from({ length: 150 }, (_, i) => `X-${i}: ${i}`)
    expect((await server.ask(['GET /api/v1/status HTTP/1.1', ...many])).status).toBe(200)
    const lines = ['GET /api/v1/admin/usage HTTP/1.1', keyHeader().replace('X-API', 'x-aPi')]
    expect((await server.ask(lines)).status).toBe(200)
    const [slow] = await server.say([...requestOf(['GET /api/v1/status HTTP/1.1'])])
    expect(slow?.status).toBe(200)
  })

  test('returns 201 with an Upgrade or an Expect header too', async () => {
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
    expect((await server.ask(['GET /api/v1/status HTTP/1.1', ...upgrade])).status).toBe(200)
    await expectRefusal(await post('[]', 'Expect: 100-continue'), 400, 'malformed_body')
  })
})

describe('input that is not HTTP, which the server itself refuses without a body', () => {
  const long = 'x'.repeat(20_000)
  const flood = Array.from({ length: 1000 }, (_, i) => `X-${i}: 1`)
  const ingest = (...headers: string[]) =>
    requestOf(['POST /api/v1/rates HTTP/1.1', ...headers, 'Content-Type: application/json'])

  const cases: [string, string, number[]][] = [
    ['no request at all', '\x16\x03\x01\x02\0garbage\r\n\r\n', [400]],
    ['no path', 'GET HTTP/1.1\r\nHost: localhost\r\n\r\n', [400, 505]],
    ['a path without a slash', requestOf(['GET nope HTTP/1.1']), [400]],
    ['a path with NUL', requestOf(['GET /api/v1/rates\0 HTTP/1.1']), [400, 505]],
    ['another version', requestOf(['GET / HTTP/9.9']), [400, 505]],
    ['no Host in HTTP/1.1', 'GET /api/v1/status HTTP/1.1\r\n\r\n', [400]],
    ['20 kB of path', requestOf([`GET /api/v1/rates?from=${long} HTTP/1.1`]), [431, 414]],
    ['20 kB of key', requestOf(['GET / HTTP/1.1', `X-API-Key: ${long}`]), [431]],
    ['1000 headers', requestOf(['GET / HTTP/1.1', ...flood]), [431]],
    ['a header with NUL', requestOf(['GET / HTTP/1.1', 'X-API-Key: a\0b']), [400]],
    ['a folded header', requestOf(['GET / HTTP/1.1', 'X-API-Key: a\r\n b']), [400]],
    ['a header without a colon', requestOf(['GET / HTTP/1.1', 'nonsense']), [400]],
    ['a negative length', ingest('Content-Length: -1'), [400]],
    ['a length that is none', ingest('Content-Length: 0x10'), [400]],
    ['two lengths', `${ingest('Content-Length: 2', 'Content-Length: 3')}[]x`, [400]],
    [
      'a length and chunks',
      `${ingest('Content-Length: 3', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
      [400],
    ],
  ]
  test.each(cases)(
    'returns 400, 431 or 505 for %s, and closes the connection',
    async (_name, bytes, statuses) => {
      const conversation = server.open()
      conversation.send(bytes)
      const [reply] = await conversation.replies(1)
      await conversation.closed
      expect(statuses).toContain(reply?.status ?? 0)
      expect(reply?.text).toBe('')
      await expectUnharmed()
    },
  )

  test('closes the connection without a response to an unknown method', async () => {
    for (const method of ['BREW', 'get', 'x'.repeat(500)]) {
      const conversation = server.open()
      conversation.send(requestOf([`${method} /api/v1/status HTTP/1.1`]))
      await conversation.closed
      expect(await conversation.replies(1)).toEqual([])
    }
    await expectUnharmed()
  })

  test('returns 400 for a chunk without a size, and nothing is stored', async () => {
    const head = ingest(keyHeader(), 'Transfer-Encoding: chunked')
    const row = JSON.stringify(ROW)
    const [reply] = await server.say(`${head}${row.length.toString(16)}\r\n${row}\r\nZZ\r\n`)
    expect(reply?.status).toBe(400)
    await expectUnharmed()
  })
})

describe('a caller that disconnects', () => {
  const type = 'Content-Type: application/json'

  test.each([
    ['in the middle of the head', 'GET /api/v1/rates?from=USD&to=KES HTTP/1.1\r\nHost: loc'],
    ['without a word', ''],
    ['in the middle of a line end', 'GET /api/v1/rates?from=USD&to=KES HTTP/1.1\r'],
  ])('leaves nothing behind %s', async (_name, bytes) => {
    const conversation = server.open()
    conversation.send(bytes)
    conversation.end()
    await conversation.closed
    await expectUnharmed()
  })

  test.each([
    ['a body of known length', 'Content-Length: 1000', JSON.stringify([ROW])],
    ['a chunked body', 'Transfer-Encoding: chunked', `3e8\r\n${JSON.stringify([ROW])}`],
  ])(
    'stores nothing and is not a failure of ours in the middle of %s',
    async (_name, head, body) => {
      const arrived = Promise.withResolvers<void>()
      const broken = Promise.withResolvers<void>()
      server.onRequest = ({ signal }) => {
        signal.addEventListener('abort', () => broken.resolve())
        arrived.resolve()
      }
      const conversation = server.open()
      const lines = ['POST /api/v1/rates HTTP/1.1', keyHeader(), type, head]
      conversation.send([requestOf(lines), body])
      await arrived.promise
      conversation.end()
      await broken.promise
      server.onRequest = () => {}
      await expectUnharmed()
    },
  )

  test('does not delay others with 200 connections of half a request each', async () => {
    const idle = Array.from({ length: 200 }, () => server.open())
    for (const conversation of idle) conversation.send('POST /api/v1/rates HTTP/1.1\r\nHost:')
    await expectUnharmed()
    for (const conversation of idle) conversation.end()
    await Promise.all(idle.map(({ closed }) => closed))
  })
})

describe('after all these requests', () => {
  test('returns 201 for a good row, once, and 200 for a good read, so not everything is refused', async () => {
    expect((await post(JSON.stringify(ROW))).status).toBe(201)
    expect(server.store.recorded).toHaveLength(1)
    const { status, body } = await get('/api/v1/rates?from=USD&to=KES')
    expect([status, body.count]).toEqual([200, 1])
  })
})
