import type { Sql } from '~/store/database.ts'
import { hasExtension } from './cluster-state.ts'
import { DISTRIBUTED_TABLES, REFERENCE_TABLES } from './shape.ts'

/** The oldest extension that this was tried with. */
const EXTENSION_MAJOR_MIN = 13
/** A month with its indexes, keys and triggers, which are locked while its shard is created. */
const LOCKS_PER_SHARD = 16

const NO_EXTENSION =
  'the database has no extension citus: set shared_preload_libraries = citus on the coordinator ' +
  'and each worker, restart them, and run CREATE EXTENSION citus in this database of each'

const ARCHIVED =
  'months of observations are archived, which a distributed database cannot have: run corridor ' +
  'observations archive --undo first'

/**
 * Obstacles to a distribution, in sentences that say what to do; empty for none. Of reasons that
 * follow from each other only the first is reported.
 */
export async function obstacles(sql: Sql, shards: number): Promise<string[]> {
  if (!(await hasExtension(sql))) return [NO_EXTENSION]
  const [archived] = await sql`select from archived_months limit 1`
  if (archived) return [ARCHIVED]
  const inCluster = [...(await versionFaults(sql)), ...(await nodeFaults(sql))]
  if (inCluster.length > 0) return inCluster
  const workers = await workerFaults(sql, shards)
  return [...workers, ...(await rightFaults(sql)), ...(await othersConnected(sql))]
}

async function versionFaults(sql: Sql): Promise<string[]> {
  const [row] = await sql<[{ version: string }]>`
    select extversion as version from pg_extension where extname = 'citus'`
  return Number.parseInt(row.version, 10) >= EXTENSION_MAJOR_MIN
    ? []
    : [`the extension is of version ${row.version}: update it to ${EXTENSION_MAJOR_MIN} or newer`]
}

async function nodeFaults(sql: Sql): Promise<string[]> {
  const [row] = await sql<[{ group: number; coordinators: number; keepers: number }]>`
    select (select groupid from pg_dist_local_group) as group,
      count(*) filter (where groupid = 0)::int as coordinators,
      count(*) filter (where isactive and noderole = 'primary' and shouldhaveshards)::int as keepers
    from pg_dist_node`
  if (row.group !== 0)
    return ['this server is a worker: let DATABASE_URL name the coordinator of the cluster']
  const faults = []
  if (row.coordinators === 0)
    faults.push(
      'the workers do not know the coordinator: run ' +
        "SELECT citus_set_coordinator_host('HOST', PORT) with its address as they see it",
    )
  if (row.keepers === 0)
    faults.push("no worker belongs to the cluster: run SELECT citus_add_node('HOST', PORT)")
  return faults
}

type NodeAnswer = {
  readonly name: string
  readonly success: boolean
  readonly result: string
}

/** Capacity of a server, which returns it in one string. */
const ROOM = `select current_setting('max_prepared_transactions') || ' ' ||
  current_setting('max_locks_per_transaction')::int * (current_setting('max_connections')::int
    + current_setting('max_prepared_transactions')::int)`

async function workerFaults(sql: Sql, shards: number): Promise<string[]> {
  const answers = await sql<NodeAnswer[]>`
    select format('%s:%s', nodename, nodeport) as name, success, result
    from run_command_on_all_nodes(${ROOM}) join pg_dist_node using (nodeid) order by nodeid`
  const [row] = await sql<[{ parts: number; keepers: number }]>`
    select (select count(*)::int from pg_inherits
        where inhparent = to_regclass('public.observations')) as parts,
      (select count(*)::int from pg_dist_node
        where isactive and noderole = 'primary' and shouldhaveshards) as keepers`
  const locks = locksOf(row.parts, Math.ceil(shards / row.keepers))
  return answers.flatMap((answer) => roomFaults(answer, locks))
}

/** The maximum number of locks that a worker needs for its shards of observations. */
export const locksOf = (parts: number, shards: number): number =>
  (parts + DISTRIBUTED_TABLES.length + REFERENCE_TABLES.length) * shards * LOCKS_PER_SHARD

function roomFaults({ name, success, result }: NodeAnswer, locks: number): string[] {
  if (!success)
    return [
      `${name} refuses this user or does not respond (${result}): give the user there the ` +
        'same name and rights, and the coordinator its password in pg_dist_authinfo or .pgpass',
    ]
  const [prepared = 0, room = 0] = result.split(' ').map(Number)
  const faults = []
  if (prepared === 0)
    faults.push(`${name} has max_prepared_transactions = 0: set it to its max_connections`)
  if (room < locks)
    faults.push(
      `${name} has room for ${room} locks, and ${locks} are needed: raise its ` +
        'max_locks_per_transaction, or take fewer --shards',
    )
  return faults
}

async function rightFaults(sql: Sql): Promise<string[]> {
  const names = [...REFERENCE_TABLES, ...DISTRIBUTED_TABLES]
  const [row] = await sql<[{ others: number; owns_database: boolean; database: string }]>`
    select count(*)::int as others, current_database() as database, (
        select pg_has_role(datdba, 'usage') from pg_database where datname = current_database()
      ) as owns_database
    from pg_class where relnamespace = 'public'::regnamespace and relname = any(${names}::text[])
      and not pg_has_role(relowner, 'usage')`
  if (row.others > 0) return ['this user does not own the tables: run this as their owner']
  return row.owns_database
    ? []
    : [
        `this user does not own the database: run ALTER DATABASE ${row.database} OWNER TO this ` +
          'user, since settings of the database are part of its distribution',
      ]
}

/** Connections of other programs of ours; one more of this pool would count as one. */
async function othersConnected(sql: Sql): Promise<string[]> {
  const [row] = await sql<[{ others: number }]>`
    select count(*)::int as others from pg_stat_activity
    where datname = current_database() and application_name = 'corridor'
      and pid <> pg_backend_pid()`
  return row.others === 0
    ? []
    : [
        `${row.others} connections of other programs of corridor are open: stop every service ` +
          'and command on this database. To see where they come from: SELECT client_addr, pid, ' +
          "backend_start FROM pg_stat_activity WHERE application_name = 'corridor'",
      ]
}
