import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { HOUR_MS } from '~/domain/duration.ts'
import type { Batch, Idempotency, Recording } from '~/domain/observation.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { connect } from '~/store/database.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import type { PreparedBatch } from '~/store/recording/new-rows.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { NOW_MS, observation, otherHandle, stockedDatabase } from '../samples.ts'

let database: FreshDatabase
let store: ReturnType<typeof createObservationStore>
let accountId: string
let at = NOW_MS

beforeAll(async () => {
  database = await stockedDatabase()
  store = createObservationStore(database, { now: () => at })
  const { account } = await createAccountStore(database).create({
    email: 'desk@example.com',
    plan: 'enterprise',
    role: 'treasury',
    keyName: 'first',
    keyHash: '0'.repeat(64),
  })
  accountId = account.id
})
afterAll(() => database.close())

let moments = 0
/** A batch of new rows, each of a time of its own. */
const batch = (count: number, more: Partial<Batch> = {}): Batch => ({
  observations: Array.from({ length: count }, () =>
    observation({ effectiveMs: NOW_MS - ++moments * 1000 }),
  ),
  idempotency: null,
  ...more,
})

const keyed = (key: string, more: Partial<Idempotency> = {}) => ({
  idempotency: { accountId, key, bodyHash: 'a'.repeat(64), nowMs: NOW_MS, ...more },
})

async function prepared(batches: readonly Batch[], by = store): Promise<PreparedBatch[]> {
  const made = await Promise.all(batches.map((one) => by.prepare(one)))
  return made.map((one) => {
    if (one.kind !== 'prepared') throw new Error(one.kind)
    return one
  })
}

const group = async (...batches: Batch[]) => store.commit(await prepared(batches))

const idsIn = (outcome: PromiseSettledResult<Recording> | undefined): readonly number[] => {
  if (outcome?.status !== 'fulfilled' || outcome.value.kind !== 'recorded')
    throw new Error(JSON.stringify(outcome))
  return outcome.value.ids
}

const kindsOf = (outcomes: readonly PromiseSettledResult<Recording>[]) =>
  outcomes.map((one) => (one.status === 'fulfilled' ? one.value.kind : 'failed'))

const logged = () => database.sql`
  select position, ids, extract(epoch from at) * 1000 as at from changes order by position desc`

const storedIn = async (ids: readonly number[]) => {
  const rows = await database.sql`
    select (extract(epoch from effective_from) * 1000)::float8 as at, recorded_via as via,
      (extract(epoch from recorded_at) * 1000)::float8 as recorded
    from observations where id = any(${[...ids]}::bigint[]) order by id`
  return [...rows]
}

const countRows = async (): Promise<number> =>
  (await database.sql`select count(*)::int as count from observations`)[0]!.count

describe('commitGroup', () => {
  test('records each batch with its own ids, all at one position and time of the log', async () => {
    at = NOW_MS + 60_000
    const origin = (via: string) => ({ origin: { recorder: { accountId, keyId: null }, via } })
    const batches = [
      batch(2, origin('api')),
      batch(1, { ...origin('connector:x'), ...keyed('own') }),
      batch(3),
    ]
    const outcomes = await group(...batches)
    const [change] = await logged()
    expect(outcomes.flatMap(idsIn)).toEqual(change!.ids.map(Number))
    for (const [nth, { observations }] of batches.entries()) {
      expect(outcomes[nth]).toMatchObject({ value: { position: change!.position } })
      const via = ['api', 'connector:x', null][nth]
      expect(await storedIn(idsIn(outcomes[nth]))).toEqual(
        observations.map(({ effectiveMs }) => ({ at: effectiveMs, via, recorded: at })),
      )
    }
    expect(Number(change!.at)).toBe(at)
    expect(await group(batch(1, keyed('own')))).toMatchObject([
      { value: { kind: 'replayed', inserted: 1, ids: idsIn(outcomes[1]) } },
    ])
  })

  test('answers batches whose keys are taken as before, and records the others', async () => {
    const [first] = await group(batch(2, keyed('taken')))
    const before = await countRows()
    const outcomes = await group(
      batch(1),
      batch(2, keyed('taken')),
      batch(1, keyed('taken', { bodyHash: 'b'.repeat(64) })),
      batch(3, keyed('free')),
      batch(1),
    )
    expect(kindsOf(outcomes)).toEqual([
      ...(['recorded', 'replayed', 'key_reused', 'recorded', 'recorded'] as const),
    ])
    expect(outcomes[1]).toMatchObject({ value: { inserted: 2, ids: idsIn(first) } })
    expect([0, 3, 4].map((nth) => idsIn(outcomes[nth]).length)).toEqual([1, 3, 1])
    expect(await countRows()).toBe(before + 5)
  })

  test('logs nothing for a group of which all keys are taken', async () => {
    await group(batch(1, keyed('all')), batch(1, keyed('all too')))
    const before = (await logged()).length
    const outcomes = await group(batch(1, keyed('all too')), batch(1, keyed('all')))
    expect(kindsOf(outcomes)).toEqual(['replayed', 'replayed'])
    expect(await logged()).toHaveLength(before)
  })

  test('records one of two batches with one key in a group, and replays it to the other', async () => {
    const before = await countRows()
    const outcomes = await group(
      batch(1, keyed('twice')),
      batch(1),
      batch(1, keyed('twice')),
      batch(1, keyed('twice', { bodyHash: 'b'.repeat(64) })),
    )
    expect(kindsOf(outcomes)).toEqual(['recorded', 'recorded', 'replayed', 'key_reused'])
    expect(outcomes[2]).toMatchObject({ value: { ids: idsIn(outcomes[0]) } })
    expect(await countRows()).toBe(before + 2)
  })

  test.each([0, 3, 6])(
    'a batch that the database refuses, at place %d of 7, fails alone',
    async (bad) => {
      const before = await countRows()
      const batches = Array.from({ length: 7 }, (_, nth) =>
        nth === bad
          ? batch(1, { observations: [observation({ rate: 'x' })], ...keyed(`bad ${bad}`) })
          : batch(2, keyed(`good ${bad} ${nth}`)),
      )
      const outcomes = await group(...batches)
      const kinds = Array.from(batches, (_, nth) => (nth === bad ? 'failed' : 'recorded'))
      expect(kindsOf(outcomes)).toEqual(kinds)
      expect(await countRows()).toBe(before + 12)
      expect(kindsOf(await group(batch(1, keyed(`bad ${bad}`))))).toEqual(['recorded'])
    },
  )

  test('prices that take the place of others in their group or before count their hours again', async () => {
    const moment = NOW_MS - 100 * HOUR_MS
    const priced = (rate: string) =>
      batch(1, { observations: [observation({ rate, effectiveMs: moment })] })
    await group(priced('150'))
    const outcomes = await group(priced('140'), batch(2, keyed('beside')), priced('130'))
    expect(kindsOf(outcomes)).toEqual(['recorded', 'recorded', 'recorded'])
    const [change] = await logged()
    expect(change!.ids.map(Number)).toEqual(outcomes.flatMap(idsIn))
    const [rollup] = await database.sql`
      select best_rate::text, samples from rollups r join corridors c on c.id = r.corridor_id
      where source = 'USD' and target = 'KES'
        and hour = ${new Date(Math.floor(moment / HOUR_MS) * HOUR_MS).toISOString()}`
    expect(rollup).toEqual({ best_rate: '130', samples: 3 })
  })

  test('groups of two processes that share keys in other orders neither deadlock nor double', async () => {
    const other = otherHandle(database)
    const theirs = createObservationStore(other, { now: () => at })
    const before = await countRows()
    for (let round = 0; round < 5; round++) {
      const keys = ['c', 'a', 'b'].map((name) => `${name} ${round}`)
      const of = (names: readonly string[]) => names.map((name) => batch(1, keyed(name)))
      const both = await Promise.all([
        store.commit(await prepared(of(keys))),
        theirs.commit(await prepared(of(keys.toReversed()), theirs)),
      ])
      const kinds = both.flatMap(kindsOf).sort()
      expect(kinds).toEqual([...Array(3).fill('recorded'), ...Array(3).fill('replayed')])
    }
    expect(await countRows()).toBe(before + 15)
    await other.close()
  })

  test('a statement timeout fails all of a group without trying each, and frees the keys', async () => {
    let tries = 0
    const sql = connect(`${database.url}?statement_timeout=300`, {
      connectionsMax: 2,
      onQuery(query) {
        if (query.includes('insert into observations')) tries++
      },
    })
    const impatient = createObservationStore({ ...otherHandle(database), sql }, { now: () => at })
    await impatient.commit(await prepared([batch(1)], impatient))
    const batches = await prepared([batch(1, keyed('late')), batch(1)], impatient)
    const before = await countRows()
    tries = 0
    const outcomes = await database.sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtext('corridor changes'))`
      return impatient.commit(batches)
    })
    expect(tries).toBe(1)
    expect(outcomes).toMatchObject(
      Array(2).fill({ status: 'rejected', reason: { code: 'database_unavailable' } }),
    )
    expect(await countRows()).toBe(before)
    expect(kindsOf(await impatient.commit(batches))).toEqual(['recorded', 'recorded'])
    await sql.end()
  })
})
