import { describe, expect, test } from 'bun:test'

import { StaticFile } from '~/http/static-file.ts'
import { Assets } from '~/portal/assets.ts'
import { ORIGIN, World } from '../support/world.ts'

const { app } = new World()
const newest = (await new Assets().paths())('site.css')

/** Every kind of cacheable file, with its lifetime. */
const FILES: [string, string, string][] = [
  ['/openapi.json', 'application/json', 'private, no-cache'],
  ['/llms.txt', 'text/plain; charset=utf-8', 'no-cache'],
  ['/docs', 'text/html; charset=utf-8', 'no-cache'],
  ['/docs/assets/swagger-ui.css', 'text/css; charset=utf-8', 'no-cache'],
  ['/flags/ke.svg', 'image/svg+xml', 'public, max-age=86400'],
  [newest, 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'],
  ['/assets/site-0123456789ab.css', 'text/css; charset=utf-8', 'no-cache'],
]

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  app.handle(new Request(`${ORIGIN}${path}`, { method, headers }))

describe.each(FILES)('GET %s', (path, type, rule) => {
  test(`returns 200 with its type and its rule, ${rule}`, async () => {
    const { status, headers } = await ask(path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('cache-control')).toBe(rule)
    const varying = path === '/openapi.json' ? 'accept-encoding, host' : 'accept-encoding'
    expect(headers.get('vary')).toBe(varying)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('etag')).toMatch(/^W\/"[0-9a-f]{32}"$/)
  })

  test('returns 200 with the same bytes in gzip, if the caller accepts it', async () => {
    const plain = await (await ask(path)).bytes()
    const packed = await ask(path, { 'accept-encoding': 'gzip' })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(Bun.gunzipSync(new Uint8Array(await packed.arrayBuffer()))).toEqual(plain)
  })

  test('returns 304 without a body but with the rule, if the caller has it already', async () => {
    const etag = (await ask(path)).headers.get('etag')!
    const { status, headers, body } = await ask(path, { 'if-none-match': etag })
    expect([status, headers.get('etag'), headers.get('cache-control'), body]).toEqual([
      ...[304, etag, rule, null],
    ])
  })

  test('returns 200 to HEAD with the length alone', async () => {
    const { byteLength } = await (await ask(path)).arrayBuffer()
    const reply = await ask(path, {}, 'HEAD')
    expect([reply.status, reply.headers.get('content-length'), await reply.text()]).toEqual([
      ...[200, String(byteLength), ''],
    ])
  })
})

describe('StaticFile', () => {
  test('has one tag for the same bytes and another for others', () => {
    const tagOf = (bytes: string) =>
      new StaticFile({ bytes, type: 'text/plain' })
        .reply(new Request(ORIGIN), 'day')
        .headers.get('etag')
    expect(tagOf('one')).toBe(tagOf('one'))
    expect(tagOf('one')).not.toBe(tagOf('two'))
  })
})
