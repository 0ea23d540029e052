import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { HOUR_MS } from '~/domain/duration.ts'
import { stockedDatabase } from '../store/samples.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { expectSame, type Given, historyOf, iso, type Moment } from './known-law.ts'
import { KnownWorld } from './known-world.ts'

/** The number of histories and of their events; many more by the environment. */
const MANY = process.env.KNOWN_HISTORIES
const HISTORIES = Number(MANY ?? 3)
/** The number of histories that run concurrently, each in a database of its own. */
const LANES = Number(process.env.KNOWN_LANES ?? 1)
const EVENTS = Number(process.env.KNOWN_EVENTS ?? 50)
/** The seed of the first lane's histories, to repeat those of an earlier run. */
const SEED = process.env.KNOWN_SEED
const HISTORY_MS_MAX = 60_000
/** The number of requests about earlier knowledge that are sent at once. */
const AT_ONCE = 2
/** Number of histories after which an empty database is used. */
const HISTORIES_A_DATABASE = 25

const NONE = { histories: 0, answers: 0, equal: 0, overdue: 0 }

/** Runs histories one after the other, and adds to the counts. */
async function hold(runs: { seed?: number; numRuns: number }, count: typeof NONE) {
  let database: FreshDatabase | null = null
  let world: KnownWorld
  let histories = 0
  const lived = async (moments: readonly Moment[]) => {
    if (histories++ % HISTORIES_A_DATABASE === 0 || world.isOverdue) {
      await database?.close()
      database = await stockedDatabase()
      world = await KnownWorld.start(database)
      await world.neverLate()
    }
    const given: Given[] = []
    for (const { event: happens, questions } of moments) {
      await world.advance(1)
      await happens(world)
      for (const ask of questions) {
        const path = ask(world.nowMs)
        given.push({ path, atMs: world.nowMs, reply: await world.world.get(path) })
      }
    }
    if (world.isOverdue) {
      count.overdue += 1
      return
    }
    await world.advance(HOUR_MS)
    const compare = async (one: Given) => {
      const then = await world.world.get(`${one.path}&known_at=${iso(one.atMs)}`)
      count.answers += 1
      if (one.reply.status === 503) return
      expectSame(one, then)
      count.equal += 1
    }
    for (let at = 0; at < given.length; at += AT_ONCE)
      await Promise.all(given.slice(at, at + AT_ONCE).map(compare))
    count.histories += 1
    if (MANY && count.histories % 20 === 0) console.log(new Date().toISOString(), count)
  }
  await fc.assert(fc.asyncProperty(historyOf(EVENTS), lived), { endOnFailure: true, ...runs })
  await database!.close()
}

describe('known_at', () => {
  test(
    'gives the response of its time, whatever was recorded, restated, withdrawn or changed since',
    async () => {
      const count = { ...NONE }
      const numRuns = HISTORIES / LANES
      const lanes = Array.from({ length: LANES }, (_, lane) =>
        hold({ numRuns, ...(SEED && { seed: Number(SEED) + lane }) }, count),
      )
      await Promise.all(lanes)
      if (MANY) console.log(count)
      expect(count.histories + count.overdue).toBe(HISTORIES)
      expect(count.answers).toBeGreaterThan(Math.max(1, count.histories) * EVENTS - 1)
    },
    HISTORIES * HISTORY_MS_MAX,
  )
})
