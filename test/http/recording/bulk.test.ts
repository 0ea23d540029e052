import { describe, expect, test } from 'bun:test'
import { API, replyOf, World } from '../../support/world.ts'
import { FIRST_ID, MemoryStore } from '../memory-store.ts'

const ROW = { provider_id: 'retail-a', rate: 129.5, from: 'USD', to: 'KES' }
const CSV = { 'content-type': 'text/csv' }
const HEADER = 'provider_id;from;to;rate;effective_from\n'

function open() {
  const store = new MemoryStore()
  const world = new World({ store })
  const key = world.key('enterprise', 'treasury')
  const bulk = (body: unknown, query = '', headers: Record<string, string> = {}) =>
    world.post(body, key, headers, `/rates/bulk${query}`)
  return { store, world, key, bulk }
}

describe('POST /rates/bulk', () => {
  test('returns 200 for 10,000 rows with their ids in order, and 400 for 10,001 and for none', async () => {
    const { store, bulk } = open()
    const rows = Array(10_000).fill(ROW)
    const { status, body } = await bulk(rows)
    expect([status, body.inserted, body.ids.length]).toEqual([200, 10_000, 10_000])
    expect([body.ids[0], body.ids[9_999]]).toEqual([FIRST_ID, FIRST_ID + 9_999])
    for (const [batch, error] of [
      [[...rows, ROW], '10,001 rows are too many; send at most 10,000'],
      [[], 'send 1 to 10,000 rows'],
    ]) {
      const refusal = await bulk(batch)
      expect([refusal.status, refusal.body.code]).toEqual([400, 'malformed_body'])
      expect(refusal.body.error).toContain(error)
    }
    expect(store.recorded).toHaveLength(10_000)
  })

  test('returns 200 for a body of exactly 8 MiB, 400 for one byte more', async () => {
    const { store, bulk } = open()
    const body = JSON.stringify([ROW]).padEnd(8 * 1_048_576)
    expect((await bulk(body)).status).toBe(200)
    const { status, body: refusal } = await bulk(`${body} `)
    expect([status, refusal.code]).toEqual([400, 'body_too_large'])
    expect(store.recorded).toHaveLength(1)
  })

  test('returns 403 for a member, 401 without a key', async () => {
    const { world } = open()
    const asked = (key?: string) => world.post([ROW], key, {}, '/rates/bulk')
    expect((await asked(world.key('enterprise', 'member'))).status).toBe(403)
    expect((await asked()).status).toBe(401)
  })

  test('returns 422 with the first 100 errors and their number, and records nothing', async () => {
    const { store, bulk } = open()
    const rows = Array.from({ length: 1_200 }, (_, i) => (i < 700 ? ROW : { ...ROW, rate: -1 }))
    const { status, body } = await bulk(rows)
    expect([status, body.code, body.error_count]).toEqual([422, 'invalid_rows', 500])
    expect(body.errors.map(({ index }: { index: number }) => index)).toEqual(
      Array.from({ length: 100 }, (_, i) => 700 + i),
    )
    expect(store.recorded).toEqual([])
  })

  test('lists up to 100 warnings, with their number', async () => {
    const { bulk } = open()
    const { body } = await bulk(Array(150).fill({ ...ROW, colour: 'red' }))
    expect([body.inserted, body.warnings.length, body.warning_count]).toEqual([150, 100, 150])
  })

  test('checks every row in a dry run and records nothing, however often', async () => {
    const { store, bulk } = open()
    const headers = { 'idempotency-key': 'k' }
    for (const _ of [1, 2]) {
      const { status, body } = await bulk([ROW, ROW], '?dry_run=true', headers)
      expect([status, body]).toEqual([200, { inserted: 0, would_insert: 2 }])
    }
    const { status, body } = await bulk([ROW, { ...ROW, to: 'USD' }], '?dry_run=true')
    expect([status, body.error_count, body.errors[0].index]).toEqual([422, 1, 1])
    expect(store.recorded).toEqual([])
  })

  test('reads a table with decimal commas and local times by its parameters', async () => {
    const { store, bulk } = open()
    const table = `${HEADER}retail-a;USD;KES;1.284,50;03/03/2026 09:00\n`
    const query = '?decimal=,&dates=dd/MM/yyyy&time_zone=Africa/Nairobi'
    expect((await bulk(table, query, CSV)).status).toBe(200)
    const [row] = store.recorded
    expect([row!.rate, new Date(row!.effectiveMs).toISOString()]).toEqual([
      '1284.50',
      '2026-03-03T06:00:00.000Z',
    ])
  })

  test.each([
    ['1284,5', '2026-03-03T09:00:00Z', 'rate', 'the parameter decimal=,'],
    ['129.5', '03/04/2026', 'could be two dates', 'the parameter dates=dd/MM/yyyy'],
    ['129.5', '2026-03-03', 'has no time zone', 'the parameter time_zone=Africa/Lagos'],
    ['129.5', '2026-03-03 09:00', 'has no time zone', 'the parameter time_zone=Africa/Lagos'],
  ])('returns 422 for %s at %s, which names the parameter', async (rate, at, what, parameter) => {
    const { store, world, key, bulk } = open()
    const table = `${HEADER}retail-a;USD;KES;${rate};${at}\n`
    for (const [reply, where] of [
      [await bulk(table, '', CSV), ''],
      [await world.post(table, key, CSV), ' of /rates/bulk'],
    ] as const) {
      expect([reply.status, reply.body.errors.length]).toEqual([422, 1])
      expect(reply.body.errors[0].error).toContain(what)
      expect(reply.body.errors[0].error).toContain(parameter + where)
    }
    expect(store.recorded).toEqual([])
  })

  test('returns 400 for a workbook that is sent as a CSV, and for a column that appears twice', async () => {
    const { world, key, bulk } = open()
    for (const start of ['504b030414000000', 'd0cf11e0a1b11ae1']) {
      const request = new Request(`${API}/rates/bulk`, {
        method: 'POST',
        headers: { 'x-api-key': key, ...CSV },
        body: new Blob([Buffer.from(start, 'hex')]),
      })
      const { status, body } = await replyOf(await world.app.handle(request))
      expect([status, body.code]).toEqual([400, 'malformed_body'])
      expect(body.error).toContain('save its sheet as CSV')
    }
    const twice = await bulk('provider_id,from,to,rate,rate\n', '', CSV)
    expect([twice.status, twice.body.error]).toEqual([
      400,
      expect.stringContaining('names "rate" twice'),
    ])
  })

  test.each([
    ['?time_zone=Mars/Olympus', CSV, 'time_zone'],
    ['?decimal=x', CSV, 'decimal'],
    ['?dry_run=yes', {}, 'dry_run'],
    ['?decimal=,', {}, 'decimal'],
  ])('returns 400 for %s', async (query, headers, parameter) => {
    const { bulk } = open()
    const { status, body } = await bulk([ROW], query, headers as Record<string, string>)
    expect([status, body.parameter]).toEqual([400, parameter])
  })
})
