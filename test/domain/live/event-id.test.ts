import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  corridorPlace,
  END,
  eventIdText,
  GENERAL_PLACE,
  ORDINAL,
  readEventId,
} from '~/domain/live/event-id.ts'
import { compareText } from '~/domain/rank.ts'

const codes = fc.string({
  unit: fc.constantFrom(...'ABCXYZ'),
  minLength: 3,
  maxLength: 4,
})
const corridors = fc.record({ from: codes, to: codes })

describe('readEventId', () => {
  test('reads what eventIdText writes', () => {
    const counts = fc.maxSafeNat()
    const places = fc.oneof(counts, fc.constant(END))
    fc.assert(
      fc.property(fc.record({ position: counts, place: places }), (id) => {
        fc.pre(id.position < 1e16 && (id.place === END || id.place < 1e16))
        expect(readEventId(eventIdText(id))).toEqual(id)
      }),
    )
  })

  test('refuses anything else', () => {
    const others = ['', '-', '1', '1-2-3', '-1', ' 1-', '1-\n', '+1-', '1e3-', '0x1-', '1-1.5']
    for (const text of [...others, '9007199254740993-', '1-9999999999999999', '1'.repeat(17)])
      expect([text, readEventId(text)]).toEqual([text, null])
  })
})

describe('corridorPlace', () => {
  test('orders corridors by name, all events of one before those of the next', () => {
    fc.assert(
      fc.property(corridors, corridors, (a, b) => {
        const order = compareText(`${a.from}/${a.to}`, `${b.from}/${b.to}`)
        fc.pre(order < 0)
        expect(corridorPlace(a, ORDINAL.end)).toBeLessThan(corridorPlace(b, ORDINAL.mid))
      }),
    )
  })

  test('orders the corridors of one source by target, and the events of a corridor by ordinal', () => {
    const [kes, ngn] = ['KES', 'NGN'].map((to) => ({ from: 'USD', to }))
    const { mid, quotes, best, end } = ORDINAL
    const places = [mid, quotes, best, end].map((ordinal) => corridorPlace(kes!, ordinal))
    places.push(corridorPlace(ngn!, mid))
    expect(places).toEqual([...new Set(places)].sort((a, b) => a - b))
  })

  test('returns a whole number above that of every event without a corridor', () => {
    fc.assert(
      fc.property(corridors, fc.integer({ min: 0, max: ORDINAL.end }), (corridor, ordinal) => {
        const place = corridorPlace(corridor, ordinal)
        expect(place).toBeGreaterThan(GENERAL_PLACE)
        expect(Number.isSafeInteger(place)).toBe(true)
      }),
    )
  })
})
