import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import { dayOf } from '~/domain/quota.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { observation, stockedDatabase } from '../store/samples.ts'
import { clockAt, type HandClock } from '../support/clock.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'
import type { Reply } from '../support/world.ts'
import { addAccount, Replica } from './replica-scene.ts'

setDefaultTimeout(TEST_MS_MAX)

const NOON_MS = Date.parse('2026-03-05T12:00:00.000Z')
const STEP_MS = 7
const CLIENTS = 3

let database: FreshDatabase
let clock: HandClock
let replicas: Replica[]

beforeEach(async () => {
  database = await stockedDatabase()
})
afterEach(async () => {
  for (const { service } of replicas) await service.stop()
  await database.close()
})

async function start(at: number, settings: Record<string, string> = {}): Promise<void> {
  clock = clockAt(new Date(at).toISOString())
  replicas = []
  for (let i = 0; i < 2; i++) replicas.push(await Replica.start(database, { clock, settings }))
}

/**
 * Responses of both replicas while the clock advances in small steps: each of them also before the
 * first step and after the last.
 */
async function asked(steps: number, ask: (replica: Replica) => Promise<Reply>): Promise<Reply[]> {
  const replies: Reply[] = []
  let isOver = false
  const counts: number[] = Array(CLIENTS * 2).fill(0)
  const clients = counts.map(async (_, i) => {
    while (!isOver) {
      replies.push(await ask(replicas[i % 2]!))
      counts[i]!++
    }
  })
  const answered = (further: number) => {
    const wanted = counts.map((count) => count + further)
    return until('answers to every client', async () => counts.every((n, i) => n >= wanted[i]!))
  }
  await answered(1)
  for (let step = 0; step < steps; step++) {
    clock.advance(STEP_MS)
    await Bun.sleep(2)
  }
  // the first of these may have been requested before
  await answered(2)
  isOver = true
  await Promise.all(clients)
  return replies
}

describe('the turn of an hour, under load', () => {
  test('every hourly response shows the top of its own hour, on each replica', async () => {
    const { keys } = await addAccount(database, { plan: 'pro' })
    const rates = [101, 102, 103, 104]
    const observations = rates.map((rate, i) =>
      observation({ rate: String(rate), effectiveMs: NOON_MS - (2 - i) * (HOUR_MS / 2) }),
    )
    await createObservationStore(database).record({ observations, idempotency: null })
    await start(NOON_MS - 500, { QUOTA_PRO: '1000000' })
    const replies = await asked(200, (replica) => replica.get('/rates?from=USD&to=KES', keys[0]!))
    const hours = new Set<number>()
    for (const { status, body } of replies) {
      expect([status, body.data_freshness]).toEqual([200, 'hourly'])
      const hourMs = hourStartMs(Date.parse(body.timestamp))
      expect(Date.parse(body.as_of)).toBe(hourMs)
      expect(body.providers[0].rate).toBe(hourMs === NOON_MS ? 103 : 101)
      hours.add(hourMs)
    }
    expect([...hours]).toEqual([NOON_MS - HOUR_MS, NOON_MS])
  })
})

describe('the turn of a day, under load', () => {
  test('each day has its own budget, and no unit is lost or counted on the other day', async () => {
    const midnightMs = NOON_MS + DAY_MS / 2
    const { id, keys } = await addAccount(database, { plan: 'pro' })
    await start(midnightMs - 500, { QUOTA_PRO: '1000000' })
    const replies = await asked(200, (replica) => replica.get('/rates?from=USD&to=KES', keys[0]!))
    const served = new Map<number, number>()
    for (const { status, headers, body } of replies) {
      expect(status).toBe(200)
      const day = dayOf(Date.parse(body.timestamp))
      served.set(day, (served.get(day) ?? 0) + 1)
      expect(Number(headers.get('x-ratelimit-reset'))).toBe(((day + 1) * DAY_MS) / 1000)
      expect(Number(headers.get('x-ratelimit-remaining'))).toBeLessThan(1_000_000)
    }
    const [today, yesterday] = [dayOf(midnightMs), dayOf(midnightMs) - 1]
    expect([...served.keys()]).toEqual([yesterday, today])
    await until('every unit in the database', async () => {
      const rows = await database.sql<{ day: number; requests: number }[]>`
        select day - date '1970-01-01' as day, requests from usage where account_id = ${id}`
      const written = new Map(rows.map(({ day, requests }) => [day, requests]))
      return [...served].every(([day, units]) => written.get(day) === units)
    })
    await until('the same count on each replica', async () => {
      const replies = replicas.map((replica) => replica.get('/admin/usage', keys[0]!))
      return (await Promise.all(replies)).every(({ body }) => body.used === served.get(today))
    })
  })

  test('429 is returned until midnight and 200 from then on, on each replica', async () => {
    const midnightMs = NOON_MS + DAY_MS / 2
    const { keys } = await addAccount(database, { plan: 'free' })
    await start(midnightMs - 1, { QUOTA_FREE: '5' })
    const get = (replica: Replica) => replica.get('/providers', keys[0]!)
    for (let i = 0; i < 5; i++) expect((await get(replicas[0]!)).status).toBe(200)
    const refusal = await get(replicas[0]!)
    expect([refusal.status, refusal.headers.get('retry-after')]).toEqual([429, '1'])
    await until('the same on the other', async () => {
      const { body } = await replicas[1]!.get('/admin/usage', keys[0]!)
      return body.used === 5
    })
    expect((await get(replicas[1]!)).status).toBe(429)
    clock.advance(1)
    for (const replica of replicas) expect((await get(replica)).status).toBe(200)
  })

  test('a clock that is set back finds the budget of that day unchanged', async () => {
    const { keys } = await addAccount(database, { plan: 'free' })
    await start(NOON_MS, { QUOTA_FREE: '5' })
    const [replica] = replicas as [Replica]
    for (let i = 0; i < 5; i++) expect((await replica.get('/providers', keys[0]!)).status).toBe(200)
    clock.advance(DAY_MS)
    expect((await replica.get('/providers', keys[0]!)).status).toBe(200)
    clock.advance(-DAY_MS)
    expect((await replica.get('/providers', keys[0]!)).status).toBe(429)
  })
})
