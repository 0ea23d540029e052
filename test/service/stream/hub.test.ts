import { beforeEach, describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import { offer, plainOfferId } from '../../support/offers.ts'
import { LIMITS, Listener, Replica, SharedLog, SUSPECTING } from '../../support/replica.ts'

let log: SharedLog
let replica: Replica

const names = ({ events }: Listener) => events.map(({ name }) => name)

const follow = async (...replicas: Replica[]) => {
  for (const one of replicas) {
    await one.follow()
    one.run()
  }
}

beforeEach(() => {
  log = new SharedLog()
  log.references({ KES: 130, NGN: 1500, GBP: 0.8 })
  log.quotes({ providerId: 'retail-a', rate: 128 })
  replica = new Replica(log)
})

describe('a stream', () => {
  test('begins with a hello that has the tier, the position and the corridors', () => {
    const { received } = new Listener(replica, ['USD/KES', 'GBP/KES'])
    expect(received).toEqual([
      {
        id: `${log.position}-`,
        name: 'hello',
        data: {
          tier: 'realtime',
          position: log.position,
          corridors: ['GBP/KES', 'USD/KES'],
          resumed: false,
          timestamp: '2026-03-05T14:25:30.500Z',
          data_freshness: 'realtime',
        },
      },
    ])
  })

  test('sends a quote as /rates shows it, then the best that it changed', async () => {
    const listener = new Listener(replica, ['USD/KES'])
    log.quotes({ providerId: 'retail-b', rate: 129, fee: null, feeCurrency: null })
    await follow(replica)
    const price = {
      provider_id: 'retail-b',
      provider_name: 'Provider retail-b',
      rate: 129,
      fee: null,
      fee_currency: null,
      spread_bps: 0,
      vs_mid_bps: -76.9231,
      rate_type: 'retail',
      provider_type: 'imto',
      transfer_time: 'minutes',
      last_updated: '2026-03-05T14:25:30.500Z',
      is_stale: false,
      fee_stated: false,
      evidence: 'observed',
      mid_at_quote: { rate: 130, fetched_at: '2026-03-05T14:25:30.500Z', basis: 'single' },
      margin_pct: 0.769231,
      offer_id: plainOfferId('retail-b'),
    }
    const freshness = { timestamp: '2026-03-05T14:25:30.500Z', data_freshness: 'realtime' }
    const { position } = log
    expect(listener.events).toEqual([
      {
        id: `${position}-0`,
        name: 'quote',
        data: { corridor: 'USD/KES', ...price, ...freshness },
      },
      {
        id: `${position}-1`,
        name: 'best',
        data: {
          corridor: 'USD/KES',
          best: price,
          best_current: expect.objectContaining({ provider_id: 'retail-a', spread_bps: 77.5194 }),
          ...freshness,
        },
      },
    ])
  })

  test('sends nothing of other corridors, nor a row older than the live one', async () => {
    const listener = new Listener(replica, ['USD/KES'])
    log.quotes({ providerId: 'retail-b', rate: 129, to: 'NGN' })
    log.quotes({ providerId: 'retail-a', rate: 127, atMs: log.nowMs - 1 })
    await follow(replica)
    expect(listener.events).toEqual([])
  })

  test('sends the mids that changed, even of pairs without quotes', async () => {
    const listener = new Listener(replica, ['GBP/KES', 'GBP/NGN'])
    log.nowMs += 1000
    log.references({ KES: 132 })
    await follow(replica)
    expect(listener.events).toEqual([
      {
        id: expect.stringMatching(/^\d+-\d+$/),
        name: 'mid',
        data: {
          corridor: 'GBP/KES',
          mid_rate: 165,
          mid_source: 'feed',
          mid_fetched_at: '2026-03-05T14:25:30.500Z',
          mid_basis: 'single',
          timestamp: '2026-03-05T14:25:31.500Z',
          data_freshness: 'realtime',
        },
      },
    ])
  })

  test('reports when time makes a price stale, or makes the last price of an offer expire', async () => {
    const listener = new Listener(replica, '*')
    const validUntilMs = log.nowMs + HOUR_MS
    const expiring = offer({ validUntilMs })
    log.quotes({ providerId: 'p2p-a', rate: 120, to: 'NGN', offer: expiring })
    await follow(replica)
    const before = listener.events.length
    log.pass(HOUR_MS + 1)
    log.pass(2 * HOUR_MS)
    await follow(replica)
    const events = listener.events.slice(before)
    expect(events.map(({ name, data }) => [name, data.corridor])).toEqual([
      ['gone', 'USD/NGN'],
      ['best', 'USD/NGN'],
      ['quote', 'USD/KES'],
      ['best', 'USD/KES'],
    ])
    expect(events[0]!.data).toMatchObject({ provider_id: 'p2p-a' })
    expect(events[1]!.data).toMatchObject({ best: null, best_current: null })
    expect(events[2]!.data).toMatchObject({ provider_id: 'retail-a', is_stale: true })
    expect(events[3]!.data).toMatchObject({ best: { is_stale: true }, best_current: null })
    expect(events[3]!.data.note).toStartWith('The best price was seen on 2026-03-05')
  })
})

describe('a mid', () => {
  test('that arrives later makes a price suspect, or believed again, and never best if suspect', async () => {
    const own = new SharedLog()
    const suspecting = new Replica(own, SUSPECTING)
    own.quotes({ providerId: 'retail-a', rate: 150 }, { providerId: 'retail-b', rate: 130 })
    own.pass(1)
    await follow(suspecting)
    const said = async (...[perUsd, atMs]: Parameters<SharedLog['references']>) => {
      const listener = new Listener(suspecting, ['USD/KES'])
      own.references(perUsd, atMs)
      await follow(suspecting)
      listener.reader.close()
      return listener.events.map(({ name, data }) =>
        name === 'best'
          ? [name, data.best?.provider_id, data.best_current?.provider_id]
          : [name, data.provider_id ?? data.mid_rate, data.suspect],
      )
    }
    expect(await said({ KES: 130 })).toEqual([
      ['mid', 130, undefined],
      ['quote', 'retail-a', expect.stringContaining('15.4')],
      ['best', 'retail-b', 'retail-b'],
    ])
    expect(await said({ KES: 140 }, own.nowMs - HOUR_MS)).toEqual([
      ['quote', 'retail-a', undefined],
      ['quote', 'retail-b', undefined],
      ['best', 'retail-a', 'retail-a'],
    ])
  })

  test('of an earlier day makes a price of that day suspect, though no current mid changes', async () => {
    const own = new SharedLog()
    const atMs = own.nowMs - 3 * DAY_MS
    own.quotes({ providerId: 'retail-a', rate: 135, atMs })
    own.references({ KES: 130 })
    own.pass(2 * HOUR_MS)
    const suspecting = new Replica(own, SUSPECTING)
    const listener = new Listener(suspecting, ['USD/KES'])
    own.references({ KES: 100 }, atMs)
    await follow(suspecting)
    expect(names(listener)).toEqual(['quote', 'best'])
    expect(listener.events[0]!.data.suspect).toContain('35.0 %')
  })

  test('that grows too old makes a price believed again that it alone made suspect', async () => {
    const own = new SharedLog()
    const atMs = own.nowMs - HOUR_MS
    own.quotes({ providerId: 'retail-a', rate: 150, atMs })
    own.references({ KES: 130 })
    own.pass(HOUR_MS)
    const suspecting = new Replica(own, SUSPECTING)
    const listener = new Listener(suspecting, ['USD/KES'])
    own.pass(LIMITS.midMaxAgeMs)
    await follow(suspecting)
    const [last] = listener.events.slice(-2)
    expect(listener.events.map(({ name }) => name)).toContain('mid')
    expect([last!.name, last!.data.suspect]).toEqual(['quote', undefined])
    expect(listener.events.at(-1)!.data.best.provider_id).toBe('retail-a')
  })

  test('that is no longer recent is sent as gone, at the tick that shows it', async () => {
    const listener = new Listener(replica, ['GBP/KES'])
    log.pass(LIMITS.midMaxAgeMs)
    await follow(replica)
    expect(listener.events).toEqual([])
    log.pass(1)
    await follow(replica)
    expect(listener.events).toMatchObject([{ name: 'mid', data: { corridor: 'GBP/KES' } }])
    expect(listener.events[0]!.data).not.toHaveProperty('mid_rate')
  })
})

describe('an hour', () => {
  test('sends as gone what expired before it, if no tick showed that in time', async () => {
    log.quotes({ providerId: 'p2p-a', rate: 120, offer: offer({ validUntilMs: log.nowMs + 1000 }) })
    await follow(replica)
    const listener = new Listener(replica, ['USD/KES'])
    log.pass(2 * HOUR_MS, false)
    await follow(replica)
    expect(listener.events).toMatchObject([{ name: 'gone', data: { provider_id: 'p2p-a' } }])
  })
})

describe('the hub', () => {
  test('serialises an event once, for all its readers', async () => {
    const texts: string[] = []
    for (let i = 0; i < 3; i++) {
      const listener = new Listener(replica, '*')
      listener.write = (text) => texts.push(text) > 0
    }
    log.quotes({ providerId: 'retail-b', rate: 129 })
    await follow(replica)
    expect(texts.length).toBe(3)
    expect(new Set(texts).size).toBe(1)
    expect(replica.hub.figures.ring.bytes).toBeLessThan(2 * texts[0]!.length)
  })

  test('ignores steps after it is closed', async () => {
    const listener = new Listener(replica, ['USD/KES'])
    replica.hub.close()
    log.quotes({ providerId: 'retail-b', rate: 129 })
    await follow(replica)
    expect(listener.events).toEqual([])
    expect(replica.live.watched.size).toBe(0)
  })
})

describe('an hourly stream', () => {
  test('reports the end of a price that was recorded late and expired before the next hour', async () => {
    log.pass(HOUR_MS)
    await follow(replica)
    const [atMs, validUntilMs] = [log.nowMs - HOUR_MS, log.nowMs + 1]
    log.quotes({ providerId: 'p2p-a', rate: 120, to: 'NGN', atMs, offer: offer({ validUntilMs }) })
    await follow(replica)
    const listener = new Listener(replica, ['USD/NGN'], { tier: 'hourly' })
    log.pass(HOUR_MS)
    await follow(replica)
    expect(names(listener)).toEqual(['gone', 'best'])
  })

  test('sends a reset as soon as a gap hides the start of an hour', async () => {
    log.pass(HOUR_MS)
    await follow(replica)
    const listener = new Listener(replica, ['USD/KES'], { tier: 'hourly' })
    log.nowMs += HOUR_MS
    log.add({ kind: 'hour', atMs: hourStartMs(log.nowMs) })
    replica.skip()
    replica.run()
    expect(listener.events).toMatchObject([{ name: 'reset', data: { reason: 'gap' } }])
    log.quotes({ providerId: 'retail-a', rate: 131 })
    log.pass(HOUR_MS)
    await follow(replica)
    expect(names(listener)).toEqual(['reset', 'quote', 'best'])
  })

  test('sends at the top of the hour what that hour shows, and nothing before', async () => {
    const listener = new Listener(replica, ['USD/KES'], { tier: 'hourly' })
    log.quotes({ providerId: 'retail-b', rate: 129 })
    log.nowMs += 1000
    log.quotes({ providerId: 'retail-b', rate: 129.5 })
    log.references({ KES: 131 })
    await follow(replica)
    expect(listener.events).toEqual([])
    log.pass(HOUR_MS)
    await follow(replica)
    expect(names(listener)).toEqual(['mid', 'quote', 'quote', 'best'])
    expect(listener.events[2]!.data).toMatchObject({
      provider_id: 'retail-b',
      rate: 129.5,
      timestamp: '2026-03-05T15:00:00.000Z',
      data_freshness: 'hourly',
      as_of: '2026-03-05T15:00:00.000Z',
    })
  })

  test('sends with the next hour what was recorded late for an earlier one', async () => {
    log.pass(HOUR_MS)
    const late = new Replica(log)
    const listener = new Listener(late, ['USD/KES'], { tier: 'hourly' })
    log.quotes({ providerId: 'retail-b', rate: 129, atMs: log.nowMs - HOUR_MS })
    log.pass(HOUR_MS)
    await follow(late)
    expect(listener.events.map(({ data }) => data.provider_id ?? data.best.provider_id)).toEqual([
      'retail-b',
      'retail-b',
    ])
  })
})
