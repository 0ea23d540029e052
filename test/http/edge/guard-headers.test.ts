import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { limitingFailures } from '~/http/edge/auth-failures.ts'
import { guardHeaders } from '~/http/edge/guard-headers.ts'
import { PeopleWorld } from '../../portal/people-world.ts'
import { API, ORIGIN, type World } from '../../support/world.ts'
import { MemoryStore } from '../memory-store.ts'
import { answerable, FAILING, METERED } from '../questions.ts'

const HTTPS = 'https://corridor.example'
const HSTS = 'max-age=31536000'
const SHOP = 'https://shop.example'

type Guards = { sniff: string | null; hsts: string | null }

const guardsOf = ({ headers }: { headers: Headers }): Guards => ({
  sniff: headers.get('x-content-type-options'),
  hsts: headers.get('strict-transport-security'),
})

type Asked = [url: string, init?: RequestInit]

/** Every route of the app by each method, right and wrong, and paths without a route. */
function everything(world: World): Asked[] {
  const key = { 'x-api-key': world.key('enterprise', 'treasury') }
  const known = [...METERED, ...FAILING].map(
    ({ path }): Asked => [`${API}${path}`, { headers: key }],
  )
  const written = (path: string) =>
    path.replace('/files/:file', '/files/2026-03-04.csv.gz').replace(':file', 'ke.svg')
  const paths = [...new Set(world.app.allRoutes().map(({ path }) => written(path)))]
  const bare = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'].flatMap((method) =>
    [...paths, '/mcp', '/mcp/', '/nowhere', '/api/v1/nowhere', '/flags/no.svg'].flatMap(
      (path): Asked[] => [
        [`${ORIGIN}${path}`, { method }],
        [`${ORIGIN}${path}`, { method, headers: { ...key, accept: 'text/html', origin: SHOP } }],
      ],
    ),
  )
  const headers = { ...key, 'content-type': 'application/json' }
  const row = { provider_id: 'retail-a', from: 'USD', to: 'KES', rate: 129 }
  const posts: Asked[] = [row, [], 'no JSON'].map((body) => [
    `${API}/rates`,
    { method: 'POST', headers, body: JSON.stringify(body) },
  ])
  const calls = [
    { method: 'tools/list' },
    { method: 'tools/call', params: { name: 'convert', arguments: {} } },
    { method: 'nothing' },
  ].flatMap((call) =>
    ['application/json, text/event-stream', 'application/json'].map(
      (accept): Asked => [
        `${ORIGIN}/mcp`,
        {
          method: 'POST',
          headers: { ...headers, accept },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }),
        },
      ],
    ),
  )
  const wrong: Asked = [`${API}/rates?from=USD&to=KES`, { headers: { 'x-api-key': 'wrong' } }]
  const preflight = { origin: SHOP, 'access-control-request-method': 'GET' }
  return [
    ...[...known, ...known, ...bare, ...posts, ...calls, wrong, wrong],
    [`${API}/rates`, { method: 'OPTIONS', headers: preflight }],
  ]
}

describe.each<[string | null, string | null]>([
  [null, null],
  ['http://localhost:3000', null],
  [HTTPS, HSTS],
  [`${HTTPS}/fx`, HSTS],
])('with PUBLIC_URL %p', (publicUrl, hsts) => {
  test('every response tells browsers to trust its type, and to use https if there is https', async () => {
    const world = answerable({
      ...(publicUrl !== null && { publicUrl }),
      corsOrigins: [SHOP],
      store: new MemoryStore(),
    })
    const seen = new Set<number>()
    for (const [url, init] of everything(world)) {
      const reply = await world.app.handle(new Request(url, init))
      seen.add(reply.status)
      const asked = `${init?.method} ${url} ${reply.status}`
      expect([asked, guardsOf(reply)]).toEqual([asked, { sniff: 'nosniff', hsts }])
    }
    for (const status of [200, 201, 204, 400, 401, 404, 405]) expect(seen).toContain(status)
  })

  test('304, 429 and the limit on failures tell browsers the same', async () => {
    const world = answerable({ ...(publicUrl !== null && { publicUrl }) })
    const key = world.key('free')
    const { headers } = await world.get('/change?from=USD&to=KES', key)
    const again = { headers: { 'if-none-match': headers.get('etag')! } }
    const replies = [await world.get('/change?from=USD&to=KES', key, again)]
    for (let i = 0; i < 49; i++) replies.push(await world.get('/rates?from=USD&to=KES', key))
    expect(replies.map(({ status }) => status).slice(0, 2)).toEqual([304, 200])
    expect(replies.at(-1)!.status).toBe(429)
    const handle = limitingFailures((request) => world.app.fetch(request), {
      perMinute: 1,
      addressOf: () => '192.0.2.1',
      ...{ clock: world.clock, log: world.log },
    })
    const failed: Response[] = []
    for (let i = 0; i < 3; i++) failed.push(await handle(new Request(`${API}/rates`)))
    expect(failed.map(({ status }) => status)).toEqual([401, 401, 429])
    for (const reply of [...replies, ...failed])
      expect(guardsOf(reply)).toEqual({ sniff: 'nosniff', hsts })
  })
})

test('a response is prepared with the headers of its own app', () => {
  expect(guardHeaders(null)).toEqual({ 'x-content-type-options': 'nosniff' })
  expect(guardHeaders(HTTPS)['strict-transport-security']).toBe(HSTS)
})

describe('over a real port', () => {
  let world: PeopleWorld
  beforeAll(async () => {
    world = await PeopleWorld.start({ PUBLIC_URL: HTTPS, METRICS_TOKEN: 'a-token-of-the-operator' })
  })
  afterAll(() => world.stop())

  test('pages, redirects, refused forms, files and protected metrics carry the headers too', async () => {
    const { visitor } = await world.member()
    const anonymous = world.visitor()
    const paths = ['/', '/corridors', '/sign-in', '/developer', '/operator', '/mailed', '/docs']
    const more = ['/openapi.json', '/metrics', '/metrics/', '/healthz', '/readyz', '/nowhere']
    const replies = [await anonymous.post('/sign-in', { form_token: 'x' })]
    for (const path of [...paths, ...more])
      for (const who of [anonymous, visitor]) replies.push(await who.get(path))
    const { html } = replies[1]!
    replies.push(await anonymous.get(/\/assets\/[^"]+/.exec(html)![0]))
    for (const reply of replies) expect(guardsOf(reply)).toEqual({ sniff: 'nosniff', hsts: HSTS })
    const statuses = new Set(replies.map(({ status }) => status))
    for (const status of [200, 303, 401, 403, 404]) expect(statuses).toContain(status)
  })
})

describe('a 401', () => {
  const CHALLENGE = 'Bearer realm="corridor", ApiKey realm="corridor"'
  const TOOLS_CHALLENGE =
    /^Bearer realm="corridor", .*resource_metadata="http:[^"]+", ApiKey realm="corridor"$/

  test.each([null, 'wrong', 'crd_'])('names its scheme, for a key like %p', async (key) => {
    const world = answerable()
    const headers: Record<string, string> = key === null ? {} : { 'x-api-key': key }
    const asked: Asked[] = [
      ...[...METERED].map(({ path }): Asked => [`${API}${path}`, { headers }]),
      [`${API}/change?from=USD&to=KES`, { headers }],
      [`${API}/admin/usage`, { headers }],
      [`${API}/rates`, { method: 'POST', headers, body: '[]' }],
      [`${ORIGIN}/mcp`, { method: 'POST', headers, body: '{}' }],
    ]
    for (const [url, init] of asked) {
      const reply = await world.app.handle(new Request(url, init))
      expect([url, reply.status]).toEqual([url, 401])
      const shown = reply.headers.get('www-authenticate')
      if (url.endsWith('/mcp')) expect(shown).toMatch(TOOLS_CHALLENGE)
      else expect(shown).toBe(CHALLENGE)
    }
  })

  test('lets a page of another origin read the scheme, which no other response has', async () => {
    const world = answerable({ corsOrigins: [SHOP] })
    const headers = { origin: SHOP }
    const refused = await world.get('/providers', undefined, { headers })
    expect(refused.headers.get('access-control-expose-headers')).toContain('www-authenticate')
    expect((await world.get('/providers', world.key())).headers.has('www-authenticate')).toBe(false)
  })
})
