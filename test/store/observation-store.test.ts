import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DAY_MS } from '~/domain/duration.ts'
import type { Idempotency, Observation, Recording } from '~/domain/observation.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { provider } from '../support/catalogue.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { NOW_MS, observation, otherHandle, stockedDatabase, untilWaiting } from './samples.ts'

let database: FreshDatabase
let other: Database
let accountId: string
let store: ReturnType<typeof createObservationStore>
let otherStore: ReturnType<typeof createObservationStore>

beforeAll(async () => {
  database = await stockedDatabase()
  other = otherHandle(database)
  store = createObservationStore(database)
  otherStore = createObservationStore(other)
  const { account } = await createAccountStore(database).create({
    email: 'desk@example.com',
    plan: 'enterprise',
    role: 'treasury',
    keyName: 'first',
    keyHash: '0'.repeat(64),
  })
  accountId = account.id
})
afterAll(async () => {
  await other.close()
  await database.close()
})

const HASH = 'a'.repeat(64)
const OTHER_HASH = 'b'.repeat(64)

const once = (key: string, more: Partial<Idempotency> = {}): Idempotency => ({
  accountId,
  key,
  bodyHash: HASH,
  nowMs: NOW_MS,
  ...more,
})

async function recorded(observations: Observation[]): Promise<number[]> {
  const result = await store.record({ observations, idempotency: null })
  if (result.kind !== 'recorded') throw new Error(result.kind)
  return [...result.ids]
}

async function rowCount(): Promise<number> {
  const [row] = await database.sql`select count(*)::int as count from observations`
  return row!.count
}

const rowsOf = (ids: readonly number[]) => database.sql`
  select o.id, p.provider_id, c.source, c.target, o.rate, o.fee, o.fee_currency, o.rate_type, o.evidence,
    o.notes, (extract(epoch from o.effective_from) * 1000)::float8 as at_ms
  from observations o
  join provider_corridors p on p.id = o.provider_corridor_id and p.corridor_id = o.corridor_id
  join corridors c on c.id = o.corridor_id
  where o.id = any(${[...ids]}::bigint[]) order by o.id`

describe('record', () => {
  test('returns one id per observation, ascending in input order', async () => {
    const observations = Array.from({ length: 100 }, (_, i) =>
      observation({
        rate: `${i + 1}`,
        to: i % 2 ? 'KES' : 'NGN',
        effectiveMs: NOW_MS - ((i * 37) % 100) * 1000,
      }),
    )
    const ids = await recorded(observations)
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    const rows = await rowsOf(ids)
    expect(rows.map(({ id }) => id)).toEqual(ids)
    expect(rows.map(({ rate }) => rate)).toEqual(observations.map(({ rate }) => rate))
  })

  test('stores every digit, the millisecond and unusual notes unchanged', async () => {
    const observations = [
      observation({ rate: '0.000000000001', fee: '0', feeCurrency: 'USD', evidence: 'derived' }),
      observation({
        rate: '123456789012.345678',
        fee: '999999999999999.999',
        feeCurrency: 'KES',
        evidence: 'indicative',
      }),
      observation({ rate: '1.10', effectiveMs: NOW_MS - 1, notes: 'a,b{}"c"\\d\n\te 😀 \\N' }),
      observation({ providerId: 'official-b', rateType: 'official', notes: '' }),
      observation({ notes: 'NULL', effectiveMs: Date.parse('2021-03-05T00:00:00.001Z') }),
    ]
    const rows = await rowsOf(await recorded(observations))
    for (const [i, row] of rows.entries()) {
      const { rate, fee, feeCurrency, notes, evidence, effectiveMs } = observations[i]!
      const stored = {
        fee_currency: feeCurrency,
        evidence: evidence === 'observed' ? null : evidence,
      }
      expect(row).toMatchObject({ rate, fee, notes, at_ms: effectiveMs, ...stored })
    }
    expect(rows[3]).toMatchObject({ provider_id: 'official-b', rate_type: 'official' })
  })

  test('records nothing for no observations', async () => {
    const before = await rowCount()
    expect(await recorded([])).toEqual([])
    expect(await rowCount()).toBe(before)
  })

  test('records nothing of a batch that the database refuses', async () => {
    const before = await rowCount()
    for (const refused of [
      observation({ rate: 'abc' }),
      observation({ rate: '1,2' }),
      observation({ notes: 'a\0b' }),
      observation({ rateType: 'none' as 'retail' }),
    ])
      await expect(recorded([observation(), refused])).rejects.toThrow()
    expect(await rowCount()).toBe(before)
  })

  test('recovers from a pair that could not be created', async () => {
    const late = [observation({ providerId: 'latecomer' })]
    await expect(recorded(late)).rejects.toThrow('foreign key')
    await createCatalogueStore(database).apply({
      currencies: [],
      providers: [provider('latecomer')],
    })
    expect(await rowsOf(await recorded(late))).toMatchObject([{ provider_id: 'latecomer' }])
  })

  test('lets two processes create the same pairs at once, in any order', async () => {
    const observations = ['EUR', 'NGN', 'UGX', 'XOF', 'ZAR', 'USDT'].flatMap((to) =>
      ['retail-a', 'p2p-a', 'p2p-b'].map((providerId) =>
        observation({ from: 'GBP', to, providerId }),
      ),
    )
    await Promise.all([
      store.record({ observations, idempotency: null }),
      otherStore.record({ observations: observations.toReversed(), idempotency: null }),
    ])
    const [pairs] = await database.sql`
      select count(*)::int as count from provider_corridors p
      join corridors c on c.id = p.corridor_id where c.source = 'GBP'`
    expect(pairs).toEqual({ count: observations.length })
  })

  test('creates the pair itself when another process rolls its creation back', async () => {
    const result = Promise.withResolvers<number[]>()
    await other.sql
      .begin(async (tx) => {
        await tx`insert into corridors (source, target) values ('ZAR', 'XOF')`
        recorded([observation({ from: 'ZAR', to: 'XOF' })]).then(result.resolve, result.reject)
        await untilWaiting(database, 1)
        throw new Error('rolled back')
      })
      .catch(() => {})
    expect(await rowsOf(await result.promise)).toMatchObject([{ source: 'ZAR', target: 'XOF' }])
  })

  test('recovers when rows that it caches are gone, as after a failover', async () => {
    const lost = [observation({ from: 'UGX', to: 'ZAR' })]
    const { sql } = database
    await sql`alter table observations disable trigger observations_kept`
    await recorded(lost)
    await sql`delete from observations o using corridors c
      where c.id = o.corridor_id and c.source = 'UGX' and c.target = 'ZAR'`
    await sql`delete from provider_corridors p using corridors c
      where c.id = p.corridor_id and c.source = 'UGX' and c.target = 'ZAR'`
    await sql`alter table observations enable trigger observations_kept`
    await expect(recorded(lost)).rejects.toThrow('observations_provider_corridor')
    expect(await recorded(lost)).toHaveLength(1)
  })
})

const idsIn = (recording: Recording) => (recording.kind === 'recorded' ? recording.ids : null)

describe('record with an idempotency key', () => {
  const batch = (idempotency: Idempotency, count = 2) => ({
    observations: Array.from({ length: count }, () => observation()),
    idempotency,
  })

  test('records once, then returns the first result again', async () => {
    const before = await rowCount()
    const first = await store.record(batch(once('again')))
    expect(first).toMatchObject({ kind: 'recorded' })
    const retry = batch(once('again', { nowMs: NOW_MS + 1000 }))
    expect(await store.record(retry)).toEqual({ kind: 'replayed', inserted: 2, ids: idsIn(first) })
    expect(await rowCount()).toBe(before + 2)
  })

  test('refuses the key for another body and records nothing', async () => {
    await store.record(batch(once('taken')))
    const before = await rowCount()
    expect(await store.record(batch(once('taken', { bodyHash: OTHER_HASH })))).toEqual({
      kind: 'key_reused',
    })
    expect(await rowCount()).toBe(before)
  })

  test('leaves the key free when the batch is refused', async () => {
    const refused = { observations: [observation({ rate: 'x' })], idempotency: once('free') }
    await expect(store.record(refused)).rejects.toThrow()
    expect(await store.record(batch(once('free')))).toMatchObject({ kind: 'recorded' })
  })

  test('keeps accounts apart', async () => {
    const { account } = await createAccountStore(database).create({
      email: 'other@example.com',
      plan: 'free',
      role: 'admin',
      keyName: 'first',
      keyHash: '1'.repeat(64),
    })
    await store.record(batch(once('shared')))
    const theirs = batch(once('shared', { accountId: account.id, bodyHash: OTHER_HASH }))
    expect(await store.record(theirs)).toMatchObject({ kind: 'recorded' })
  })

  test('returns the result until the record is 24 hours old, and not after', async () => {
    await store.record(batch(once('old')))
    const atLimit = batch(once('old', { nowMs: NOW_MS + DAY_MS, bodyHash: OTHER_HASH }))
    expect(await store.record(atLimit)).toEqual({ kind: 'key_reused' })
    const after = batch(once('old', { nowMs: NOW_MS + DAY_MS + 1, bodyHash: OTHER_HASH }), 3)
    const recorded = await store.record(after)
    expect(recorded).toMatchObject({ kind: 'recorded' })
    expect(await store.record(after)).toEqual({
      kind: 'replayed',
      inserted: 3,
      ids: idsIn(recorded),
    })
  })

  test('records one of many concurrent requests', async () => {
    const before = await rowCount()
    for (let round = 0; round < 10; round++) {
      const attempts = [store, otherStore, store, otherStore].map((each) =>
        each.record(batch(once(`race-${round}`))),
      )
      const kinds = (await Promise.all(attempts)).map(({ kind }) => kind).sort()
      expect(kinds).toEqual(['recorded', 'replayed', 'replayed', 'replayed'])
    }
    expect(await rowCount()).toBe(before + 20)
  })

  for (const outcome of ['committed', 'rolled back'] as const)
    test(`waits for the request that holds the key, which is then ${outcome}`, async () => {
      const key = `held, ${outcome}`
      let waiting: ReturnType<typeof store.record> | undefined
      await other.sql
        .begin(async (tx) => {
          await tx`insert into idempotency (account_id, key, body_hash, inserted, created_at)
            values (${accountId}, ${key}, ${HASH}, 9, ${new Date(NOW_MS).toISOString()})`
          waiting = store.record(batch(once(key)))
          await untilWaiting(database, 1)
          if (outcome === 'rolled back') throw new Error(outcome)
        })
        .catch(() => {})
      expect(await waiting).toMatchObject(
        outcome === 'committed' ? { kind: 'replayed', inserted: 9 } : { kind: 'recorded' },
      )
    })
})

describe('pruneIdempotency', () => {
  test('deletes keys over 24 hours old, and counts them', async () => {
    const nowMs = NOW_MS - 100 * DAY_MS
    for (const [i, ageMs] of [0, DAY_MS, DAY_MS + 1, 2 * DAY_MS].entries())
      await store.record({
        observations: [observation()],
        idempotency: once(`prune-${i}`, { nowMs: nowMs - ageMs }),
      })
    expect(await store.pruneIdempotency(nowMs)).toBe(2)
    expect(await store.pruneIdempotency(nowMs)).toBe(0)
  })
})

describe('the observations table', () => {
  test('refuses UPDATE, DELETE and TRUNCATE', async () => {
    await recorded([observation()])
    const before = await rowCount()
    const { sql } = database
    await expect(sql`update observations set rate = 1`).rejects.toThrow('append-only')
    await expect(sql`delete from observations`).rejects.toThrow('append-only')
    await expect(sql`truncate observations`).rejects.toThrow('append-only')
    await expect(sql`truncate provider_corridors cascade`).rejects.toThrow('append-only')
    expect(await rowCount()).toBe(before)
  })
})
