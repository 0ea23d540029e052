import type { Database, Part, Sql, TransactionSql } from './database.ts'
import { announcedIds, CHANGE_ROWS_MAX, loggedNotification } from './notification-channel.ts'
import { TERM_COLUMNS } from './offer/offer-row.ts'
import { OWN_NAMES } from './recording/own-columns.ts'

/** Table that an import copies its rows to, a chunk at a time. */
export type Target = {
  /** A `COPY ... FROM STDIN` statement. */
  readonly copy: string
  prepare(tx: TransactionSql): Promise<void>
  /** Records the chunk copied last, of `rows` rows, and returns the number of them recorded. */
  settle(tx: TransactionSql, rows: number): Promise<number>
}

export const COLUMNS = `corridor_id, provider_corridor_id, ${OWN_NAMES},
  offer_id, ${TERM_COLUMNS.join()}, recorded_via`

/** Columns by which two rows are one observation; the first two are indexed, never null. */
export const SERIES_AND_TIME = ['provider_corridor_id', 'effective_from']
export const PRICE = ['offer_id', 'rate', 'fee', 'fee_currency', 'evidence', ...TERM_COLUMNS]
export const COMPARED_COLUMNS = [...SERIES_AND_TIME, ...PRICE].join()

/** A target that records every row. */
const RECORDED: Target = {
  copy: `copy observations (${COLUMNS}) from stdin`,
  prepare: async () => {},
  settle: async (_, rows) => rows,
}

/** Relation of an import's own rows, with the columns for rollups and change notifications. */
type OwnRows = {
  readonly relation: () => Part
  /** None of them has a smaller id. */
  readonly firstId: number
}

/** Way in which an import records rows, and finds those that it has recorded. */
export type ImportWay = {
  prepare(tx: TransactionSql): Promise<OwnRows>
  readonly recorded: Target
  readonly compared: Target
  /** The statement that logs and announces its own rows, `inserted` of them. */
  notification(database: Database, own: Part, inserted: number): Part
}

/** The way for observations in the database itself. */
export const localWay = (sql: Sql): ImportWay => ({
  async prepare(tx) {
    const firstId = await lastId(tx)
    return {
      relation: () => sql`observations where id >= ${firstId} and xmin = pg_current_xact_id()::xid`,
      firstId,
    }
  },
  recorded: RECORDED,
  compared: COMPARED,
  notification: (database, own, inserted) =>
    inserted > CHANGE_ROWS_MAX
      ? loggedNotification(database, 'observations')
      : announcedIds(database, 'observations', { added: own, atMs: null }),
})

/**
 * A target that records each observation once: the first of equal rows, unless it is there already.
 *
 * Rows are copied aside and compared inside the database, each by one probe of its series' index.
 * `offset 0` keeps the planner from reading the whole table for it instead.
 */
export const COMPARED: Target = {
  copy: `copy imported (${COLUMNS}) from stdin`,
  async prepare(tx) {
    await prepareComparison(tx)
    await tx.unsafe(`
      create temp table imported on commit drop as select ${COLUMNS} from observations limit 0`)
    await tx.unsafe('alter table imported add place bigint generated always as identity')
  },
  async settle(tx) {
    const { count } = await tx.unsafe(recordNew(await spanOf(tx)))
    await tx.unsafe('truncate imported')
    return count
  },
}

/** The last id that was given to an observation, or the first if none was. */
export async function lastId(tx: TransactionSql): Promise<number> {
  const [row] = await tx<[{ id: string }]>`select last_value as id from observations_id_seq`
  return Number(row.id)
}

/** Waits for another import that compares, and has room for sorting. */
export async function prepareComparison(tx: TransactionSql): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtext(${LOCK_NAME}))`
  await tx.unsafe(`set local work_mem = '${SORT_MEMORY}'`)
}

const LOCK_NAME = 'observation import'
/** Memory that the server may use to sort a chunk. */
const SORT_MEMORY = '64MB'

/**
 * A time span of all imported rows: only rows within it can equal them. Archived rows of their
 * corridors and months move back, to be compared.
 */
async function spanOf(tx: TransactionSql): Promise<string> {
  const [row] = await tx<[{ first: string; last: string; is_archived: boolean }]>`
    select quote_literal(min(effective_from)) as first, quote_literal(max(effective_from)) as last,
      exists (select from archived_months) as is_archived
    from imported`
  if (row.is_archived)
    await tx`
      select unarchive_observations(corridor_id, month) from (
        select distinct corridor_id, start_of_month(effective_from) as month from imported
        order by 1, 2
      ) places`
  return `between ${row.first} and ${row.last}`
}

export const recordNew = (span: string) => `
  insert into observations (${COLUMNS})
  select ${COLUMNS} from (
    select distinct on (${COMPARED_COLUMNS}) * from imported order by ${COMPARED_COLUMNS}, place
  ) first_of_each
  where not exists (
    select from observations recorded
    where ${SERIES_AND_TIME.map((name) => `recorded.${name} = first_of_each.${name}`).join(' and ')}
      and (${PRICE.map((name) => `recorded.${name}`).join()})
        is not distinct from (${PRICE.map((name) => `first_of_each.${name}`).join()})
      and recorded.effective_from ${span}
    offset 0
  )
  order by place`
