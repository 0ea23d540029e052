import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { roundAmount } from '~/domain/round.ts'
import { convert } from '~/service/convert.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { viewOf } from '../support/views.ts'
import { World } from '../support/world.ts'

const ask = (world: World, amount: number) =>
  convert(viewOf(world), { from: 'USD', to: 'KES', goal: { amount, recipientGets: null } })
const idsOf = (world: World, amount: number) =>
  ask(world, amount).entries.map(({ ranked }) => ranked.provider.id)

describe('convert', () => {
  test('has the amount before and after the fee, the spread and the distance to the mid', () => {
    const world = new World()
    world.reference({ KES: 130 }, { at: '2026-03-05T14:00:00.000Z' })
    world.quote({ providerId: 'retail-a', rate: 128.7, fee: 2, feeCurrency: 'USD' })
    const { entries, mid, best, corridor, amount } = ask(world, 100)
    expect(corridor).toEqual({ from: 'USD', to: 'KES' })
    expect(amount).toBe(100)
    expect(mid).toEqual({
      rate: 130,
      source: 'feed',
      atMs: Date.parse('2026-03-05T14:00:00.000Z'),
    })
    const [entry] = entries
    expect(entry?.converted).toBeCloseTo(12_870, 9)
    expect(entry?.net).toBeCloseTo(12_612.6, 9)
    expect(entry?.ranked.spreadBps).toBe(0)
    expect(entry?.vsMidBps).toBeCloseTo(-100, 9)
    expect(best).toBe(entry!)
  })

  test('a fee is still priced after its currency was switched off', () => {
    const world = new World()
    world.reference({ KES: 130, GBP: 0.8 }, { at: '2026-03-05T14:00:00.000Z' })
    world.quote({ providerId: 'retail-a', rate: 128, fee: 2, feeCurrency: 'GBP' })
    const before = ask(world, 100).entries[0]!.net
    const currencies = CURRENCIES.map((currency) =>
      currency.code === 'GBP' ? { ...currency, isActive: false } : currency,
    )
    const catalogue = { currencies, providers: PROVIDERS }
    world.memory.publish({ catalogue }, world.clock.now())
    expect(before).toBe(12_800 - 2 * (130 / 0.8))
    expect(ask(world, 100).entries[0]!.net).toBe(before)
  })

  test('is ranked by the net amount, not by the rate', () => {
    const world = new World()
    world.quote(
      { providerId: 'retail-a', rate: 130, fee: 5, feeCurrency: 'USD' },
      { providerId: 'retail-b', rate: 129 },
    )
    expect(idsOf(world, 100)).toEqual(['retail-b', 'retail-a'])
    expect(idsOf(world, 10_000)).toEqual(['retail-a', 'retail-b'])
    expect(ask(world, 100).best?.ranked.provider.id).toBe('retail-b')
  })

  test('a net amount of zero or less is shown and is never the best', () => {
    const world = new World()
    world.quote(
      { providerId: 'retail-a', rate: 130, fee: 5, feeCurrency: 'USD' },
      { providerId: 'retail-b', rate: 130, fee: 6, feeCurrency: 'USD' },
    )
    const { entries, best } = ask(world, 5)
    expect(entries.map(({ net }) => net)).toEqual([0, -130])
    expect(best).toBeNull()
    expect(ask(world, 5.01).best?.ranked.provider.id).toBe('retail-a')
  })

  test('a net amount that is zero in decimal does not become the best by binary dust', () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 3, fee: 0.3, feeCurrency: 'KES' })
    const { best, entries } = ask(world, 0.1)
    expect(entries[0]?.net).toBe(0)
    expect(best).toBeNull()
  })

  test('a fee that cannot be priced puts an entry last of its kind, below negative nets', () => {
    const world = new World()
    world.quote(
      { providerId: 'retail-a', rate: 900, fee: 1, feeCurrency: 'GBP' },
      { providerId: 'retail-b', rate: 100, fee: 50, feeCurrency: 'USD' },
      { providerId: 'p2p-a', rate: 1 },
    )
    const { entries, best } = ask(world, 10)
    expect(entries.map(({ ranked, net }) => [ranked.provider.id, net])).toEqual([
      ['retail-b', -4000],
      ['retail-a', null],
      ['p2p-a', 10],
    ])
    expect(best?.ranked.provider.id).toBe('p2p-a')
  })

  test('an entry without a net amount is never the best, even alone', () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 900, fee: 1, feeCurrency: 'GBP' })
    expect(ask(world, 10).best).toBeNull()
  })

  test('a third currency is priced by its mid to the target if that is recent', () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 130, fee: 2, feeCurrency: 'GBP' })
    world.reference({ KES: 130, GBP: 0.5 })
    expect(ask(world, 100).entries[0]?.net).toBe(12_480)
    world.clock.advance(72 * 3_600_000)
    expect(ask(world, 100).entries[0]?.net).toBe(12_480)
    world.clock.advance(1)
    expect(ask(world, 100)).toMatchObject({ mid: null, best: null, entries: [{ net: null }] })
  })

  test('a fee in a stablecoin has no mid, and a fee in the target needs none', () => {
    const world = new World()
    world.reference({ KES: 130, USDT: 1 })
    world.quote(
      { providerId: 'retail-a', rate: 130, fee: 2, feeCurrency: 'USDT' },
      { providerId: 'retail-b', rate: 130, fee: 2, feeCurrency: 'KES' },
    )
    expect(ask(world, 100).entries.map(({ net }) => net)).toEqual([12_998, null])
  })

  test('official and parallel are listed with their nets and are never best', () => {
    const world = new World()
    world.quote(
      { providerId: 'official-a', rate: 200 },
      { providerId: 'parallel-a', rate: 300 },
      { providerId: 'interbank-a', rate: 100 },
    )
    expect(idsOf(world, 10)).toEqual(['interbank-a', 'official-a', 'parallel-a'])
    expect(ask(world, 10).best?.ranked.provider.id).toBe('interbank-a')
  })

  test('equal net amounts are listed newest first, whatever noise their arithmetic left', () => {
    const world = new World()
    const at = '2026-03-05T14:00:00.000Z'
    world.quote(
      { providerId: 'retail-a', rate: 0.4, fee: 0.1, feeCurrency: 'KES', at },
      { providerId: 'retail-b', rate: 0.3 },
      { providerId: 'p2p-a', rate: 1.1, at },
      { providerId: 'p2p-b', rate: 1.1 },
    )
    expect(0.4 - 0.1).toBeGreaterThan(0.3)
    expect(idsOf(world, 1)).toEqual(['retail-b', 'retail-a', 'p2p-b', 'p2p-a'])
  })

  test('has no entries and no best without quotes, but the mid if there is one', () => {
    const world = new World()
    world.reference({ KES: 130 })
    expect(ask(world, 10)).toMatchObject({ best: null, entries: [], mid: { rate: 130 } })
  })

  test('the order and the best follow from the net amounts that are shown', () => {
    const offers = fc.array(
      fc.record({
        providerId: fc.constantFrom('retail-a', 'retail-b', 'p2p-a', 'interbank-a', 'official-a'),
        rate: fc.integer({ min: 1, max: 50 }).map((tenths) => tenths / 10),
        fee: fc.option(fc.integer({ min: 0, max: 40 }).map((tenths) => tenths / 10)),
        feeCurrency: fc.constantFrom('USD', 'KES', 'GBP', 'UGX'),
      }),
      { maxLength: 8 },
    )
    const amounts = fc.integer({ min: 1, max: 50 }).map((tenths) => tenths / 10)
    fc.assert(
      fc.property(offers, amounts, (quotes, amount) => {
        const world = new World()
        world.reference({ KES: 130, GBP: 100 })
        world.quote(
          ...quotes.map((own) => ({
            ...own,
            feeCurrency: own.fee === null ? null : own.feeCurrency,
          })),
        )
        const { entries, best } = ask(world, amount)
        const shown = entries.map(({ net, ranked: { quote } }) => ({
          kind: quote.rateType,
          net: net === null ? Number.NEGATIVE_INFINITY : roundAmount(net),
        }))
        for (let i = 1; i < shown.length; i++)
          if (shown[i]!.kind === shown[i - 1]!.kind)
            expect(shown[i]!.net).toBeLessThanOrEqual(shown[i - 1]!.net)
        const nets = shown.filter(({ kind, net }) => kind !== 'official' && net > 0)
        const greatest = Math.max(...nets.map(({ net }) => net))
        if (nets.length === 0) expect(best).toBeNull()
        else expect(roundAmount(best!.net!)).toBe(greatest)
      }),
    )
  })
})
