import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { switchProvider } from '../support/activity.ts'
import { CURRENCIES, currency, PROVIDERS, provider } from '../support/catalogue.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { otherHandle } from './samples.ts'

let database: FreshDatabase
let store: ReturnType<typeof createCatalogueStore>

beforeAll(async () => {
  database = await freshDatabase()
  store = createCatalogueStore(database)
})
afterAll(() => database.close())

async function serverMs(): Promise<number> {
  const [row] = await database.sql`
    select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as ms`
  return row!.ms
}

const byId = <T extends { id: string }>(rows: readonly T[], id: string) =>
  rows.find((row) => row.id === id)

describe('apply', () => {
  test('stores everything that load returns, including inactive entries', async () => {
    const applied = await store.apply({ currencies: CURRENCIES, providers: PROVIDERS })
    expect(applied).toEqual({ currencies: CURRENCIES.length, providers: PROVIDERS.length })
    const loaded = await store.load()
    expect(loaded.currencies).toEqual(expect.arrayContaining([...CURRENCIES]))
    expect(loaded.providers).toEqual(expect.arrayContaining([...PROVIDERS]))
  })

  test('keeps every field exactly, even unusual strings and nulls', async () => {
    const bare = provider('bare', {
      providerType: null,
      region: null,
      transferTime: null,
      paymentMethods: null,
      isActive: false,
    })
    const rich = provider('rich', {
      name: 'Ünïcode "quoted" \\ back',
      logoUrl: 'https://example.com/a.svg',
      websiteUrl: 'https://example.com',
      region: 'West Africa',
      paymentMethods: ['a,b', '"q"', 'back\\slash', '', 'null', '{}'],
    })
    const coin = currency('USDT', { kind: 'stablecoin', minorUnits: null, flagUrl: 'https://f/t' })
    const pegged = currency('XOF', { peg: { to: 'EUR', rate: 655.957 } })
    const anchor = currency('EUR')
    await store.apply({ currencies: [coin, pegged, anchor], providers: [bare, rich] })
    const loaded = await store.load()
    expect(loaded.currencies.find(({ code }) => code === 'USDT')).toEqual(coin)
    expect(loaded.currencies.find(({ code }) => code === 'XOF')).toEqual(pegged)
    expect(byId(loaded.providers, 'bare')).toEqual(bare)
    expect(byId(loaded.providers, 'rich')).toEqual(rich)
  })

  test('replaces the given entries entirely, and leaves the others', async () => {
    await store.apply({ currencies: [], providers: [provider('one'), provider('two')] })
    const changed = provider('one', { name: 'Renamed', paymentMethods: null, rateType: 'p2p' })
    expect(await store.apply({ currencies: [], providers: [changed] })).toEqual({
      currencies: 0,
      providers: 1,
    })
    const { providers } = await store.load()
    expect(byId(providers, 'one')).toEqual(changed)
    expect(byId(providers, 'two')).toEqual(provider('two'))
  })

  test('uses the last of several entries with one name', async () => {
    const twice = [provider('one', { name: 'first' }), provider('one', { name: 'last' })]
    expect(await store.apply({ currencies: [], providers: twice })).toMatchObject({ providers: 1 })
    expect(byId((await store.load()).providers, 'one')?.name).toBe('last')
  })

  test('accepts an empty catalogue', async () => {
    expect(await store.apply({ currencies: [], providers: [] })).toEqual({
      currencies: 0,
      providers: 0,
    })
  })

  test('records each switch on or off once, whatever program makes it', async () => {
    const isActive = (value: boolean) => [provider('turned', { isActive: value })]
    const code = (value: boolean) => [currency('ZMW', { isActive: value })]
    const startMs = await serverMs()
    for (const value of [true, true, false, false, true])
      await store.apply({ currencies: code(value), providers: isActive(value) })
    await store.apply({ currencies: [], providers: [provider('turned', { name: 'Renamed' })] })
    await database.sql`update providers set is_active = false where id = 'turned'`
    const { activity } = await store.load()
    expect(activity.map(({ providerId, isActive }) => [providerId, isActive])).toEqual([
      ['turned', false],
      ['turned', true],
      ['turned', false],
    ])
    const times = [startMs, ...activity.map(({ sinceMs }) => sinceMs), await serverMs()]
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    const currencies = await database.sql`
      select currency, is_active from currency_activity order by id`
    expect([...currencies]).toEqual([
      { currency: 'ZMW', is_active: false },
      { currency: 'ZMW', is_active: true },
    ])
  })

  test('records nothing for a change that is not committed', async () => {
    const { activity } = await store.load()
    const refused = provider('refused', { rateType: 'no such kind' as 'retail' })
    const turned = provider('turned', { isActive: true })
    await expect(store.apply({ currencies: [], providers: [turned, refused] })).rejects.toThrow()
    expect((await store.load()).activity).toEqual(activity)
  })

  test('keeps the order of changes when the clock of the server is set back', async () => {
    await store.apply({ currencies: [], providers: [provider('ahead')] })
    const atMs = (await serverMs()) + 60_000
    await switchProvider(database, { providerId: 'ahead', isActive: false, atMs })
    await store.apply({ currencies: [], providers: [provider('ahead')] })
    const { activity } = await store.load()
    expect(activity.filter(({ providerId }) => providerId === 'ahead')).toEqual([
      { providerId: 'ahead', isActive: false, sinceMs: atMs },
      { providerId: 'ahead', isActive: true, sinceMs: atMs },
    ])
  })

  test.each(['provider_activity', 'currency_activity'])('refuses to rewrite %s', async (table) => {
    const { sql } = database
    for (const statement of [
      sql`update ${sql(table)} set is_active = not is_active`,
      sql`delete from ${sql(table)}`,
      sql`truncate ${sql(table)}`,
    ])
      await expect(statement.then(() => {})).rejects.toThrow(`${table} is append-only`)
  })

  test('refuses an impossible peg, even of an existing currency, and applies nothing', async () => {
    const to = (code: string) => ({ to: code, rate: 2 })
    const [one, other] = [currency('AAA', { peg: to('BBB') }), currency('BBB')]
    await store.apply({ currencies: [one, other], providers: [] })
    const circle = { currencies: [currency('BBB', { name: 'New', peg: to('AAA') })], providers: [] }
    await expect(store.apply(circle)).rejects.toThrow('currency AAA is pegged to BBB in a circle')
    const loaded = await store.load()
    expect(loaded.currencies.find(({ code }) => code === 'BBB')).toEqual(other)
    await store.apply({ currencies: [currency('AAA')], providers: [] })
    await store.apply(circle)
  })

  test('refuses one of two catalogues that would close a circle of pegs together', async () => {
    const other = otherHandle(database)
    const halves = [
      [currency('CCC', { peg: { to: 'DDD', rate: 2 } }), currency('EEE')],
      [currency('DDD', { peg: { to: 'CCC', rate: 2 } })],
    ]
    await store.apply({ currencies: [currency('CCC'), currency('DDD')], providers: [] })
    const outcomes = await Promise.allSettled(
      halves.map((currencies, i) =>
        (i ? store : createCatalogueStore(other)).apply({ currencies, providers: [] }),
      ),
    )
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await other.close()
  })

  test('changes nothing when a value is refused', async () => {
    await store.apply({ currencies: [], providers: [provider('one')] })
    const refused = provider('two', { rateType: 'no such kind' as 'retail' })
    const changed = currency('ZZZ')
    await expect(store.apply({ currencies: [changed], providers: [refused] })).rejects.toThrow()
    expect((await store.load()).currencies.some(({ code }) => code === 'ZZZ')).toBe(false)
  })

  test('does not wait for observations of new corridors, and does not delay them', async () => {
    const observing = otherHandle(database)
    await observing.sql.begin(async (tx) => {
      await tx`insert into corridors (source, target) values ('KES', 'XOF')`
      await tx`insert into provider_corridors (corridor_id, provider_id)
        select max(id), 'retail-a' from corridors`
      await store.apply({ currencies: CURRENCIES, providers: PROVIDERS })
      await tx`insert into corridors (source, target) values ('EUR', 'ZAR')`
    })
    await observing.close()
  })

  test('does not deadlock with another process that names the same entries in another order', async () => {
    const other = otherHandle(database)
    const names = Array.from({ length: 50 }, (_, i) => provider(`shared-${i}`))
    const one = { currencies: CURRENCIES, providers: names }
    const two = { currencies: CURRENCIES.toReversed(), providers: names.toReversed() }
    for (let round = 0; round < 10; round++)
      await Promise.all([store.apply(one), createCatalogueStore(other).apply(two)])
    await other.close()
  })

  test('accepts more providers than fit one statement', async () => {
    const many = Array.from({ length: 7000 }, (_, i) => provider(`many-${i}`))
    expect(await store.apply({ currencies: [], providers: many })).toMatchObject({
      providers: 7000,
    })
  })
})
