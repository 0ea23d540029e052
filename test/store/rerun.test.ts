import { describe, expect, test } from 'bun:test'
import { loadConfig } from '~/config.ts'
import { WindowCache } from '~/memory/window-cache.ts'
import { pastOf } from '~/runtime/past.ts'
import { ReadReplicas } from '~/runtime/read-replicas.ts'
import { recorderOf } from '~/runtime/recorder.ts'
import { connect, type Sql } from '~/store/database.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createWithdrawalStore } from '~/store/recording/withdrawal-store.ts'
import { rerun, wasBrokenOff } from '~/store/rerun.ts'
import { noReferences } from '../support/days.ts'
import { KeptLog } from '../support/log.ts'
import { freshDatabase } from '../support/postgres.ts'
import { UNWATCHED } from '../support/unwatched-recording.ts'

const START_MS_MAX = 30_000
const NOW_MS = Date.parse('2026-03-05T14:00:00.000Z')

const coded = (code: string): Error => Object.assign(new Error('x'), { code })

/** Work that fails with these codes, one a run, and then succeeds. */
function failing(...codes: string[]) {
  const failures = codes.map(coded)
  let runs = 0
  const work = async () => {
    runs++
    const failure = failures.shift()
    if (failure) throw failure
    return 'done'
  }
  return { work, runs: () => runs }
}

describe('rerun', () => {
  test('retries work after a deadlock or a replay conflict, three times at most', async () => {
    const twice = failing('40P01', '40001')
    expect(await rerun(twice.work)).toBe('done')
    expect(twice.runs()).toBe(3)
    const always = failing('40P01', '40P01', '40P01')
    expect(await rerun(always.work).catch(wasBrokenOff)).toBe(true)
    expect(always.runs()).toBe(3)
  })

  test('recognises a deadlock inside another error', () => {
    expect(wasBrokenOff(new Error('x', { cause: coded('40P01') }))).toBe(true)
    expect(wasBrokenOff(new Error('x', { cause: coded('23505') }))).toBe(false)
    expect(wasBrokenOff(null)).toBe(false)
  })

  test.each(['23505', '57014', '08006', '55P03'])('passes %s on at once', async (code) => {
    const { work, runs } = failing(code)
    expect(await rerun(work).catch((error) => error.code)).toBe(code)
    expect(runs()).toBe(1)
  })

  test(
    'records a batch once even after a deadlock with a migration',
    async () => {
      const { database, store, row, accountId } = await scene()
      const sql = connect(database.url, { connectionsMax: 2 })
      // time for the migration to request its second table before the batch checks for a deadlock
      const name = new URL(database.url).pathname.slice(1)
      await sql`alter database ${sql(name)} set deadlock_timeout = '3s'`
      const held = { key: 'held', accountId, bodyHash: 'a'.repeat(64), nowMs: NOW_MS }
      await store.record({ observations: [row], idempotency: { ...held, key: 'first' } })
      const [recorded] = await sql.begin(async (tx) => {
        await tx`set local deadlock_timeout = '20s'`
        await tx`insert into idempotency (account_id, key, body_hash, inserted)
          values (${accountId}, ${held.key}, ${held.bodyHash}, 1)`
        await tx`lock table rollups in access exclusive mode`
        const other = store.record({ observations: [row], idempotency: { ...held, key: 'other' } })
        await untilWaiting(sql)
        await tx`lock table observations in access exclusive mode`
        return [other]
      })
      expect(await recorded).toMatchObject({ kind: 'recorded' })
      const [kept] = await sql`select count(*)::int as count from observations`
      expect(kept).toEqual({ count: 2 })
      await sql.end()
      await database.close()
    },
    START_MS_MAX,
  )

  test(
    'is done in one place: work that always fails runs three times in all',
    async () => {
      const { database, store, row } = await scene()
      const { sql } = database
      await store.record({ observations: [row], idempotency: null })
      await sql`create sequence runs`
      await sql`create function broken_off() returns boolean language plpgsql as $$ begin
        perform nextval('runs');
        raise exception 'broken off' using errcode = '40001';
      end $$`
      await sql`create function breaking() returns trigger language plpgsql as $$ begin
        perform broken_off();
      end $$`
      await sql`create trigger breaking before insert on observations
        for each row execute function breaking()`
      const config = loadConfig({})
      const recorder = recorderOf({
        observations: store,
        withdrawals: createWithdrawalStore(database),
        days: { referencesAt: noReferences },
        tracing: null,
        work: config.work,
        ...UNWATCHED,
      })
      const again = recorder.record({ observations: [row], idempotency: null })
      expect(await again.catch(wasBrokenOff)).toBe(true)
      expect(await runs()).toBe(3)
      await sql`alter table observations rename to rows`
      await sql`create view observations as select * from rows where broken_off()`
      const readReplicas = new ReadReplicas({ database, config, log: new KeptLog() })
      const past = pastOf(readReplicas, new WindowCache()).store
      const corridor = { from: 'USD', to: 'KES' }
      const bounds = { fromMs: 0, beforeMs: NOW_MS + 1 }
      const page = {
        ...bounds,
        corridor,
        providerId: null,
        order: 'desc',
        limit: 5,
        offset: 0,
      } as const
      expect(await past.page(page).catch(wasBrokenOff)).toBe(true)
      expect(await runs()).toBe(6)
      await readReplicas.stop()
      await database.close()

      async function runs(): Promise<number> {
        const [row] = await sql<{ count: number }[]>`select last_value::int as count from runs`
        return row!.count
      }
    },
    START_MS_MAX,
  )
})

/** A scene in which one batch of one row can be recorded. */
async function scene() {
  const database = await freshDatabase()
  const { sql } = database
  await sql`
    insert into currencies (code, name, type, kind, is_active, sort_order)
    values ('USD', 'US Dollar', 'both', 'fiat', true, 0), ('KES', 'Shilling', 'both', 'fiat', true, 1)`
  await sql`insert into providers (id, name, rate_type, is_active) values ('p', 'P', 'retail', true)`
  const [account] = await sql<{ id: string }[]>`
    insert into accounts (email, plan, role) values ('a@b.c', 'free', 'member') returning id`
  const store = createObservationStore(database)
  const price = {
    rate: '129',
    fee: null,
    feeCurrency: null,
    rateType: 'retail',
    notes: null,
    evidence: 'observed',
    offer: null,
  } as const
  const row = { providerId: 'p', from: 'USD', to: 'KES', ...price, effectiveMs: NOW_MS }
  return { database, store, row, accountId: account!.id }
}

async function untilWaiting(sql: Sql): Promise<void> {
  for (;;) {
    const [row] = await sql`
      select 1 from pg_locks join pg_stat_activity using (pid)
      where not granted and datname = current_database() limit 1`
    if (row) return
    await Bun.sleep(5)
  }
}
