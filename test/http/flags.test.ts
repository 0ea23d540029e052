import { describe, expect, test } from 'bun:test'
import { ORIGIN, replyOf, World } from '../support/world.ts'

const ask = async (path: string, init: RequestInit = {}) =>
  replyOf(await new World().app.handle(new Request(`${ORIGIN}${path}`, init)))

describe('GET /flags/:file', () => {
  test.each(['ke.svg', 'eu.svg', 'gb-eng.svg', 'xx.svg'])(
    'returns 200 for %s as SVG',
    async (file) => {
      const { status, headers, text } = await ask(`/flags/${file}`)
      expect(status).toBe(200)
      expect(headers.get('content-type')).toBe('image/svg+xml')
      expect(headers.get('cache-control')).toContain('max-age=')
      expect(text).toStartWith('<svg')
    },
  )

  test('returns 200 to HEAD, without the picture', async () => {
    const { status, text, headers } = await ask('/flags/ke.svg', { method: 'HEAD' })
    expect([status, text]).toEqual([200, ''])
    expect(Number(headers.get('content-length'))).toBeGreaterThan(100)
  })

  test.each([
    ...['/flags/zq.svg', '/flags/KE.svg', '/flags/ke', '/flags/ke.png', '/flags/', '/flags'],
    ...['/flags/..%2f..%2fpackage.json', '/flags/..%2fke.svg', '/flags/%2e%2e%2fke.svg'],
    ...['/flags/ke.svg/x', '/flags/a/ke.svg', '/flags/ke.svg%00', '/flags/%00', '/flags/%ff.svg'],
    ...['/flags/..%5cke.svg', '/flags/ke.svg.svg', `/flags/${'a'.repeat(5000)}.svg`],
  ])('returns 404 for %s', async (path) => {
    const { status, body } = await ask(path)
    expect(status).toBe(404)
    expect(body).toEqual({ error: expect.any(String), code: 'unknown_path' })
  })

  test('returns 405 for POST', async () => {
    const { status, headers, body } = await ask('/flags/ke.svg', { method: 'POST' })
    expect([status, headers.get('allow'), body.code]).toEqual([
      405,
      'GET, HEAD',
      'method_not_allowed',
    ])
  })
})
