import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { GUARD_RULES } from '~/domain/feed/guard.ts'
import type { FeedName } from '~/feed/feeds.ts'
import type { Database } from '~/store/database.ts'
import { otherHandle } from '../store/samples.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'
import {
  AT,
  dead,
  FeedScene,
  type FeedUpstream,
  feedUpstreams,
  HOUR_MS,
  hanging,
  lying,
  saying,
  well,
} from './feed-scene.ts'

setDefaultTimeout(TEST_MS_MAX)

let database: FreshDatabase
let upstreams: FeedUpstream[] = []
let other: Database | null = null

beforeEach(async () => {
  database = await freshDatabase()
})
afterEach(async () => {
  for (const { upstream } of upstreams.splice(0)) upstream.stop()
  await other?.close()
  other = null
  await database.close()
})

async function sceneOf(...names: FeedName[]): Promise<FeedScene> {
  upstreams = await feedUpstreams(names)
  return new FeedScene(database, upstreams)
}

/** The recorded rates: how many of each source, and the highest of the naira. */
const recorded = () => database.sql`
  select s.source, count(*)::int as rates, max(per_usd) filter (where currency = 'NGN') as naira,
    count(s.upstream_at)::int as dated
  from reference_rates r join reference_snapshots s on s.id = r.snapshot_id
  group by s.source order by s.source`

describe('three feeds', () => {
  test('mids continue, each under its feed, when the first fails and the second is off tenfold', async () => {
    const scene = await sceneOf('open-er-api', 'openexchangerates', 'currency-api')
    const [first, second] = upstreams as [FeedUpstream, FeedUpstream, FeedUpstream]
    expect(await scene.mid('USD', 'NGN')).toEqual({ status: 503 })
    expect(await scene.run()).toBeNull()
    expect(await scene.mid('USD', 'NGN')).toEqual({ rate: 1604.551, source: 'open-er-api', at: AT })

    dead(first)
    expect(await scene.run()).toBeNull()
    expect(await scene.mid('USD', 'NGN')).toMatchObject({
      rate: 1609.4,
      source: 'openexchangerates',
    })

    lying(second)
    expect(await scene.run()).toBeNull()
    const { status, body } = await scene.get('/fetch-matrix?from=USD,EUR&to=NGN,KES')
    expect([status, body.source]).toEqual([200, 'currency-api'])
    expect(body.results.USD.NGN.mid).toBe(1605.23178806)
    expect(body.results.EUR.KES.mid).toBeCloseTo(131.29918443 / 0.92060114, 8)

    const { mid_feeds, mid_feed } = await scene.status()
    expect(mid_feed.source).toBe('currency-api')
    expect(mid_feeds.served_by).toBe('currency-api')
    const known = mid_feeds.feeds.map((feed: Record<string, unknown>) => [
      feed.name,
      feed.is_failing,
      feed.fault,
    ])
    expect(known).toEqual([
      ['open-er-api', true, 'http_error'],
      ['openexchangerates', true, 'implausible'],
      ['currency-api', false, null],
    ])
    expect(mid_feeds.feeds[0]).toMatchObject({ last_success: AT, reason: 'returned 503' })
    expect(mid_feeds.feeds[0].age_seconds).toBeGreaterThanOrEqual(3 * 3600)
    expect(scene.log.said.map((line) => line.replace(/: its numbers.*/, ''))).toEqual([
      'warn: reference feed open-er-api returned 503',
      expect.stringContaining('warn: reference feed openexchangerates gives AED'),
    ])
    well(first)
    expect(await scene.run()).toBeNull()
    expect(await scene.mid('USD', 'NGN')).toMatchObject({ rate: 1604.551, source: 'open-er-api' })
    const rows = await recorded()
    expect(rows.map(({ source, naira }) => [source, Number(naira)])).toEqual([
      ['currency-api', 1605.23178806],
      ['open-er-api', 1604.551],
      ['openexchangerates', 1609.4],
    ])
    expect(rows.every(({ rates, dated }) => rates === dated)).toBe(true)
  })

  test('serve the present mids while one hangs', async () => {
    const scene = await sceneOf('open-er-api')
    await scene.run()
    const before = await scene.mid('USD', 'NGN')
    const { asked, release } = hanging(upstreams[0]!)
    const run = scene.run()
    await asked
    expect(await scene.mid('USD', 'NGN')).toEqual(before)
    expect((await scene.status()).mid_feeds.served_by).toBe('open-er-api')
    release()
    expect(await run).toContain('open-er-api')
  })
})

describe('a feed that is unreachable for long', () => {
  test('returns 503 with Retry-After by the schedule, and 200 again after a run, without a restart', async () => {
    const scene = await sceneOf('open-er-api')
    const [feed] = upstreams as [FeedUpstream]
    await scene.run()
    dead(feed)
    scene.world.clock.set('2024-08-01T14:07:00.000Z')
    expect(await scene.mid('USD', 'KES')).toMatchObject({ rate: 131.2514 })
    scene.pass(1)
    expect(await scene.run()).toBe(
      'no reference feed returned usable rates: open-er-api returned 503',
    )
    scene.world.clock.set('2024-08-01T15:10:00.000Z')
    const { status, body, headers } = await scene.get('/fetch-matrix?from=USD&to=KES')
    expect([status, body.code]).toEqual([503, 'mid_unavailable'])
    expect(headers.get('retry-after')).toBe(String(57 * 60 + 30))
    const rates = await scene.get('/rates?from=USD&to=KES')
    expect([rates.status, 'mid_rate' in rates.body]).toEqual([200, false])
    expect((await scene.get('/convert?from=USD&to=KES&amount=1')).body.mid).toBeNull()
    const down = await scene.status()
    expect([down.status, down.mid_feed.age_seconds]).toEqual(['degraded', 73 * 3600 + 180])
    expect(down.mid_feeds.served_by).toBe('open-er-api')

    well(feed)
    scene.world.clock.set('2024-08-01T16:07:00.000Z')
    expect(await scene.run()).toBeNull()
    expect(await scene.mid('USD', 'KES')).toEqual({
      rate: 131.2514,
      source: 'open-er-api',
      at: '2024-08-01T16:07:00.000Z',
    })
    expect((await scene.status()).status).toBe('ok')
    expect(scene.log.said).toEqual([
      'warn: reference feed open-er-api returned 503',
      'info: reference feed open-er-api works again',
    ])
  })

  test('returns 503 at the hourly tier with the top of the hour that will have the mid', async () => {
    const scene = await sceneOf('open-er-api')
    const hourly = scene.world.key('free')
    const wait = async () => {
      const { headers } = await scene.world.get('/fetch-one?from=USD&to=KES', hourly)
      return Number(headers.get('retry-after'))
    }
    scene.world.clock.set('2024-07-29T14:00:00.000Z')
    expect(await wait()).toBe(3600)
    scene.world.clock.set('2024-07-29T14:08:00.000Z')
    expect(await wait()).toBe(112 * 60)
    await scene.service.run()
    expect(await wait()).toBe(52 * 60)
  })

  test('returns 503 with half a minute while the feeds are being fetched', async () => {
    const scene = await sceneOf('open-er-api')
    const { asked, release } = hanging(upstreams[0]!)
    const run = scene.run()
    await asked
    const { headers } = await scene.get('/fetch-one?from=USD&to=KES')
    expect(headers.get('retry-after')).toBe('30')
    release()
    await run
  })
})

describe('a devaluation', () => {
  test('like that of the naira in June 2023 is held back for one run, and accepted in the next', async () => {
    const scene = await sceneOf('open-er-api')
    const [feed] = upstreams as [FeedUpstream]
    saying(feed, 'NGN', 464.5)
    await scene.run()
    saying(feed, 'NGN', 664.04)
    const secondMs = scene.world.clock.now()
    await scene.run()
    expect(await scene.mid('USD', 'NGN')).toEqual({ rate: 464.5, source: 'open-er-api', at: AT })
    expect(await scene.mid('USD', 'KES')).toMatchObject({ rate: 131.2514 })
    const held = (await scene.status()).mid_feeds.held_back
    const since = new Date(secondMs).toISOString()
    expect(held).toEqual([{ currency: 'NGN', source: 'open-er-api', since }])
    const thirdMs = scene.world.clock.now()
    await scene.run()
    expect(await scene.mid('USD', 'NGN')).toEqual({
      rate: 664.04,
      source: 'open-er-api',
      at: new Date(thirdMs).toISOString(),
    })
    expect((await scene.status()).mid_feeds.held_back).toEqual([])
    expect(scene.log.said).toEqual([
      'warn: reference NGN is held back: it moved too far',
      'info: reference NGN is accepted: it was confirmed',
    ])
  })

  test('that a second feed confirms is accepted in the first run', async () => {
    const scene = await sceneOf('open-er-api', 'openexchangerates')
    for (const feed of upstreams) saying(feed, 'NGN', 464.5)
    await scene.run()
    for (const feed of upstreams) saying(feed, 'NGN', 664.04)
    await scene.run()
    expect(await scene.mid('USD', 'NGN')).toMatchObject({ rate: 664.04, source: 'open-er-api' })
  })
})

describe('the rules of the settings', () => {
  test('allow a currency with a bound of its own to move that far', async () => {
    upstreams = await feedUpstreams(['open-er-api'])
    const scene = new FeedScene(database, upstreams, { ...GUARD_RULES, moveMaxOf: { NGN: 0.5 } })
    saying(upstreams[0]!, 'NGN', 464.5)
    await scene.run()
    saying(upstreams[0]!, 'NGN', 664.04)
    await scene.run()
    expect(await scene.mid('USD', 'NGN')).toMatchObject({ rate: 664.04 })
  })
})

describe('two replicas on one database', () => {
  test('make one fetch a run between them', async () => {
    const scene = await sceneOf('open-er-api')
    other = otherHandle(database)
    const second = new FeedScene(other, upstreams)
    const { upstream } = upstreams[0]!
    await Promise.all([scene.service.run(), second.service.run()])
    await second.service.run()
    await scene.service.run()
    expect(upstream.asked).toHaveLength(1)
    scene.pass(HOUR_MS)
    second.pass(HOUR_MS + 900)
    await second.service.run()
    await scene.service.run()
    expect(upstream.asked).toHaveLength(2)
    expect(await recorded()).toMatchObject([{ source: 'open-er-api', rates: 14 }])
  })
})

describe('stop', () => {
  test('interrupts a hanging feed at once, and leaves no trace of the run', async () => {
    const scene = await sceneOf('open-er-api')
    const { asked, release } = hanging(upstreams[0]!)
    const run = scene.run()
    await asked
    scene.service.stop()
    expect(await run).toBeNull()
    expect(await database.sql`select 1 from reference_feed_state`).toHaveLength(0)
    expect(scene.log.lines).toEqual([])
    release()
  })
})
