import { describe, expect, test } from 'bun:test'
import type { StreamEvent } from '~/client/stream-event.ts'
import { Hearing, missing, newByHour, newest } from './hearing.ts'
import type { Price } from './story.ts'

const HOUR_MS = 3_600_000
const event = (type: string, id: string | null, data: object = {}) =>
  ({ type, id, data }) as unknown as StreamEvent
const quote = (id: string, rate: number, corridor = 'USD/KES') =>
  event('quote', id, { corridor, rate })

/** A reader that has received these events. */
function hearing(...events: readonly StreamEvent[]): Hearing {
  const heard = new Hearing()
  for (const one of events) heard.receive(one)
  return heard
}

/** A price of one corridor, whose position and rate equal its id. */
const price = (id: number, effectiveMs = id, corridor = 'USD/KES'): Price => ({
  ...{ position: id, id, corridor, rate: id, effectiveMs },
})
const positions = (prices: readonly Price[]) => prices.map(({ position }) => position)

describe('a hearing', () => {
  test('accepts ascending ids, across connections too', () => {
    const heard = hearing(
      event('hello', '5-'),
      quote('6-0', 1),
      event('best', '6-1'),
      event('hello', '6-1'),
      quote('7-2', 2),
      event('slow', null),
    )
    expect(heard).toMatchObject({ doubled: 0, faults: [], resets: [], connections: 2, beganAt: 5 })
    expect(heard.quotes.map(({ rate }) => rate)).toEqual([1, 2])
  })

  test('counts an id that comes twice, and reports one that comes too late', () => {
    const heard = hearing(event('hello', '5-'), quote('7-0', 1), quote('7-0', 1), quote('6-0', 2))
    expect([heard.doubled, heard.faults]).toEqual([1, ['quote 6-0 came after 7-0']])
    expect(hearing(event('hello', '5-'), quote('5-3', 1)).faults).toHaveLength(1)
    expect(hearing(event('hello', '5-'), quote('x', 1)).faults).toEqual(['quote has the id x'])
  })

  test('continues after a reset, and knows what the reset excuses', () => {
    const reset = event('reset', '9-', { reason: 'too_old' })
    const heard = hearing(event('hello', '5-'), quote('6-0', 6), reset, quote('10-0', 10))
    expect(heard.resets).toEqual([{ after: 6, upTo: 9, reason: 'too_old' }])
    expect(heard.faults).toEqual([])
    const wanted = [6, 7, 9, 10, 11].map((id) => price(id))
    expect(positions(missing({ hearing: heard, wanted, corridors: null }))).toEqual([11])
  })
})

describe('missing', () => {
  test('is what came after the beginning, in the subscribed corridors, and was not sent', () => {
    const heard = hearing(event('hello', '5-'), quote('6-0', 6))
    const wanted = [price(4), price(5), price(6), price(7), price(8, 8, 'GBP/KES')]
    const missed = (corridors: readonly string[] | null) =>
      positions(missing({ hearing: heard, wanted, corridors }))
    expect(missed(null)).toEqual([7, 8])
    expect(missed(['USD/KES'])).toEqual([7])
    expect(missed(['GBP/KES'])).toEqual([8])
  })

  test('is everything for a reader that never began, and events of another corridor or rate', () => {
    const wanted = [price(6)]
    expect(missing({ hearing: hearing(), wanted, corridors: null })).toHaveLength(1)
    for (const other of [quote('6-0', 6, 'GBP/KES'), quote('6-0', 7)])
      expect(
        missing({ hearing: hearing(event('hello', '5-'), other), wanted, corridors: null }),
      ).toHaveLength(1)
  })
})

describe('newest', () => {
  test('leaves out prices that a clock set back recorded below the newest', () => {
    const prices = [
      price(1, 100),
      price(2, 90),
      price(3, 100),
      price(4, 95, 'GBP/KES'),
      price(5, 101),
    ]
    expect(positions(newest({ prices, before: [] }))).toEqual([1, 3, 4, 5])
    expect(positions(newest({ prices, before: [price(0, 100.5)] }))).toEqual([4, 5])
  })
})

describe('newByHour', () => {
  test('is the price in force at the hour, at its position, if it differs from the hour before', () => {
    const at = (id: number, minutes: number, corridor?: string) =>
      price(id, 10 * HOUR_MS + minutes * 60_000, corridor)
    const before = [at(1, -30)]
    const prices = [at(2, 20), at(3, 40), at(4, 59, 'GBP/KES'), at(6, 61), at(8, 70)]
    const hours = [
      { position: 5, ms: 11 * HOUR_MS },
      { position: 9, ms: 12 * HOUR_MS },
      { position: 10, ms: 13 * HOUR_MS },
    ]
    const changes = newByHour({ prices, before }, hours)
    expect(changes.map(({ position, rate, corridor }) => [position, rate, corridor])).toEqual([
      [5, 3, 'USD/KES'],
      [5, 4, 'GBP/KES'],
      [9, 8, 'USD/KES'],
    ])
    expect(newByHour({ prices, before }, [])).toEqual([])
  })

  test('leaves prices recorded after the hour to the next one', () => {
    const late = { ...price(7, 10.5 * HOUR_MS), position: 7 }
    const hours = [
      { position: 5, ms: 11 * HOUR_MS },
      { position: 9, ms: 12 * HOUR_MS },
    ]
    expect(positions(newByHour({ prices: [late], before: [] }, hours))).toEqual([9])
  })
})
