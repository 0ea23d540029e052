import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import { DELIVERY_DAYS_MAX, deliveryMsOf, deliveryText } from '~/domain/offer/duration.ts'

describe('deliveryMsOf', () => {
  test.each([
    ['PT0S', 0],
    ['P0D', 0],
    ['PT1H', HOUR_MS],
    ['P2D', 2 * DAY_MS],
    ['PT90M', 90 * MINUTE_MS],
    ['PT30S', 30_000],
    ['P1DT2H3M4S', DAY_MS + 2 * HOUR_MS + 3 * MINUTE_MS + 4000],
    [`P${DELIVERY_DAYS_MAX}D`, DELIVERY_DAYS_MAX * DAY_MS],
  ])('%s is %d ms', (text, ms) => {
    expect(deliveryMsOf(text)).toBe(ms)
  })

  test.each([
    ...['', 'P', 'PT', 'P1Y', 'P1M', 'P1W', '-PT1H', '+PT1H', 'PT-1H', 'P1.5D', 'PT1,5H', 'P1DT'],
    ...['pt1h', ' PT1H', 'PT1H ', 'PT1M1H', '1h', '2d', '60', 'soon', 'PT1H\n', 'P١D'],
    ...[`P${DELIVERY_DAYS_MAX}DT1S`, 'P999999999D', 'PT9999999999S', 'P1e2D'],
  ])('%p is not a delivery time', (text) => {
    expect(deliveryMsOf(text)).toBeNull()
  })
})

describe('deliveryText', () => {
  test.each([
    [0, 'PT0S'],
    [HOUR_MS, 'PT1H'],
    [36 * HOUR_MS, 'P1DT12H'],
    [2 * DAY_MS, 'P2D'],
    [61_000, 'PT1M1S'],
  ])('%d ms is %s', (ms, text) => {
    expect(deliveryText(ms)).toBe(text)
  })

  test('every whole number of seconds is read back unchanged', () => {
    fc.assert(
      fc.property(fc.nat(DELIVERY_DAYS_MAX * 86_400), (seconds) => {
        expect(deliveryMsOf(deliveryText(seconds * 1000))).toBe(seconds * 1000)
      }),
    )
  })
})
