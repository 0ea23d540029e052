import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { entriesOf } from '~/evidence/bundle.ts'
import type { Checkpoint } from '~/evidence/checkpoint.ts'
import { includes, isConsistent, leafHash } from '~/evidence/tree.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createLogStore } from '~/store/evidence/log-store.ts'
import { createWithdrawalStore } from '~/store/recording/withdrawal-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { databasesOfFile, inArrays, NOW_MS, observation, stockedDatabase } from '../samples.ts'
import { headOf, record, seal, sealAll } from './scene.ts'

const newDatabase = databasesOfFile(stockedDatabase)
/** The number of entries in the catalogue of the tests. */
const CATALOGUE = CURRENCIES.length + PROVIDERS.length

/** A database with a log that holds the catalogue. */
async function begunDatabase(): Promise<FreshDatabase> {
  const database = await newDatabase()
  expect(await sealAll(database)).toBe(CATALOGUE)
  return database
}

/** The entries of the log except for those of the catalogue, in order. */
const entries = async (database: FreshDatabase) =>
  (await allEntries(database)).filter(({ kind }) => kind !== 'catalogue')

async function allEntries(database: FreshDatabase): Promise<Record<string, unknown>[]> {
  const { size } = await headOf(database)
  const found: Uint8Array[] = []
  for (let index = 0; index * 256 < size; index++) {
    const bundle = await createLogStore(database).entries(index, Math.min(256, size - index * 256))
    found.push(...entriesOf(bundle!)!)
  }
  return found.map((entry) => JSON.parse(Buffer.from(entry).toString()))
}

const shown = (list: readonly Record<string, unknown>[]) =>
  list.map(({ kind, id }) => `${kind} ${id}`)

describe('sealPass', () => {
  test('seals nothing, and writes nothing, in an empty database', async () => {
    const database = await freshDatabase()
    expect(await seal(database)).toBeNull()
    expect(await createLogStore(database).head()).toBeNull()
    expect(await createLogStore(database).origin()).toBeNull()
  })

  test('leaves observations with a column of a newer version to that version', async () => {
    const database = await begunDatabase()
    const { sql } = database
    await sql`alter table observations add column pickup_point text`
    await record(database, '1')
    await expect(seal(database)).rejects.toThrow(/newer version.*\(pickup_point\)/)
    await sql`alter table observations drop column pickup_point`
    expect(await sealAll(database)).toBe(1)
  })

  test('retains the newest 10,000 checkpoints, whatever gaps their ids have', async () => {
    const database = await begunDatabase()
    const { sql } = database
    await sql`
      insert into log_checkpoints (id, size, sealed_at, note) overriding system value
      select id, 1, now(), '' from generate_series(-30000, -3, 3) as id`
    await record(database, '1')
    await sealAll(database)
    const [retained] = await sql`
      select count(*)::int, min(id)::int as first from log_checkpoints`
    expect(retained).toEqual({ count: 10_000, first: -29_994 })
  })

  test('puts every public field of a row into its entry, and nothing else', async () => {
    const database = await newDatabase()
    const { effectiveMs } = await record(database, '129.50')
    await createReferenceStore(database).append({
      source: 'feed',
      fetchedMs: NOW_MS,
      rates: [{ currency: 'KES', perUsd: '129.123' }],
    })
    await sealAll(database)
    const [reference, price] = await entries(database)
    expect(price).toEqual({
      kind: 'observation',
      id: 1,
      provider_id: 'retail-a',
      from: 'USD',
      to: 'KES',
      rate: '129.50',
      rate_type: 'retail',
      evidence: 'observed',
      effective_from: new Date(effectiveMs).toISOString(),
      recorded_at: expect.any(String),
      salt: expect.stringMatching(/^[A-Za-z0-9+/]{22}==$/),
    })
    expect(reference).toEqual({
      kind: 'reference',
      id: 1,
      source: 'feed',
      currency: 'KES',
      per_usd: '129.123',
      fetched_at: '2026-03-05T14:25:30.500Z',
      recorded_at: expect.any(String),
      salt: expect.any(String),
    })
  })

  test('seals each change of the catalogue in its place, with its public fields', async () => {
    const database = await begunDatabase()
    const catalogue = createCatalogueStore(database)
    const [first] = PROVIDERS
    const [currency] = CURRENCIES
    await record(database, '1')
    await catalogue.apply({ currencies: [], providers: [{ ...first!, name: 'Another name' }] })
    await record(database, '2')
    await catalogue.apply({
      currencies: [{ ...currency!, code: 'ZZZ', peg: { to: 'USD', rate: 655.957 } }],
      providers: [{ ...first!, name: 'A third name', isActive: false }],
    })
    expect(await sealAll(database)).toBe(5)
    const all = (await allEntries(database)).slice(CATALOGUE)
    const [change, second] = [CATALOGUE + 1, CATALOGUE + 2]
    expect(shown(all)).toEqual([
      ...['observation 1', `catalogue ${change}`, 'observation 2'],
      ...[`catalogue ${second}`, `catalogue ${second + 1}`],
    ])
    expect(all[1]).toEqual({
      ...{ kind: 'catalogue', id: change, table: 'providers', name: first!.id },
      row: expect.objectContaining({ id: first!.id, name: 'Another name', is_active: true }),
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      salt: expect.any(String),
    })
    const peg = all.find(({ name }) => name === 'ZZZ')
    expect(peg).toMatchObject({ table: 'currencies', row: { peg_to: 'USD', peg_rate: '655.957' } })
    await database.sql`update providers set name = 'By hand' where id = ${first!.id}`
    expect(await sealAll(database)).toBe(1)
    expect(await sealAll(database)).toBe(0)
  })

  test('seals each version of the methodology once, and again when its text changes', async () => {
    const database = await begunDatabase()
    const log = createLogStore(database)
    const version = (number: number, text: string) => {
      return { name: `/methodology/${number}`, row: { date: '2026-11-24', text } }
    }
    for (const [text, added] of [
      ['a\nb', 2],
      ['a\nb', 0],
      ['c', 1],
      ['a\nb', 1],
    ] as const) {
      await log.noteMethodology([version(1, 'first'), version(2, text)])
      expect(await sealAll(database)).toBe(added)
    }
    const said = (await allEntries(database)).slice(CATALOGUE)
    expect(said.map(({ table, name, row }) => [table, name, row])).toEqual(
      [version(1, 'first'), version(2, 'a\nb'), version(2, 'c'), version(2, 'a\nb')].map(
        ({ name, row }) => ['methodology', name, row],
      ),
    )
    expect(await log.lastChange('/methodology/2')).toBe(CATALOGUE + 4)
    expect(await log.lastChange('/methodology/3')).toBeNull()
  })

  test('keeps the order of commits, whatever the order of ids', async () => {
    const database = await newDatabase()
    await record(database, '1')
    await sealAll(database)
    const { sql } = database
    await sql.begin(async (slow) => {
      const [row] = await slow`
        insert into observations (effective_from, corridor_id, provider_corridor_id, rate_type, rate)
        select effective_from, corridor_id, provider_corridor_id, rate_type, 2 from observations
        returning id`
      await record(database, '3')
      await slow`select log_change('observations', ${`{${row!.id}}`}::bigint[], null)`
    })
    await sealAll(database)
    expect(shown(await entries(database))).toEqual([
      'observation 1',
      'observation 3',
      'observation 2',
    ])
  })

  test('seals a withdrawal after the row, and the row as it was', async () => {
    const database = await newDatabase()
    const { ids } = await record(database, '1', '2')
    await sealAll(database)
    await createWithdrawalStore(database).withdraw({
      ids: [ids[1]!],
      reason: 'typo',
      recorder: null,
      atMs: NOW_MS,
    } as never)
    await record(database, '3')
    await sealAll(database)
    const all = await entries(database)
    expect(shown(all)).toEqual(['observation 1', 'observation 2', 'withdrawal 2', 'observation 3'])
    expect(all[2]).toMatchObject({ reason: 'typo', withdrawn_at: '2026-03-05T14:25:30.500Z' })
  })

  test('seals an import in its place, and only its own rows of its range', async () => {
    const database = await begunDatabase()
    await record(database, '1')
    await sealAll(database)
    const rows = Array.from({ length: 1500 }, (_, i) => observation({ rate: String(i + 10) }))
    await importObservations({ database, rows: inArrays(rows, 500) })
    await record(database, '2', '3')
    expect(await sealAll(database, { leavesMax: 700 })).toBe(1502)
    const ids = (await entries(database)).map(({ id }) => id as number)
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    expect(ids.length).toBe(1503)
  })

  test('ends on request after the rows it is reading, and continues from there', async () => {
    const database = await begunDatabase()
    await record(database, '1')
    await sealAll(database)
    const before = (await headOf(database)).size
    const rows = Array.from({ length: 1500 }, (_, i) => observation({ rate: String(i + 10) }))
    await importObservations({ database, rows: inArrays(rows, 500) })
    const atOnce = { leavesMax: 20_000, ending: AbortSignal.abort() }
    expect(await seal(database, atOnce)).toBeNull()
    const { added, isMore } = (await seal(database, atOnce))!
    expect([added > 900, added <= 1000, isMore]).toEqual([true, true, true])
    expect((await headOf(database)).size).toBe(before + added)
    expect(await sealAll(database)).toBe(1500 - added)
    expect((await headOf(database)).size).toBe(before + 1500)
  })

  test('seals no more leaves than allowed, and builds the same tree in any portions', async () => {
    const database = await newDatabase()
    for (let i = 0; i < 40; i++) await record(database, `${i + 1}`, `${i + 2}`, `${i + 3}`)
    for (let size = 7; size <= 120; size += 7) {
      expect(await seal(database, { leavesMax: 7 })).toMatchObject({ added: 7, isMore: true })
      expect((await headOf(database)).size).toBe(size)
    }
    await sealAll(database)
    expect(shown(await entries(database))).toEqual(
      Array.from({ length: 120 }, (_, i) => `observation ${i + 1}`),
    )
  })

  test('leaves nothing behind when it fails in the middle, and continues as if it had not', async () => {
    const database = await begunDatabase()
    await record(database, '1', '2', '3')
    await sealAll(database)
    const before = await headOf(database)
    await record(database, '4')
    const broken = seal(database, { signed: () => Promise.reject(new Error('no key')) })
    await expect(broken).rejects.toThrow('no key')
    expect(await headOf(database)).toEqual(before)
    await record(database, '5')
    await sealAll(database)
    const store = createLogStore(database)
    const after = await headOf(database)
    expect(isConsistent(before, after, await store.consistency(before.size, after.size))).toBe(true)
    expect(shown(await entries(database)).at(-1)).toBe('observation 5')
  })

  test('builds the same tree after kill -9 in the middle as without it', async () => {
    const database = await begunDatabase()
    await record(database, '1', '2', '3')
    await sealAll(database)
    const before = await headOf(database)
    await record(database, '4', '5')
    const program = join(import.meta.dir, 'killed-seal.ts')
    const child = Bun.spawn([process.execPath, program, database.url], { stderr: 'pipe' })
    await child.exited
    expect(child.signalCode).toBe('SIGKILL')
    expect(await headOf(database)).toEqual(before)
    await record(database, '6')
    expect(await sealAll(database)).toBe(3)
    const after = await headOf(database)
    const proof = await createLogStore(database).consistency(before.size, after.size)
    expect(isConsistent(before, after, proof)).toBe(true)
    expect(shown(await entries(database))).toEqual(
      [1, 2, 3, 4, 5, 6].map((id) => `observation ${id}`),
    )
  })

  test('rows recorded while it runs are sealed once, by this pass or the next', async () => {
    const database = await begunDatabase()
    let added = 0
    let recorded = 0
    const recording = (async () => {
      for (; recorded < 100; recorded++) await record(database, `${recorded + 1}`)
    })()
    while (recorded < 100) added += await sealAll(database)
    await recording
    added += await sealAll(database)
    expect(added).toBe(100)
    expect(new Set(shown(await entries(database))).size).toBe(100)
  })

  test('seals each row once if two replicas seal at a time', async () => {
    const database = await newDatabase()
    for (let i = 0; i < 50; i++) await record(database, `${i + 1}`)
    await seal(database, { leavesMax: 10 })
    const both = await Promise.allSettled([seal(database), seal(database)])
    expect(both.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0)
    await sealAll(database)
    expect(shown(await entries(database))).toEqual(
      Array.from({ length: 50 }, (_, i) => `observation ${i + 1}`),
    )
  })

  test('seals all new rows after the log of changes has lost them', async () => {
    const database = await begunDatabase()
    await record(database, '1')
    await sealAll(database)
    await record(database, '2')
    await database.sql`delete from changes`
    await record(database, '3')
    expect(await sealAll(database)).toBe(2)
    expect(await sealAll(database)).toBe(0)
  })

  test('proves each row by its id', async () => {
    const database = await newDatabase()
    for (let i = 0; i < 300; i++) await record(database, `${i + 1}`)
    await sealAll(database)
    const store = createLogStore(database)
    const head = await headOf(database)
    for (const id of [1, 2, 256, 257, 300]) {
      const index = (await store.indexOf('observation', id))!
      const path = await store.inclusion(index, head.size)
      const entry = (await store.entryAt(index))!
      expect(JSON.parse(Buffer.from(entry).toString()).id).toBe(id)
      expect(includes(head, { index, path, leaf: leafHash(entry) })).toBe(true)
    }
    expect(await store.indexOf('observation', 301)).toBeNull()
    expect(await store.indexOf('reference', 1)).toBeNull()
  })
})

describe('the origin', () => {
  let database: FreshDatabase
  let earlier: Checkpoint

  beforeAll(async () => {
    database = await begunDatabase()
    await record(database, '1', '2')
    await sealAll(database)
    earlier = await headOf(database)
  })

  test('stays while the published tree is the beginning of the stored one', async () => {
    await record(database, '3')
    expect(await seal(database, { published: earlier })).toMatchObject({ abandoned: null })
    expect((await headOf(database)).origin).toBe('log.example')
  })

  test('changes if more was published than is stored', async () => {
    const published = { ...earlier, size: 99 }
    expect(await seal(database, { published })).toMatchObject({
      added: 0,
      abandoned: 'log.example',
    })
    expect(await headOf(database)).toMatchObject({ origin: 'log.example/2', size: CATALOGUE + 3 })
  })

  test('changes if another tree was published', async () => {
    const published = { origin: 'log.example/2', size: 2, root: Buffer.alloc(32) }
    expect(await seal(database, { published })).toMatchObject({ abandoned: 'log.example/2' })
    expect(await headOf(database)).toMatchObject({ origin: 'log.example/3', size: CATALOGUE + 3 })
  })

  test('changes if a witness knows more', async () => {
    expect(await seal(database, { isBehind: true })).toMatchObject({ abandoned: 'log.example/3' })
  })

  test('changes on another server', async () => {
    await database.sql`update log_state set server = 'restored'`
    expect(await seal(database)).toMatchObject({ abandoned: 'log.example/4' })
    expect(await seal(database)).toBeNull()
    expect(await headOf(database)).toMatchObject({ origin: 'log.example/5', size: CATALOGUE + 3 })
  })

  test('seals what a copy records, though the server that it came from was far ahead', async () => {
    const copy = await begunDatabase()
    const ahead = 2 ** 40
    await copy.sql`update log_state set position = position + ${ahead}, server = 'another'`
    for (const rates of [['4', '5'], ['6']]) {
      await record(copy, ...rates)
      expect(await sealAll(copy)).toBe(rates.length)
    }
  })

  test('seals what a copy recorded, also after its log of changes has lost it', async () => {
    const copy = await begunDatabase()
    await copy.sql`update log_state set position = position + ${2 ** 40}, server = 'another'`
    await record(copy, '4')
    await copy.sql`delete from changes`
    await record(copy, '5')
    expect(await sealAll(copy)).toBe(2)
    expect(await sealAll(copy)).toBe(0)
  })

  test('is the configured one, from the next seal on', async () => {
    const store = createLogStore(database)
    await store.rename('rates.example/log')
    expect(await seal(database)).toMatchObject({ abandoned: 'log.example/5' })
    expect((await headOf(database)).origin).toBe('rates.example/log')
    const fresh = await freshDatabase()
    await createLogStore(fresh).rename('rates.example/log')
    expect(await seal(fresh)).toBeNull()
    await createCatalogueStore(fresh).apply({ currencies: CURRENCIES, providers: PROVIDERS })
    await record(fresh, '1')
    await sealAll(fresh)
    const size = CATALOGUE + 1
    expect(await headOf(fresh)).toMatchObject({ origin: 'rates.example/log', size })
  })
})

describe('the tables', () => {
  test('refuse changes and losses of sealed rows', async () => {
    const database = await newDatabase()
    await record(database, '1')
    await sealAll(database)
    const { sql } = database
    for (const statement of [
      `update log_tiles set hashes = set_byte(hashes, 0, (get_byte(hashes, 0) + 1) % 256)`,
      `update log_tiles set hashes = substring(hashes for 31)`,
      `update log_leaves set keys[1] = 5`,
      `update log_leaves set salts = decode('00', 'hex')`,
      'delete from log_tiles',
      'delete from log_leaves',
      'truncate log_tiles',
      'delete from log_spans',
    ])
      await expect(sql.unsafe(statement).execute()).rejects.toThrow()
    await record(database, '2')
    await sealAll(database)
  })
})
