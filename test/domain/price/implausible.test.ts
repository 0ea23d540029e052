import { describe, expect, test } from 'bun:test'
import { implausibleFault } from '~/domain/price/implausible.ts'
import { quote } from '../../support/quotes.ts'

const fault = (rate: number, mid: number | null = 130, times: number | null = 3) =>
  implausibleFault(quote({ rate }), mid, times)

describe('implausibleFault', () => {
  test('a rate at the limit on either side is plausible, and one beyond is not', () => {
    expect([fault(390), fault(130 / 3 + 1e-9)]).toEqual([null, null])
    expect(fault(1, 4, 4)).toBeNull()
    expect(fault(390.0001)).toContain('is 3 times the mid of its day, 130 KES for one USD')
    expect(fault(43.3)).toContain('is 0.333 times the mid')
  })

  test('suggests a likely cause, if one fits', () => {
    expect(fault(0.0077)).toContain(': are from and to swapped?;')
    expect(fault(1.3)).toContain(': is the decimal separator different?;')
    expect(fault(13_100_000)).toContain('is the decimal separator different?')
    expect(fault(9_999_999)).not.toContain('?')
    expect(fault(600)).toContain('correct it, or set accept_implausible to true')
  })

  test('suspects a misplaced separator up to six places, for rates up to a quarter apart', () => {
    const asks = 'is the decimal separator different?'
    expect(fault(1e6, 1)).toContain(asks)
    expect(fault(1e7, 1)).not.toContain(asks)
    for (const near of [12.5, 8]) expect(fault(near, 1)).toContain(asks)
    for (const far of [12.6, 7.9]) expect(fault(far, 1)).not.toContain(asks)
  })

  test('nothing is implausible without a mid of its day, without a limit, or for another kind', () => {
    expect(fault(1e9, null)).toBeNull()
    expect(fault(1e9, 130, null)).toBeNull()
    expect(implausibleFault(quote({ rate: 1e9, rateType: 'official' }), 130, 3)).toBeNull()
  })
})
