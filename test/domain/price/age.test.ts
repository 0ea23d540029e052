import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import { AGE_DAYS_MAX, ageMsOf } from '~/domain/price/age.ts'

describe('ageMsOf', () => {
  test.each([
    ['90m', 90 * MINUTE_MS],
    ['24h', DAY_MS],
    ['7d', 7 * DAY_MS],
    ['007d', 7 * DAY_MS],
    ['P7D', 7 * DAY_MS],
    ['PT90M', 90 * MINUTE_MS],
    ['P1DT12H30M', 36.5 * HOUR_MS],
    ['PT1M', MINUTE_MS],
    ['1827d', AGE_DAYS_MAX * DAY_MS],
  ])('%s is %d ms', (text, ms) => {
    expect(ageMsOf(text)).toBe(ms)
  })

  test.each([
    ...['', '0', '0d', '0m', 'P', 'PT', 'P0D', 'PT0M', 'P1DT', '-1d', '+1d', '1.5h', '7', 'd'],
    ...['1e9d', '999999999999d', `${AGE_DAYS_MAX + 1}d`, `P${AGE_DAYS_MAX}DT1M`, '7D', 'p7d'],
    ...['P1M', 'P1Y', 'P1W', 'PT30S', '30s', 'soon', ' 7d', '7 d', '7d7h', '٧d', 'PT1H1H'],
  ])('%p is not an age', (text) => {
    expect(ageMsOf(text)).toBeNull()
  })

  test('reads both notations the same way', () => {
    const parts = fc.record({ days: fc.nat(60), hours: fc.nat(90), minutes: fc.nat(200) })
    fc.assert(
      fc.property(parts, ({ days, hours, minutes }) => {
        const all = (days * 24 + hours) * 60 + minutes
        const ms = ageMsOf(`P${days}DT${hours}H${minutes}M`)
        expect(ms).toBe(ageMsOf(`${all}m`))
        expect(ms).toBe(all === 0 ? null : all * MINUTE_MS)
      }),
    )
  })
})
