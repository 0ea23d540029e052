import { afterEach, describe, expect, test } from 'bun:test'
import { createFeeds, type FeedName } from '~/feed/feeds.ts'
import { fetchReferences, runFetchReferences } from '~/jobs/fetch-references.ts'
import { fixture, Pace, startUpstream, type Upstream } from '../feed/upstream.ts'
import { HOUR_MS, worldOf } from './feed-world.ts'

describe('three real feeds', () => {
  const servers: Upstream[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.stop()
  })

  async function threeFeeds() {
    const names: FeedName[] = ['open-er-api', 'openexchangerates', 'currency-api']
    const bodies = await Promise.all(names.map((name) => fixture(`${name}.json`)))
    const upstreams = bodies.map((body) => startUpstream(() => new Response(body)))
    servers.push(...upstreams)
    const settings = names.map((name, i) => ({ name, url: upstreams[i]!.origin, key: 'key' }))
    const pace = new Pace()
    const world = worldOf(createFeeds(settings, pace), { clock: pace.clock })
    return { world, upstreams, bodies }
  }

  const tenfold = (body: string) =>
    body.replace(/"([A-Z]{3})": ([\d.]+)/g, (whole, code, rate) =>
      code === 'USD' ? whole : `"${code}": ${Number(rate) * 10}`,
    )

  test('mids come from the next feed when the first fails and the second is off tenfold', async () => {
    const { world, upstreams, bodies } = await threeFeeds()
    const [first, second] = upstreams
    const run = async () => {
      const outcome = await fetchReferences(world)
      const mid = world.store.mid('USD', 'NGN')
      world.clock.advance(HOUR_MS)
      return { mid, outcome: outcome! }
    }
    expect((await run()).mid).toMatchObject({ rate: 1604.551, source: 'open-er-api' })

    first!.answer = () => new Response('down', { status: 503 })
    expect((await run()).mid).toMatchObject({ rate: 1609.4, source: 'openexchangerates' })

    second!.answer = () => new Response(tenfold(bodies[1]!))
    const lied = await run()
    expect(lied.mid).toMatchObject({ rate: 1605.23178806, source: 'currency-api' })
    expect(lied.outcome.feeds.map(({ result }) => result)).toEqual(['failed', 'failed', 'served'])
    expect(lied.outcome.feeds[1]!.message).toMatch(/pegs/)

    first!.answer = () => new Response(bodies[0]!)
    expect((await run()).mid).toMatchObject({ rate: 1604.551, source: 'open-er-api' })
    for (const { rates } of world.store.snapshots)
      for (const { perUsd } of rates) expect(Number(perUsd)).toBeLessThan(5000)
  })

  test('mids stay, grow old, and come back by themselves when all feeds are unreachable', async () => {
    const { world, upstreams, bodies } = await threeFeeds()
    await fetchReferences(world)
    const stood = world.store.mid('KES', 'NGN')
    for (const upstream of upstreams) upstream.answer = () => new Response('<html></html>')
    world.clock.advance(90 * HOUR_MS)
    await expect(runFetchReferences(world)).rejects.toThrow('a web page instead of rates')
    expect(world.store.mid('KES', 'NGN')).toEqual(stood!)
    upstreams[0]!.answer = () => new Response(bodies[0]!)
    await runFetchReferences(world)
    expect(world.store.mid('KES', 'NGN')!.atMs).toBe(world.clock.now())
  })

  test('a devaluation that a feed publishes once a day is accepted within two runs', async () => {
    const { world, upstreams, bodies } = await threeFeeds()
    const alone = { ...world, feeds: world.feeds.slice(0, 1) }
    const [first] = upstreams
    const tagged = (body: string, etag: string) => (request: Request) =>
      request.headers.get('if-none-match') === etag
        ? new Response(null, { status: 304 })
        : new Response(body, { headers: { etag } })
    first!.answer = tagged(bodies[0]!, '"monday"')
    await fetchReferences(alone)
    first!.answer = tagged(bodies[0]!.replace('"ETB": 57.712', '"ETB": 74.7364'), '"tuesday"')
    const rates: number[] = []
    for (let run = 0; run < 2; run++) {
      world.clock.advance(HOUR_MS)
      await fetchReferences(alone)
      rates.push(world.store.mid('USD', 'ETB')!.rate)
    }
    expect(rates).toEqual([57.712, 74.7364])
  })
})
