import type { Database } from '~/store/database.ts'

/**
 * Creates the whole months of a stretch as the only partitions of observations, which must be
 * empty: a query is quicker with few partitions to choose from.
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
