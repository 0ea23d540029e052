import type { Sql } from '~/store/database.ts'
import { DISTRIBUTED_TABLES, DISTRIBUTION_COLUMN, REFERENCE_TABLES } from './shape.ts'

/** Placement of a table; `method` is null for a table of the coordinator alone. */
type Placed = {
  readonly name: string
  readonly method: 'h' | 'n' | null
  readonly column: string | null
  readonly colocation: number | null
}

/** Placement of our tables; `wrong` names each misplaced one if they are neither. */
type Layout =
  | { readonly kind: 'local' }
  | { readonly kind: 'distributed'; readonly shards: number }
  | { readonly kind: 'mixed'; readonly wrong: readonly string[] }

export async function hasExtension(sql: Sql): Promise<boolean> {
  const rows = await sql`select from pg_extension where extname = 'citus'`
  return rows.length > 0
}

/** The servers that hold shards, as `host:port`; the coordinator only if it holds some. */
export async function shardNodes(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select format('%s:%s', nodename, nodeport) as name from pg_dist_node
    where isactive and noderole = 'primary' and shouldhaveshards order by nodeid`
  return rows.map(({ name }) => name)
}

/** Works only with the extension installed. */
export async function layoutOf(sql: Sql): Promise<Layout> {
  const placed = await sql<Placed[]>`
    select name, partmethod as method, colocationid as colocation,
      case when partmethod = 'h' then column_to_column_name(logicalrelid, partkey) end as column
    from unnest(${[...REFERENCE_TABLES, ...DISTRIBUTED_TABLES]}::text[]) as name
    left join pg_dist_partition on logicalrelid = to_regclass('public.' || quote_ident(name))`
  if (placed.every(({ method }) => method === null)) return { kind: 'local' }
  const together = placed.find(({ name }) => name === 'observations')?.colocation ?? null
  const wrong = placed.flatMap((table) => faultOf(table, together) ?? [])
  if (wrong.length > 0) return { kind: 'mixed', wrong }
  const [row] = await sql<[{ shards: number }]>`
    select count(*)::int as shards from pg_dist_shard where logicalrelid = 'observations'::regclass`
  return { kind: 'distributed', shards: row.shards }
}

function faultOf({ name, method, column, colocation }: Placed, together: number | null) {
  const isReference = REFERENCE_TABLES.includes(name)
  if (method === null) return `${name} is on the coordinator alone`
  if (method === 'n') return isReference ? null : `${name} is not distributed by corridor`
  if (isReference) return `${name} is not a reference table`
  if (column !== DISTRIBUTION_COLUMN) return `${name} is distributed by ${column}`
  return colocation === together ? null : `${name} is not colocated with observations`
}
