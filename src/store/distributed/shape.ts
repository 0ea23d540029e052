import type { TransactionSql } from '~/store/database.ts'

/** Tables of which every server keeps a whole copy, each after those that it refers to. */
export const REFERENCE_TABLES = [
  'currencies',
  'providers',
  'corridors',
  'provider_activity',
  'catalogue_history',
  'late_commits',
]

/**
 * Tables whose rows lie on one worker for each corridor, those of one corridor together; each after
 * those that it refers to. Every key of theirs holds `corridor_id`.
 */
export const DISTRIBUTED_TABLES = [
  'provider_corridors',
  'offers',
  'rollups',
  'long_prices',
  'observations',
  'withdrawals',
]

export const DISTRIBUTION_COLUMN = 'corridor_id'

/** The function of triggers that only refuse, which shards can run as tables do. */
export const REFUSAL = 'refuse_change'

/** Says whether rows with these columns say on which worker they belong, if on any. */
export const saysCorridor = (table: {
  readonly name: string
  readonly columns: readonly string[]
}): boolean =>
  !DISTRIBUTED_TABLES.includes(table.name) || table.columns.includes(DISTRIBUTION_COLUMN)

/** One connection to each worker: a table may change after one that refers to it was read. */
export const oneByOne = (tx: TransactionSql) =>
  tx`set local citus.multi_shard_modify_mode = 'sequential'`
