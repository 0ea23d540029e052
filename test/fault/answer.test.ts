import { describe, expect, test } from 'bun:test'
import { type Answer, errorFault, midFault, shownOf, tierFault } from './answer.ts'
import { midOf, rateOf, seqOf } from './world.ts'

const HOUR = '2026-03-05T10:00:00.000Z'
const NOW = '2026-03-05T10:20:00.000Z'

function answer(body: object, headers: Record<string, string> = {}, status = 200): Answer {
  const times = { askedAt: 0, tookMs: 1, fromMs: Date.parse(NOW) - 1, toMs: Date.parse(NOW) + 1 }
  return { status, headers: new Headers(headers), body, by: 'a1', ...times }
}

describe('tierFault', () => {
  const hourly = { data_freshness: 'hourly', timestamp: NOW, as_of: HOUR }
  const realtime = { data_freshness: 'realtime', timestamp: NOW }

  test('accepts each tier with its own cutoff', () => {
    const says = (tier: string) => ({ 'x-data-freshness': tier })
    expect(tierFault(answer(hourly, says('hourly')), 'hourly')).toBeNull()
    expect(tierFault(answer(realtime, says('realtime')), 'realtime')).toBeNull()
  })

  test.each([
    ['another tier', hourly, 'hourly', 'realtime'],
    ['another tier in the header', hourly, 'realtime', 'hourly'],
    ['the hour before', { ...hourly, as_of: '2026-03-05T09:00:00.000Z' }, 'hourly', 'hourly'],
    ['no cutoff', { ...hourly, as_of: undefined }, 'hourly', 'hourly'],
    ['a cutoff of realtime', { ...realtime, as_of: HOUR }, 'realtime', 'realtime'],
    ['another time', { ...realtime, timestamp: HOUR }, 'realtime', 'realtime'],
  ] as const)('reports %s', (_what, body, header, tier) => {
    expect(tierFault(answer(body, { 'x-data-freshness': header }), tier)).toBeString()
  })
})

describe('errorFault', () => {
  const away = { error: 'retry shortly', code: 'database_unavailable' }

  test('accepts an error with its code, its status and its wait', () => {
    expect(errorFault(answer(away, { 'retry-after': '5' }, 503))).toBeNull()
  })

  test.each([
    ['no wait', away, {}, 503],
    ['a wait of nothing', away, { 'retry-after': '0' }, 503],
    ['another status', away, { 'retry-after': '5' }, 500],
    ['an unknown code', { ...away, code: 'x' }, { 'retry-after': '5' }, 503],
    ['no sentence', { code: 'database_unavailable' }, { 'retry-after': '5' }, 503],
  ] as const)('reports %s', (_what, body, headers, status) => {
    expect(errorFault(answer(body, headers, status))).toBeString()
  })
})

describe('midFault', () => {
  test('accepts only the mid of the feed in use', () => {
    expect(midFault('GBP/KES', [midOf('GBP/KES'), 'fault-test'])).toBeNull()
    expect(midFault('GBP/KES', [midOf('GBP/KES') * 1.001, 'fault-test'])).toBeString()
    expect(midFault('GBP/KES', [midOf('GBP/KES'), 'other'])).toBeString()
    expect(midFault('GBP/KES', [undefined, undefined])).toBeString()
  })
})

describe('shownOf', () => {
  test('reads the observation of a rate', () => {
    for (const seq of [0, 1, 999, 12_345]) expect(seqOf(rateOf(seq))).toBe(seq)
    expect(seqOf(100.0005)).toBeNull()
    const best = { provider_id: 'quoted', rate: rateOf(7), last_updated: NOW }
    expect(shownOf(best)).toEqual({ seq: 7, atMs: Date.parse(NOW) })
    expect(shownOf(null)).toBeString()
    expect(shownOf({ ...best, provider_id: 'other' })).toBeString()
  })
})
