import { describe, expect, test } from 'bun:test'
import { ERROR_CODES, type ErrorCode, notKept, ServiceError } from '~/domain/errors.ts'
import { limitingFailures } from '~/http/edge/auth-failures.ts'
import { WorkLimit } from '~/service/work-limit.ts'
import { answerable } from '../http/questions.ts'
import { noEvidence } from '../support/evidence.ts'
import { KeptLog } from '../support/log.ts'
import { API, type Reply, replyOf, World } from '../support/world.ts'
import { breaches } from './schemas.ts'

const ROW = { provider_id: 'retail-a', rate: 1, from: 'USD', to: 'KES' }

const ALERT = {
  corridor: 'USD/KES',
  when: { field: 'best', op: 'above', value: 130 },
  to: { webhook: 'https://example.com/hook' },
}

/** The response to the last of so many equal requests. */
async function lastOf(count: number, ask: () => Promise<Reply>): Promise<Reply> {
  for (let i = 1; i < count; i++) await ask()
  return ask()
}

const failing = (error: Error) => ({ record: () => Promise.reject(error) })
const admin = (world: World) => world.key('free', 'admin')

async function revoked(world: World): Promise<string> {
  const { id, key } = world.account('free')
  const keys = world.memory.current.keys.keysOf(id).map((row) => ({ ...row, revokedMs: 0 }))
  world.memory.publish({ access: { accounts: [], keys } }, world.clock.now())
  return key
}

/** Ways to get each code over HTTP, with its status. */
const MET: Record<ErrorCode, [status: number, meet: (world: World) => Promise<Reply>]> = {
  missing_parameter: [400, (world) => world.get('/rates', world.key())],
  invalid_parameter: [400, (world) => world.get('/rates?from=', world.key())],
  repeated_parameter: [400, (world) => world.get('/rates?from=a&from=b', world.key())],
  not_kept: [
    400,
    (world) => {
      world.known = { at: () => Promise.reject(notKept(world.clock.now())) }
      return world.get('/rates?from=USD&to=KES&known_at=2026-01-01T00:00:00Z', world.key())
    },
  ],
  unsupported_currency: [400, (world) => world.get('/rates?from=XXX&to=KES', world.key())],
  same_currency: [400, (world) => world.get('/rates?from=KES&to=KES', world.key())],
  malformed_body: [400, (world) => world.post('{', admin(world))],
  body_too_large: [400, (world) => world.post(' '.repeat(1_048_577), admin(world))],
  missing_key: [401, (world) => world.get('/rates')],
  invalid_key: [401, (world) => world.get('/rates', 'x')],
  revoked_key: [401, async (world) => world.get('/rates', await revoked(world))],
  invalid_token: [401, (world) => world.get('/stream?corridors=USD/KES&token=crs_x')],
  enterprise_only: [403, (world) => world.get('/stream?corridors=*', world.key('free'))],
  too_many_streams: [
    429,
    async (world) => {
      const { id, key } = world.account('free')
      for (let i = 0; i < 2; i++) await world.streams.slots.take(id, 'free')
      return world.get('/stream?corridors=USD/KES', key)
    },
  ],
  streams_unavailable: [
    503,
    (world) => {
      world.streams.open.stop()
      return world.get('/stream?corridors=USD/KES', world.key())
    },
  ],
  forbidden: [403, (world) => world.post(ROW, world.key())],
  alert_limit: [
    403,
    (world) => {
      const key = world.key('free')
      return lastOf(4, () => world.send('POST', '/alerts', { key, body: ALERT }))
    },
  ],
  unknown_alert: [404, (world) => world.get('/alerts/none', world.key())],
  unknown_observation: [
    404,
    (world) => {
      const wish = { observations: [1], reason: 'wrong' }
      return world.send('POST', '/rates/withdrawals', { key: admin(world), body: wish })
    },
  ],
  unknown_reference: [404, (world) => world.get('/proofs?reference=1', world.key())],
  unknown_entry: [404, (world) => world.get('/proofs?catalogue=XXX', world.key())],
  not_sealed: [
    404,
    () => {
      const world = new World({ evidence: { ...noEvidence, has: async () => true } })
      return world.get('/proofs?observation=1', world.key())
    },
  ],
  unknown_path: [404, (world) => world.get('/nope')],
  unknown_file: [404, (world) => world.get('/files/2026-03-05.csv.gz', world.key())],
  unknown_provider: [404, (world) => world.get('/rates/provider?provider=x', world.key())],
  method_not_allowed: [
    405,
    async (world) =>
      replyOf(await world.app.handle(new Request(`${API}/rates`, { method: 'PUT' }))),
  ],
  invalid_rows: [422, (world) => world.post({ ...ROW, rate: 0 }, admin(world))],
  idempotency_key_reused: [
    422,
    () => {
      const record = async () => ({ kind: 'key_reused' }) as const
      const world = new World({ store: { record } })
      return world.post(ROW, admin(world))
    },
  ],
  quota_exceeded: [
    429,
    async (world) => {
      const key = world.key('free')
      for (let i = 0; i < 50; i++) await world.get('/providers', key)
      return world.get('/providers', key)
    },
  ],
  too_many_failures: [
    429,
    async (world) => {
      const { clock } = world
      const limits = { perMinute: 1, addressOf: () => 'a', clock, log: new KeptLog() }
      const handle = limitingFailures((request) => world.app.fetch(request), limits)
      for (let i = 0; i < 2; i++) await handle(new Request(`${API}/rates`))
      return replyOf(await handle(new Request(`${API}/rates`)))
    },
  ],
  too_many_changes: [
    429,
    (world) => {
      const key = world.key()
      return lastOf(21, () => world.send('POST', '/alerts', { key, body: ALERT }))
    },
  ],
  too_many_tests: [
    429,
    async (world) => {
      const key = world.key()
      const { body } = await world.send('POST', '/alerts', { key, body: ALERT })
      return lastOf(11, () => world.send('POST', `/alerts/${body.id}/test`, { key }))
    },
  ],
  internal_error: [
    500,
    () => {
      const world = new World({ store: failing(new Error('at /srv/x.ts:1:1')) })
      return world.post(ROW, admin(world))
    },
  ],
  mid_unavailable: [
    503,
    () => {
      const world = new World()
      return world.get('/fetch-one?from=USD&to=KES', world.key())
    },
  ],
  database_unavailable: [
    503,
    () => {
      const error = new ServiceError('database_unavailable', 'the database is away; retry shortly')
      const world = new World({ store: failing(error) })
      return world.post(ROW, admin(world))
    },
  ],
  storage_full: [
    507,
    () => {
      const world = new World({ store: failing(new ServiceError('storage_full', 'no room')) })
      return world.post(ROW, admin(world))
    },
  ],
  replica_behind: [503, (world) => world.get('/currencies?min_position=9', world.key())],
  overloaded: [
    503,
    () => {
      const limit = new WorkLimit({ runningMax: 1, waitingMax: 0 })
      void limit.run(() => new Promise(() => {}))
      const record = () => limit.run(async () => ({ kind: 'recorded', ids: [1] }) as const)
      const world = new World({ store: { record } })
      return world.post(ROW, admin(world))
    },
  ],
}

describe('every error', () => {
  test.each(ERROR_CODES.map((code) => [MET[code][0], code] as const))(
    '%i %s is JSON with a sentence and its code',
    async (status, code) => {
      const reply = await MET[code][1](answerable())
      expect([reply.status, reply.body.code]).toEqual([status, code])
      expect(reply.headers.get('content-type')).toBe('application/json')
      expect(breaches('error', reply.body)).toEqual([])
      expect(reply.text).not.toMatch(/\.ts|\bat \/|stack/)
    },
  )

  test('429, 503 and 507 say how long to wait, and no other error does', async () => {
    for (const code of ERROR_CODES) {
      const { status, headers } = await MET[code][1](answerable())
      const wait = headers.get('retry-after')
      const hasToWait = [429, 503, 507].includes(status)
      expect([code, Number(wait) > 0]).toEqual([code, hasToWait])
      expect([code, wait === null]).toEqual([code, !hasToWait])
    }
  })

  test('422 always has the list of errors that the interface promises', async () => {
    for (const code of ['invalid_rows', 'idempotency_key_reused'] as const)
      expect((await MET[code][1](answerable())).body.errors).toBeArray()
  })
})
