import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createReferenceStore } from '~/store/reference-store.ts'
import { stockedDatabase } from '../store/samples.ts'
import { PastWorld, type Tier } from '../support/past-world.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'

const NOW = '2026-03-05T14:25:30.500Z'

let database: FreshDatabase
let world: PastWorld

beforeAll(async () => {
  database = await stockedDatabase()
  world = await new PastWorld(database, { at: NOW }).start()
  await fix('2026-03-03T05:00:00Z', { KES: '130', GBP: '0.8' })
  await fix('2026-03-04T23:59:59.999Z', { KES: '131' })
  await say('retail-a', 128, '2026-03-03T10:00:00Z')
  await say('p2p-a', 129, '2026-03-03T23:59:59.999Z')
  await say('official-a', 140, '2026-03-03T11:00:00Z')
  await say('official-a', 141, '2026-03-04T11:00:00Z')
  await say('retail-a', 127, '2026-03-05T14:00:00Z')
  await say('retail-a', 130, '2026-03-05T14:10:00Z')
}, TEST_MS_MAX)
afterAll(() => database.close())

async function fix(at: string, perUsd: Record<string, string>) {
  const rates = Object.entries(perUsd).map(([currency, rate]) => ({ currency, perUsd: rate }))
  const snapshot = { source: 'feed', fetchedMs: Date.parse(at), rates }
  const references = await createReferenceStore(database).append(snapshot)
  world.memory.publish({ references }, world.clock.now())
}

const say = (provider_id: string, rate: number, effective_from: string) =>
  world.post([{ provider_id, rate, from: 'USD', to: 'KES', effective_from }])

const series = (question: string, tier: Tier = 'realtime') =>
  world.get(`/time-series?${question.includes('from=') ? '' : 'from=USD&to=KES&'}${question}`, tier)

const EARLY = '2026-03-03T05:00:00.000Z'
const LATE = '2026-03-04T23:59:59.999Z'
const WEEK = 'start=2026-03-02T12:00:00Z'

describe('GET /time-series', () => {
  test('returns 200 with every field, whole days, the last mid and the best executable rate', async () => {
    const { status, body } = await series(WEEK)
    expect(status).toBe(200)
    expect(body).toEqual({
      corridor: 'USD/KES',
      interval: 'P1D',
      start: '2026-03-02T00:00:00.000Z',
      end: '2026-03-06T00:00:00.000Z',
      tracked_corridor: true,
      data: [
        { t: '2026-03-02T00:00:00.000Z', mid: null, mid_at: null, best: null, samples: 0 },
        { t: '2026-03-03T00:00:00.000Z', mid: 130, mid_at: EARLY, best: 129, samples: 3 },
        { t: '2026-03-04T00:00:00.000Z', mid: 131, mid_at: LATE, best: null, samples: 1 },
        { t: '2026-03-05T00:00:00.000Z', mid: 131, mid_at: LATE, best: 130, samples: 2 },
      ],
      count: 4,
      timestamp: NOW,
      data_freshness: 'realtime',
    })
  })

  test('counts up to and including its cutoff in the last bucket at the hourly tier', async () => {
    const { body } = await series(WEEK, 'hourly')
    const last = { t: '2026-03-05T00:00:00.000Z', mid: 131, mid_at: LATE, best: 127, samples: 1 }
    expect(body.data.at(-1)).toEqual(last)
    expect(body).toMatchObject({ data_freshness: 'hourly', as_of: '2026-03-05T14:00:00.000Z' })
    const hours = await series('start=2026-03-05T13:30:00Z&interval=PT1H', 'hourly')
    expect(hours.body.data).toEqual([
      { t: '2026-03-05T13:00:00.000Z', mid: 131, mid_at: LATE, best: null, samples: 0 },
      { t: '2026-03-05T14:00:00.000Z', mid: 131, mid_at: LATE, best: 127, samples: 1 },
    ])
  })

  test('counts at the top of the hour the prices from that very millisecond', async () => {
    const beforeMs = Date.parse(NOW) - Date.parse('2026-03-05T14:00:00Z')
    world.clock.advance(-beforeMs)
    const { body } = await series('interval=PT1H', 'hourly')
    world.clock.advance(beforeMs)
    expect(body.end).toBe('2026-03-05T15:00:00.000Z')
    const last = { t: '2026-03-05T14:00:00.000Z', mid: 131, mid_at: LATE, best: 127, samples: 1 }
    expect(body.data.at(-1)).toEqual(last)
  })

  test('crosses legs that were fetched at different times', async () => {
    const { body } = await series('from=GBP&to=KES&start=2026-03-02T00:00:00Z')
    const mids = body.data.map(({ mid }: { mid: number | null }) => mid)
    expect(mids).toEqual([null, 162.5, 163.75, 163.75])
    const times = body.data.map((point: { mid_at: string | null }) => point.mid_at)
    expect(times).toEqual([null, EARLY, EARLY, EARLY])
  })

  test('notes that a pair without quotes has only mids', async () => {
    const { body } = await series('from=GBP&to=KES&start=2026-03-04T00:00:00Z')
    expect(body.tracked_corridor).toBe(false)
    expect(body.note).toContain('No provider')
    expect(body.data.every(({ samples }: { samples: number }) => samples === 0)).toBe(true)
  })

  test.each([
    ['P1D', 366, '2025-03-05T00:00:00.000Z', '2025-03-04T14:25:30.499Z'],
    ['PT1H', 168, '2026-02-26T15:00:00.000Z', '2026-02-26T14:25:30.499Z'],
  ])(
    'keeps at %s the newest %i buckets, with a note if more were requested',
    async (interval, most, at, over) => {
      const whole = (await series(`interval=${interval}&start=${at}`)).body
      expect([whole.count, whole.start, whole.note]).toEqual([most, at, undefined])
      const cut = (await series(`interval=${interval}&start=${over}`)).body
      expect([cut.count, cut.start]).toEqual([most, at])
      expect(cut.note).toContain(String(most))
      expect(cut.data).toEqual(whole.data)
    },
  )

  test.each(['period=7d', 'start=2026-02-26T14:25:30.500Z'])(
    'leaves out for hours of %s the oldest part of an hour without a note',
    async (window) => {
      for (const tier of ['hourly', 'realtime'] as const) {
        const { body } = await series(`interval=PT1H&${window}`, tier)
        expect([body.start, body.end, body.count, body.note]).toEqual([
          '2026-02-26T15:00:00.000Z',
          '2026-03-05T15:00:00.000Z',
          168,
          undefined,
        ])
      }
    },
  )

  test('counts a period back from the end', async () => {
    const { body } = await series('period=1d&end=2026-03-04T00:00:00Z')
    expect([body.start, body.end]).toEqual(['2026-03-03T00:00:00.000Z', '2026-03-04T00:00:00.000Z'])
    const unaligned = (await series('period=1d&end=2026-03-04T12:00:00Z')).body
    expect(unaligned.count).toBe(2)
  })

  test('ends with the present bucket if a later end is requested, and says so', async () => {
    const { body } = await series('period=7d&end=2027-01-01T00:00:00Z')
    expect(body).toMatchObject({ end: '2026-03-06T00:00:00.000Z', count: 8 })
    expect(body.note).toContain('future')
  })

  test('returns one bucket for a window of no length', async () => {
    const { body } = await series('start=2026-03-04T00:00:00Z&end=2026-03-04T00:00:00Z')
    expect(body).toMatchObject({ count: 1, start: '2026-03-04T00:00:00.000Z' })
  })

  test.each([
    ['start', 'start=2026-03-05T14:25:30.501Z'],
    ['start', 'start=2026-03-04T00:00:00.001Z&end=2026-03-04T00:00:00Z'],
    ['start', 'start=2026-03-04'],
    ['start', 'start=2026-02-30T00:00:00Z'],
    ['end', 'end=tomorrow'],
    ['end', 'end='],
    ['interval', 'interval=P1Y'],
    ['ohlc', 'ohlc=yes'],
    ['period', 'period=1y'],
  ])('returns 400 with the name %s in %s', async (parameter, question) => {
    const { status, body } = await series(question)
    expect([status, body.code, body.parameter]).toEqual([400, 'invalid_parameter', parameter])
  })

  test('shows a backfill and a late mid at once, in buckets that were requested before', async () => {
    const days = () => series('start=2026-02-20T00:00:00Z&end=2026-02-22T00:00:00Z')
    expect((await days()).body.data).toMatchObject([{ samples: 0 }, { samples: 0, mid: null }])
    const { misses } = world.windows.figures
    await days()
    expect(world.windows.figures.misses).toBe(misses)
    await say('retail-a', 120, '2026-02-21T08:00:00Z')
    await fix('2026-02-21T09:00:00Z', { KES: '125' })
    expect((await days()).body.data).toEqual([
      { t: '2026-02-20T00:00:00.000Z', mid: null, mid_at: null, best: null, samples: 0 },
      {
        t: '2026-02-21T00:00:00.000Z',
        mid: 125,
        mid_at: '2026-02-21T09:00:00.000Z',
        best: 120,
        samples: 1,
      },
    ])
  })

  test('counts as best only providers that were active then, in whole and partial hours', async () => {
    const say_ = (id: string, rate: number, at: string) =>
      world.post([{ provider_id: id, rate, from: 'USD', to: 'ZAR', effective_from: at }])
    await world.switch('p2p-b', false, '2026-03-05T12:30:00Z')
    await world.switch('p2p-b', true, '2026-03-05T14:00:00.001Z')
    await say_('retail-a', 18, '2026-03-05T12:10:00Z')
    await say_('p2p-b', 20, '2026-03-05T12:20:00Z')
    await say_('p2p-b', 21, '2026-03-05T12:30:00Z')
    await say_('p2p-b', 22, '2026-03-05T13:10:00Z')
    await say_('p2p-b', 23, '2026-03-05T14:00:00Z')
    await say_('retail-a', 17, '2026-03-05T14:00:00Z')
    await say_('p2p-b', 19, '2026-03-05T14:00:00.001Z')
    const bests = async (tier: Tier, interval: string) => {
      const question = `from=USD&to=ZAR&interval=${interval}&start=2026-03-05T12:00:00Z`
      const { body } = await series(question, tier)
      return body.data.map(({ best, samples }: { best: number; samples: number }) => [
        best,
        samples,
      ])
    }
    expect(await bests('realtime', 'PT1H')).toEqual([
      [20, 3],
      [null, 1],
      [19, 3],
    ])
    expect(await bests('hourly', 'PT1H')).toEqual([
      [20, 3],
      [null, 1],
      [17, 2],
    ])
    expect(await bests('realtime', 'P1D')).toEqual([[20, 7]])
    await world.switch('p2p-b', false, '2026-03-05T14:25:00Z')
    expect(await bests('realtime', 'PT1H')).toEqual([
      [20, 3],
      [null, 1],
      [19, 3],
    ])
  })

  test('serves closed buckets from memory while the present one moves', async () => {
    await series(WEEK)
    const { misses } = world.windows.figures
    await say('retail-a', 131, '2026-03-05T14:20:00Z')
    const { body } = await series(WEEK)
    expect(body.data.at(-1)).toMatchObject({ best: 131 })
    expect(world.windows.figures.misses).toBe(misses + 1)
  })
})
