import type { Part, Sql } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import type { NewRows } from './new-rows.ts'

/**
 * The statement, or a part of one, that notes the upload of new rows. Their ids are `ids` in the
 * one row of `claimed`; without such a row nothing is noted.
 */
export function noteUpload(sql: Sql, rows: NewRows, claimed: Part) {
  const { id, accountId, person, fileName, recordedMs } = rows.upload!
  const times = rows.observations.map(({ effectiveMs }) => effectiveMs)
  return sql`
    insert into uploads (id, account_id, person, file_name, recorded_at, since, until, ids)
    select ${id}::uuid, ${accountId}::uuid, ${person}, ${fileName},
      ${instantText(recordedMs)}::timestamptz, ${instantText(Math.min(...times))}::timestamptz,
      ${instantText(Math.max(...times))}::timestamptz, ids
    from ${claimed}`
}
