import { describe, expect, test } from 'bun:test'
import { instantText } from '~/store/encoding.ts'
import { verifyLog } from '~/store/evidence/verify.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { databasesOfFile, inArrays, NOW_MS, observation, stockedDatabase } from '../samples.ts'
import { record, seal, sealAll } from './scene.ts'

const newDatabase = databasesOfFile(stockedDatabase)
/** The number of entries in the catalogue of the tests. */
const CATALOGUE = CURRENCIES.length + PROVIDERS.length

async function sealed(count = 600): Promise<FreshDatabase> {
  const database = await newDatabase()
  const rows = Array.from({ length: count }, (_, i) =>
    observation({ rate: String(i + 1), effectiveMs: NOW_MS - i * 1000 }),
  )
  await importObservations({ database, rows: inArrays(rows, 500) })
  await createReferenceStore(database).append({
    source: 'feed',
    fetchedMs: NOW_MS,
    rates: [{ currency: 'KES', perUsd: '129.123' }],
  })
  await sealAll(database)
  return database
}

async function verified(database: FreshDatabase, sinceMs: number | null = null) {
  const faults: string[] = []
  const onFault = (fault: string) => void faults.push(fault)
  const result = await verifyLog(database, { sinceMs, isSigned: async () => true, onFault })
  return { ...result, faults }
}

/** Changes rows as a superuser does, without the triggers of a table. */
async function tamper(database: FreshDatabase, statement: string): Promise<void> {
  await database.sql.begin(async (tx) => {
    await tx`set local session_replication_role = 'replica'`
    await tx.unsafe(statement)
  })
}

describe('verifyLog', () => {
  test('finds no error in an empty database, nor before the first seal', async () => {
    const nothing = { leaves: 0, pruned: 0, faults: [] }
    expect(await verified(await freshDatabase())).toEqual({ ...nothing, waiting: 0 })
    const database = await newDatabase()
    await record(database, '1')
    expect(await verified(database)).toEqual({ ...nothing, waiting: CATALOGUE + 1 })
  })

  test('counts what a copy recorded before its first seal as waiting', async () => {
    const copy = await sealed(2)
    const ahead = 2 ** 40
    await copy.sql`update log_state set position = position + ${ahead}, server = 'another'`
    await record(copy, '1', '2')
    expect(await verified(copy)).toMatchObject({ leaves: CATALOGUE + 3, waiting: 2, faults: [] })
  })

  test('finds no error in an intact log, and counts the waiting rows', async () => {
    const database = await sealed()
    const leaves = CATALOGUE + 601
    expect(await verified(database)).toEqual({ leaves, pruned: 0, waiting: 0, faults: [] })
    await record(database, '1', '2')
    const rows = Array.from({ length: 1001 }, (_, i) => observation({ rate: String(i + 1) }))
    await importObservations({ database, rows: inArrays(rows, 500) })
    expect(await verified(database)).toMatchObject({ leaves, waiting: 1003, faults: [] })
    await seal(database)
    expect(await verified(database)).toMatchObject({
      leaves: leaves + 1000,
      waiting: 3,
      faults: [],
    })
  })

  test('names an observation that was changed', async () => {
    const database = await sealed()
    await tamper(database, 'update observations set rate = rate + 1 where id = 300')
    expect((await verified(database)).faults).toEqual([
      'observation 300 differs from what was sealed as leaf 300',
    ])
  })

  test('names an observation that was deleted', async () => {
    const database = await sealed()
    await tamper(database, 'delete from observations where id = 301')
    expect((await verified(database)).faults).toEqual([
      'observation 301 is in the log, but not in the database',
    ])
  })

  test('names an observation that was inserted', async () => {
    const database = await sealed()
    await database.sql`
      insert into observations (effective_from, corridor_id, provider_corridor_id, rate_type, rate)
      select effective_from + interval '1 second', corridor_id, provider_corridor_id, rate_type, 9
      from observations where id = 5`
    expect((await verified(database)).faults).toEqual([
      'observation 601 is in the database, but not in the log',
    ])
    await sealAll(database)
    expect((await verified(database)).faults.length).toBe(1)
  })

  test('names a reference that was changed, and one that moved to another provider', async () => {
    const database = await sealed(3)
    await tamper(database, 'update reference_rates set per_usd = 1')
    await tamper(database, "update reference_snapshots set source = 'other'")
    expect((await verified(database)).faults).toEqual([
      'reference 1 differs from what was sealed as leaf 0',
    ])
  })

  test('names a change of the catalogue that was altered, and a waiting one', async () => {
    const database = await sealed(3)
    await database.sql`update providers set name = 'By hand' where id = 'retail-a'`
    expect(await verified(database)).toMatchObject({ waiting: 1, faults: [] })
    await tamper(database, `update catalogue_history set since = '2020-01-01' where id = 2`)
    expect((await verified(database)).faults).toEqual([
      'catalogue 2 differs from what was sealed as leaf 5',
    ])
  })

  test('names a tile that was changed on disk, whatever its level', async () => {
    const database = await sealed()
    const flip = 'hashes = set_byte(hashes, 40, 255 - get_byte(hashes, 40))'
    await tamper(database, `update log_tiles set ${flip} where level = 1`)
    expect((await verified(database)).faults).toEqual([
      'tile 1/0 does not match the tiles below it',
    ])
    await tamper(database, `update log_tiles set ${flip} where level = 1`)
    await tamper(database, `update log_tiles set ${flip} where level = 0 and index = 1`)
    expect((await verified(database)).faults).toEqual([
      'observation 257 differs from what was sealed as leaf 257',
      'tile 1/0 does not match the tiles below it',
      'the tiles do not lead to the signed root',
    ])
  })

  test('reports a checkpoint that is signed by another key', async () => {
    const database = await sealed(3)
    const faults: string[] = []
    const ask = {
      sinceMs: null,
      isSigned: async () => false,
      onFault: (f: string) => faults.push(f),
    }
    await verifyLog(database, { ...ask, onFault: (fault) => void faults.push(fault) })
    expect(faults).toEqual(['the checkpoint is not signed by the key of the log'])
  })

  test('compares only entries sealed since a given time', async () => {
    const database = await sealed()
    await tamper(database, 'update observations set rate = rate + 1 where id = 2')
    await record(database, '1')
    await sealAll(database, { nowMs: NOW_MS + 60_000 })
    expect(await verified(database, NOW_MS + 60_000)).toMatchObject({
      leaves: 90 + CATALOGUE,
      faults: [],
    })
    expect((await verified(database)).faults.length).toBe(1)
  })

  test('counts pruned rows, and still names a newer row that is missing', async () => {
    const database = await sealed()
    await database.sql`
      insert into prunings (actor, before, observations)
      values ('test', ${instantText(NOW_MS - 599_000)}, 1)`
    await tamper(database, 'delete from observations where id in (600, 3)')
    expect(await verified(database)).toMatchObject({
      pruned: 0,
      faults: [
        'observation 3 is in the log, but not in the database',
        'observation 600 is in the log, but not in the database',
      ],
    })
    await database.sql`
      insert into prunings (actor, before, observations)
      values ('test', ${instantText(NOW_MS - 598_500)}, 1)`
    expect(await verified(database)).toMatchObject({
      pruned: 1,
      faults: ['observation 3 is in the log, but not in the database'],
    })
  })
})
