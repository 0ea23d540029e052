import { describe, expect, test } from 'bun:test'
import { offer } from '../../support/offers.ts'
import { World } from '../../support/world.ts'
import { visit } from '../portal-world.ts'

const EARLIER = '2026-03-05T13:00:00Z'

function quotedWorld(publicUrl?: string): World {
  const world = new World(publicUrl ? { publicUrl } : {})
  const quote = { providerId: 'retail-a', rate: 130, at: EARLIER }
  world.quote(
    quote,
    { ...quote, from: 'EUR', to: 'XOF' },
    {
      ...quote,
      from: 'EUR',
      to: 'UGX',
      offer: offer({ sourceCountry: 'IT', targetCountry: 'UG' }),
    },
    { ...quote, providerId: 'official-a', to: 'NGN' },
    { ...quote, to: 'ZAR', at: '2026-03-05T14:10:00Z' },
  )
  return world
}

const addresses = (text: string) => [...text.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) => url!)

describe('GET /sitemap.xml', () => {
  test('returns 200 with every public page, at its public address, and no pair without a price', async () => {
    const world = quotedWorld('https://rates.example/fx')
    const { status, headers, text } = await visit(world, '/sitemap.xml')
    expect([status, headers.get('content-type')]).toEqual([200, 'application/xml'])
    const found = addresses(text)
    expect(found.filter((url) => url.includes('/send/'))).toEqual(
      ['italy-to-uganda', 'united-states-to-kenya'].flatMap((pair) =>
        ['', '/fr', '/pt', '/ar', '/sw'].map(
          (language) => `https://rates.example/fx${language}/send/${pair}`,
        ),
      ),
    )
    expect(text).toContain('<lastmod>2026-03-05T13:00:00.000Z</lastmod>')
    expect(found).toContain('https://rates.example/fx/providers/retail-a')
    for (const url of found) {
      expect(url).toStartWith('https://rates.example/fx/')
      const page = await visit(world, url.slice('https://rates.example/fx'.length))
      expect([url, page.status]).toEqual([url, 200])
    }
  })

  test('returns 200 with the pairs of the hour, the next one an hour later', async () => {
    const world = quotedWorld()
    world.clock.set('2026-03-05T15:00:00Z')
    expect(addresses((await visit(world, '/sitemap.xml')).text)).toContain(
      'http://localhost/send/united-states-to-south-africa',
    )
  })
})

describe('GET /robots.txt', () => {
  test('returns 200 with the address of the sitemap, and closes nothing that it lists', async () => {
    for (const [publicUrl, base, mount] of [
      [undefined, 'http://localhost', ''],
      ['https://rates.example/fx', 'https://rates.example/fx', '/fx'],
    ] as const) {
      const world = quotedWorld(publicUrl)
      const { status, headers, text } = await visit(world, '/robots.txt')
      expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
      expect(text).toContain(`\nSitemap: ${base}/sitemap.xml\n`)
      const closed = [...text.matchAll(/^Disallow: (.*)$/gm)].map(([, path]) => path!)
      expect(closed).toContain(`${mount}/developer`)
      const listed = addresses((await visit(world, '/sitemap.xml')).text)
      const paths = listed.map((url) => new URL(url).pathname)
      expect(paths.filter((path) => closed.some((start) => path.startsWith(start)))).toEqual([])
    }
  })
})

describe('a page behind a proxy, without a public address', () => {
  test.each([
    ['/robots.txt', 'rates.example/sitemap.xml'],
    ['/?from=USD&to=KES', 'rates.example/api/v1'],
    ['/providers/retail-a', 'rates.example/'],
  ])(
    'returns 200 for %s with https addresses if the proxy is trusted for them',
    async (path, found) => {
      for (const isProxied of [true, false]) {
        const world = new World({ isProxied })
        world.quote({ providerId: 'retail-a', rate: 130, at: EARLIER })
        const headers = { 'x-forwarded-proto': 'https' }
        const request = new Request(`http://rates.example${path}`, { headers })
        const text = await (await world.app.handle(request)).text()
        expect(text).toContain(`${isProxied ? 'https' : 'http'}://${found}`)
        expect(text).not.toContain(`${isProxied ? 'http' : 'https'}://${found}`)
      }
    },
  )
})

describe('GET /favicon.ico', () => {
  test('returns 200 with one picture of 32 pixels', async () => {
    const { app } = quotedWorld()
    const reply = await app.handle(new Request('http://localhost/favicon.ico'))
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'image/x-icon'])
    const bytes = await reply.arrayBuffer()
    const header = new DataView(bytes)
    expect([header.getUint16(2, true), header.getUint16(4, true)]).toEqual([1, 1])
    expect([header.getUint8(6), header.getUint32(14, true)]).toEqual([32, bytes.byteLength - 22])
    expect(new TextDecoder('latin1').decode(bytes.slice(23, 26))).toBe('PNG')
    expect(header.getUint32(22 + 16)).toBe(32)
  })
})

describe.each(['/robots.txt', '/sitemap.xml', '/favicon.ico', '/providers', '/send', '/embed'])(
  '%s',
  (path) => {
    test('serves HEAD without a body, and returns 405 to any other method', async () => {
      const { app } = quotedWorld()
      const ask = (method: string) =>
        app.handle(new Request(`http://localhost${path}`, { method, headers: { accept: '*/*' } }))
      expect(await (await ask('HEAD')).text()).toBe('')
      const refused = await ask('DELETE')
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    })
  },
)
