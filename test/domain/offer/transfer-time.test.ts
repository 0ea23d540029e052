import { describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import { deliveryIn } from '~/domain/offer/transfer-time.ts'

describe('deliveryIn', () => {
  test.each([
    ['Less than one hour', null, HOUR_MS],
    ['minutes', null, HOUR_MS],
    ['Same day', null, DAY_MS],
    ['Next day', null, 2 * DAY_MS],
    ['2 days', null, 2 * DAY_MS],
    ['3-5 days', 3 * DAY_MS, 5 * DAY_MS],
    ['1 to 2 hours', HOUR_MS, 2 * HOUR_MS],
    ['within 30 minutes', null, 30 * MINUTE_MS],
    ['6 days or more', 6 * DAY_MS, null],
    [' Instant ', null, 0],
  ])('reads %p', (text, deliveryMinMs, deliveryMaxMs) => {
    expect(deliveryIn(text)).toEqual({ deliveryMinMs, deliveryMaxMs })
    expect(deliveryIn(text)).toEqual({ deliveryMinMs, deliveryMaxMs })
  })

  test.each(['2 business days', 'varies', '', 'constructor', '5', 'days'])(
    'finds no time in %p',
    (text) => expect(deliveryIn(text)).toBeNull(),
  )

  test('finds no time without a string', () => {
    expect(deliveryIn(null)).toBeNull()
  })
})
