import type { PruneLimit, Pruning } from '~/domain/observation.ts'
import type { Window } from '~/domain/period.ts'
import type { Database } from '~/store/database.ts'
import { isDistributed } from '~/store/distributed/distribution.ts'
import { distributedRetention } from '~/store/distributed/retention.ts'
import { instantText } from '~/store/encoding.ts'
import { dropMonth, monthsBefore } from '~/store/month/drop.ts'
import { announced } from '~/store/news-channel.ts'
import { once } from '~/store/once.ts'
import type { ObservedSeries } from '~/store/provider-corridors.ts'

const LOCK_NAME = 'corridor retention'
const BROKEN_OFF = 'a run that was broken off'

export function createRetentionStore(database: Database) {
  const [local, spread] = [localRetention(database), distributedRetention(database)]
  const way = async () => ((await isDistributed(database.sql)) ? spread : local)
  return {
    once: <T>(work: () => Promise<T>) => once(database, LOCK_NAME, work),
    months: (beforeMs: number) => monthsBefore(database, beforeMs),
    dropMonth: (month: Window, beforeMs: number) => dropMonth(database, month, beforeMs),
    outdated: async (beforeMs: number) => (await way()).outdated(beforeMs),
    /** How many observations of a series would be pruned. */
    count: async (seriesId: number, beforeMs: number) => (await way()).count(seriesId, beforeMs),
    prune: async (seriesId: number, limit: PruneLimit) => (await way()).prune(seriesId, limit),
    ...pruningRecords(database),
  }
}

function localRetention({ sql }: Database) {
  return {
    async outdated(beforeMs: number) {
      const rows = await sql<{ id: number; corridor_id: number }[]>`
        select id, corridor_id from provider_corridors p
        where 1 < (
          select count(*) from (
            select from observations
            where provider_corridor_id = p.id
              and effective_from < ${instantText(beforeMs)}::timestamptz
            limit 2
          ) two
        ) and exists (
          select from observations
          where provider_corridor_id = p.id
            and effective_from < ${instantText(beforeMs)}::timestamptz
            and id not in (
              select kept_observations(p.id, ${instantText(beforeMs)}::timestamptz)
            )
        ) order by corridor_id, id`
      return rows.map((row): ObservedSeries => ({ id: row.id, corridorId: row.corridor_id }))
    },
    async count(seriesId: number, beforeMs: number) {
      const [row] = await sql<[{ count: string }]>`
        select count(*) as count from observations
        where provider_corridor_id = ${seriesId}
          and effective_from < ${instantText(beforeMs)}::timestamptz
          and id not in (
            select kept_observations(${seriesId}, ${instantText(beforeMs)}::timestamptz)
          )`
      return Number(row.count)
    },
    async prune(seriesId: number, { beforeMs, rowsMax }: PruneLimit) {
      const [row] = await sql<[{ count: number }]>`
        select prune_observations(${seriesId}, ${instantText(beforeMs)}::timestamptz, ${rowsMax})
          as count`
      return row.count
    },
  }
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
    async pruneWithdrawals(beforeMs: number) {
      await sql`select prune_withdrawals(${instantText(beforeMs)}::timestamptz)`
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
