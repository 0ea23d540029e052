import { describe, expect, test } from 'bun:test'
import { Anchors } from '~/domain/price/anchors.ts'
import { midStretches } from '~/domain/price/mid-stretches.ts'
import type { Worth } from '~/domain/series.ts'
import { currency } from '../../support/catalogue.ts'

const anchors = new Anchors([
  ...['USD', 'EUR', 'KES'].map((code) => currency(code)),
  currency('XOF', { peg: { to: 'EUR', rate: 655.957 } }),
])

/** The mids of a pair from 100 to 200, with a maximum age of references. */
const stretches = (pair: [string, string], worths: Record<string, Worth[]>, maxAgeMs = 1000) =>
  midStretches({ fromMs: 100, beforeMs: 200 }, pair, {
    ...{ anchors, maxAgeMs, worths: new Map(Object.entries(worths)) },
  }).map(({ fromMs, beforeMs, mid }) => [fromMs, beforeMs, mid])

const worth = (atMs: number, perUsd: number): Worth => ({ atMs, perUsd })

describe('midStretches', () => {
  test('is one stretch if no mid changes, or none is known', () => {
    expect(stretches(['USD', 'KES'], { KES: [worth(50, 130)] })).toEqual([[100, 200, 130]])
    expect(stretches(['USD', 'KES'], { KES: [] })).toEqual([[100, 200, null]])
    expect(stretches(['USD', 'USD'], {})).toEqual([[100, 200, 1]])
  })

  test('divides the window at each change of either leg, in order of time', () => {
    const worths = {
      EUR: [worth(90, 0.5), worth(170, 0.8)],
      KES: [worth(90, 120), worth(130, 140)],
    }
    expect(stretches(['EUR', 'KES'], worths)).toEqual([
      [100, 130, 240],
      [130, 170, 280],
      [170, 200, 175],
    ])
    const pegged = { EUR: [worth(90, 0.5), worth(170, 0.8)] }
    expect(stretches(['EUR', 'XOF'], pegged)).toEqual([[100, 200, 655.957]])
  })

  test('a change at either end of the window divides nothing', () => {
    const said = [worth(90, 120), worth(100, 130), worth(200, 140)]
    expect(stretches(['USD', 'KES'], { KES: said })).toEqual([[100, 200, 130]])
    expect(stretches(['USD', 'KES'], { KES: [worth(101, 130), worth(199, 140)] })).toEqual([
      [100, 101, null],
      [101, 199, 130],
      [199, 200, 140],
    ])
  })

  test('a mid ends a millisecond after the greatest age of a recent one', () => {
    const said = [worth(100, 130), worth(160, 130)]
    expect(stretches(['USD', 'KES'], { KES: said }, 20)).toEqual([
      [100, 121, 130],
      [121, 160, null],
      [160, 181, 130],
      [181, 200, null],
    ])
  })

  test('has no mid while feeds dispute it', () => {
    const disputed = { ...worth(150, 140), basis: 'disputed' } as const
    expect(stretches(['USD', 'KES'], { KES: [worth(90, 130), disputed] })).toEqual([
      [100, 150, 130],
      [150, 200, null],
    ])
  })
})
