import { describe, expect, test } from 'bun:test'
import { believedRange, suspicionOf } from '~/domain/price/suspect.ts'
import type { RateType } from '~/domain/provider.ts'

const against = (midAtQuote: number | null, mid: number | null = null) => ({
  midAtQuote: midAtQuote === null ? null : { rate: midAtQuote },
  mid: mid === null ? null : { rate: mid },
})
const evaluated = (rate: number, mids = against(100), abovePct: number | null = 10) =>
  suspicionOf({ rate, rateType: 'retail' }, mids, abovePct)

describe('suspicionOf', () => {
  test('a rate is believed up to the limit above the mid of its day, and not beyond', () => {
    expect(evaluated(110)).toBeNull()
    expect(evaluated(believedRange(100, 10).most)).toBeNull()
    expect(evaluated(110.000000001)).toMatchObject({ isOfDay: true })
    expect(evaluated(1.1, against(1))).toBeNull()
    expect(evaluated(115.2)!.offPct).toBeCloseTo(15.2, 9)
  })

  test('a rate is believed down to half the mid, and not below', () => {
    expect(evaluated(50)).toBeNull()
    expect(evaluated(49.9999999999)!.offPct).toBeCloseTo(-50, 6)
  })

  test('the current mid counts only if there is none of the day', () => {
    expect(evaluated(120, against(115, 100))).toBeNull()
    expect(evaluated(120, against(null, 100))).toMatchObject({ isOfDay: false })
    expect(evaluated(1e9, against(null))).toBeNull()
  })

  test('a mid that feeds dispute makes nothing suspect', () => {
    const disputed = { midAtQuote: { rate: 100, basis: 'disputed' }, mid: null } as const
    expect(evaluated(200, disputed)).toBeNull()
    expect(evaluated(200, { ...disputed, mid: { rate: 100 } })).toBeNull()
  })

  test('another limit applies, and without a limit nothing is suspect', () => {
    expect(evaluated(120, against(100), 20)).toBeNull()
    expect(evaluated(101, against(100), 0)).not.toBeNull()
    expect(evaluated(1e9, against(100), null)).toBeNull()
    expect(evaluated(1, against(100), null)).toBeNull()
  })

  test('only executable prices are suspect', () => {
    const suspect = (rateType: RateType) => suspicionOf({ rate: 200, rateType }, against(100), 10)
    for (const kind of ['retail', 'p2p', 'interbank'] as const) expect(suspect(kind)).not.toBeNull()
    for (const kind of ['official', 'parallel'] as const) expect(suspect(kind)).toBeNull()
  })
})
