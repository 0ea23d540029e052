import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { secretsOf } from '~/command/terminal.ts'
import { type Config, loadConfig } from '~/config.ts'
import { createLog } from '~/log.ts'
import { type Service, startService } from '~/runtime/service.ts'
import { otherHandle, stockedDatabase } from '../store/samples.ts'
import { clockAt } from '../support/clock.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'
import { AT, addAccount } from './replica-scene.ts'

setDefaultTimeout(TEST_MS_MAX)

const TOKEN = 'operators-token-9f8e7d'
const FEED_KEY = 'feed-key-1a2b3c4d'
const MARK = 'hunter2-correct-horse'

let database: FreshDatabase
let upstream: ReturnType<typeof Bun.serve>
let config: Config
let service: Service
let lines: string[]
let account: { keys: string[] }

beforeAll(async () => {
  database = await stockedDatabase()
  upstream = Bun.serve({
    port: 0,
    fetch: ({ headers }) =>
      new Response(JSON.stringify({ message: headers.get('authorization'), description: MARK }), {
        status: 401,
      }),
  })
  lines = []
  config = loadConfig({
    PORT: '0',
    DATABASE_URL: database.url,
    METRICS_TOKEN: TOKEN,
    REFERENCE_FEED: 'openexchangerates',
    REFERENCE_FEED_URL: `http://localhost:${upstream.port}`,
    REFERENCE_FEED_KEY: FEED_KEY,
    CORS_ORIGINS: '*',
    LOG_LEVEL: 'trace',
  })
  const { logLevel: level, logFormat: format } = config
  const write = (line: string) => void lines.push(line)
  const log = createLog({ level, format, secrets: secretsOf(config), write })
  account = await addAccount(database, { role: 'treasury' })
  const options = { config, clock: clockAt(AT), log, sample: null }
  service = await startService({ ...options, database: otherHandle(database) })
})
afterAll(async () => {
  await service.stop()
  await upstream.stop(true)
  await database.close()
})

/** Requests with the string in every possible place. */
const requestsWith = (secret: string): [path: string, init: RequestInit][] => {
  const inUrl = encodeURIComponent(secret)
  const headers = {
    authorization: `Bearer ${secret}`,
    cookie: `session=${secret}`,
    referer: `https://shop.example/?token=${inUrl}`,
    'user-agent': secret,
    'x-api-key': secret,
    'x-forwarded-for': secret,
    'proxy-authorization': `Basic ${secret}`,
    traceparent: secret,
    origin: 'https://shop.example',
  }
  const known = { ...headers, 'x-api-key': account.keys[0]! }
  const json = { 'content-type': 'application/json' }
  const row = { provider_id: secret, from: 'USD', to: 'KES', rate: 129, notes: secret }
  const tool = { name: 'get_rates', arguments: { from: secret, to: secret } }
  const message = { jsonrpc: '2.0', id: secret, method: 'tools/call', params: tool }
  const inBoth = [headers, known].flatMap((given): [string, RequestInit][] => [
    [`/api/v1/rates?from=${inUrl}&to=KES&token=${inUrl}`, { headers: given }],
    [`/api/v1/rates?from=USD&to=KES&password=${inUrl}&${inUrl}=1`, { headers: given }],
    [`/api/v1/rates/provider?provider=${inUrl}`, { headers: given }],
    [`/api/v1/rates/history?from=USD&to=KES&provider=${inUrl}`, { headers: given }],
    [`/api/v1/change?from=USD&to=KES&period=${inUrl}`, { headers: given }],
    [`/api/v1/${inUrl}`, { headers: given }],
    [
      `/api/v1/rates`,
      { method: 'POST', headers: { ...given, ...json }, body: JSON.stringify(row) },
    ],
    [`/api/v1/rates`, { method: 'POST', headers: { ...given, ...json }, body: `{"${secret}"` }],
    [`/api/v1/rates`, { method: 'DELETE', headers: given }],
    [`/mcp`, { method: 'POST', headers: { ...given, ...json }, body: JSON.stringify(message) }],
    [`/mcp?key=${inUrl}`, { headers: { ...given, accept: 'text/event-stream' } }],
  ])
  return [
    ...inBoth,
    [`/${inUrl}`, { headers }],
    [`/flags/${inUrl}.svg`, { headers }],
    [`/metrics?token=${inUrl}`, { headers }],
    [`/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } }],
  ]
}

test('no log line contains a secret, at the finest level, whatever is requested', async () => {
  const passwords = secretsOf(config)
  expect(passwords).toContain(TOKEN)
  expect(passwords).toContain(FEED_KEY)
  const [key] = account.keys
  for (const secret of [key!, MARK, TOKEN, FEED_KEY])
    for (const [path, init] of requestsWith(secret)) {
      const reply = await fetch(`${service.origin}${path}`, init)
      await reply.body?.cancel()
      expect([path, reply.status < 500]).toEqual([path, true])
    }
  await fetch(`${service.origin}/api/v1/status`, { headers: { 'x-request-id': key! } })
  await until('the feed is logged', async () =>
    lines.some((line) => line.includes('reference feed')),
  )
  expect(lines.filter((line) => line.includes('"msg":"request"')).length).toBeGreaterThan(100)
  const logged = lines.join('')
  for (const secret of [...account.keys, MARK, ...passwords]) expect(logged).not.toContain(secret)
  expect(logged).toContain('"query":{"from":"USD","to":"KES"}')
})

test('the passwords of the read replicas are secrets too', () => {
  const urls = 'postgres://me:first%20one@a/db,postgres://me:second-one@b/db'
  const secrets = secretsOf(loadConfig({ DATABASE_READ_URLS: urls }))
  for (const secret of ['first%20one', 'first one', 'second-one']) expect(secrets).toContain(secret)
})

test('the password of an address with a Unix socket is a secret, wherever it is written', () => {
  for (const url of [
    'postgres:///db?host=/run/postgresql&user=me&password=se%20cret',
    'postgres://me:se%20cret@/db?host=/run/postgresql',
    'postgres://me:se%20cret@%2Frun%2Fpostgresql:5432/db',
  ]) {
    const secrets = secretsOf(loadConfig({ DATABASE_URL: url, DATABASE_READ_URLS: url }))
    for (const secret of ['se%20cret', 'se cret'])
      expect([url, secrets]).toEqual([url, expect.arrayContaining([secret])])
  }
})

test('a token for the collector of traces is a secret too, and the name of a tenant is not', () => {
  const headers = 'authorization=Bearer%20token-of-ours,x-tenant=corridor'
  const secrets = secretsOf(loadConfig({ OTEL_EXPORTER_OTLP_HEADERS: headers }))
  expect(secrets).toEqual(['Bearer token-of-ours', 'token-of-ours'])
})
