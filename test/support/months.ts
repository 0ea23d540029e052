import type { Database } from '~/store/database.ts'

/**
 * Makes the months of a stretch, whole ones, the only ones that are parts of observations, which
 * must be empty: a question is quicker where it has few parts to choose from.
 */
export async function makeOnlyMonths(
  { sql }: Pick<Database, 'sql'>,
  { fromMs, beforeMs }: { readonly fromMs: number; readonly beforeMs: number },
): Promise<void> {
  const [from, before] = [fromMs, beforeMs].map((ms) => new Date(ms).toISOString())
  await sql.begin(async (tx) => {
    const parts = await tx<{ name: string }[]>`
      select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'observations'::regclass`
    for (const { name } of parts)
      await tx.unsafe(
        /early|late/.test(name)
          ? `alter table observations detach partition ${name}`
          : `drop table ${name}`,
      )
    await tx.unsafe(`
      alter table observations attach partition observation_months.early
        for values from (minvalue) to ('${from}');
      select add_observation_months('${from}', '${before}');
      alter table observations attach partition observation_months.late
        for values from ('${before}') to (maxvalue)`)
  })
}
