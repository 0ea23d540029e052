import { describe, expect, test } from 'bun:test'
import { type Reply, World } from '../../support/world.ts'

const TO = { webhook: 'https://example.com/hook' }
const BODY = { corridor: 'USD/KES', when: { field: 'best', op: 'above', value: 130 }, to: TO }

const world = new World()
const free = () => world.key('free')
const made = (body: unknown, key = free()): Promise<Reply> =>
  world.send('POST', '/alerts', { key, body })

describe('POST /alerts', () => {
  test('returns 201 with the alert, its secret and the budget, at the cost of one unit', async () => {
    const key = free()
    const { status, body, headers } = await made(
      { ...BODY, corridor: 'usd / kes', name: ' a ' },
      key,
    )
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        name: 'a',
        corridor: 'USD/KES',
        source_country: null,
        target_country: null,
        amount: null,
        when: { field: 'best', op: 'above', value: 130, period: null },
        to: TO,
        once: false,
        status: 'active',
        reason: null,
        is_true: false,
        last_fired_at: null,
        created_at: '2026-03-05T14:25:30.500Z',
        secret: 'whsec_c2VjcmV0',
      },
    ])
    expect(headers.get('x-ratelimit-remaining')).toBe('49')
  })

  test('returns 201 with the countries of the prices, as codes in any case', async () => {
    const { status, body } = await made({ ...BODY, source_country: 'us', target_country: ' KE ' })
    expect([status, body.source_country, body.target_country]).toEqual([201, 'US', 'KE'])
  })

  test('returns 201 for every kind of condition, with periods in any notation', async () => {
    const whens = [
      [{ field: 'mid', op: 'moves_pct', value: 2, period: '1d' }, '24h'],
      [{ field: 'best', op: 'moves_pct', value: 2, period: 'P7D' }, '7d'],
      [{ field: 'stale', period: '90m' }, '90m'],
      [{ field: 'stale' }, null],
    ] as const
    for (const [when, period] of whens) {
      const { status, body } = await made({ ...BODY, when })
      expect([status, body.when.period]).toEqual([201, period])
    }
    const amount = { amount: 200, when: { field: 'total_pct', op: 'below', value: 3 } }
    expect((await made({ ...BODY, ...amount, to: { email: true } })).body).toMatchObject({
      amount: 200,
      to: { email: true },
      secret: null,
    })
  })

  test('returns 400 with the name of the field for anything else', async () => {
    const { when } = BODY
    const wrong: [body: unknown, code: string, parameter?: string][] = [
      ['{', 'malformed_body'],
      ['[]', 'malformed_body'],
      ['null', 'malformed_body'],
      [`${'['.repeat(30)}`, 'malformed_body'],
      [' '.repeat(8193), 'body_too_large'],
      [{}, 'missing_parameter', 'corridor'],
      [{ ...BODY, when: undefined }, 'missing_parameter', 'when'],
      [{ ...BODY, when: {} }, 'missing_parameter', 'when.field'],
      [{ ...BODY, to: undefined }, 'missing_parameter', 'to'],
      [{ ...BODY, corridor: 'GBPKES' }, 'invalid_parameter', 'corridor'],
      [{ ...BODY, corridor: 3 }, 'invalid_parameter', 'corridor'],
      [{ ...BODY, corridor: 'USD/XXX' }, 'unsupported_currency', 'to'],
      [{ ...BODY, corridor: 'USD/USD' }, 'same_currency'],
      [{ ...BODY, source_country: 'UK' }, 'invalid_parameter', 'source_country'],
      [{ ...BODY, target_country: 5 }, 'invalid_parameter', 'target_country'],
      [
        { ...BODY, target_country: 'KE', when: { ...when, field: 'mid' } },
        ...(['invalid_parameter', 'target_country'] as const),
      ],
      [{ ...BODY, amount: 200 }, 'invalid_parameter', 'amount'],
      [{ ...BODY, amount: '200' }, 'invalid_parameter', 'amount'],
      [{ ...BODY, amount: 2e15 }, 'invalid_parameter', 'amount'],
      [{ ...BODY, when: [] }, 'invalid_parameter', 'when'],
      [{ ...BODY, when: { ...when, field: 'rate' } }, 'invalid_parameter', 'when.field'],
      [{ ...BODY, when: { ...when, op: '>' } }, 'invalid_parameter', 'when.op'],
      [{ ...BODY, when: { ...when, op: undefined } }, 'invalid_parameter', 'when.op'],
      [{ ...BODY, when: { ...when, value: '130' } }, 'invalid_parameter', 'when.value'],
      [{ ...BODY, when: { ...when, value: -1 } }, 'invalid_parameter', 'when.value'],
      [{ ...BODY, when: { ...when, period: '1w' } }, 'invalid_parameter', 'when.period'],
      [{ ...BODY, when: { ...when, period: '24h' } }, 'invalid_parameter', 'when.period'],
      [{ ...BODY, to: {} }, 'invalid_parameter', 'to'],
      [{ ...BODY, to: { ...TO, email: true } }, 'invalid_parameter', 'to'],
      [{ ...BODY, to: { email: 'a@b.c' } }, 'invalid_parameter', 'to.email'],
      [{ ...BODY, to: { webhook: 5 } }, 'invalid_parameter', 'to.webhook'],
      [{ ...BODY, to: { webhook: 'http://a.example' } }, 'invalid_parameter', 'to.webhook'],
      [
        { ...BODY, to: { webhook: `https://a.example/${'a'.repeat(500)}` } },
        ...(['invalid_parameter', 'to.webhook'] as const),
      ],
      [{ ...BODY, name: 'a\nb' }, 'invalid_parameter', 'name'],
      [{ ...BODY, name: 'a\u2028b' }, 'invalid_parameter', 'name'],
      [{ ...BODY, name: '\u200b' }, 'invalid_parameter', 'name'],
      [{ ...BODY, name: 'a'.repeat(61) }, 'invalid_parameter', 'name'],
      [{ ...BODY, once: 1 }, 'invalid_parameter', 'once'],
      [{ ...BODY, onec: true }, 'invalid_parameter', 'onec'],
      [{ ...BODY, when: { ...when, perod: '24h' } }, 'invalid_parameter', 'when.perod'],
    ]
    const key = free()
    for (const [body, code, parameter] of wrong) {
      const reply = await made(body, key)
      const said = [reply.status, reply.body.code, reply.body.parameter]
      expect([body, ...said]).toEqual([body, 400, code, parameter])
    }
    const { body } = await made({ ...BODY, onec: true }, key)
    expect(body.error).toContain('did you mean once?')
    expect((await world.get('/alerts', key)).body.count).toBe(0)
  })

  test('returns 401 without a key, before the body is read', async () => {
    const reply = await world.send('POST', '/alerts', { body: '{' })
    expect([reply.status, reply.body.code]).toEqual([401, 'missing_key'])
  })
})

describe('the cost of alerts', () => {
  const left = async (key: string) =>
    (await world.get('/alerts', key)).headers.get('x-ratelimit-remaining')

  test('is a unit each to create, change and test one, and nothing to list, read or delete it', async () => {
    const key = free()
    const { body: alert } = await made(BODY, key)
    const path = `/alerts/${alert.id}`
    expect(await left(key)).toBe('49')
    await world.send('PATCH', path, { key, body: { name: 'b' } })
    expect(await left(key)).toBe('48')
    await world.send('POST', `${path}/test`, { key })
    expect(await left(key)).toBe('47')
    await world.get(path, key)
    await world.get(`${path}/deliveries`, key)
    await world.send('POST', `${path}/secret`, { key })
    await world.send('DELETE', path, { key })
    expect(await left(key)).toBe('47')
  })

  test('is nothing for a request that fails', async () => {
    const key = free()
    const failed = [
      await made({ ...BODY, amount: 5 }, key),
      await world.send('PATCH', '/alerts/x', { key, body: { name: 'b' } }),
      await world.send('POST', '/alerts/x/test', { key }),
    ]
    expect(failed.map(({ status }) => status)).toEqual([400, 404, 404])
    for (const { headers } of failed) expect(headers.get('x-ratelimit-remaining')).toBe('50')
  })

  test('returns 429 at the end of the budget, before the body is read, but deletes', async () => {
    const key = free()
    const { body: alert } = await made(BODY, key)
    for (let i = 1; i < 50; i++) await world.get('/providers', key)
    const path = `/alerts/${alert.id}`
    const refused = [
      await made('{', key),
      await made(BODY, key),
      await world.send('PATCH', path, { key, body: { when: { ...BODY.when, value: 131 } } }),
      await world.send('POST', `${path}/test`, { key }),
    ]
    for (const { status, body, headers } of refused)
      expect([status, body.code, headers.get('x-ratelimit-remaining')]).toEqual([
        ...[429, 'quota_exceeded', '0'],
      ])
    expect((await world.get(path, key)).body.when).toEqual({ ...BODY.when, period: null })
    expect((await world.send('DELETE', path, { key })).status).toBe(200)
  })
})

describe('the alerts of an account', () => {
  test('are listed, shown, changed and deleted only by its own keys', async () => {
    const { id: accountId, key } = world.account('pro')
    const { key: second } = world.addKey(accountId, 'second')
    const { body: alert } = await made(BODY, key)
    const { secret: _, ...shown } = alert
    const path = `/alerts/${alert.id}`
    expect((await world.get('/alerts', second)).body).toEqual({
      alerts: [shown],
      count: 1,
      timestamp: '2026-03-05T14:25:30.500Z',
    })
    expect((await world.get(path, second)).body).toEqual(shown)
    expect((await world.get(path, free())).status).toBe(404)
    const changed = await world.send('PATCH', path, { key: second, body: { status: 'paused' } })
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...shown, status: 'paused', secret: null },
    ])
    expect((await world.send('DELETE', path, { key: free() })).status).toBe(404)
    expect((await world.send('DELETE', path, { key: second })).body).toMatchObject({ id: alert.id })
    expect((await world.get(path, key)).body.code).toBe('unknown_alert')
  })

  test('are changed field by field, and not by an empty change', async () => {
    const key = free()
    const { body: alert } = await made(BODY, key)
    const path = `/alerts/${alert.id}`
    const change = (body: unknown) => world.send('PATCH', path, { key, body })
    const wrong = [
      {},
      { corridor: 'GBP/KES' },
      { source_country: 'GB' },
      { status: 'ended' },
      { amount: 5 },
      { stauts: 'a' },
    ]
    for (const body of wrong) expect([body, (await change(body)).status]).toEqual([body, 400])
    const when = { field: 'best_current_net', op: 'below', value: 3 }
    expect((await change({ when, amount: 5, once: true, name: 'b' })).body).toMatchObject({
      when,
      amount: 5,
      once: true,
      name: 'b',
    })
    expect((await change({ when: BODY.when, amount: null, name: null })).body).toMatchObject({
      ...BODY,
      amount: null,
      name: null,
    })
  })

  test('are tested and get new secrets, and report the result of the delivery', async () => {
    const key = free()
    const { body: alert } = await made(BODY, key)
    const path = `/alerts/${alert.id}`
    const sent = await world.send('POST', `${path}/test`, { key })
    expect([sent.status, sent.body]).toEqual([
      201,
      {
        id: expect.any(String),
        alert_id: alert.id,
        kind: 'test',
        status: 'waiting',
        tries: 0,
        created_at: '2026-03-05T14:25:30.500Z',
        next_at: '2026-03-05T14:25:30.500Z',
        done_at: null,
        last_status: null,
        last_error: null,
        last_reply: null,
        last_ms: null,
      },
    ])
    expect((await world.get(`${path}/deliveries`, key)).body).toMatchObject({
      deliveries: [sent.body],
      count: 1,
    })
    const rotated = await world.send('POST', `${path}/secret`, { key })
    expect([rotated.status, rotated.body.old_secret_ends_at]).toEqual([
      201,
      '2026-03-06T14:25:30.500Z',
    ])
  })

  test('returns 405 with the methods of each path', async () => {
    const asked = [
      ['PUT', '/alerts', 'GET, HEAD, POST'],
      ['POST', '/alerts/x', 'GET, HEAD, PATCH, DELETE'],
      ['GET', '/alerts/x/test', 'POST'],
    ] as const
    for (const [method, path, allow] of asked) {
      const { status, headers } = await world.send(method, path, { key: free() })
      expect([method, path, status, headers.get('allow')]).toEqual([method, path, 405, allow])
    }
  })
})
