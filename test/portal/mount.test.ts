import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createObservationStore } from '~/store/observation-store.ts'
import { observation, stockedDatabase } from '../store/samples.ts'
import { MANNERS, MountProxy } from '../support/mount-proxy.ts'
import { TEST_MS_MAX } from '../support/until.ts'
import { type Member, newEmail, PASSWORD, PeopleWorld } from './people-world.ts'
import { Visitor } from './visitor.ts'

setDefaultTimeout(TEST_MS_MAX)

const MOUNT = '/fx'
const PAGES_MAX = 2000
/**
 * The number of opened pages of one path and set of parameters; the others differ only in a value.
 */
const OF_A_KIND_MAX = 3

describe.each(MANNERS)('below a path, behind a proxy that %s', (manner) => {
  let proxy: MountProxy
  let world: PeopleWorld

  beforeAll(async () => {
    proxy = new MountProxy(MOUNT, manner)
    const database = await stockedDatabase()
    const quote = (to: string) => observation({ to, effectiveMs: Date.now() - 7_200_000 })
    await createObservationStore(database).record({
      observations: [quote('KES'), quote('NGN')],
      idempotency: null,
    })
    const env = { PUBLIC_URL: proxy.home, BOARD_REQUESTS_PER_MINUTE: '100000' }
    world = await PeopleWorld.on(database, env)
    proxy.target = world.origin
  })
  afterAll(async () => {
    await world.stop()
    await proxy.stop()
  })

  const visitor = () => new Visitor(proxy.origin)

  /**
   * Every path that pages link to, starting from one, with the status of the opened ones: a few of
   * each kind, and public ones in other languages only for anonymous visitors.
   */
  async function walk(from: Visitor, start: string): Promise<Map<string, number | null>> {
    const isPublic = start === MOUNT
    const seen = new Map<string, number | null>()
    const kinds = new Map<string, number>()
    for (const queue = [start]; queue.length > 0; ) {
      const path = queue.shift()!
      if (seen.has(path)) continue
      if (seen.size === PAGES_MAX) throw new Error(`more pages than that: ${path}`)
      const kind = kindOf(new URL(path, proxy.origin))
      const opened = kinds.get(kind) ?? 0
      kinds.set(kind, opened + 1)
      seen.set(path, null)
      if (opened >= OF_A_KIND_MAX || !(isPublic || isEnglish(path))) continue
      const { status, html, headers, location } = await from.get(path)
      seen.set(path, status)
      if (location !== null) queue.push(location)
      if (!headers.get('content-type')?.startsWith('text/html')) continue
      for (const target of leadsOf(html, new URL(path, proxy.origin))) queue.push(target)
    }
    return seen
  }

  test('every public page, and everything it loads, is below the path', async () => {
    const seen = await walk(visitor(), MOUNT)
    const odd = [...seen].filter(([path, status]) => (status ?? 0) >= 400 || !isBelow(path))
    expect(odd).toEqual([])
    for (const page of ['', '/corridors', '/docs', '/sign-in', '/sign-up', '/llms.txt'])
      expect([page, seen.has(MOUNT + page) || seen.has(`${MOUNT}${page}/`)]).toEqual([page, true])
    expect(proxy.strays).toEqual([])
  })

  test('a person signs up, in and out, and opens every page without leaving the path', async () => {
    const member = await joined()
    const seen = await walk(member.visitor, `${MOUNT}/developer`)
    expect([...seen].filter(([path, status]) => (status ?? 0) >= 400 || !isBelow(path))).toEqual([])
    for (const form of ['revoke', 'replace'])
      expect([...seen.keys()].join()).toContain(`${MOUNT}/developer/keys/${form}?`)
    const key = await member.visitor.submit(
      `${MOUNT}/developer`,
      { name: 'two' },
      `${MOUNT}/developer/keys`,
    )
    expect(key.html).toContain(`${proxy.home}/mcp`)
    expect(key.html).toContain(`data-try-it="${proxy.home}"`)
    const out = await member.visitor.submit(`${MOUNT}/developer`, {}, `${MOUNT}/sign-out`)
    expect(out.location).toBe(`${MOUNT}/sign-in`)
    expect((await member.visitor.get(`${MOUNT}/developer`)).location).toBe(`${MOUNT}/sign-in`)
    const fields = { email: member.email, password: PASSWORD }
    const signedIn = await member.visitor.submit(`${MOUNT}/sign-in`, fields)
    expect(signedIn.location).toBe(`${MOUNT}/developer`)
    expect(proxy.strays).toEqual([])
  })

  test('an operator opens every page without leaving the path', async () => {
    const { email } = await world.admin()
    const operator = visitor()
    await operator.submit(`${MOUNT}/sign-in`, { email, password: PASSWORD })
    const seen = await walk(operator, `${MOUNT}/operator`)
    expect([...seen].filter(([path, status]) => (status ?? 0) >= 400 || !isBelow(path))).toEqual([])
    for (const page of ['/operator/accounts', '/operator/log'])
      expect([page, seen.has(MOUNT + page)]).toEqual([page, true])
    expect(proxy.strays).toEqual([])
  })

  test('cookies are sent only below the path, and emailed links lead there', async () => {
    const anonymous = visitor()
    const lines = (await anonymous.get(`${MOUNT}/sign-up`)).headers.getSetCookie()
    const { email, cookies, link } = await joined()
    expect(link).toStartWith(`${proxy.home}/confirm?token=`)
    for (const line of [...lines, ...cookies]) expect(line).toContain(`; Path=${MOUNT};`)
    expect(cookies.length).toBeGreaterThan(0)
    await anonymous.submit(`${MOUNT}/forgotten`, { email })
    expect(world.linksTo(email).at(-1)).toStartWith(`${proxy.home}/reset?token=`)
  })

  test('the API, its documents and the tool server respond below the path', async () => {
    const { key } = await joined()
    const get = async (path: string) => fetch(proxy.home + path, { headers: { 'x-api-key': key! } })
    expect((await get('/api/v1/status')).status).toBe(200)
    const { servers } = await (await get('/openapi.json')).json()
    expect(servers).toEqual([{ url: `${proxy.home}/api/v1` }])
    expect(await (await get('/llms.txt')).text()).toContain(`(${proxy.home}/openapi.json)`)
    const page = await get('/api/v1/rates/history?from=USD&to=KES&limit=1')
    expect(page.status).toBe(200)
    const lost = await get('/api/v1/rate')
    expect((await lost.json()).error).toEndWith(` ${MOUNT}/api/v1`)
    const client = new Client({ name: 'test', version: '1' })
    const headers = { 'x-api-key': key! }
    const transport = new StreamableHTTPClientTransport(new URL(`${proxy.home}/mcp`), {
      requestInit: { headers },
    })
    await client.connect(transport as Parameters<Client['connect']>[0])
    expect((await client.listTools()).tools.length).toBeGreaterThan(5)
    await client.close()
    expect(proxy.strays).toEqual([])
  })

  test('the service responds at its own address with the path and without it', async () => {
    const statuses = async (path: string) =>
      Promise.all(
        ['', MOUNT].map(async (prefix) => (await fetch(world.origin + prefix + path)).status),
      )
    for (const path of ['', '/', '/corridors', '/api/v1/status', '/openapi.json', '/docs'])
      expect([path, await statuses(path)]).toEqual([path, [200, 200]])
    expect((await fetch(`${world.origin}/other/api/v1/status`)).status).toBe(404)
    expect((await fetch(`${world.origin}${MOUNT}${MOUNT}/api/v1/status`)).status).toBe(404)
    expect((await fetch(`${world.origin}/fxs`)).status).toBe(404)
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect([path, await statuses(path)]).toEqual([path, [200, 404]])
  })

  /** A person who signed up through the proxy. */
  async function joined(): Promise<Joined> {
    const email = newEmail()
    const member = visitor()
    const sent = await member.submit(`${MOUNT}/sign-up`, { email, password: PASSWORD })
    expect(sent.location).toBe(`${MOUNT}/mailed`)
    const link = world.linksTo(email).at(-1)!
    const reply = await member.submit(link.slice(proxy.origin.length), { password: PASSWORD })
    const [key = null] = /crd_[0-9A-Za-z]{38}/.exec(reply.html) ?? []
    return { email, visitor: member, key, link, cookies: reply.headers.getSetCookie() }
  }
})

type Joined = Member & { readonly cookies: readonly string[] }

const isBelow = (path: string): boolean => path === MOUNT || /^\/fx[/?]/.test(path)

const isEnglish = (path: string): boolean => !/^\/fx\/(fr|pt|ar|sw)\b/.test(path)

const kindOf = ({ pathname, searchParams }: URL): string =>
  `${pathname}?${[...searchParams.keys()].sort().join('&')}`

/** The paths on the same origin that a page links to, loads, or submits a form to. */
function leadsOf(html: string, page: URL): string[] {
  const leads = [...html.matchAll(/<(\w+)\b[^>]*?\s(?:href|src|action)="([^"]*)"/g)]
  return leads.flatMap(([, , target]) => {
    const url = new URL(target!.replaceAll('&amp;', '&'), page)
    return url.origin === page.origin ? [url.pathname + url.search] : []
  })
}

describe('a path that begins like one of our own', () => {
  test('has to be removed by the proxy, since the service takes a path unchanged', async () => {
    const proxy = new MountProxy('/docs', 'takes it off')
    const world = await PeopleWorld.start({ PUBLIC_URL: proxy.home })
    proxy.target = world.origin
    for (const [path, type] of [
      ['', 'text/html'],
      ['/docs', 'text/html'],
      ['/openapi.json', 'json'],
    ])
      expect((await fetch(proxy.home + path)).headers.get('content-type')).toContain(type!)
    await world.stop()
    await proxy.stop()
  })
})
