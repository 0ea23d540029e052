import type { PendingQuery, Row } from 'postgres'
import type { Sql } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import type { PreparedBatch } from './new-rows.ts'

/**
 * The statement, or a part of one, that notes the upload that a batch is of. Its ids are `ids` in
 * the one row of `claimed`; without such a row nothing is noted.
 */
export function noteUpload(sql: Sql, batch: PreparedBatch, claimed: PendingQuery<Row[]>) {
  const { id, accountId, person, fileName, recordedMs } = batch.upload!
  const times = batch.observations.map(({ effectiveMs }) => effectiveMs)
  return sql`
    insert into uploads (id, account_id, person, file_name, recorded_at, since, until, ids)
    select ${id}::uuid, ${accountId}::uuid, ${person}, ${fileName},
      ${instantText(recordedMs)}::timestamptz, ${instantText(Math.min(...times))}::timestamptz,
      ${instantText(Math.max(...times))}::timestamptz, ids
    from ${claimed}`
}
