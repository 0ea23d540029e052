import type { Sql, TransactionSql } from '~/store/database.ts'
import {
  COLUMNS,
  COMPARED_COLUMNS,
  type ImportWay,
  lastId,
  PRICE,
  prepareComparison,
  SERIES_AND_TIME,
  type Target,
} from '~/store/observation-target.ts'
import { announcedSpread } from './spread-changes.ts'

/**
 * Records an import on a Citus cluster: each chunk is copied to a table on the coordinator, where
 * it gets its ids, and goes to the workers from there. A second such table knows what was recorded,
 * as the workers' rows do not show which transaction they are of.
 */
export const distributedWay = (sql: Sql): ImportWay => ({
  async prepare(tx) {
    await tx.unsafe(`
      create temp table imported on commit drop as select ${COLUMNS} from observations limit 0`)
    await tx.unsafe(
      `alter table imported add id bigint not null default nextval('observations_id_seq')`,
    )
    await tx.unsafe(`
      create temp table recorded on commit drop as
      select id, ${RECORDED_COLUMNS} from observations limit 0`)
    return { relation: () => sql`recorded`, firstId: await lastId(tx) }
  },
  recorded: { ...TARGET, settle: (tx) => moved(tx) },
  compared: {
    ...TARGET,
    prepare: prepareComparison,
    async settle(tx) {
      await withoutRepeats(tx)
      return moved(tx)
    },
  },
  notification: (database, added) => announcedSpread(database, { added, atText: null }),
})

const RECORDED_COLUMNS = `corridor_id, provider_corridor_id, offer_id, effective_from, valid_until,
  rate_type, rate`

const TARGET: Pick<Target, 'copy' | 'prepare'> = {
  copy: `copy imported (${COLUMNS}) from stdin`,
  prepare: async () => {},
}

/** Records the chunk, and returns its number of rows. */
async function moved(tx: TransactionSql): Promise<number> {
  const { count } = await tx.unsafe(`
    insert into observations (id, ${COLUMNS}) select id, ${COLUMNS} from imported order by id`)
  await tx.unsafe(`insert into recorded select id, ${RECORDED_COLUMNS} from imported`)
  await tx.unsafe('truncate imported')
  return count
}

/** Drops rows of the chunk that repeat a recorded or earlier one. */
async function withoutRepeats(tx: TransactionSql): Promise<void> {
  await tx.unsafe(`
    delete from imported where id not in (
      select min(id) from imported group by ${COMPARED_COLUMNS}
    )`)
  const same = (names: readonly string[], table: string) =>
    names.map((name) => `${table}.${name}`).join()
  const repeats = await tx.unsafe<{ id: string }[]>(`
    select distinct i.id from imported i join observations o on o.corridor_id = i.corridor_id
      and ${SERIES_AND_TIME.map((name) => `o.${name} = i.${name}`).join(' and ')}
      and (${same(PRICE, 'o')}) is not distinct from (${same(PRICE, 'i')})`)
  const ids = `{${repeats.map(({ id }) => id).join()}}`
  await tx`delete from imported where id = any(${ids}::bigint[])`
}
