import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import type { Quote } from '~/domain/quote.ts'
import { ANYWHERE } from '~/memory/live/live.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { NOTIFICATION_CHANNEL } from '~/store/notification-channel.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createWithdrawalStore } from '~/store/recording/withdrawal-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { importReferences } from '~/store/transfer/reference-import.ts'
import { inArrays, NOW_MS, observation, otherHandle, stockedDatabase } from '../../store/samples.ts'
import { clockAt } from '../../support/clock.ts'
import { DatabaseProxy } from '../../support/database-proxy.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX, until } from '../../support/until.ts'
import { handleAt } from '../replica-scene.ts'
import { AT, LiveReplica } from './live-scene.ts'

setDefaultTimeout(TEST_MS_MAX)

const HOUR = hourStartMs(NOW_MS)
const STALE_AFTER_MS = 7 * DAY_MS

let database: FreshDatabase
let running: LiveReplica[] = []

beforeEach(async () => {
  database = await stockedDatabase()
})
afterEach(async () => {
  await Promise.all(running.map((replica) => replica.stop()))
  running = []
  await database.close()
})

async function replica(
  options: { at?: string; through?: DatabaseProxy; isWatched?: boolean } = {},
) {
  const { at = AT, through, isWatched = true } = options
  const handle = through ? handleAt(database, through.port) : otherHandle(database)
  const started = await LiveReplica.start(handle, { clock: clockAt(at), isWatched })
  running.push(started)
  return started
}

const caughtUp = () => Promise.all(running.map((one) => one.caughtUp()))
const kinds = (of: LiveReplica) => of.steps.map(({ kind }) => kind)
const rates = (quotes: readonly Quote[]) => quotes.map(({ rate }) => rate)
const references = (perUsd: string) =>
  createReferenceStore(database).append({
    source: 'feed',
    fetchedMs: NOW_MS,
    rates: [{ currency: 'KES', perUsd }],
  })

describe('Follower', () => {
  test('reports each commit to every process once, in one order, with its rows', async () => {
    const [first, second] = [await replica(), await replica()]
    second.core.live.watch(ANYWHERE)
    const work = Array.from({ length: 60 }, async (_, i) => {
      if (i % 20 === 7) await references(`${100 + i}`)
      else if (i % 20 === 13)
        await createCatalogueStore(database).apply({ currencies: [], providers: [] })
      else
        await running[i % 2]!.record(
          observation({ rate: `${100 + i}`, effectiveMs: NOW_MS - i }),
          observation({ to: i % 3 ? 'NGN' : 'KES', rate: `${i + 1}`, effectiveMs: NOW_MS - i }),
        )
    })
    await Promise.all(work)
    await caughtUp()
    expect(first.received).toEqual(second.received)
    expect(first.steps).toHaveLength(60)
    expect(first.steps.flatMap(({ quotes }) => quotes)).toHaveLength(108)
    expect(first.steps.flatMap(({ references }) => references)).toHaveLength(3)
    const positions = first.steps.map(({ position }) => position)
    expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b))
    expect([first.gaps, second.gaps]).toEqual([[], []])
  })

  test('adopts what is served while nothing is watched anywhere, and follows each commit from then on', async () => {
    const [first, second] = [
      await replica({ isWatched: false }),
      await replica({ isWatched: false }),
    ]
    const recorded = async () => {
      for (let i = 0; i < 20; i++) await second.record(observation({ effectiveMs: NOW_MS + i }))
      await caughtUp()
      return [first, second].map((of) => kinds(of).filter((kind) => kind === 'observations').length)
    }
    const [other, itself] = await recorded()
    expect(other).toBeLessThan(20)
    expect(itself).toBeLessThan(20)
    second.core.live.watch(ANYWHERE)
    await second.watchTime()
    await caughtUp()
    for (const { gaps } of running) expect(gaps).not.toEqual([])
    const gaps = first.gaps.length
    expect(await recorded()).toEqual([other! + 20, itself! + 20])
    expect(first.gaps).toHaveLength(gaps)
    expect(first.knownIds).toEqual(second.knownIds)
  })

  test('starts a process with everything known, and reports nothing from before', async () => {
    const first = await replica()
    const recording = (async () => {
      for (let i = 0; i < 40; i++) await first.record(observation({ effectiveMs: NOW_MS - i }))
    })()
    const second = await replica()
    const beginning = second.core.live.position
    await recording
    await caughtUp()
    const after = first.received.filter(({ position }) => position > beginning)
    expect(second.received.map(({ position }) => position)).toEqual(
      after.map(({ position }) => position),
    )
    expect(second.knownIds).toEqual(first.knownIds)
  })

  test('reports commits that were not announced to it after it reconnects, without a gap', async () => {
    const proxy = await DatabaseProxy.to(database.url)
    const [first, second] = [await replica(), await replica({ through: proxy })]
    expect(proxy.mute('listen "corridor_news"')).toBe(1)
    for (let i = 0; i < 5; i++) await first.record(observation({ rate: `${i + 1}` }))
    await first.caughtUp()
    expect(second.steps).toEqual([])
    const [pulse] = second.core.changes.jobs
    await pulse!.run()
    await pulse!.run()
    await caughtUp()
    expect(second.received).toEqual(first.received)
    expect(second.steps).toHaveLength(5)
    expect(second.gaps).toEqual([])
    proxy.close()
  })

  test('reports rows that were withdrawn before it read them, and then each withdrawal', async () => {
    const proxy = await DatabaseProxy.to(database.url)
    const [first, second] = [await replica(), await replica({ through: proxy })]
    expect(proxy.mute('listen "corridor_news"')).toBe(1)
    await first.record(observation({ rate: '1' }))
    await first.record(observation({ rate: '2', effectiveMs: NOW_MS + 1 }))
    const [low, high] = first.steps.flatMap(({ quotes }) => quotes)
    const store = createWithdrawalStore(first.database)
    for (const one of [high, low])
      await store.withdraw({ ids: [one!.id], reason: 'wrong', recorder: null, atMs: NOW_MS + 2 })
    await first.caughtUp()
    expect(second.steps).toEqual([])
    await second.core.follower.caughtUp()
    expect(second.received).toEqual(first.received)
    for (const { steps, knownIds } of running) {
      expect(steps.map(({ quotes, withdrawn }) => [quotes, withdrawn].map(rates))).toEqual([
        [[1], []],
        [[2], []],
        [[1], [2]],
        [[], [1]],
      ])
      expect(knownIds).toEqual([])
    }
    proxy.close()
  })

  test('continues without a gap after all its connections were cut', async () => {
    const proxy = await DatabaseProxy.to(database.url)
    const [first, second] = [await replica(), await replica({ through: proxy })]
    second.core.live.watch(ANYWHERE)
    for (let i = 0; i < 20; i++) {
      if (i % 7 === 3) proxy.cut()
      await first.record(observation({ rate: `${i + 1}` }))
    }
    await until('the end', async () => {
      await second.watchTime().catch(() => {})
      await first.caughtUp()
      return second.received.at(-1)?.position === first.received.at(-1)?.position
    })
    expect(second.received).toEqual(first.received)
    expect(second.steps.filter(({ kind }) => kind === 'observations')).toHaveLength(20)
    expect(second.gaps).toEqual([])
    proxy.close()
  })

  test('reports a gap if the log was pruned meanwhile', async () => {
    const first = await replica()
    await first.record(observation({ rate: '1' }))
    await first.caughtUp()
    await database.sql`delete from changes`
    const store = createObservationStore(database)
    await store.record({ observations: [observation({ rate: '2' })], idempotency: null })
    const second = await replica()
    await second.caughtUp()
    await database.sql`delete from changes`
    await database.sql`select log_change('tick', null, now())`
    await second.core.follower.caughtUp()
    expect(second.gaps).toEqual([second.core.live.position])
    expect(second.knownIds).toHaveLength(1)
  })

  test('reports a small import like a batch', async () => {
    const [first, second] = [await replica(), await replica()]
    const rows = [observation({ to: 'NGN' }), observation({ effectiveMs: NOW_MS - 30 * DAY_MS })]
    await importObservations({ database, rows: inArrays(rows) })
    await caughtUp()
    expect(first.steps.map(({ quotes }) => quotes.length)).toEqual([2])
    expect(first.received).toEqual(second.received)
  })

  test('reports an import of references like a fetch, and a big one as a gap', async () => {
    const [first, second] = [await replica(), await replica()]
    const day = (back: number) => ({
      fetchedMs: NOW_MS - back * MINUTE_MS,
      source: 'feed',
      currency: 'RWF',
      perUsd: `${1400 + (back % 100)}`,
    })
    const rows = (count: number, from: number) =>
      inArrays(Array.from({ length: count }, (_, i) => day(from + i)))
    await importReferences({ database, rows: rows(3, 5000) })
    await caughtUp()
    expect(first.steps.map(({ kind, references }) => [kind, references.length])).toEqual([
      ['references', 3],
    ])
    expect(first.received).toEqual(second.received)
    await importReferences({ database, rows: rows(10_000, 10_000) })
    await caughtUp()
    expect([first.gaps, first.steps.at(-1)?.references.length]).toEqual([[], 10_000])
    await importReferences({ database, rows: rows(10_001, 30_000) })
    await caughtUp()
    expect([first.gaps.length, second.gaps.length]).toEqual([1, 1])
  })

  test('reports a gap for a big import, in every process, and has its rows then', async () => {
    const [first, second] = [await replica(), await replica()]
    await first.record(observation({ rate: '1' }))
    const many = Array.from({ length: 1001 }, () => observation({ to: 'NGN' }))
    await importObservations({ database, rows: inArrays(many) })
    await first.record(observation({ rate: '2' }))
    await caughtUp()
    for (const one of running) {
      expect(one.gaps).toHaveLength(1)
      expect(one.core.live.current.quotes.book('USD', 'NGN')?.size).toBe(1)
    }
    expect(first.knownIds).toEqual(second.knownIds)
  })

  test('reports a gap for the commit of a version without the log', async () => {
    const first = await replica()
    const other = otherHandle(database)
    await other.sql.begin(async (tx) => {
      const [row] = await tx<{ id: string }[]>`
        with corridor as (
          insert into corridors (source, target) values ('USD', 'ZAR') returning id
        ), series as (
          insert into provider_corridors (provider_id, corridor_id)
          select 'retail-a', id from corridor returning id, corridor_id
        )
        insert into observations (effective_from, corridor_id, provider_corridor_id, rate_type, rate)
        select now(), corridor_id, id, 'retail', 12 from series returning id`
      const id = Number(row!.id)
      const news = { kind: 'observations', firstId: id, lastId: id, origin: 'an old version' }
      await tx`select pg_notify(${NOTIFICATION_CHANNEL}, ${JSON.stringify(news)})`
    })
    await until('the gap', async () => first.gaps.length === 1)
    expect(first.core.live.current.quotes.book('USD', 'ZAR')?.size).toBe(1)
    await other.close()
  })

  test('reports nothing for a change of the past alone', async () => {
    const first = await replica()
    const news = { kind: 'observations', position: null, origin: 'another' }
    await database.sql`select pg_notify(${NOTIFICATION_CHANNEL}, ${JSON.stringify(news)})`
    await first.record(observation())
    await caughtUp()
    expect([first.gaps, kinds(first)]).toEqual([[], ['observations']])
  })

  test('finds with a recheck what was not announced, and reports a gap', async () => {
    const first = await replica()
    await createObservationStore(database).record({
      observations: [observation()],
      idempotency: null,
    })
    await first.caughtUp()
    await first.core.follower.check()
    expect(first.gaps).toEqual([])
    await database.sql`insert into observations
      (effective_from, corridor_id, provider_corridor_id, rate_type, rate)
      select effective_from + interval '1 second', corridor_id, provider_corridor_id, rate_type, 7
      from observations`
    await first.core.follower.check()
    expect(first.gaps).toHaveLength(1)
    const book = first.core.live.current.quotes.book('USD', 'KES')!
    expect([...book.allQuotes()].map(({ rate }) => rate)).toEqual([7])
  })
})

describe('the hour of the log', () => {
  test('is opened at one position for all processes, once', async () => {
    const [first, second] = [await replica(), await replica()]
    await Promise.all(running.map((one) => one.watchTime()))
    await caughtUp()
    await second.record(observation())
    for (const { clock } of running) clock.set('2026-03-05T15:00:00.100Z')
    await Promise.all(running.map((one) => one.watchTime()))
    await first.record(observation())
    await caughtUp()
    await Promise.all(running.map((one) => one.watchTime()))
    await caughtUp()
    expect(first.received).toEqual(second.received)
    const hours = first.steps.filter(({ kind }) => kind === 'hour').map(({ hour }) => hour)
    expect(hours).toEqual([
      { ms: HOUR, previousMs: null },
      { ms: HOUR + HOUR_MS, previousMs: HOUR },
    ])
  })

  test('of a clock that is far ahead is ignored, and opened when it comes', async () => {
    const [first, ahead] = [await replica(), await replica({ at: '2026-03-06T03:10:00Z' })]
    await first.watchTime()
    await caughtUp()
    await ahead.watchTime()
    await caughtUp()
    await ahead.record(observation())
    await caughtUp()
    const hoursOf = (of: LiveReplica) => of.steps.flatMap(({ hour }) => hour?.ms ?? [])
    expect(hoursOf(first)).toEqual([HOUR])
    const last = first.steps.at(-1)!
    expect([last.kind, last.committedMs]).toEqual(['observations', first.clock.now()])
    first.clock.set('2026-03-05T15:00:00Z')
    await first.watchTime()
    await caughtUp()
    expect(hoursOf(first)).toEqual([HOUR, HOUR + HOUR_MS])
    expect(hoursOf(ahead)).not.toContain(HOUR + HOUR_MS)
    expect(first.gaps).toEqual([])
  })

  test('starts over if the clock was set back, and continues from there', async () => {
    const first = await replica({ at: '2026-03-06T03:10:00Z' })
    await first.watchTime()
    await caughtUp()
    first.clock.set(AT)
    await first.watchTime()
    expect(first.gaps).toHaveLength(1)
    expect(first.core.live.atMs).toBe(NOW_MS)
    await first.watchTime()
    await caughtUp()
    const opened = first.steps.findLast(({ kind }) => kind === 'hour')!
    expect(opened.hour).toEqual({ ms: HOUR, previousMs: null })
  })

  test('starts over if hours are missing', async () => {
    const first = await replica()
    await first.watchTime()
    await caughtUp()
    first.clock.advance(3 * HOUR_MS)
    await first.watchTime()
    await caughtUp()
    expect(first.gaps).toHaveLength(1)
    expect(first.core.live.hourMs).toBe(HOUR + 3 * HOUR_MS)
    first.clock.advance(HOUR_MS)
    await first.watchTime()
    await caughtUp()
    const { hour } = first.steps.findLast(({ kind }) => kind === 'hour')!
    expect(hour).toEqual({ ms: HOUR + 4 * HOUR_MS, previousMs: HOUR + 3 * HOUR_MS })
  })
})

describe('a tick', () => {
  const staleSoon = observation({ effectiveMs: NOW_MS - STALE_AFTER_MS + 5000 })

  test('is logged when time changes a watched value, and received by all', async () => {
    const [first, second] = [await replica(), await replica()]
    await Promise.all(running.map((one) => one.watchTime()))
    await first.record(staleSoon)
    await caughtUp()
    const end = first.core.live.watch({ from: 'USD', to: 'KES' })
    await first.watchTime()
    for (const { clock } of running) clock.advance(6000)
    await second.watchTime()
    await caughtUp()
    expect(kinds(second)).toEqual(['hour', 'tick', 'observations'])
    await first.watchTime()
    await first.watchTime()
    await caughtUp()
    await first.watchTime()
    await caughtUp()
    expect(kinds(second)).toEqual(['hour', 'tick', 'observations', 'tick'])
    expect(second.steps.at(-1)).toMatchObject({ beforeMs: NOW_MS, atMs: NOW_MS + 6000 })
    expect(first.received).toEqual(second.received)
    end()
  })

  test('is logged for a watch of all corridors, and for a mid that grows too old', async () => {
    const first = await replica()
    await first.watchTime()
    await createReferenceStore(database).append({
      source: 'feed',
      fetchedMs: NOW_MS - 3 * DAY_MS + 5000,
      rates: ['KES', 'ZAR'].map((currency) => ({ currency, perUsd: '100' })),
    })
    await first.record(staleSoon)
    await caughtUp()
    const end = first.core.live.watch({ from: 'KES', to: 'ZAR' })
    first.clock.advance(6000)
    await first.watchTime()
    await caughtUp()
    expect(kinds(first).filter((kind) => kind === 'tick')).toHaveLength(2)
    end()
    first.core.live.watch(ANYWHERE)
    await first.record(observation({ effectiveMs: NOW_MS - STALE_AFTER_MS + 8000 }))
    await caughtUp()
    first.clock.advance(5000)
    await first.watchTime()
    await caughtUp()
    expect(kinds(first).filter((kind) => kind === 'tick')).toHaveLength(3)
  })

  test('comes each minute while something is watched, in any process', async () => {
    const [first, second] = [
      await replica({ isWatched: false }),
      await replica({ isWatched: false }),
    ]
    const ticksOf = async (minutes: number) => {
      const before = first.steps.length
      for (let minute = 0; minute < minutes; minute++) {
        for (const { clock } of running) clock.advance(MINUTE_MS)
        await Promise.all(running.map((one) => one.watchTime()))
        await caughtUp()
      }
      return first.steps.slice(before).filter(({ kind }) => kind === 'tick').length
    }
    expect(await ticksOf(3)).toBe(0)
    const end = second.core.live.watch({ from: 'USD', to: 'KES' })
    expect(await ticksOf(3)).toBe(3)
    end()
    expect(await ticksOf(3)).toBe(0)
    expect(first.received).toEqual(second.received)
  })

  test('is the time at which a process starts', async () => {
    const first = await replica()
    first.core.live.watch(ANYWHERE)
    first.clock.advance(MINUTE_MS)
    await first.watchTime()
    await caughtUp()
    const second = await replica({ at: new Date(NOW_MS + MINUTE_MS + 900).toISOString() })
    expect(second.core.live.atMs).toBe(NOW_MS + MINUTE_MS)
    expect(second.core.live.hourMs).toBe(HOUR)
  })
})
