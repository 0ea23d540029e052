import type { Database } from '~/store/database.ts'

type StoredKey = { readonly id: number; readonly sealed: string }

/** Lock under which one process alone creates the first keys. */
const MAKING = 'corridor log key'

/** The keys that sign the log, encrypted, the oldest first. */
export const createLogKeyStore = ({ sql }: Pick<Database, 'sql'>) => ({
  async keys(): Promise<readonly StoredKey[]> {
    return sql<StoredKey[]>`
      select id, sealed from log_keys where retired_at is null order by id`
  },
  /** Adds a key; with `isFirst` only if there is none. */
  async add(sealed: string, { isFirst }: { isFirst: boolean }): Promise<void> {
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtext(${MAKING}))`
      await tx`
        insert into log_keys (sealed) select ${sealed}
        where not ${isFirst} or not exists (select from log_keys where retired_at is null)`
    })
  },
  /** Retires all keys but the newest; returns their number. */
  async retireOlder(): Promise<number> {
    const { count } = await sql`
      update log_keys set retired_at = now() where retired_at is null
        and id < (select max(id) from log_keys where retired_at is null)`
    return count
  },
})
