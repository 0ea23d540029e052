import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { brotliDecompressSync } from 'node:zlib'
import { olderDocument } from '~/http/docs/older-document.ts'
import { documentOf } from '../../support/contract.ts'
import { ORIGIN, replyOf, World } from '../../support/world.ts'

const world = new World()

const ask = async (path: string, init: RequestInit = {}, of = world) =>
  replyOf(await of.app.handle(new Request(`${ORIGIN}${path}`, init)))

const ASSETS = ['/docs/assets/swagger-ui-bundle.js', '/docs/assets/swagger-ui.css']
const PAGE_DOCUMENT = '/docs/assets/openapi.json'
const PAGES = ['/openapi.json', PAGE_DOCUMENT, '/postman.json', '/docs', '/llms.txt', ...ASSETS]

describe.each(PAGES)('GET %s', (path) => {
  test('returns 200 without a key, with a tag', async () => {
    const { status, headers, text } = await ask(path)
    expect(status).toBe(200)
    expect(text.length).toBeGreaterThan(500)
    expect(headers.get('etag')).toMatch(/^W\/"[0-9a-f]{32}"$/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-ratelimit-limit')).toBeNull()
  })

  test('returns 304 to a caller that has it, and 200 to one that has another', async () => {
    const { headers } = await ask(path)
    const asked = (held: string) => ask(path, { headers: { 'if-none-match': held } })
    const { status, text, headers: own } = await asked(headers.get('etag')!)
    expect([status, text, own.get('etag')]).toEqual([304, '', headers.get('etag')])
    expect((await asked('W/"other"')).status).toBe(200)
  })

  test.each([
    ['gzip', 'gzip, deflate'],
    ['gzip', 'br;q=0.5, gzip'],
    ['br', 'gzip, deflate, br, zstd'],
    ['br', 'br'],
  ])(
    'returns 200 with the same content in %s to a caller that accepts %p',
    async (coding, accepted) => {
      const plain = await ask(path)
      const init = { headers: { 'accept-encoding': accepted } }
      const packed = await world.app.handle(new Request(`${ORIGIN}${path}`, init))
      expect(packed.headers.get('content-encoding')).toBe(coding)
      expect(packed.headers.get('vary')).toStartWith('accept-encoding')
      const bytes = await packed.bytes()
      const text = coding === 'br' ? brotliDecompressSync(bytes) : Bun.gunzipSync(bytes)
      expect(new TextDecoder().decode(text)).toBe(plain.text)
    },
  )

  test.each(['gzip;q=0', 'identity', 'br;q=0', '', 'gzip;q=0.1, identity'])(
    'returns 200 uncompressed to a caller that accepts %p',
    async (accepted) => {
      const { headers } = await ask(path, { headers: { 'accept-encoding': accepted } })
      expect(headers.get('content-encoding')).toBeNull()
    },
  )

  test('returns 200 to HEAD without a body, and 405 to POST', async () => {
    const { status, text } = await ask(path, { method: 'HEAD' })
    expect([status, text]).toEqual([200, ''])
    expect((await ask(path, { method: 'POST' })).status).toBe(405)
  })
})

describe('GET /openapi.json', () => {
  const servedAt = async (headers: Record<string, string>, of = world) => {
    const { body } = await ask('/openapi.json', { headers }, of)
    return [body.servers, body.info.contact.url.replace(/\/$/, '')]
  }

  test('returns 200 as JSON, with the server that it was read from', async () => {
    const { headers, body } = await ask('/openapi.json')
    expect(headers.get('content-type')).toBe('application/json')
    expect(body.servers).toEqual([{ url: 'http://localhost/api/v1' }])
  })

  test.each([
    ...['rates.example', 'rates.example:8080', '127.0.0.1:3000', '[::1]:3000'],
    ...['prices_1:3000', 'EXAMPLE.org'],
  ])('returns 200 at %s, with that as the server', async (host) => {
    const home = `http://${host.toLowerCase()}`
    expect(await servedAt({ host })).toEqual([[{ url: `${home}/api/v1` }], home])
  })

  test.each([
    ...['a"b', 'a b', 'user@rates.example', 'rates.example/x', 'rates.example?', '', ':1', '[x]'],
    ...[`${'a'.repeat(254)}`, 'rates.example:99999', 'a,b'],
  ])('returns 200 at %p, which is not an address, with a local server', async (host) => {
    const home = 'http://localhost'
    expect(await servedAt({ host })).toEqual([[{ url: `${home}/api/v1` }], home])
  })

  test('returns 200 with https if a trusted proxy says so, and another host only by Host', async () => {
    const said = {
      host: 'rates.example',
      'x-forwarded-proto': 'http, https',
      'x-forwarded-host': 'evil.example',
    }
    const [[direct]] = await servedAt(said)
    expect(direct).toEqual({ url: 'http://rates.example/api/v1' })
    const [[proxied]] = await servedAt(said, new World({ isProxied: true }))
    expect(proxied).toEqual({ url: 'https://rates.example/api/v1' })
  })

  test('returns 200 with the public address if there is one, at any host', async () => {
    const of = new World({ publicUrl: 'https://rates.example/fx', isProxied: true })
    const [[server], contact] = await servedAt({ host: 'other.example' }, of)
    expect(server).toEqual({ url: 'https://rates.example/fx/api/v1' })
    expect(contact).toBe('https://rates.example/fx')
  })

  test('returns 200 at one host to a caller that has the document of another', async () => {
    const at = (host: string, headers = {}) =>
      ask('/openapi.json', { headers: { host, ...headers } })
    const hosts = Array.from({ length: 30 }, (_, i) => `rates-${i}.example`)
    const tags = new Map<string, string>()
    for (const host of [...hosts, ...hosts]) {
      const { headers, body } = await at(host)
      expect(body.servers).toEqual([{ url: `http://${host}/api/v1` }])
      const tag = headers.get('etag')!
      expect(tags.get(host) ?? tag).toBe(tag)
      tags.set(host, tag)
    }
    expect(new Set(tags.values()).size).toBe(hosts.length)
    const [first, second] = hosts as [string, string]
    const other = await at(second, { 'if-none-match': tags.get(first) })
    expect([other.status, other.body.servers[0].url]).toEqual([200, `http://${second}/api/v1`])
    const own = await at(second, { 'if-none-match': tags.get(second) })
    expect([own.status, own.headers.get('cache-control')]).toEqual([304, 'private, no-cache'])
  })
})

describe('GET /postman.json', () => {
  test('returns 200 as a collection of the address it was read from, with the key as a variable', async () => {
    const { headers, body, text } = await ask('/postman.json', {
      headers: { host: 'rates.example' },
    })
    expect(headers.get('content-type')).toBe('application/json')
    expect(body.info.schema).toContain('/collection/v2.1.0/')
    expect(body.variable.slice(0, 2)).toEqual([
      { key: 'baseUrl', value: 'http://rates.example/api/v1' },
      { key: 'apiKey', value: '', description: expect.any(String) },
    ])
    expect(JSON.stringify(body.auth)).toContain('{{apiKey}}')
    expect(text).not.toContain('corridor.invalid')
  })

  test('returns 200 with the public address if there is one', async () => {
    const of = new World({ publicUrl: 'https://rates.example/fx' })
    const { body } = await ask('/postman.json', {}, of)
    expect(body.variable[0].value).toBe('https://rates.example/fx/api/v1')
  })
})

describe('GET /docs', () => {
  test('returns 200 as a page that loads nothing from another host', async () => {
    const { headers, text } = await ask('/docs')
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(text).not.toMatch(/https?:|\/\/[a-z]/)
    const links = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link!)
    expect(links.map((link) => link.replace(/-[0-9a-f]{12}/, '')).sort()).toEqual([
      ...[
        '#content',
        '/',
        '/',
        '/assets/frame.css',
        '/assets/icon.svg',
        '/corridors',
        '/data',
        '/developer',
      ],
      ...['/docs', '/docs', ...ASSETS, '/llms.txt', '/llms.txt'],
      '/methodology',
      ...['/openapi.json', '/postman.json', '/privacy', '/providers', '/send', '/verify'],
    ])
    expect(text).toContain(`"url":"${PAGE_DOCUMENT}"`)
  })

  test('returns 200 with the document in OpenAPI 3.0, whose server is the one of the page', async () => {
    const init = { headers: { host: 'rates.example' } }
    const [{ body }, { text }] = await Promise.all([
      ask(PAGE_DOCUMENT, init),
      ask('/openapi.json', init),
    ])
    expect(body.servers).toEqual([{ url: '/api/v1' }])
    const whole = JSON.parse(text.replaceAll('http://rates.example', ''))
    expect(body).toEqual(olderDocument(whole) as typeof body)
  })

  test('returns 200 with a document of the public address if there is one', async () => {
    const { body } = await ask(
      PAGE_DOCUMENT,
      {},
      new World({ publicUrl: 'https://rates.example/x' }),
    )
    expect(body.servers).toEqual([{ url: 'https://rates.example/x/api/v1' }])
  })

  test('returns 200 in the frame of every page, marked as current', async () => {
    const [{ text }, page] = await Promise.all([ask('/docs'), ask('/corridors')])
    const part = (html: string, tag: string) =>
      new RegExp(`<${tag}[ >][\\s\\S]*</${tag}>`).exec(html)![0]
    expect(part(text, 'footer')).toBe(part(page.text, 'footer'))
    const mark = ' aria-current="page"'
    const shared = part(page.text, 'header').replace(
      /<details class="languages">.*?<\/details>/,
      '',
    )
    expect(part(text, 'header').replace(mark, '')).toBe(shared.replace(mark, ''))
    expect(part(text, 'header')).toContain(`<a href="/docs"${mark}>API</a>`)
    expect(text.match(/<main id="content" tabindex="-1">/g)).toHaveLength(1)
  })

  test('returns 200 with a policy that allows requests only to us, and only its own scripts', async () => {
    const { headers, text } = await ask('/docs')
    const policy = headers.get('content-security-policy')!
    const hashes = [...text.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
      ([, script]) => `'sha256-${createHash('sha256').update(script!).digest('base64')}'`,
    )
    expect(hashes).toHaveLength(2)
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain(`script-src 'self' ${hashes.join(' ')};`)
    expect(policy).toContain("connect-src 'self';")
    expect(policy).not.toMatch(/https?:|\*/)
    expect(headers.get('referrer-policy')).toBe('no-referrer')
  })

  test('returns 200 with the guide instead of the reference, for readers without scripts', async () => {
    const [{ text }, guide] = await Promise.all([ask('/docs'), ask('/llms.txt')])
    const [, shown] = /<div id="swagger-ui"><pre class="guide">([\s\S]*?)<\/pre><\/div>/.exec(text)!
    expect(shown).toBe(Bun.escapeHTML(guide.text))
    expect(shown).not.toContain('<')
  })

  test('returns 200 with a policy that allows the public address too', async () => {
    const { headers } = await ask('/docs', {}, new World({ publicUrl: 'https://rates.example/x' }))
    expect(headers.get('content-security-policy')).toContain(
      "connect-src 'self' https://rates.example;",
    )
  })

  test.each([
    ...['/docs/assets', '/docs/assets/', '/docs/assets/package.json', '/docs/nope'],
    ...['/docs/assets/..%2fpackage.json', '/docs/assets/swagger-ui-bundle.js.map'],
  ])('returns 404 for %s', async (path) => {
    const { status, body } = await ask(path)
    expect([status, body?.code]).toEqual([404, 'unknown_path'])
  })
})

describe('GET /llms.txt', () => {
  test('returns 200 as a short document that names every operation', async () => {
    const { headers, text } = await ask('/llms.txt')
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(text).toStartWith('# Corridor\n\n> ')
    expect(text.length).toBeLessThan(7800)
    const { paths } = await documentOf(world.app)
    for (const [path, operations] of Object.entries(paths))
      for (const method of Object.keys(operations))
        expect(text).toContain(`\`${method.toUpperCase()} ${path}\``)
    expect(text).toContain('(from, to, period?')
  })

  test('returns 200 with directions to age, cost, evidence and the amount to arrive', async () => {
    const { text } = await ask('/llms.txt')
    for (const name of [
      ...['is_stale', 'best_current', 'cost', 'recipient_gets', 'send_amount'],
      ...['evidence', 'fee_stated: false'],
    ])
      expect(text).toContain(`\`${name}\``)
  })

  test('returns 200 with the public address if there is one', async () => {
    const { text } = await ask('/llms.txt', {}, new World({ publicUrl: 'https://rates.example' }))
    expect(text).toContain('`https://rates.example/api/v1`')
    expect(text).toContain('(https://rates.example/openapi.json)')
  })
})
