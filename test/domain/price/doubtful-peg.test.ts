import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS } from '~/domain/duration.ts'
import type { Reference } from '~/domain/mid.ts'
import { doubtfulPeg } from '~/domain/price/doubtful-peg.ts'

const AT_MS = 1_000_000_000
const XOF = { code: 'XOF', peg: { to: 'EUR', rate: 655.957 } }

const reference = (perUsd: number, more: Partial<Reference> = {}): Reference => ({
  ...{ id: 1, currency: 'XOF', source: 'feed', atMs: AT_MS },
  perUsd,
  ...more,
})

const PEGGED = reference(600, { source: 'peg:EUR+feed' })

const doubt = (perUsd: number, more: Partial<Reference> = {}) =>
  doubtfulPeg(XOF, { said: reference(perUsd, more), pegged: PEGGED })

describe('doubtfulPeg', () => {
  test('reports a distance of more than 1 %, in either direction, and not one of 1 %', () => {
    expect([606, 594, 600].map((perUsd) => doubt(perUsd))).toEqual([null, null, null])
    expect([606.00001, 593.99999].map((perUsd) => doubt(perUsd)?.offPct)).toEqual([
      1.000002, -1.000002,
    ])
  })

  test('names the peg, the rate of the feed, the feed and its time', () => {
    expect(doubt(588, { source: 'ecb', atMs: AT_MS - 5 })).toEqual({
      ...{ currency: 'XOF', peg: XOF.peg, source: 'ecb', atMs: AT_MS - 5 },
      saidRate: 655.957 * 0.98,
      offPct: -2,
    })
  })

  test('is null without a peg, without a rate from feeds, or without a rate of the anchor', () => {
    const said = reference(900)
    expect(doubtfulPeg({ code: 'XOF', peg: null }, { said, pegged: PEGGED })).toBeNull()
    expect(doubtfulPeg(XOF, { said: undefined, pegged: PEGGED })).toBeNull()
    expect(doubtfulPeg(XOF, { said, pegged: undefined })).toBeNull()
  })

  test('is none if the two are more than a day apart, since the anchor moves meanwhile', () => {
    for (const sign of [-1, 1]) {
      expect(doubt(900, { atMs: AT_MS + sign * DAY_MS })).not.toBeNull()
      expect(doubt(900, { atMs: AT_MS + sign * (DAY_MS + 1) })).toBeNull()
    }
  })

  test('depends only on the peg and the distance, whatever the rates', () => {
    const rate = fc.double({ min: 1e-6, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(rate, rate, rate, (peg, saidPerUsd, peggedPerUsd) => {
        const currency = { code: 'XOF', peg: { to: 'EUR', rate: peg } }
        const [said, pegged] = [reference(saidPerUsd), reference(peggedPerUsd)]
        const found = doubtfulPeg(currency, { said, pegged })
        const ratio = saidPerUsd / peggedPerUsd
        if (Math.abs(ratio - 1) > 0.010001) expect(found).not.toBeNull()
        if (Math.abs(ratio - 1) < 0.009999) expect(found).toBeNull()
        if (found) expect((found.saidRate / peg - 1) / (found.offPct / 100)).toBeCloseTo(1, 5)
      }),
    )
  })
})
