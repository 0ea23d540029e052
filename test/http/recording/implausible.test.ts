import { describe, expect, test } from 'bun:test'
import { World } from '../../support/world.ts'
import { MemoryStore } from '../memory-store.ts'

const ROW = { provider_id: 'retail-a', rate: 129.5, from: 'USD', to: 'KES' }

function open() {
  const store = new MemoryStore()
  const world = new World({ store })
  world.reference({ KES: 130 })
  const key = world.key('enterprise', 'treasury')
  return { store, world, post: (body: unknown) => world.post(body, key), key }
}

describe('POST /rates of a rate far from the mid of its day', () => {
  test('returns 422 implausible_rate, with the mid and a likely cause, for every such row', async () => {
    const { store, post } = open()
    const rows = [ROW, { ...ROW, rate: 9_999_999 }, { ...ROW, rate: 1 / 130 }, { ...ROW, rate: '' }]
    const { status, body } = await post(rows)
    expect([status, body.code, store.recorded]).toEqual([422, 'invalid_rows', []])
    const [high, swapped, other] = body.errors
    expect(high).toMatchObject({ index: 1, code: 'implausible_rate' })
    expect(high.error).toContain('the mid of its day, 130 KES for one USD')
    expect(swapped).toMatchObject({ index: 2, code: 'implausible_rate' })
    expect(swapped.error).toContain('are from and to swapped?')
    expect([other.index, other.code]).toEqual([3, undefined])
  })

  test('returns 201 with accept_implausible, and a warning with the degree of suspicion', async () => {
    const { world, post, key } = open()
    const { status, body } = await post([
      { ...ROW, accept_implausible: true },
      { ...ROW, provider_id: 'retail-b', rate: 1300, accept_implausible: true },
      { ...ROW, provider_id: 'p2p-a', rate: 149.76 },
    ])
    expect(status).toBe(201)
    expect(body.warnings).toEqual([
      { index: 1, warning: 'suspect: rate is 900.0 % above the mid of its day' },
      { index: 2, warning: 'suspect: rate is 15.2 % above the mid of its day' },
    ])
    const best = await world.get('/fetch-one?from=USD&to=KES', key)
    expect(best.body.provider_best).toMatchObject({ provider_id: 'retail-a', rate: 129.5 })
  })

  test('returns 422 for an accept_implausible that is neither true nor false', async () => {
    const { body } = await open().post({ ...ROW, accept_implausible: 'yes' })
    expect(body.errors[0].error).toBe('accept_implausible must be true or false, not "yes"')
  })

  test('returns 201 if no mid of the day is known, and for official prices', async () => {
    const { post } = open()
    const { status } = await post([
      { ...ROW, to: 'NGN', rate: 1e6 },
      { ...ROW, rate: 1e6, effective_from: '2025-03-05T14:00:00Z' },
      { ...ROW, provider_id: 'official-a', rate: 1e6 },
    ])
    expect(status).toBe(201)
  })
})

describe('a suspect price', () => {
  const NOON = '2026-03-05T12:00:00.000Z'

  function quoted() {
    const world = new World()
    world.reference({ KES: 130, GBP: 0.8 })
    world.quote(
      { providerId: 'retail-a', rate: 129, fee: 0, feeCurrency: 'USD', at: NOON },
      { providerId: 'retail-b', rate: 149.76, fee: 0, feeCurrency: 'USD', at: NOON },
      { providerId: 'p2p-a', rate: 64, at: NOON },
    )
    return { world, key: world.key('enterprise') }
  }
  const SUSPECT = '15.2 % above the mid of its day'

  test('comes last of its kind everywhere, with the reason, and is never the best', async () => {
    const { world, key } = quoted()
    world.reference({ KES: 130 }, { at: '2026-03-05T11:00:00.000Z' })
    const { body: rates } = await world.get('/rates?from=USD&to=KES', key)
    expect(rates.providers).toMatchObject([
      { provider_id: 'retail-a', spread_bps: 0 },
      { provider_id: 'retail-b', spread_bps: -1609.3023, suspect: SUSPECT },
      { provider_id: 'p2p-a', suspect: '50.8 % below the mid of its day' },
    ])
    expect(rates.providers[0].suspect).toBeUndefined()
    const { body } = await world.get('/convert?from=USD&to=KES&amount=100', key)
    expect(body.best.provider_id).toBe('retail-a')
    expect(body.best_current.provider_id).toBe('retail-a')
    expect(body.providers[1]).toMatchObject({ provider_id: 'retail-b', suspect: SUSPECT })
    const { body: pairs } = await world.get('/corridors', key)
    expect(pairs.corridors[0]).toMatchObject({ best_rate: 129, avg_spread_bps: 0 })
    const { body: own } = await world.get('/rates/provider?provider=retail-b', key)
    expect(own.corridors).toMatchObject([{ suspect: SUSPECT }])
    const { body: change } = await world.get('/change?from=USD&to=KES', key)
    expect(change.end.best).toBe(129)
  })

  test('becomes usual once a near mid arrives, and becomes suspect likewise', async () => {
    const { world, key } = quoted()
    const leader = async () => {
      const { body } = await world.get('/fetch-one?from=USD&to=KES', key)
      return body.provider_best?.provider_id
    }
    expect(await leader()).toBe('retail-a')
    world.reference({ KES: 148 })
    expect(await leader()).toBe('retail-b')
    world.reference({ KES: 100 })
    expect(await leader()).toBe('p2p-a')
  })

  test('alone leaves no best, and /convert says so', async () => {
    const world = new World()
    world.reference({ KES: 130 })
    world.quote({ providerId: 'retail-a', rate: 200 })
    const { body } = await world.get('/convert?from=USD&to=KES&amount=1', world.key('enterprise'))
    expect([body.best, body.count]).toEqual([null, 1])
    expect(body.note).toBe(
      'Every price of USD/KES is suspect: too far from the mid to be relied on.',
    )
  })

  test('counts as usual if the setting disables suspicion', async () => {
    const world = new World({ quoteSuspectPct: null })
    world.reference({ KES: 130 })
    world.quote({ providerId: 'retail-a', rate: 200 })
    const { body } = await world.get('/rates?from=USD&to=KES', world.key('enterprise'))
    expect(body.providers[0].suspect).toBeUndefined()
  })
})
