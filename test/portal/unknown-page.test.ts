import { describe, expect, test } from 'bun:test'
import { ORIGIN, World } from '../support/world.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const ask = (path: string, accept: string | null, world = new World()) =>
  world.app.handle(new Request(`${ORIGIN}${path}`, { headers: accept ? { accept } : {} }))

const WRONG = ['/corridor', '/docs/rates', '/developer/x', '/api', '/%00', '//']

describe('an unknown address', () => {
  test.each(WRONG)('returns 404 as a page with links to a person, at %s', async (path) => {
    const reply = await ask(path, BROWSER)
    expect([reply.status, reply.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ])
    expect(reply.headers.get('vary')).toContain('accept,')
    expect(reply.headers.get('content-security-policy')).not.toBeNull()
    const html = await reply.text()
    expect(html).toContain('<h1>Page not found</h1>')
    for (const path of ['/', '/corridors', '/docs']) expect(html).toContain(`href="${path}"`)
  })

  test.each([
    ['/corridor', null],
    ['/corridor', '*/*'],
    ['/corridor', 'application/json'],
    ['/corridor', 'application/json, text/html;q=0.9'],
    ['/api/v1/nope', BROWSER],
  ])('returns 404 as JSON to a program, at %s with %p', async (path, accept) => {
    const reply = await ask(path, accept)
    expect([reply.status, reply.headers.get('content-type')]).toEqual([404, 'application/json'])
    expect(await reply.json()).toMatchObject({ code: 'unknown_path' })
  })

  test('returns 429 before 404 to a caller that requests too much', async () => {
    const world = new World({ portal: { requestsPerMinute: 2 } })
    const statuses: number[] = []
    for (let i = 0; i < 3; i++) statuses.push((await ask('/nope', BROWSER, world)).status)
    expect(statuses).toEqual([404, 404, 429])
  })
})
