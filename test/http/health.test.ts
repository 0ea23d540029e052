import { describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { healthRoutes } from '~/http/health.ts'
import { routed } from '~/http/route.ts'
import { ORIGIN, type Reply, replyOf } from '../support/world.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }

async function ask(path: string, isReachable: boolean): Promise<Reply> {
  const routes = healthRoutes({ isDatabaseReachable: async () => isReachable })
  const app = new Elysia().use(routed(routes, { prefix: '', log }))
  return replyOf(await app.handle(new Request(`${ORIGIN}${path}`)))
}

describe('GET /healthz', () => {
  test.each([true, false])('200 while the process is up, database reachable: %p', async (isUp) => {
    const { status, body } = await ask('/healthz', isUp)
    expect([status, body]).toEqual([200, { status: 'ok' }])
  })
})

describe('GET /readyz', () => {
  test('200 while the database answers', async () => {
    const { status, body } = await ask('/readyz', true)
    expect([status, body]).toEqual([200, { status: 'ready' }])
  })

  test('503 with Retry-After while it does not', async () => {
    const { status, body, headers } = await ask('/readyz', false)
    expect(status).toBe(503)
    expect(body).toEqual({ error: expect.any(String), code: 'database_unavailable' })
    expect(headers.get('retry-after')).toBe('5')
  })
})
