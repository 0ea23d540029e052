import type { PruneLimit, Pruning } from '~/domain/observation.ts'
import type { Window } from '~/domain/period.ts'
import { archivedMonths } from '~/store/archive/archived.ts'
import { archivedTables } from '~/store/archive/rows.ts'
import { unarchiveBefore } from '~/store/archive/unarchive.ts'
import type { Database, Sql } from '~/store/database.ts'
import { isDistributed } from '~/store/distributed/distribution.ts'
import { distributedRetention } from '~/store/distributed/retention.ts'
import { instantText } from '~/store/encoding.ts'
import { dropMonth, monthsBefore } from '~/store/month/drop.ts'
import { announced } from '~/store/notification-channel.ts'
import { once } from '~/store/once.ts'
import { onOwnConnection } from '~/store/own-connection.ts'
import type { ObservedSeries } from '~/store/provider-corridors.ts'

export const RETENTION_LOCK = 'corridor retention'

/** A series, and the number of its observations that would be pruned, if known. */
type OutdatedSeries = ObservedSeries & { readonly count?: number }

const BROKEN_OFF = 'a run that was broken off'

export function createRetentionStore(database: Database) {
  const [local, spread] = [localRetention(database), distributedRetention(database)]
  const way = async () => ((await isDistributed(database.sql)) ? spread : local)
  return {
    once: <T>(work: () => Promise<T>) => once(database, RETENTION_LOCK, work),
    months: (beforeMs: number) => monthsBefore(database, beforeMs),
    async dropMonth(month: Window, beforeMs: number) {
      await unarchiveBefore(database, month.beforeMs)
      return dropMonth(database, month, beforeMs)
    },
    unarchive: (beforeMs: number) => unarchiveBefore(database, beforeMs),
    outdated: async (beforeMs: number): Promise<OutdatedSeries[]> =>
      (await way()).outdated(beforeMs),
    /** The number of observations of a series that would be pruned. */
    count: async ({ id, count }: OutdatedSeries, beforeMs: number) =>
      count ?? spread.count(id, beforeMs),
    prune: async (seriesId: number, limit: PruneLimit) => (await way()).prune(seriesId, limit),
    ...pruningRecords(database),
  }
}

function localRetention({ sql }: Database) {
  return {
    /** Corridor by corridor, on a connection that may be silent for as long as one takes. */
    outdated: (beforeMs: number) =>
      onOwnConnection(sql, async (own) => {
        const series: OutdatedSeries[] = []
        const corridors = await own<{ id: number }[]>`select id from corridors order by id`
        for (const { id } of corridors) series.push(...(await prunable(own, id, beforeMs)))
        return series
      }),
    async prune(seriesId: number, { beforeMs, rowsMax }: PruneLimit) {
      const [row] = await sql<[{ count: number }]>`
        select prune_observations(${seriesId}, ${instantText(beforeMs)}::timestamptz, ${rowsMax})
          as count`
      return row.count
    },
  }
}

/**
 * The series of a corridor with observations that nothing later needs, as `kept_observations` has
 * it: those with a newer one of their offer that has no end, and those that end before the limit or
 * no later than a newer one.
 */
async function prunable(sql: Sql, corridorId: number, beforeMs: number): Promise<OutdatedSeries[]> {
  const before = sql`${instantText(beforeMs)}::timestamptz`
  const place = { corridorId, archive: await archivedMonths(sql) }
  const window = { fromMs: Number.NEGATIVE_INFINITY, beforeMs }
  const archived = archivedTables({ sql }, place, window)
  const rows = await sql<{ id: number; count: string }[]>`
    ${archived ? sql`with ${archived}` : sql``}
    select provider_corridor_id as id, count(*) as count from (
      select provider_corridor_id, valid_until,
        bool_or(valid_until is null) over newer as is_replaced,
        max(valid_until) over newer as until
      from observations where corridor_id = ${corridorId} and effective_from < ${before}
      window newer as (
        partition by provider_corridor_id, offer_id order by effective_from desc, id desc
        rows between unbounded preceding and 1 preceding
      )
    ) observed
    where is_replaced or (until is not null and (valid_until < ${before} or valid_until <= until))
    group by 1 order by 1`
  return rows.map(({ id, count }) => ({ id, corridorId, count: Number(count) }))
}

function pruningRecords(database: Database) {
  const { sql } = database
  return {
    async finish({ actor, beforeMs, observations }: Pruning) {
      await sql`
        with kept as (
          insert into prunings (actor, before, observations)
          values (${actor}, ${instantText(beforeMs)}::timestamptz, ${observations})
          returning 1
        )
        select ${announced(database, { kind: 'observations', position: null })} from kept`
    },
    /** In a transaction, as Citus otherwise does not send the function's settings to workers. */
    async pruneWithdrawals(beforeMs: number) {
      await sql.begin((tx) => tx`select prune_withdrawals(${instantText(beforeMs)}::timestamptz)`)
    },
    async settle() {
      await sql`
        insert into prunings (actor, before, observations)
        select ${BROKEN_OFF}, gone.last + interval '1 hour', gone.observations - kept.observations
        from (
          select sum(pruned) as observations, max(hour) as last from rollups where pruned > 0
        ) gone, (
          select coalesce(sum(observations), 0) as observations from prunings
        ) kept
        where gone.observations > kept.observations`
    },
  }
}
