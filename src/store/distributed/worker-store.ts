import type { StoredCorridor } from '~/domain/corridor.ts'
import type { Database } from '~/store/database.ts'
import { arrayLiteral } from '~/store/encoding.ts'

/** A server that keeps the rows of some corridors, by its group. */
type Node = { readonly group: number; readonly host: string; readonly port: number }

const CONNECT_MS_MAX = 1000

/** The servers of a Citus cluster that keep rows. */
export function createWorkerStore({ sql }: Pick<Database, 'sql'>) {
  return {
    nodes: () =>
      sql<Node[]>`
        select groupid as "group", nodename as host, nodeport as port from pg_dist_node
        where isactive and noderole = 'primary' and shouldhaveshards order by groupid`.then(
        (rows) => [...rows],
      ),
    /**
     * Rejects if the coordinator cannot connect to a server. By default it tries for 30 s, which
     * may end long after a server that dropped packets is back.
     */
    async ask({ host, port }: Node) {
      const [row] = await sql.begin(async (tx) => {
        await tx`set local citus.node_connection_timeout = ${tx.unsafe(String(CONNECT_MS_MAX))}`
        return tx<[{ answers: boolean }]>`
          select citus_check_connection_to_node(${host}, ${port}) as answers`
      })
      if (!row.answers) throw new Error('the coordinator cannot connect to a worker')
    },
    /** The corridors whose rows are on servers of these groups. */
    async corridorsOn(groups: readonly number[]) {
      const rows = await sql<StoredCorridor[]>`
        select id, source as from, target as to from corridors where (
          select groupid from pg_dist_placement
          where shardid = get_shard_id_for_distribution_column('public.rollups', corridors.id)
        ) = any(${arrayLiteral(groups)}::int[])`
      return [...rows]
    },
  }
}
