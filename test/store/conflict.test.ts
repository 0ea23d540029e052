import { describe, expect, test } from 'bun:test'
import { persevering } from '~/store/conflict.ts'
import { connect } from '~/store/database.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { freshDatabase } from '../support/postgres.ts'

const START_MS_MAX = 30_000

const failing = (code: string, times: number) => {
  let tries = 0
  const work = async () => {
    tries += 1
    if (tries <= times) throw Object.assign(new Error(code), { code })
    return tries
  }
  return { work, tries: () => tries }
}

describe('persevering', () => {
  test.each(['40P01', '40001'])(
    'does the work again after %s, three times at most',
    async (code) => {
      expect(await persevering(failing(code, 2).work)).toBe(3)
      const hopeless = failing(code, 3)
      await expect(persevering(hopeless.work)).rejects.toThrow(code)
      expect(hopeless.tries()).toBe(3)
    },
  )

  test('passes on every other error at once', async () => {
    const { work, tries } = failing('23505', 1)
    await expect(persevering(work)).rejects.toThrow('23505')
    expect(tries()).toBe(1)
  })
})

test(
  'a batch that a migration deadlocks with is recorded all the same, once',
  async () => {
    const database = await freshDatabase()
    const sql = connect(database.url, { connectionsMax: 2 })
    // time for the migration to ask for its second table before the batch looks for a deadlock
    const name = new URL(database.url).pathname.slice(1)
    await sql`alter database ${sql(name)} set deadlock_timeout = '3s'`
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
      rateType: 'retail' as const,
      notes: null,
    }
    const nowMs = Date.now()
    const row = { providerId: 'p', from: 'USD', to: 'KES', ...price, effectiveMs: nowMs }
    const held = { key: 'held', accountId: account!.id, bodyHash: 'a'.repeat(64), nowMs }
    await store.record({ observations: [row], idempotency: { ...held, key: 'first' } })
    const recorded = await sql.begin(async (tx) => {
      await tx`set local deadlock_timeout = '20s'`
      await tx`insert into idempotency (account_id, key, body_hash, inserted)
      values (${held.accountId}, ${held.key}, ${held.bodyHash}, 1)`
      await tx`lock table rollups in access exclusive mode`
      const other = store.record({ observations: [row], idempotency: { ...held, key: 'other' } })
      await untilWaiting()
      await tx`lock table observations in access exclusive mode`
      return [other]
    })
    expect(await recorded[0]).toMatchObject({ kind: 'recorded' })
    expect([...(await sql`select count(*)::int as count from observations`)]).toEqual([
      { count: 2 },
    ])
    await sql.end()
    await database.close()

    async function untilWaiting(): Promise<void> {
      for (;;) {
        const [row] = await sql`select 1 from pg_locks where not granted limit 1`
        if (row) return
        await Bun.sleep(5)
      }
    }
  },
  START_MS_MAX,
)
