import { describe, expect, test } from 'bun:test'
import { World } from '../support/world.ts'

const OLD = '2026-02-10T09:00:00.000Z'

const noteOf = async (world: World, path: string) => {
  const { status, body } = await world.get(path, world.key())
  expect(status).toBe(200)
  return body.note
}

describe('the note of a list that is empty', () => {
  const RATES = '/rates?from=KES&to=GBP'
  const CONVERT = '/convert?from=KES&to=GBP&amount=5000'

  test('says that no provider quotes the corridor', async () => {
    for (const path of [RATES, CONVERT])
      expect(await noteOf(new World(), path)).toBe('No provider quotes KES/GBP at present.')
  })

  test('names the reverse corridor if only that one is quoted, from its first quote', async () => {
    const world = new World()
    const key = world.key()
    const note = async () => (await world.get(RATES, key)).body.note
    for (let asked = 0; asked < 3; asked++)
      expect(await note()).toBe('No provider quotes KES/GBP at present.')
    world.quote({ providerId: 'retail-a', rate: 175, from: 'GBP' })
    expect(await note()).toBe('No provider quotes KES/GBP at present; GBP/KES is quoted.')
    expect(await noteOf(world, CONVERT)).toBe(await note())
  })

  test('has the time of the newest price if all are older than requested', async () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 129, at: OLD })
    world.quote({ providerId: 'retail-b', rate: 129, at: '2026-02-01T00:00:00Z' })
    const path = '/rates?from=USD&to=KES&max_age=7d'
    const older = 'Every price of USD/KES is older than max_age; the newest was seen on 2026-02-10'
    expect(await noteOf(world, path)).toBe(`${older}.`)
    world.quote({ providerId: 'retail-a', rate: 0.007, from: 'KES', to: 'USD', at: OLD })
    expect(await noteOf(world, path)).toBe(`${older}.`)
    world.quote({ providerId: 'retail-a', rate: 0.007, from: 'KES', to: 'USD' })
    expect(await noteOf(world, path)).toBe(`${older}; KES/USD is quoted.`)
  })

  test('is present for a provider and for all corridors', async () => {
    const world = new World()
    const nothing = 'Provider retail-a quotes no corridor at present.'
    expect(await noteOf(world, '/rates/provider?provider=retail-a')).toBe(nothing)
    expect(await noteOf(world, '/rates/provider?provider=retail-a&max_age=1d')).toBe(nothing)
    expect(await noteOf(world, '/corridors')).toBe('No provider quotes any corridor at present.')
    world.quote({ providerId: 'retail-a', rate: 129, at: OLD })
    expect(await noteOf(world, '/rates/provider?provider=retail-a&max_age=1d')).toBe(
      'Every price of Provider retail-a is older than max_age; the newest was seen on 2026-02-10.',
    )
    expect(await noteOf(world, '/corridors?max_age=1d')).toBe(
      'Every price is older than max_age; the newest was seen on 2026-02-10.',
    )
  })

  test('is absent if the list is not empty', async () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 129, at: OLD })
    for (const path of [
      '/rates?from=USD&to=KES',
      '/rates/provider?provider=retail-a',
      '/corridors',
    ])
      expect(await noteOf(world, path)).toBeUndefined()
  })
})

describe('the note of a best price that is stale', () => {
  const fed = () => {
    const world = new World({ quoteSuspectPct: null })
    world.reference({ KES: 130, NGN: 1500, GBP: 0.8 })
    return world
  }

  test("has the day of a conversion's entry that is the best of that amount", async () => {
    const world = fed()
    world.quote({ providerId: 'retail-a', rate: 129, fee: 10, feeCurrency: 'USD', at: OLD })
    world.quote({ providerId: 'retail-b', rate: 128, fee: 0, feeCurrency: 'USD' })
    const asked = (amount: number) => noteOf(world, `/convert?from=USD&to=KES&amount=${amount}`)
    const old = 'The best price was seen on 2026-02-10 and may no longer be available.'
    expect([await asked(100), await asked(10_000)]).toEqual([undefined, old])
    const arriving = '/convert?from=USD&to=KES&recipient_gets=1000000'
    expect(await noteOf(world, arriving)).toBe(old)
    expect(await noteOf(world, `${arriving}&max_age=7d`)).toBeUndefined()
  })

  test('names the pair and the day', async () => {
    const world = fed()
    world.quote({ providerId: 'retail-a', rate: 129, at: OLD })
    expect(await noteOf(world, '/fetch-one?from=USD&to=KES')).toBe(
      'The best price of USD/KES (seen on 2026-02-10) may no longer be available.',
    )
    expect(await noteOf(world, '/fetch-one?from=USD&to=KES&max_age=7d')).toBe(
      'The best price of USD/KES (seen on 2026-02-10) is older than max_age.',
    )
  })

  test('lists a few pairs and counts the others', async () => {
    const world = fed()
    for (const from of ['USD', 'GBP', 'EUR'])
      for (const to of ['KES', 'NGN'])
        world.quote({ providerId: 'retail-a', rate: 1, from, to, at: OLD })
    world.reference({ EUR: 0.9 })
    const seen = (pair: string) => `${pair} (seen on 2026-02-10)`
    expect(await noteOf(world, '/fetch-multi?from=USD&to=KES,NGN')).toBe(
      `The best prices of ${seen('USD/KES')} and ${seen('USD/NGN')} may no longer be available.`,
    )
    const five = ['USD/KES', 'USD/NGN', 'GBP/KES', 'GBP/NGN', 'EUR/KES'].map(seen).join(', ')
    expect(await noteOf(world, '/fetch-matrix?from=USD,GBP,EUR&to=KES,NGN')).toBe(
      `The best prices of ${five} and 1 more may no longer be available.`,
    )
  })

  test('comes after that of a missing mid', async () => {
    const world = fed()
    world.quote({ providerId: 'retail-a', rate: 129, from: 'USDT', at: OLD })
    expect(await noteOf(world, '/fetch-one?from=USDT&to=KES')).toBe(
      'There is no mid for pairs with USDT: USDT is a stablecoin, which no reference feed covers. ' +
        'The best price of USDT/KES (seen on 2026-02-10) may no longer be available.',
    )
  })
})
