import { SAMPLE_MARK } from '~/domain/sample.ts'
import type { Sql } from './database.ts'

/** Whether the sample was ever loaded into a database; nothing takes it out again. */
export async function holdsSample(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ held: boolean }[]>`
    select exists (
      select from reference_snapshots where strpos(source, ${SAMPLE_MARK}) > 0) as held`
  return row!.held
}
