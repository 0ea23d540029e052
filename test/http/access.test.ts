import { describe, expect, test } from 'bun:test'
import { newApiKey } from '~/domain/api-key.ts'
import { World } from '../support/world.ts'
import { answerable, FAILING, METERED, QUOTA_HEADERS } from './questions.ts'

const MIDNIGHT_SECONDS = Date.parse('2026-03-06T00:00:00Z') / 1000

const used = async (world: World, key: string): Promise<number> =>
  (await world.get('/admin/usage', key)).body.used

const valuesOf = (headers: Headers) => QUOTA_HEADERS.map((name) => headers.get(name))

describe('an error, which is written once for all callers', () => {
  test('429 has the time of each request and its own id', async () => {
    const world = answerable()
    const [free, other] = [world.key('free'), world.key('free')]
    for (const key of [free, other]) for (let i = 0; i < 50; i++) await world.get('/providers', key)
    const refused = async (key: string) => {
      const { status, body, headers } = await world.get('/providers', key)
      expect([status, body.reset]).toEqual([429, MIDNIGHT_SECONDS])
      const moment = [headers.get('retry-after'), headers.get('ratelimit')]
      return { moment, id: headers.get('x-request-id') }
    }
    const [first, second] = [await refused(free), await refused(other)]
    expect(first.moment).toEqual(['34470', '"day";r=0;t=34470'])
    expect(second.moment).toEqual(first.moment)
    world.clock.advance(1000)
    const later = await refused(free)
    expect(later.moment).toEqual(['34469', '"day";r=0;t=34469'])
    expect(new Set([first.id, second.id, later.id]).size).toBe(3)
  })

  test("returns 401 with each request's own id", async () => {
    const world = answerable()
    const replies = [await world.get('/providers', 'no key'), await world.get('/rates', 'no key')]
    expect(replies.map(({ status, body }) => [status, body.code])).toEqual([
      [401, 'invalid_key'],
      [401, 'invalid_key'],
    ])
    expect(new Set(replies.map(({ headers }) => headers.get('x-request-id'))).size).toBe(2)
  })
})

describe.each(METERED)('GET $path', ({ path, isTiered }) => {
  test('counts one unit and shows what is left of the budget', async () => {
    const world = answerable()
    const key = world.key('free')
    const { status, headers } = await world.get(path, key)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(valuesOf(headers)).toEqual([
      '50',
      '49',
      String(MIDNIGHT_SECONDS),
      '"day";r=49;t=34470',
      '"day";q=50;w=86400',
    ])
    expect(await used(world, key)).toBe(1)
  })

  test(`200 ${isTiered ? 'names' : 'does not name'} its tier in X-Data-Freshness`, async () => {
    const world = answerable()
    const tierAt = async (key: string) =>
      (await world.get(path, key)).headers.get('x-data-freshness')
    expect(await tierAt(world.key('free'))).toBe(isTiered ? 'hourly' : null)
    expect(await tierAt(world.key('pro'))).toBe(isTiered ? 'hourly' : null)
    expect(await tierAt(world.key('enterprise'))).toBe(isTiered ? 'realtime' : null)
  })

  test('returns 400 for a time, names the paths that serve the past, and costs nothing', async () => {
    const world = answerable()
    const key = world.key('free')
    const asked = `${path}${path.includes('?') ? '&' : '?'}`
    for (const [parameter, where] of [
      ['date', '/historical takes a date'],
      ['as_of', '/historical takes a date'],
      ['period', '/rates/history, /time-series and /change take a period'],
      ['start', '/time-series takes start and end'],
      ['end', '/time-series takes start and end'],
    ] as const) {
      const { status, body } = await world.get(`${asked}${parameter}=2025-12-25`, key)
      expect([status, body]).toEqual([
        400,
        {
          error: `${parameter} cannot be used: this serves only the present; ${where}`,
          code: 'invalid_parameter',
          parameter,
        },
      ])
    }
    expect((await world.get(`${asked}colour=red`, key)).status).toBe(200)
    expect(await used(world, key)).toBe(1)
  })

  test('returns 401 without a key, and no budget', async () => {
    const { status, body, headers } = await answerable().get(path)
    expect(status).toBe(401)
    expect(body).toEqual({ error: expect.stringContaining('X-API-Key'), code: 'missing_key' })
    expect(valuesOf(headers)).toEqual([null, null, null, null, null])
  })

  test('returns 429 at the limit, with the limit, the reset and how long to wait', async () => {
    const world = answerable()
    const key = world.key('free')
    for (let i = 0; i < 50; i++) expect((await world.get(path, key)).status).toBe(200)
    const { status, body, headers } = await world.get(path, key)
    expect(status).toBe(429)
    expect(body).toEqual({
      error: expect.stringContaining('50'),
      code: 'quota_exceeded',
      limit: 50,
      reset: MIDNIGHT_SECONDS,
    })
    expect(headers.get('retry-after')).toBe('34470')
    expect(headers.get('x-data-freshness')).toBeNull()
    expect(valuesOf(headers)).toEqual([
      '50',
      '0',
      String(MIDNIGHT_SECONDS),
      '"day";r=0;t=34470',
      '"day";q=50;w=86400',
    ])
  })

  test('returns 405 for POST-like methods, and spends nothing', async () => {
    const world = answerable()
    const key = world.key('free')
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expect((await world.get(path, key, { method })).status).toBe(405)
    expect(await used(world, key)).toBe(0)
  })

  test('HEAD responds as GET does, without a body, and counts one unit', async () => {
    const world = answerable()
    const key = world.key('free')
    const { text: got } = await world.get(path, key)
    const { status, text, headers } = await world.get(path, key, { method: 'HEAD' })
    expect(status).toBe(200)
    expect(text).toBe('')
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(got)))
    expect(headers.get('x-ratelimit-remaining')).toBe('48')
    expect(headers.get('x-data-freshness')).toBe(isTiered ? 'hourly' : null)
  })
})

describe.each(FAILING)('GET $path', ({ path, status }) => {
  test(`${status} gives the unit back and still shows what is left of the budget`, async () => {
    const world = answerable()
    const key = world.key('free')
    const reply = await world.get(path, key)
    expect(reply.status).toBe(status)
    expect(reply.headers.get('x-ratelimit-remaining')).toBe('50')
    expect(reply.headers.get('ratelimit')).toBe('"day";r=50;t=34470')
    expect(reply.headers.get('x-data-freshness')).toBeNull()
    expect(await used(world, key)).toBe(0)
  })

  test('401 comes before any other error', async () => {
    expect((await answerable().get(path)).status).toBe(401)
    expect((await answerable().get(path, 'crd_nonsense')).status).toBe(401)
  })

  test('429 comes before any other error', async () => {
    const world = answerable()
    const key = world.key('free')
    for (let i = 0; i < 50; i++) await world.get('/providers', key)
    expect((await world.get(path, key)).status).toBe(429)
  })
})

describe('the budget', () => {
  test.each([
    ['free', 50],
    ['pro', 250],
    ['enterprise', 1000],
  ] as const)(
    'returns 200 for request %s on plan number %i, and 429 for the next',
    async (plan, limit) => {
      const world = answerable()
      const key = world.key(plan)
      for (let i = 1; i < limit; i++) await world.get('/providers', key)
      const last = await world.get('/providers', key)
      expect([last.status, last.headers.get('x-ratelimit-remaining')]).toEqual([200, '0'])
      expect((await world.get('/providers', key)).status).toBe(429)
      expect((await world.get('/providers', key)).body.limit).toBe(limit)
    },
  )

  test('returns 503 and gives the unit back', async () => {
    const world = new World()
    const key = world.key('free')
    const { status, headers, body } = await world.get('/fetch-one?from=USD&to=KES', key)
    expect([status, body.code]).toEqual([503, 'mid_unavailable'])
    expect(headers.get('retry-after')).toBe('30')
    expect(headers.get('x-ratelimit-remaining')).toBe('50')
    expect(await used(world, key)).toBe(0)
  })

  test('returns 500, gives the unit back, reveals nothing and logs it', async () => {
    const world = answerable()
    const key = world.key('free')
    Object.defineProperty(world.memory.current.quotes, 'book', {
      value() {
        throw new Error('secret of /srv/corridor')
      },
    })
    const { status, headers, body } = await world.get('/rates?from=USD&to=KES', key)
    expect(status).toBe(500)
    expect(body).toEqual({ error: expect.stringContaining('retry'), code: 'internal_error' })
    expect(JSON.stringify(body)).not.toContain('secret')
    expect(headers.get('x-ratelimit-remaining')).toBe('50')
    expect(world.logged.map(({ level }) => level)).toEqual(['error'])
  })

  test('is one for all keys of an account', async () => {
    const world = answerable()
    const { id, key } = world.account('free')
    const { key: second } = world.addKey(id, 'second')
    for (let i = 0; i < 25; i++) {
      await world.get('/providers', key)
      await world.get('/providers', second)
    }
    expect((await world.get('/providers', key)).status).toBe(429)
    expect((await world.get('/providers', second)).status).toBe(429)
  })

  test('is not shared between accounts', async () => {
    const world = answerable()
    const [one, other] = [world.key('free'), world.key('free')]
    for (let i = 0; i < 51; i++) await world.get('/providers', one)
    const { status, headers } = await world.get('/providers', other)
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([200, '49'])
  })

  test('covers exactly 50 of 60 concurrent requests', async () => {
    const world = answerable()
    const key = world.key('free')
    const replies = await Promise.all(
      Array.from({ length: 60 }, () => world.get('/rates?from=USD&to=KES', key)),
    )
    const answered = replies.filter(({ status }) => status === 200)
    expect(answered).toHaveLength(50)
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(10)
    const left = answered.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i))
    expect(await used(world, key)).toBe(50)
  })

  test('is whole after 50 concurrent requests that fail', async () => {
    const world = answerable()
    const key = world.key('free')
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => world.get('/rates?from=USD', key)),
    )
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([400]))
    expect(await used(world, key)).toBe(0)
  })

  test('renews itself at UTC midnight, not one millisecond before', async () => {
    const world = answerable()
    const key = world.key('free')
    for (let i = 0; i < 50; i++) await world.get('/providers', key)
    world.clock.set('2026-03-05T23:59:59.999Z')
    const late = await world.get('/providers', key)
    expect([late.status, late.headers.get('retry-after')]).toEqual([429, '1'])
    expect(late.body.reset).toBe(MIDNIGHT_SECONDS)
    world.clock.advance(1)
    const { status, headers } = await world.get('/providers', key)
    expect(status).toBe(200)
    expect(headers.get('x-ratelimit-remaining')).toBe('49')
    expect(headers.get('x-ratelimit-reset')).toBe(String(MIDNIGHT_SECONDS + 86_400))
    expect(headers.get('ratelimit')).toBe('"day";r=49;t=86400')
  })

  test('follows a change of plan at once', async () => {
    const world = answerable()
    const { id, key } = world.account('free')
    for (let i = 0; i < 50; i++) await world.get('/providers', key)
    const account = { id, email: 'a@example.com', plan: 'pro', role: 'member' } as const
    world.memory.publish({ access: { accounts: [account], keys: [] } }, world.clock.now())
    const { status, headers } = await world.get('/providers', key)
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([200, '199'])
    const free = { ...account, plan: 'free' } as const
    world.memory.publish({ access: { accounts: [free], keys: [] } }, world.clock.now())
    const over = await world.get('/providers', key)
    expect([over.status, over.headers.get('x-ratelimit-remaining')]).toEqual([429, '0'])
  })
})

describe('the key', () => {
  const strange: [string, string][] = [
    ['empty', ''],
    ['blank', '   '],
    ['no key of ours', 'secret'],
    ['unknown', newApiKey((count) => new Uint8Array(count).fill(7))],
    ['10 kB long', 'k'.repeat(10_240)],
    ['not ASCII', 'crd_ÿÿÿ'],
  ]
  test.each(strange)('returns 401 when it is %s', async (_name, key) => {
    const { status, body } = await answerable().get('/providers', key)
    expect(status).toBe(401)
    expect(body).toEqual({ error: expect.any(String), code: expect.stringMatching(/_key$/) })
    expect(body.code).toBe(key.trim() === '' ? 'missing_key' : 'invalid_key')
  })

  test('returns 401 when one of its letters has another case', async () => {
    const world = answerable()
    const key = world.key()
    const letter = /[a-z](?=[^a-z]*$)/.exec(key)!
    const other = key.slice(0, letter.index) + letter[0].toUpperCase() + key.slice(letter.index + 1)
    expect((await world.get('/providers', other)).body.code).toBe('invalid_key')
  })

  test("returns 401 from the time of its revocation, while the account's other key keeps working", async () => {
    const world = answerable()
    const { id, keyId, key } = world.account('free')
    const sister = world.addKey(id, 'sister')
    expect((await world.get('/providers', key)).status).toBe(200)
    const [row] = world.memory.current.keys.keysOf(id).filter((own) => own.id === keyId)
    const revoked = { ...row!, revokedMs: world.clock.now() }
    world.memory.publish({ access: { accounts: [], keys: [revoked] } }, world.clock.now())
    const { status, body, headers } = await world.get('/providers', key)
    expect([status, body.code]).toEqual([401, 'revoked_key'])
    expect(headers.get('x-ratelimit-limit')).toBeNull()
    expect((await world.get('/providers', sister.key)).status).toBe(200)
  })

  test('returns 401 when it is in the query string instead of the header', async () => {
    const world = answerable()
    const { status, body } = await world.get(`/providers?X-API-Key=${world.key()}`)
    expect([status, body.code]).toEqual([401, 'missing_key'])
  })

  test('returns 200 with spaces around it, which HTTP removes', async () => {
    const world = answerable()
    expect((await world.get('/providers', ` ${world.key()}\t`)).status).toBe(200)
  })
})
