import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import { Assets } from '~/portal/assets.ts'
import { type PageRequestDeps, personRoutes } from '~/portal/member/page-request.tsx'
import { KeptLog } from '../../support/log.ts'
import { unobserved } from '../../support/routes.ts'

const NEVER = new Promise<never>(() => {})

const log = new KeptLog()
const deps = {
  pages: { assets: new Assets(), mount: '', cookiePrefix: '', credits: [], sample: null },
  log,
  clock: { now: () => 0 },
  addressOf: () => '192.0.2.1',
  fingerprint: async (text: string) => text,
  people: { session: () => NEVER },
  isOutage: () => false,
  publicOrigin: null,
  cookiePrefix: '',
  isProxied: false,
} as unknown as PageRequestDeps

beforeEach(() => {
  jest.useFakeTimers()
})
afterEach(() => {
  jest.useRealTimers()
})

/** The reply to a page whose timeout expires as soon as nothing else runs. */
async function replyOf(cookie: string, get: () => Promise<never>): Promise<Response> {
  const [route] = personRoutes(deps, '/page', { get })
  const headers = { cookie }
  const reply = Promise.resolve(
    unobserved(route!).fetch(new Request('http://localhost/page', { headers })),
  )
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  jest.advanceTimersByTime(5000)
  return reply
}

describe('a page that waits for a hanging database', () => {
  test.each([
    ['what it shows', ''],
    ['who looks at it', 'corridor.session_token=x'],
  ])('returns 503 after five seconds for %s, and logs why', async (_what, cookie) => {
    log.lines.length = 0
    const reply = await replyOf(cookie, () => NEVER)
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '30'])
    expect(await reply.text()).toContain('Not available at the moment')
    expect(log.said).toEqual(['warn: the database takes too long for this page'])
  })
})
