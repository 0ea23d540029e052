import { describe, expect, test } from 'bun:test'
import { brotliDecompressSync } from 'node:zlib'
import { Assets, assetRoutes } from '~/portal/assets.ts'
import { unobserved } from '../support/routes.ts'
import { silentLog } from './portal-world.ts'

const assets = new Assets()
const [route] = assetRoutes({ assets, log: silentLog })

const get = async (path: string, headers: Record<string, string> = {}) =>
  unobserved(route!).fetch(new Request(`http://localhost${path}`, { headers }))

describe('GET /assets/:file', () => {
  test.each([
    ['site.css', 'text/css; charset=utf-8'],
    ['site.js', 'text/javascript; charset=utf-8'],
    ['icon.svg', 'image/svg+xml'],
  ])('returns 200 for %s under its hash, cacheable for ever', async (name, type) => {
    const paths = await assets.paths()
    const reply = await get(paths(name))
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe(type)
    expect(reply.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
    expect((await reply.arrayBuffer()).byteLength).toBeGreaterThan(100)
  })

  test('returns 200 with the same bytes in Brotli or gzip, as the caller accepts it', async () => {
    const path = (await assets.paths())('site.css')
    const plain = await (await get(path)).text()
    for (const [coding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', Bun.gunzipSync],
    ] as const) {
      const packed = await get(path, { 'accept-encoding': coding })
      expect(packed.headers.get('content-encoding')).toBe(coding)
      expect(packed.headers.get('vary')).toBe('accept-encoding')
      expect(new TextDecoder().decode(unpack(await packed.bytes()))).toBe(plain)
    }
  })

  test("returns 200 with today's file for a hash of another release, not cacheable", async () => {
    const path = (await assets.paths())('site.css')
    const reply = await get('/assets/site-0123456789ab.css')
    expect(reply.headers.get('cache-control')).toBe('no-cache')
    expect(await reply.text()).toBe(await (await get(path)).text())
  })

  test.each(['/assets/nothing-0123456789ab.js', '/assets/site.css', '/assets/..%2fpage.tsx'])(
    'returns 404 for %s',
    async (path) => expect((await get(path)).status).toBe(404),
  )

  test('scripts and styles are small and name no other host', async () => {
    const paths = await assets.paths()
    for (const name of ['site.css', 'site.js']) {
      const text = await (await get(paths(name))).text()
      expect(text).not.toMatch(/https?:\/\//)
      expect(Bun.gzipSync(text).byteLength).toBeLessThan(40_000)
    }
  })

  test('fails for a missing script', async () => {
    const paths = await assets.paths()
    expect(() => paths('nothing.js')).toThrow('there is no asset nothing.js')
  })
})
