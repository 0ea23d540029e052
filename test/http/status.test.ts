import { describe, expect, test } from 'bun:test'
import type { Currency } from '~/domain/currency.ts'
import { noState } from '~/domain/feed/state.ts'
import { currency, provider } from '../support/catalogue.ts'
import { World } from '../support/world.ts'
import { QUOTA_HEADERS } from './questions.ts'

describe('GET /status', () => {
  test('needs no key and has every field', async () => {
    const world = new World()
    world.reference({ KES: 130 }, { at: '2026-03-05T14:25:00.001Z', source: 'feed-a' })
    world.quote({ providerId: 'retail-a', rate: 129, at: '2026-03-05T14:20:00Z' })
    const { status, body, headers } = await world.get('/status')
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'ok',
      version: 'v1',
      corridors: 1,
      providers: 10,
      last_rate_update: '2026-03-05T14:20:00.000Z',
      mid_feed: {
        source: 'feed-a',
        last_fetched: '2026-03-05T14:25:00.001Z',
        age_seconds: 30,
      },
      timestamp: '2026-03-05T14:25:30.500Z',
    })
    for (const name of [...QUOTA_HEADERS, 'x-data-freshness']) expect(headers.get(name)).toBeNull()
  })

  test('returns nulls for everything unknown of an empty service', async () => {
    const world = new World()
    world.memory.publish({ catalogue: { currencies: [], providers: [] } }, world.clock.now())
    expect((await world.get('/status')).body).toEqual({
      status: 'degraded',
      version: 'v1',
      corridors: 0,
      providers: 0,
      last_rate_update: null,
      mid_feed: { source: null, last_fetched: null, age_seconds: null },
      timestamp: '2026-03-05T14:25:30.500Z',
    })
  })

  test('names the pegs that feeds contradict, and drops each with its peg', async () => {
    const world = new World()
    const [xof, zar] = [
      currency('XOF', { peg: { to: 'EUR', rate: 655.957 } }),
      currency('ZAR', { peg: { to: 'USD', rate: 18 } }),
    ]
    const apply = (...currencies: Currency[]) => {
      const own = [currency('EUR'), currency('USD'), ...currencies]
      world.memory.publish({ catalogue: { currencies: own, providers: [] } }, world.clock.now())
    }
    apply(xof, zar)
    world.reference({ EUR: 0.9, XOF: 578.554074, ZAR: 18.1 }, { source: 'feed-a' })
    const pegs = async () => (await world.get('/status')).body.doubtful_pegs
    expect(await pegs()).toEqual([
      {
        currency: 'XOF',
        peg: { to: 'EUR', rate: 655.957 },
        ...{ said: 642.83786, off_pct: -2, source: 'feed-a' },
        fetched_at: '2026-03-05T14:25:30.500Z',
      },
    ])
    expect((await world.get('/status')).body.status).toBe('ok')
    world.reference({ EUR: 0.9, XOF: 590 })
    expect(await pegs()).toBeUndefined()
    world.reference({ ZAR: 19 })
    expect((await pegs())[0]).toMatchObject({ currency: 'ZAR', said: 19, off_pct: 5.555556 })
    apply(xof, { ...zar, peg: null })
    expect(await pegs()).toBeUndefined()
  })

  test('reports the state of each feed and the currencies that are held back', async () => {
    const world = new World()
    const nowMs = world.clock.now()
    const known = { triedMs: nowMs, upstreamMs: null, currencies: 0, waitUntilMs: null }
    const fault = { failedMs: nowMs - 1, fault: 'timeout', message: 'did not answer' } as const
    world.memory.publish(
      {
        feeds: {
          ranMs: nowMs - 7000,
          served: 'b',
          held: [
            {
              currency: 'NGN',
              perUsd: '664.04',
              source: 'b',
              sinceMs: nowMs - 6000,
              upstreamMs: nowMs,
              standing: 464.5,
              contradictedBy: null,
            },
          ],
          feeds: [
            { ...known, ...fault, id: 'a', source: 'a', succeededMs: null, isFailing: true },
            {
              ...known,
              ...fault,
              id: 'b',
              source: 'b',
              succeededMs: nowMs - 5500,
              isFailing: false,
            },
          ],
        },
      },
      nowMs,
    )
    const { body } = await world.get('/status')
    const quiet = { is_failing: false, fault: null, reason: null }
    const failing = { is_failing: true, fault: 'timeout', reason: 'did not answer' }
    const [at, since] = ['2026-03-05T14:25:25.000Z', '2026-03-05T14:25:24.500Z']
    expect(body.mid_feeds).toEqual({
      last_run: '2026-03-05T14:25:23.500Z',
      served_by: 'b',
      feeds: [
        { name: 'a', last_success: null, age_seconds: null, ...failing },
        { name: 'b', last_success: at, age_seconds: 5, ...quiet },
      ],
      held_back: [{ currency: 'NGN', source: 'b', since }],
    })
    expect(Object.keys(body.mid_feed)).toEqual(['source', 'last_fetched', 'age_seconds'])
  })

  test('counts active providers and the corridors that they quote', async () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 1 }, { providerId: 'retail-b', rate: 1, to: 'NGN' })
    const currencies = world.memory.current.catalogue.currencies
    const providers = [provider('retail-a'), provider('retail-b', { isActive: false })]
    world.memory.publish({ catalogue: { currencies, providers } }, world.clock.now())
    expect((await world.get('/status')).body).toMatchObject({ corridors: 1, providers: 1 })
  })

  test('is degraded from the millisecond at which the newest mid is no longer recent', async () => {
    const world = new World()
    world.reference({ KES: 130 }, { at: '2026-03-05T00:00:00Z' })
    world.clock.set('2026-03-08T00:00:00.000Z')
    expect((await world.get('/status')).body.status).toBe('ok')
    world.clock.advance(1)
    const { body } = await world.get('/status')
    expect([body.status, body.mid_feed.age_seconds]).toEqual(['degraded', 72 * 3600])
  })

  test('returns 200 with any key, wrong ones too, and costs no unit', async () => {
    const world = new World()
    const key = world.key('free')
    expect((await world.get('/status', 'wrong')).status).toBe(200)
    for (let i = 0; i < 60; i++) expect((await world.get('/status', key)).status).toBe(200)
    expect((await world.get('/admin/usage', key)).body.used).toBe(0)
  })

  test('names the mids that no second feed supports, unless a currency is pegged', async () => {
    const world = new World()
    const left = [{ source: 'b', perUsd: '140' }]
    const said = { dispersionBps: null, left: [] }
    const moved = { pct: -6.5, atMs: world.clock.now() }
    const feeds = {
      ...noState,
      support: [
        { ...said, currency: 'KES', basis: 'disputed', left },
        { ...said, currency: 'NGN', basis: 'single', moved },
        { ...said, currency: 'GBP', basis: 'single' },
        { ...said, currency: 'UGX', basis: 'consensus', moved },
      ],
    } as const
    world.memory.publish({ feeds }, world.clock.now())
    const { body } = await world.get('/status')
    expect(body.doubtful_mids).toEqual([
      { currency: 'KES', reason: 'disputed', move_pct: null },
      { currency: 'NGN', reason: 'moved_by_one_feed', move_pct: -6.5 },
    ])
  })
})
