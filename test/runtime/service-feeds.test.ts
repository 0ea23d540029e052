import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { loadConfig } from '~/config.ts'
import { noState } from '~/domain/feed/state.ts'
import { type Service, startService } from '~/runtime/service.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createFeedStateStore } from '~/store/feed-state-store.ts'
import { Pace } from '../feed/upstream.ts'
import { otherHandle } from '../store/samples.ts'
import { CURRENCIES } from '../support/catalogue.ts'
import { clockAt } from '../support/clock.ts'
import { fetchUnderContract } from '../support/contract.ts'
import { KeptLog, LOADED } from '../support/log.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'
import { AT, dead, type FeedUpstream, feedUpstreams, hanging, well } from './feed-scene.ts'

setDefaultTimeout(TEST_MS_MAX)

const HOUR_MS = 3_600_000

let database: FreshDatabase
let feed: FeedUpstream
let running: Service[] = []

beforeEach(async () => {
  database = await freshDatabase()
  feed = (await feedUpstreams(['open-er-api']))[0]!
})
afterEach(async () => {
  for (const service of running.splice(0)) await service.stop()
  feed.upstream.stop()
  await database.close()
})

const apply = () => createCatalogueStore(database).apply({ currencies: CURRENCIES, providers: [] })

/** `corridor serve` in this process, with a clock set by hand and its job checked every second. */
async function serve(settings: Record<string, string> = {}, clock = clockAt(AT)) {
  const log = new KeptLog()
  const config = loadConfig({
    PORT: '0',
    REFERENCE_FEED: 'open-er-api',
    REFERENCE_FEED_URL: feed.upstream.origin,
    REFERENCE_FEED_CRON: '* * * * * *',
    ...settings,
  })
  const options = { config, clock, log, sample: null, pace: new Pace(clock) }
  const service = await startService({ ...options, database: otherHandle(database) })
  running.push(service)
  const ask = fetchUnderContract(service.origin)
  const status = async () => (await ask(new Request(`${service.origin}/api/v1/status`))).json()
  const served = (source: string | null) => async () =>
    ((await status()) as { mid_feed: { source: string } }).mid_feed.source === source
  return { service, clock, log, status, served }
}

/** A schedule so rare that only a start or the catalogue triggers a run. */
const SELDOM = { REFERENCE_FEED_CRON: '7 14 29 2 *' }

const asked = () => feed.upstream.asked.length

describe('a service with a feed', () => {
  test('fetches after its start, without waiting for the schedule', async () => {
    await apply()
    const { served } = await serve(SELDOM)
    await until('the first mids', served('open-er-api'))
    expect(asked()).toBe(1)
  })

  test('starts when the catalogue comes, on one of two replicas, and both serve the result', async () => {
    const [first, second] = [await serve(SELDOM), await serve(SELDOM)]
    expect(asked()).toBe(0)
    await apply()
    await until('the mids of the first', first.served('open-er-api'))
    await until('the mids of the second', second.served('open-er-api'))
    for (const { status } of [first, second])
      await until('the state of the feeds', async () => 'mid_feeds' in ((await status()) as object))
    expect(asked()).toBe(1)
  })

  test('a job that fails is logged once, and the mids are back without a restart', async () => {
    await apply()
    const { clock, log, served } = await serve()
    await until('the first mids', served('open-er-api'))
    dead(feed)
    for (let run = 1; run <= 2; run++) {
      const before = asked()
      clock.advance(HOUR_MS)
      await until('a run in vain', async () => asked() >= before + 3)
    }
    well(feed)
    clock.advance(HOUR_MS)
    await until('the recovery', async () => log.said.includes('info: job works again'))
    expect(log.said).toEqual([
      LOADED,
      'warn: reference feed open-er-api returned 503',
      'error: job failed',
      'info: reference feed open-er-api works again',
      'info: job works again',
    ])
  })

  test('stops at once while a feed hangs', async () => {
    await apply()
    const hang = hanging(feed)
    const { service, log } = await serve()
    await hang.asked
    running = []
    const startMs = performance.now()
    await service.stop()
    expect(performance.now() - startMs).toBeLessThan(5000)
    expect(log.said).toEqual([LOADED])
    hang.release()
  })

  test('has the mids of the new default right after an upgrade from the old one', async () => {
    await apply()
    const before = await serve(SELDOM)
    await until('the mids of the old default', before.served('open-er-api'))
    await running.pop()!.stop()
    before.clock.advance(HOUR_MS)
    const upstreams = await feedUpstreams(['currency-api', 'frankfurter', 'ecb'])
    const addressOf = ({ name, upstream }: FeedUpstream) =>
      `${upstream.origin}${name === 'frankfurter' ? '/v1' : ''}`
    const urls = upstreams.map(addressOf).join()
    const settings = { ...SELDOM, REFERENCE_FEED: '', REFERENCE_FEED_URL: urls }
    const { status, served, log } = await serve(settings, before.clock)
    await until('the mids of the new default', served('currency-api'))
    await until('the new feeds in its status', async () => {
      const { mid_feeds } = (await status()) as { mid_feeds?: { feeds: { name: string }[] } }
      return mid_feeds?.feeds.map(({ name }) => name).join() === 'currency-api,frankfurter,ecb'
    })
    expect(log.said).toEqual([LOADED])
    for (const { upstream } of upstreams) upstream.stop()
  })

  test('requests nothing and logs nothing about feeds if it has none', async () => {
    await apply()
    await createFeedStateStore(database).save({ ...noState, ranMs: Date.parse(AT) })
    const { status } = await serve({ REFERENCE_FEED: 'none' })
    expect(await status()).not.toHaveProperty('mid_feeds')
    expect(asked()).toBe(0)
  })
})
