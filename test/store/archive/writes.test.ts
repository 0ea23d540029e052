import { beforeEach, describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import type { Window } from '~/domain/period.ts'
import { keptFromMs, pruneObservations } from '~/jobs/prune-observations.ts'
import { createArchiveStore } from '~/store/archive/archive-store.ts'
import type { Database } from '~/store/database.ts'
import { verifyLog } from '~/store/evidence/verify.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createRetentionStore } from '~/store/past/retention-store.ts'
import { createRollupStore } from '~/store/past/rollup-store.ts'
import { createWithdrawalStore } from '~/store/recording/withdrawal-store.ts'
import { restoreBackup, writeBackup } from '~/store/transfer/backup.ts'
import { importNewObservations } from '~/store/transfer/observation-import.ts'
import { clockAt } from '../../support/clock.ts'
import { copiesOf, type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX } from '../../support/until.ts'
import { sealAll } from '../evidence/scene.ts'
import {
  databasesOfFile,
  inArrays,
  observation,
  otherHandle,
  stockedDatabase,
  untilWaiting,
} from '../samples.ts'
import { archive, archiveDeps, CLOSED_MS, digestOf, fill, rowsIn, START_MS } from './world.ts'

const ROWS = 1200
const filled = copiesOf((database) => fill(database, { rows: ROWS, seed: 5 }), stockedDatabase)
const newDatabase = databasesOfFile(filled)
const KENYA = { from: 'USD', to: 'KES' }
/** A time in the middle of the first month. */
const MIDDLE_MS = START_MS + 14 * DAY_MS + HOUR_MS / 2

let database: FreshDatabase

beforeEach(async () => {
  database = await newDatabase()
}, TEST_MS_MAX)

const unarchive = (of: Database) => createArchiveStore(of).unarchive(CLOSED_MS)

async function differences(of: Database) {
  const store = createRollupStore(of)
  const always = { fromMs: Number.NEGATIVE_INFINITY, beforeMs: Number.POSITIVE_INFINITY }
  const found = []
  for (const corridor of await store.corridors())
    found.push(...(await store.differences(corridor, always)))
  return found
}

/** The digest once everything is restored to rows. */
async function digestAsRows(of: Database): Promise<string> {
  await unarchive(of)
  return digestOf(of)
}

/** The number of blocks of each corridor in the first month. */
async function blocksOfFirstMonth({ sql }: Database) {
  const rows = await sql<{ corridor_id: number }[]>`
    select distinct corridor_id from observation_blocks
    where first < ${new Date(START_MS + 30 * DAY_MS).toISOString()} order by 1`
  return rows.map((row) => row.corridor_id)
}

const newRow = () => observation({ ...KENYA, effectiveMs: MIDDLE_MS, rate: '149.9' })

describe('an archived month', () => {
  test('accepts a late price, which joins the rows of its corridor', async () => {
    await archive(database)
    expect(await blocksOfFirstMonth(database)).toHaveLength(2)
    const store = createObservationStore(database)
    await store.record({ observations: [newRow()], idempotency: null })
    expect(await blocksOfFirstMonth(database)).toHaveLength(1)
    await store.record({ observations: [{ ...newRow(), rate: '120' }], idempotency: null })
    expect(await differences(database)).toEqual([])
    expect((await archive(database))!.observations).toBeGreaterThan(50)
    expect(await blocksOfFirstMonth(database)).toHaveLength(2)
    expect(await differences(database)).toEqual([])
  })

  test('records nothing again that is imported again', async () => {
    const rows = [newRow(), { ...newRow(), effectiveMs: MIDDLE_MS + HOUR_MS }]
    await importNewObservations({ database, rows: inArrays(rows) })
    await archive(database)
    const before = await rowsIn(database)
    const done = await importNewObservations({
      database,
      rows: inArrays([...rows, { ...newRow(), rate: '121' }]),
    })
    expect(done).toMatchObject({ inserted: 1, skipped: 2 })
    const after = await rowsIn(database)
    expect(after.rows + after.archived).toBe(before.rows + before.archived + 1)
    expect(await differences(database)).toEqual([])
  })

  test('allows withdrawals of its rows as if they were not archived', async () => {
    const other = await newDatabase()
    await archive(database)
    const [{ id }] = await database.sql<[{ id: number }]>`
      select id[3]::int as id from observation_blocks order by first limit 1`
    const [{ kept }] = await database.sql<[{ kept: number }]>`
      select max(id)::int as kept from observations
      where effective_from < ${new Date(START_MS + 30 * DAY_MS).toISOString()}`
    for (const of of [database, other]) {
      const store = createWithdrawalStore(of)
      const withdrawal = { reason: 'wrong', recorder: null, atMs: CLOSED_MS + 40 * DAY_MS }
      const done = await store.withdraw({ ...withdrawal, ids: [id, kept] })
      expect(done.withdrawn.map((quote) => quote.id).sort()).toEqual([id, kept].sort())
    }
    expect(await differences(database)).toEqual([])
    const gone = ({ sql }: Database) => sql`
      select w.id, w::text as row from withdrawals w order by id`
    expect([...(await gone(database))]).toEqual([...(await gone(other))])
    await unarchive(database)
    const ids = ({ sql }: Database) =>
      sql`select id, o::text as row from observations o order by id`
    expect([...(await ids(database))]).toEqual([...(await ids(other))])
  })

  test('has its roll-ups repaired from all of its rows', async () => {
    await archive(database)
    const store = createRollupStore(database)
    const [corridor] = await store.corridors()
    await database.sql`update rollups set samples = samples + 1 where corridor_id = ${corridor!.id}`
    const wrong = await differences(database)
    expect(wrong.length).toBeGreaterThan(100)
    await store.repair(
      corridor!,
      wrong.map(({ hourMs }) => hourMs),
    )
    expect(await differences(database)).toEqual([])
  })

  test('is in a backup as rows', async () => {
    const digest = await digestOf(database)
    await archive(database)
    let text = ''
    await writeBackup(database, async (piece) => {
      text += typeof piece === 'string' ? piece : new TextDecoder().decode(piece)
    })
    const restored = await freshDatabase()
    try {
      async function* lines() {
        yield* text.trimEnd().split('\n')
      }
      await restoreBackup(restored, lines())
      expect(await rowsIn(restored)).toEqual({ rows: expect.any(Number), archived: 0 })
      expect(await digestOf(restored)).toBe(digest)
    } finally {
      await restored.close()
    }
  })

  test('is pruned like rows', async () => {
    const other = await newDatabase()
    await archive(database)
    const clock = clockAt('2026-11-26T10:00:00Z')
    expect(keptFromMs(clock.now(), 1)).toBeLessThan(CLOSED_MS)
    const counts: unknown[] = []
    for (const of of [database, other]) {
      const store = createRetentionStore(of)
      const outdated = await store.outdated(keptFromMs(clock.now(), 1))
      const listed = outdated.map(({ id, count }) => [id, count])
      const rollups = createRollupStore(of)
      const done = await pruneObservations({ store, rollups, clock, actor: 'a test' }, 1)
      counts.push([listed, done!.observations])
    }
    expect(counts[0]).toEqual(counts[1])
    expect(await digestAsRows(database)).toBe(await digestOf(other))
  })

  test('agrees with the verifiable log, which is sealed first', async () => {
    await sealAll(database)
    expect(await archive(database)).toMatchObject({ months: 3, unsealed: 0 })
    const faults: string[] = []
    const onFault = (fault: string) => void faults.push(fault)
    const done = await verifyLog(database, { sinceMs: null, isSigned: async () => true, onFault })
    expect({ ...done, faults }).toMatchObject({ pruned: 0, waiting: 0, faults: [] })
    expect(done.leaves).toBeGreaterThan(ROWS)
    await createObservationStore(database).record({ observations: [newRow()], idempotency: null })
    expect(await archive(database)).toMatchObject({ months: 0, unsealed: 3, observations: 0 })
  })
})

describe('archiving', () => {
  test('continues after an interruption at any step', async () => {
    const digest = await digestOf(database)
    const { observations } = (await archive(database))!
    await unarchive(database)
    const { rows: all } = await rowsIn(database)
    const { store, ...deps } = archiveDeps(database)
    const steps = { announce: 1, compact: 2, archive: 6 }
    for (const [step, times] of Object.entries(steps))
      for (let cut = 0; cut < times; cut++) {
        let left = cut
        const cutOff = async (...args: [never, never]) => {
          if (left-- === 0) throw new Error('cut off')
          return store[step as 'archive'](...args)
        }
        const broken = { ...deps, store: { ...store, [step]: cutOff } }
        await expect(archive(database, CLOSED_MS, broken)).rejects.toThrow('cut off')
        expect(await differences(database)).toEqual([])
        const { rows, archived } = await rowsIn(database)
        expect(rows + archived).toBe(all)
      }
    await archive(database)
    expect((await rowsIn(database)).archived).toBe(observations)
    const loose = await database.sql`select from archived_months where compacted_at is null`
    expect(loose.count).toBe(0)
    expect(await digestAsRows(database)).toBe(digest)
  })

  test('frees the space of a month that another run freed before, after an interruption', async () => {
    const { store, ...deps } = archiveDeps(database)
    const compacted: unknown[] = []
    const compact = async (month: Window) => {
      compacted.push(month.fromMs)
      await store.compact(month)
    }
    const all = { ...deps, store: { ...store, compact } }
    await archive(database, CLOSED_MS, all)
    expect(compacted.splice(0)).toHaveLength(3)
    const newer = { observations: [newRow()], idempotency: null }
    await createObservationStore(database).record(newer)
    const cutOff = () => Promise.reject(new Error('cut off'))
    const broken = { ...deps, store: { ...store, compact: cutOff } }
    await expect(archive(database, CLOSED_MS, broken)).rejects.toThrow('cut off')
    for (const times of [1, 0]) {
      await archive(database, CLOSED_MS, all)
      expect(compacted.splice(0)).toEqual(Array(times).fill(START_MS))
    }
  })

  test('is done by one process at a time, and not while another prunes', async () => {
    const taken = await createRetentionStore(database).once(() => archive(otherHandle(database)))
    expect(taken).toBe(null)
  })

  test('waits until a month has been announced for long enough', async () => {
    const waits: number[] = []
    const pause = async (ms: number) => void waits.push(ms)
    await archive(database, CLOSED_MS, { ...archiveDeps(database), announcedMs: 60_000, pause })
    expect(waits).toEqual([expect.any(Number)])
    expect(waits[0]).toBeGreaterThan(30_000)
  })

  test('leaves out a month that has not ended', async () => {
    const month = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth()))
    const { sql } = database
    const announced = async () => sql`select announce_archive(${month.toISOString()}::timestamptz)`
    await expect(announced()).rejects.toThrow('the month is not over')
  })

  test('delays a price for the month it moves, and loses none', async () => {
    const { store } = archiveDeps(database)
    await store.announce(await store.months(CLOSED_MS))
    const other = otherHandle(database)
    const { promise: end, resolve: goOn } = Promise.withResolvers<void>()
    const { promise: begun, resolve: isBegun } = Promise.withResolvers<void>()
    const moving = database.sql.begin(async (tx) => {
      await tx`
        select archive_observations(id, ${new Date(START_MS).toISOString()}::timestamptz)
        from corridors where source = 'USD' and target = 'KES'`
      isBegun()
      await end
    })
    await begun
    const recording = createObservationStore(other).record({
      observations: [newRow()],
      idempotency: null,
    })
    await untilWaiting(database, 1)
    goOn()
    await moving
    expect(await recording).toMatchObject({ kind: 'recorded' })
    await other.close()
    expect(await rowsIn(database)).toMatchObject({ archived: 0 })
    expect(await differences(database)).toEqual([])
  })

  test('changes nothing if the disk is full', async () => {
    const digest = await digestOf(database)
    await database.sql.unsafe(`
      create function no_room() returns trigger language plpgsql as $$
      begin
        raise exception 'could not extend file: No space left on device' using errcode = '53100';
      end $$;
      create trigger no_room before insert on observation_blocks
        for each row when (new.place = 0) execute function no_room()`)
    await expect(archive(database)).rejects.toThrow('No space left')
    expect(await digestOf(database)).toBe(digest)
    await database.sql`drop trigger no_room on observation_blocks`
    expect((await archive(database))!.observations).toBeGreaterThan(ROWS / 2)
  })
})
