import { sql } from 'drizzle-orm'
import type { Tx } from '~/store/database.ts'

type Active = { readonly name: string; readonly is_active: boolean }

const LOCK_NAME = 'corridor activity'

/**
 * Runs `work`, which changes the catalogue. Notes what it switched on or off, and new versions, as
 * triggers do when the catalogue is not copied to the workers. Callers take turns.
 */
export async function withNotedActivity(tx: Tx, work: () => Promise<void>): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${LOCK_NAME}))`)
  const before = { currencies: await currencies(tx), providers: await providers(tx) }
  await work()
  for (const { name, is_active } of switched(before.currencies, await currencies(tx)))
    await tx.execute(sql`
      insert into currency_activity (currency, is_active, since)
      values (${name}, ${is_active}, ${await nextMoment(tx, sql`currency_activity`)}::timestamptz)`)
  for (const { name, is_active } of switched(before.providers, await providers(tx)))
    await tx.execute(sql`
      insert into provider_activity (provider_id, is_active, since)
      values (${name}, ${is_active}, ${await nextMoment(tx, sql`provider_activity`)}::timestamptz)`)
  await tx.execute(sql`select note_catalogue_changes()`)
}

const currencies = (tx: Tx) =>
  tx.execute<Active>(sql`select code as name, is_active from currencies`)

const providers = (tx: Tx) => tx.execute<Active>(sql`select id as name, is_active from providers`)

function switched(before: readonly Active[], after: readonly Active[]): Active[] {
  const was = new Map(before.map(({ name, is_active }) => [name, is_active]))
  return after.filter(({ name, is_active }) => was.get(name) === !is_active)
}

/** Now, or the last time in the table if a clock was set back. */
async function nextMoment(tx: Tx, table: ReturnType<typeof sql>): Promise<string> {
  const [row] = await tx.execute<{ moment: string }>(sql`
    select greatest(recording_time(), max(since))::text as moment from ${table}`)
  return row!.moment
}
