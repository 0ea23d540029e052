import { describe, expect, test } from 'bun:test'
import { ServiceError } from '~/domain/errors.ts'
import { fetchMatrix, type Matrix } from '~/service/fetch.ts'
import { viewOf } from '../support/views.ts'
import { World } from '../support/world.ts'

const STALE = '2026-03-02T14:25:30.499Z'
const JUST_RECENT = '2026-03-02T14:25:30.500Z'

const asked = (from: string, to: string) => ({ from: from.split(','), to: to.split(',') })
const matrixOf = (world: World, from: string, to: string): Matrix =>
  fetchMatrix(viewOf(world), asked(from, to))
const midOf = (world: World, from: string, to: string) =>
  matrixOf(world, from, to).pairs[0]![0]!.mid

function failureOf(work: () => unknown): ServiceError {
  try {
    work()
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
  throw new Error('nothing failed')
}

describe('fetchMatrix', () => {
  test('returns every base against every quote currency, in the order of the request', () => {
    const world = new World()
    world.reference({ KES: 130, NGN: 1300, GBP: 0.5 })
    const { bases, quotes, pairs } = matrixOf(world, 'GBP,USD', 'NGN,KES')
    expect(bases).toEqual(['GBP', 'USD'])
    expect(quotes).toEqual(['NGN', 'KES'])
    expect(pairs.map((row) => row.map(({ mid }) => mid))).toEqual([
      [2600, 260],
      [1300, 130],
    ])
  })

  test('counts a code named twice once, in any case, at its first place', () => {
    const world = new World()
    world.reference({ KES: 130, NGN: 1300 })
    const { bases, quotes } = matrixOf(world, 'usd,USD', 'NGN,kes,ngn,KES')
    expect(bases).toEqual(['USD'])
    expect(quotes).toEqual(['NGN', 'KES'])
  })

  test('returns the best executable quote of the corridor, or null', () => {
    const world = new World()
    world.reference({ KES: 130, NGN: 1300 })
    world.quote(
      { providerId: 'retail-a', rate: 128 },
      { providerId: 'p2p-a', rate: 129 },
      { providerId: 'official-a', rate: 140 },
      { providerId: 'official-a', to: 'NGN', rate: 140 },
    )
    const [row] = matrixOf(world, 'USD', 'KES,NGN').pairs
    expect(row?.map(({ best }) => best?.quote.providerId ?? null)).toEqual(['p2p-a', null])
  })

  test('names no further feed for a currency against itself', () => {
    const world = new World()
    world.reference({ KES: 130 }, { at: '2026-03-05T10:00:00.000Z', source: 'ecb' })
    world.reference({ NGN: 1300 }, { at: '2026-03-05T12:00:00.000Z', source: 'late' })
    const sourceOf = (to: string) => matrixOf(world, 'USD', to).reference?.source
    expect(sourceOf('USD,KES')).toBe('ecb')
    expect(sourceOf('USD')).toBe('late')
  })

  test('joins the sources of all mids, with the time of their oldest leg', () => {
    const world = new World()
    world.reference({ KES: 130 }, { at: '2026-03-05T10:00:00.000Z', source: 'ecb' })
    world.reference({ NGN: 1300 }, { at: '2026-03-05T12:00:00.000Z', source: 'open' })
    expect(matrixOf(world, 'USD', 'NGN,KES').reference).toEqual({
      source: 'open+ecb',
      atMs: Date.parse('2026-03-05T10:00:00.000Z'),
    })
    expect(matrixOf(world, 'USD', 'KES,NGN').reference).toEqual({
      source: 'ecb+open',
      atMs: Date.parse('2026-03-05T10:00:00.000Z'),
    })
    expect(matrixOf(world, 'USD', 'NGN').reference).toEqual({
      source: 'open',
      atMs: Date.parse('2026-03-05T12:00:00.000Z'),
    })
  })

  test('fails for an unsupported code with its parameter and the supported codes', () => {
    const world = new World()
    world.reference({ KES: 130 })
    for (const [from, to, parameter] of [
      ['USD,XXX', 'KES', 'from'],
      ['USD', 'KES,XXX', 'to'],
      ['SLL', 'KES', 'from'],
    ] as const) {
      const { code, details } = failureOf(() => matrixOf(world, from, to))
      expect(code).toBe('unsupported_currency')
      expect(details.parameter).toBe(parameter)
      expect(details.supported_currencies).toEqual(
        'EUR GBP KES NGN UGX USD USDC USDT XOF ZAR'.split(' '),
      )
    }
  })
})

describe('a mid that is missing from fetchMatrix', () => {
  test("is unavailable before the feed's first rate", () => {
    expect(failureOf(() => midOf(new World(), 'USD', 'KES')).code).toBe('mid_unavailable')
  })

  test('is recent to the last millisecond after the feed stops, and then unavailable', () => {
    const recent = new World()
    recent.reference({ KES: 130 }, { at: JUST_RECENT })
    expect(midOf(recent, 'USD', 'KES')).toBe(130)
    const stale = new World()
    stale.reference({ KES: 130 }, { at: STALE })
    expect(failureOf(() => midOf(stale, 'USD', 'KES')).code).toBe('mid_unavailable')
  })

  test('is unavailable after the feed stops, also for a pair that the feed never covered', () => {
    const world = new World()
    world.reference({ KES: 130 }, { at: STALE })
    expect(failureOf(() => midOf(world, 'USD', 'NGN')).code).toBe('mid_unavailable')
  })

  test('is missing only for the pairs of a currency that the feed no longer covers, which is named', () => {
    const world = new World()
    world.reference({ KES: 130 }, { at: STALE })
    world.reference({ NGN: 1300 })
    world.quote({ providerId: 'retail-a', rate: 129 })
    const silent = [{ code: 'KES', isStablecoin: false, lastMs: Date.parse(STALE) }]
    for (const [from, to] of [
      ['USD', 'KES'],
      ['KES', 'USD'],
      ['KES', 'NGN'],
      ['NGN', 'KES'],
    ] as const)
      expect(matrixOf(world, from, to)).toMatchObject({
        pairs: [[{ mid: null }]],
        reference: null,
        unpriced: silent,
      })
    expect(matrixOf(world, 'USD', 'NGN,KES')).toMatchObject({
      pairs: [
        [
          { mid: 1300, best: null },
          { mid: null, best: { quote: { rate: 129 } } },
        ],
      ],
      reference: { source: 'feed', atMs: world.clock.now() },
      unpriced: silent,
    })
    expect(matrixOf(world, 'USD', 'NGN').unpriced).toEqual([])
  })

  test('names each currency once, in the order of the pairs, and never the dollar', () => {
    const world = new World()
    world.reference({ KES: 130, GBP: 0.8 }, { at: STALE })
    world.reference({ NGN: 1300 })
    const { unpriced } = matrixOf(world, 'USDT,USD,GBP', 'NGN,KES,UGX,GBP')
    expect(unpriced).toEqual([
      { code: 'USDT', isStablecoin: true, lastMs: null },
      { code: 'KES', isStablecoin: false, lastMs: Date.parse(STALE) },
      { code: 'UGX', isStablecoin: false, lastMs: null },
      { code: 'GBP', isStablecoin: false, lastMs: Date.parse(STALE) },
    ])
  })

  test('is missing for a currency that a working feed never covered, whose best is served', () => {
    const world = new World()
    world.reference({ KES: 130 })
    world.quote({ providerId: 'retail-a', to: 'UGX', rate: 3600 })
    const { pairs, reference, unpriced } = matrixOf(world, 'USD', 'UGX')
    expect(pairs[0]?.[0]).toMatchObject({ mid: null, best: { quote: { rate: 3600 } } })
    expect(reference).toBeNull()
    expect(unpriced).toEqual([{ code: 'UGX', isStablecoin: false, lastMs: null }])
  })

  test('is missing for stablecoins without an error, whether the feed works or not', () => {
    for (const at of [STALE, JUST_RECENT]) {
      const world = new World()
      world.reference({ KES: 130, USDT: 1 }, { at })
      world.quote({ providerId: 'p2p-a', from: 'USDT', rate: 131 })
      const { pairs, unpriced } = matrixOf(world, 'USDT', 'USD,KES,USDC')
      expect(pairs[0]?.map(({ mid }) => mid)).toEqual([null, null, null])
      expect(pairs[0]?.[1]?.best?.quote.rate).toBe(131)
      const stale =
        at === STALE ? [{ code: 'KES', isStablecoin: false, lastMs: Date.parse(at) }] : []
      expect(unpriced).toEqual([
        { code: 'USDT', isStablecoin: true, lastMs: null },
        ...stale,
        { code: 'USDC', isStablecoin: true, lastMs: null },
      ])
    }
  })

  test('is 1 for a currency against itself, without a best, whatever the feed or the currency', () => {
    const world = new World()
    world.reference({ KES: 130 }, { at: STALE })
    for (const code of ['KES', 'USD', 'NGN', 'USDT'])
      expect(matrixOf(world, code, code)).toMatchObject({
        pairs: [[{ mid: 1, best: null }]],
        reference: null,
        unpriced: [],
      })
  })

  test('is missing in the hourly tier from a feed that began after the top of the hour', () => {
    const world = new World()
    world.reference({ KES: 130 }, { at: '2026-03-05T14:00:00.001Z' })
    const hourly = () => fetchMatrix(viewOf(world, 'hourly'), asked('USD', 'KES'))
    expect(failureOf(hourly).code).toBe('mid_unavailable')
    world.clock.set('2026-03-05T15:00:00.000Z')
    expect(hourly().pairs[0]?.[0]?.mid).toBe(130)
  })
})
