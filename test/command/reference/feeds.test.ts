import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { roundAmount, roundPercent } from '~/domain/round.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createFeedStateStore } from '~/store/feed-state-store.ts'
import { type FeedUpstream, feedUpstreams, saying, well } from '../../runtime/feed-scene.ts'
import { CURRENCIES } from '../../support/catalogue.ts'
import { corridorProcess, corridorWith, documentOf } from '../../support/command.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX } from '../../support/until.ts'

setDefaultTimeout(TEST_MS_MAX)

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

let database: FreshDatabase
let feed: FeedUpstream

beforeAll(async () => {
  database = await freshDatabase()
  feed = (await feedUpstreams(['open-er-api']))[0]!
  const seconds = String(Math.floor(Date.now() / 1000))
  feed = { ...feed, body: feed.body.replace('1722211352', seconds) }
  well(feed)
})
afterAll(async () => {
  feed.upstream.stop()
  await database.close()
})

const localFeed = () => ({
  REFERENCE_FEED: 'open-er-api',
  REFERENCE_FEED_URL: feed.upstream.origin,
})

/** Runs `corridor reference ...` with the local feed. */
const reference = (args: string[], env: Record<string, string> = {}) =>
  corridorWith({ DATABASE_URL: database.url, ...localFeed(), ...env }, ['reference', ...args])

/** Runs `corridor reference ...` as an operator does. */
const referenceProcess = (args: string[]) =>
  corridorProcess(['reference', ...args], { databaseUrl: database.url, env: localFeed() })

const apply = () => createCatalogueStore(database).apply({ currencies: CURRENCIES, providers: [] })

describe('reference fetch', () => {
  test('exits with 1 and says what to do without a currency to request', async () => {
    const { status, stdout, said } = await reference(['fetch', '--json'])
    expect([status, stdout]).toEqual([1, ''])
    expect(said).toEqual([
      'corridor: the catalogue has no fiat currency to ask for: apply one first',
    ])
    await apply()
  })

  test('exits with 1 and says what to do without a feed', async () => {
    const { status, said } = await reference(['fetch'], { REFERENCE_FEED: 'none' })
    expect([status, said]).toEqual([
      1,
      ['corridor: no feed is configured; name one in REFERENCE_FEED'],
    ])
  })

  test('exits with 1 and one line that says which feed failed and why', async () => {
    const { status, stdout, said } = await reference(['fetch'], {
      REFERENCE_FEED: 'open-er-api,ecb',
      REFERENCE_FEED_URL: 'http://127.0.0.1:1,http://127.0.0.1:1',
    })
    expect([status, stdout]).toEqual([1, ''])
    expect(said).toHaveLength(1)
    expect(said[0]).toMatch(
      /^corridor: no reference feed returned usable rates: open-er-api could not be reached \(\w+\); ecb could not be reached \(\w+\)$/,
    )
  })

  test('prints in one line which feed responded and with what', async () => {
    const { status, stdout, said } = await referenceProcess(['fetch'])
    expect([status, said]).toEqual([0, []])
    expect(stdout).toMatch(/^open-er-api served 7 currencies of \d{4}-\S+Z\n$/)
  })

  test('--json is one document', async () => {
    const document = documentOf(await referenceProcess(['fetch', '--json']))
    expect(document).toMatchObject({ source: 'open-er-api', currencies: 7, held_back: [] })
    expect(document.fetched_at).toMatch(ISO)
    expect(document.upstream_at).toMatch(ISO)
  })

  test('holds back values that moved too far, unless --accept confirms them', async () => {
    saying(feed, 'NGN', 3000)
    const held = await reference(['fetch'])
    expect([held.status, held.stdout]).toEqual([
      0,
      expect.stringContaining('held back: NGN 1604.551 to 3000'),
    ])
    const { currencies } = documentOf(await reference(['status', '--json']))
    expect(currencies.find(({ currency }: { currency: string }) => currency === 'NGN')).toEqual({
      currency: 'NGN',
      per_usd: 1604.551,
      source: 'open-er-api',
      fetched_at: expect.stringMatching(ISO),
      age_seconds: expect.any(Number),
      basis: 'single',
      dispersion_bps: null,
      not_used: [],
      held_back: {
        per_usd: 3000,
        source: 'open-er-api',
        since: expect.stringMatching(ISO),
        contradicted_by: null,
      },
    })
    saying(feed, 'NGN', 5000)
    const { stdout } = await reference(['fetch', '--accept'])
    expect(stdout).not.toContain('held back')
    const after = documentOf(await reference(['status', '--json'])).currencies
    const naira = after.find(({ currency }: { currency: string }) => currency === 'NGN')
    expect([naira.per_usd, naira.held_back]).toEqual([5000, null])
  })

  test('exits with 1, and fetches no feed, while another process fetches', async () => {
    const before = feed.upstream.asked.length
    const finished = await createFeedStateStore(database).once(() => referenceProcess(['fetch']))
    expect([finished!.status, finished!.said]).toEqual([
      1,
      ['corridor: another process is querying the feeds; see reference status'],
    ])
    expect(feed.upstream.asked).toHaveLength(before)
  })
})

describe('reference status', () => {
  test('reports each feed and each currency, for a person and as one document', async () => {
    const env = { REFERENCE_FEED: 'open-er-api,ecb' }
    const { status, stdout } = await reference(['status'], env)
    expect(status).toBe(0)
    const lines = stdout.split('\n')
    expect(lines[0]).toMatch(/^last run: \S+Z \(\* served last\)$/)
    expect(lines[2]).toMatch(/^open-er-api \* +works +\d+ s ago +\d+ s ago: could not be reached/)
    expect(lines[3]).toMatch(/^ecb +not queried yet +never +-$/)
    expect(stdout).toMatch(/^KES +131\.2514 +open-er-api +\d+ s ago +single$/m)
    const document = documentOf(await reference(['status', '--json'], env))
    expect(document.served_by).toBe('open-er-api')
    expect(document.feeds[0]).toMatchObject({
      name: 'open-er-api',
      is_failing: false,
      last_success: expect.stringMatching(ISO),
      last_error: { fault: 'unreachable', at: expect.stringMatching(ISO) },
    })
    expect(document.currencies).toHaveLength(7)
  })

  test('shows a pegged currency by its peg, and that feeds contradict it', async () => {
    const catalogue = createCatalogueStore(database)
    const xof = CURRENCIES.find(({ code }) => code === 'XOF')!
    const document = async () => documentOf(await reference(['status', '--json']))
    const of =
      ({ currencies }: { currencies: { currency: string; per_usd: number }[] }) =>
      (code: string) =>
        currencies.find(({ currency }) => currency === code)!
    expect((await document()).doubtful_pegs).toEqual([])
    const said = of(await document())('XOF').per_usd
    const euro = of(await document())('EUR').per_usd
    await catalogue.apply({
      currencies: [{ ...xof, peg: { to: 'EUR', rate: 1000 } }],
      providers: [],
    })
    const pegged = await document()
    expect(of(pegged)('XOF')).toMatchObject({
      per_usd: roundAmount(euro * 1000),
      source: 'peg:EUR+open-er-api',
    })
    expect(pegged.doubtful_pegs).toEqual([
      {
        ...{ currency: 'XOF', peg: { to: 'EUR', rate: 1000 }, source: 'open-er-api' },
        said: roundAmount(said / euro),
        off_pct: roundPercent((said / euro / 1000 - 1) * 100),
        fetched_at: expect.stringMatching(ISO),
      },
    ])
    expect((await reference(['status'])).stdout).toContain(
      '\ndoubtful peg: XOF is pegged at 1000 to EUR, and open-er-api said ',
    )
    await catalogue.apply({ currencies: [{ ...xof, peg: null }], providers: [] })
    expect((await document()).doubtful_pegs).toEqual([])
  })
})
