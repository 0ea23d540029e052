import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { stockedDatabase } from '../store/samples.ts'
import { DatabaseProxy } from '../support/database-proxy.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'
import type { Reply } from '../support/world.ts'
import { addAccount, handleAt, Replica } from './replica-scene.ts'

setDefaultTimeout(TEST_MS_MAX)

const TURNS = 25
const SECOND_MS = 1000
/**
 * An hour of positions, which are microseconds: a tick may be logged at any time, and no test waits
 * an hour.
 */
const HOUR_OF_POSITIONS = 3_600_000_000

let database: FreshDatabase
let key: string
const running: Replica[] = []

beforeEach(async () => {
  database = await stockedDatabase()
  const { keys } = await addAccount(database, { role: 'treasury' })
  key = keys[0]!
})
afterEach(async () => {
  for (const { service } of running.splice(0)) await service.stop()
  await database.close()
})

async function replica(proxy?: DatabaseProxy): Promise<Replica> {
  const started = await Replica.start(
    database,
    proxy ? { database: handleAt(database, proxy.port) } : {},
  )
  running.push(started)
  return started
}

const positionIn = ({ headers }: Reply): number => Number(headers.get('x-corridor-position'))
const startMs = Date.parse('2026-03-05T14:20:00Z')
const row = (rate: number, second = 0) => ({
  ...{ provider_id: 'retail-a', from: 'USD', to: 'KES', rate },
  effective_from: new Date(startMs + second * SECOND_MS).toISOString(),
})

/** Requests prices as of a position at least. */
const asked = (of: Replica, position: number | string) =>
  of.get(`/rates?from=USD&to=KES&min_position=${position}`, key)
const rateIn = ({ body }: Reply) => body.providers[0]?.rate

describe('min_position', () => {
  test('makes each replica respond with what was recorded on another, withdrawn rows too', async () => {
    const [first, second] = [await replica(), await replica()]
    for (let i = 1; i <= TURNS; i++) {
      const [here, there] = i % 2 ? [first, second] : [second, first]
      const posted = await here.post(row(100 + i, i), key)
      const position = positionIn(posted)
      expect(position).toBeGreaterThan(0)
      const own = await here.get('/rates?from=USD&to=KES', key)
      expect(rateIn(own)).toBe(100 + i)
      const answer = await asked(there, position)
      expect([answer.status, rateIn(answer)]).toEqual([200, 100 + i])
      expect(positionIn(answer)).toBeGreaterThanOrEqual(position)
    }
    const { body } = await first.post(row(200, TURNS + 1), key)
    const withdrawn = await first.withdraw([body.ids[0]], key)
    const answer = await asked(second, positionIn(withdrawn))
    expect(rateIn(answer)).toBe(100 + TURNS)
  })

  test('is returned by a retried batch and by a repeated withdrawal, and covers the rows of the first', async () => {
    const [first, second] = [await replica(), await replica()]
    const headers = { 'idempotency-key': 'once' }
    const posted = await first.post(row(101), key, headers)
    const again = await second.post(row(101), key, headers)
    expect(again.body.ids).toEqual(posted.body.ids)
    expect(positionIn(again)).toBeGreaterThanOrEqual(positionIn(posted))
    const withdrawn = await first.withdraw(posted.body.ids, key)
    const nothing = await second.withdraw(posted.body.ids, key)
    expect(nothing.body.withdrawn).toEqual([])
    expect(rateIn(await asked(second, positionIn(withdrawn)))).toBeUndefined()
  })

  test('returns 503 from a replica that is cut off from the database, until it has caught up', async () => {
    const first = await replica()
    const proxy = await DatabaseProxy.to(database.url)
    const second = await replica(proxy)
    const before = positionIn(await first.post(row(101), key))
    expect(rateIn(await asked(second, before))).toBe(101)
    proxy.isDropping = true
    proxy.cut()
    const position = positionIn(await first.post(row(102, 1), key))
    const behind = await asked(second, position)
    expect([behind.status, behind.body.code]).toEqual([503, 'replica_behind'])
    expect(behind.headers.get('retry-after')).toBe('1')
    expect(behind.body.position).toBeLessThan(position)
    expect(rateIn(await second.get('/rates?from=USD&to=KES', key))).toBe(101)
    expect((await asked(second, before)).status).toBe(200)
    proxy.isDropping = false
    await until('the row', async () => (await asked(second, position)).status === 200)
    expect(rateIn(await asked(second, position))).toBe(102)
    running.pop()
    await second.service.stop()
    proxy.close()
  })

  test('hides rows withdrawn meanwhile on a replica that received no notification', async () => {
    const first = await replica()
    const proxy = await DatabaseProxy.to(database.url)
    const second = await replica(proxy)
    expect(proxy.mute('listen "corridor_news"')).toBe(1)
    await first.post(row(101), key)
    const { body } = await first.post(row(102, 1), key)
    const withdrawn = await first.withdraw([body.ids[0]], key)
    expect(rateIn(await asked(second, positionIn(withdrawn)))).toBe(101)
    running.pop()
    await second.service.stop()
    proxy.close()
  })

  test('is waited for a second if it is in the future, and costs nothing', async () => {
    const first = await replica()
    const posted = await first.post(row(101), key)
    const left = async () =>
      (await first.get('/admin/usage', key)).headers.get('x-ratelimit-remaining')
    const before = await left()
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => asked(first, positionIn(posted) + HOUR_OF_POSITIONS)),
    )
    for (const { status, body } of replies)
      expect([status, body.code]).toEqual([503, 'replica_behind'])
    expect(await left()).toBe(before)
    expect((await first.post(row(102, 1), key)).status).toBe(201)
  })

  test.each(['abc', '-1', '1.5', '', '9'.repeat(16), '1&min_position=2'])(
    '400 for %p',
    async (text) => {
      const first = await replica()
      const { status, body } = await asked(first, text)
      expect([status, body.parameter]).toEqual([400, 'min_position'])
    },
  )
})
