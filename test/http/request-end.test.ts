import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { request as nodeRequest } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { LiveServer, requestOf } from './live-server.ts'
import { MemoryStore } from './memory-store.ts'

const ROW = { provider_id: 'retail-a', rate: 129, from: 'USD', to: 'KES' }
const BODY = JSON.stringify(ROW)
/** Longer than a commit takes, so that bytes after a body arrive during the commit. */
const COMMIT_MS = 10

/** A store that takes as long as a database does, and reports when it is done. */
class SlowStore extends MemoryStore {
  #recording: Promise<unknown> = Promise.resolve()

  override record(...batch: Parameters<MemoryStore['record']>) {
    const recording = delay(COMMIT_MS).then(() => super.record(...batch))
    this.#recording = Promise.all([this.#recording, recording])
    return recording
  }

  async settled(): Promise<number> {
    await this.#recording
    return this.recorded.length
  }
}

let server: LiveServer
let store: SlowStore
let key: string

beforeAll(() => {
  store = new SlowStore()
  server = new LiveServer(store)
  key = server.world.key('enterprise', 'treasury')
})
afterAll(() => server.stop(), 15_000)

const headOf = (...headers: string[]) =>
  requestOf([
    'POST /api/v1/rates HTTP/1.1',
    `X-API-Key: ${key}`,
    'Content-Type: application/json',
    ...headers,
  ])

const CHUNKED = 'Transfer-Encoding: chunked'
const chunkOf = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const inChunks = `${chunkOf(BODY.slice(0, 20))}${chunkOf(BODY.slice(20))}`

/** The status of the response, 0 for none, and the number of rows recorded meanwhile. */
async function outcomeOf(parts: readonly string[]): Promise<[status: number, recorded: number]> {
  const before = await store.settled()
  const conversation = server.open()
  await conversation.sendApart(parts)
  const [reply] = await conversation.replies(1)
  conversation.end()
  await conversation.closed
  await server.ask(['GET /healthz HTTP/1.1'])
  return [reply?.status ?? 0, (await store.settled()) - before]
}

describe('POST /rates with bytes after the body', () => {
  const cases: [what: string, status: number, parts: () => string[]][] = [
    ['nothing', 201, () => [headOf(CHUNKED), inChunks, '0\r\n\r\n']],
    [
      'an announced trailer',
      400,
      () => [`${headOf(CHUNKED, 'Trailer: X-Sum')}${inChunks}`, '0\r\nX-Sum: 1\r\n\r\n'],
    ],
    ['a trailer in one packet', 400, () => [`${headOf(CHUNKED)}${inChunks}0\r\nX-Sum: 1\r\n\r\n`]],
    ['a trailer, body first', 400, () => [headOf(CHUNKED), inChunks, '0\r\nX-Sum: 1\r\n\r\n']],
    ['a trailer after its chunk', 400, () => [headOf(CHUNKED), `${inChunks}0\r\n`, 'X: 1\r\n\r\n']],
    [
      'a line that is no trailer',
      400,
      () => [headOf(CHUNKED), inChunks, '0\r\nno trailer\r\n\r\n'],
    ],
    ['no HTTP', 400, () => [headOf(CHUNKED), `${inChunks}0\r\n\r\n`, 'no HTTP\r\n\r\n']],
    ['a chunk without a size', 400, () => [headOf(CHUNKED), inChunks, 'ZZ\r\n']],
    [
      'more than its length',
      400,
      () => [headOf(`Content-Length: ${BODY.length}`), `${BODY}no HTTP\r\n\r\n`],
    ],
    ['a length and a line end', 400, () => [headOf(`Content-Length: ${BODY.length}`), `${BODY}\n`]],
  ]
  test.each(cases)('%s gets %i, and is recorded only for 201', async (_, status, parts) => {
    expect(await outcomeOf(parts())).toEqual([status, status === 201 ? 1 : 0])
  })

  test('returns 400 that says to leave out announced trailers', async () => {
    const before = await store.settled()
    const reply = await server.ask(
      [...headOf(CHUNKED, 'Trailer: X-Sum').trimEnd().split('\r\n').filter(isNoHost)],
      `${inChunks}0\r\nX-Sum: 1\r\n\r\n`,
    )
    expect([reply.status, reply.body]).toEqual([
      400,
      { code: 'malformed_body', error: expect.stringContaining('without trailers') },
    ])
    expect(await store.settled()).toBe(before)
  })

  test('returns 400 to a client of Node that adds a trailer, and nothing is recorded', async () => {
    for (const headers of [{}, { trailer: 'X-Sum' }]) {
      const before = await store.settled()
      const status = await new Promise<number>((resolve, reject) => {
        const request = nodeRequest(
          {
            host: '127.0.0.1',
            port: server.port,
            path: '/api/v1/rates',
            method: 'POST',
            headers: { ...headers, 'x-api-key': key, 'content-type': 'application/json' },
          },
          (response) => {
            response.resume()
            resolve(response.statusCode ?? 0)
          },
        )
        request.on('error', reject)
        request.write(BODY)
        request.addTrailers({ 'X-Sum': '1' })
        request.end()
      })
      expect([status, (await store.settled()) - before]).toEqual([400, 0])
    }
  })

  test('returns 400 exactly if nothing was recorded, and 201 if it was, however it is split', async () => {
    const ends = [
      '0\r\n\r\n',
      '0\r\nX-Sum: 1\r\n\r\n',
      '0\r\nX-Sum: 1\r\nX-Other: 2\r\n\r\n',
      '0\r\nno trailer\r\n\r\n',
      '0;last\r\n\r\n',
      '0\r\n\r\nno HTTP\r\n\r\n',
      '0\r\n\r\n\r\n\r\n',
      `0\r\n\r\n${requestOf(['GET /healthz HTTP/1.1'])}`,
      '0\r\nX-Sum: 1',
      '0\r\n',
      'ZZ\r\n',
      '5\r\nshort',
      '',
    ]
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ends),
        fc.constantFrom([], ['Trailer: X-Sum'], ['Connection: close']),
        fc.constantFrom('localhost', 'x:99999'),
        fc.option(fc.uuid(), { nil: null }),
        fc.array(fc.nat(), { maxLength: 6 }),
        async (end, headers, host, word, cuts) => {
          const own = word === null ? [] : [`Idempotency-Key: ${word}`]
          const head = headOf(CHUNKED, ...headers, ...own).replace('localhost', host)
          const bytes = `${head}${inChunks}${end}`
          const at = [0, ...cuts.map((cut) => cut % bytes.length), bytes.length]
          const places = at.toSorted((a, b) => a - b)
          const parts = places.slice(1).map((place, i) => bytes.slice(places[i], place))
          const whole = end.startsWith('0')
          const [status, recorded] = await outcomeOf(whole ? parts : [...parts, HANG_UP])
          statuses.add(status)
          if (status === 400) expect(recorded).toBe(0)
          if (status === 201) expect(recorded).toBe(1)
        },
      ),
      { numRuns: RUNS },
    )
    expect([...statuses].toSorted()).toEqual(expect.arrayContaining([201, 400]))
  }, 120_000)
})

const RUNS = 200
/** An invalid chunk size, so that the server does not wait for the rest of it. */
const HANG_UP = '\r\nZZ\r\n'
const isNoHost = (line: string) => !line.startsWith('Host:')
