import type { TransactionSql } from '~/store/database.ts'

/** The server's own estimate of the rows in some tables together; 0 before it has any. */
export async function rowEstimate(tx: TransactionSql, names: readonly string[]): Promise<number> {
  const [row] = await tx`
    with ours as (
      select to_regclass(quote_ident(name)) as id from unnest(${[...names]}::text[]) as name
    )
    select sum(greatest(reltuples, 0))::float8 as rows from pg_class
    where relkind = 'r' and (oid in (select id from ours) or oid in (
      select inhrelid from pg_inherits where inhparent in (select id from ours)
    ))`
  return Number(row?.rows ?? 0)
}

const LINE_FEED = 10

export function linesIn(bytes: Uint8Array): number {
  let lines = 0
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) lines++
  return lines
}
