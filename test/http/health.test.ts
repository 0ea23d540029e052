import { describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { type HealthDeps, healthRoutes } from '~/http/health.ts'
import { routed } from '~/http/route.ts'
import { unobserved } from '../support/routes.ts'
import { ORIGIN, type Reply, replyOf } from '../support/world.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }

async function ask(
  path: string,
  isReachable: boolean,
  state: Partial<HealthDeps> = {},
): Promise<Reply> {
  const routes = healthRoutes({ isDatabaseReachable: async () => isReachable, ...state })
  const app = new Elysia().use(routed(routes.map(unobserved), { prefix: '', log }))
  return replyOf(await app.handle(new Request(`${ORIGIN}${path}`)))
}

describe('GET /healthz', () => {
  test.each([true, false])(
    'returns 200 while the process is up, database reachable: %p',
    async (isUp) => {
      const { status, body } = await ask('/healthz', isUp)
      expect([status, body]).toEqual([200, { status: 'ok' }])
    },
  )
})

describe('GET /readyz', () => {
  test('returns 200 while the database responds', async () => {
    const { status, body } = await ask('/readyz', true)
    expect([status, body]).toEqual([200, { status: 'ready' }])
  })

  test('returns 200 while some workers of the database are unreachable, and names what is missing', async () => {
    const workers = { workers: 2, away: 1, corridors: 30, unloaded: 0 }
    const { status, body } = await ask('/readyz', true, { workers: () => workers })
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'ready',
      missing: expect.stringMatching(/workers.*: 1 of 2; .* 30 /),
    })
    const none = { workers: 2, away: 0, corridors: 0, unloaded: 0 }
    expect((await ask('/readyz', true, { workers: () => none })).body).toEqual({ status: 'ready' })
    const late = { ...none, unloaded: 30 }
    expect((await ask('/readyz', true, { workers: () => late })).body).toEqual({
      status: 'ready',
      missing: 'the prices of 30 corridors could not be loaded yet, live ones too',
    })
  })

  test('returns 200 while nothing can be recorded, and says so', async () => {
    const { status, body } = await ask('/readyz', true, { isRecording: () => false })
    expect([status, body.recording, body.missing]).toEqual([
      200,
      false,
      expect.stringContaining('room on the disk'),
    ])
    const fine = await ask('/readyz', true, { isRecording: () => true })
    expect(fine.body).toEqual({ status: 'ready', recording: true })
  })

  test('returns 503 with Retry-After while the database does not respond', async () => {
    const { status, body, headers } = await ask('/readyz', false)
    expect(status).toBe(503)
    expect(body).toEqual({ error: expect.any(String), code: 'database_unavailable' })
    expect(headers.get('retry-after')).toBe('5')
  })

  test('returns 503 while memory lacks what the database holds, and when the service stops', async () => {
    const behind = await ask('/readyz', true, { isBehind: () => true })
    expect([behind.status, behind.body.code]).toEqual([503, 'behind'])
    const stopping = await ask('/readyz', true, { isStopping: () => true })
    expect([stopping.status, stopping.body.code]).toEqual([503, 'stopping'])
    const fine = await ask('/readyz', true, { isBehind: () => false, isStopping: () => false })
    expect(fine.status).toBe(200)
  })
})
