import type { Recorder } from '~/domain/observation.ts'
import type { Database } from '~/store/database.ts'

const REMEMBERED_MAX = 10_000

/**
 * The ids of accounts with the keys by which they record, which are created when one first records.
 *
 * They are created in transactions of their own, as series are, so remembered ids are always
 * committed.
 */
export class Recorders {
  readonly #remembered = new Map<string, number>()

  constructor(private readonly database: Database) {}

  /** Throws when the account or the key does not exist. */
  async idOf({ accountId, keyId }: Recorder): Promise<number> {
    const name = `${accountId} ${keyId ?? ''}`
    const known = this.#remembered.get(name)
    if (known !== undefined) return known
    const { sql } = this.database
    const found = () => sql<{ id: number }[]>`
      select id from recorders
      where account_id = ${accountId} and coalesce(key_id, account_id) = ${keyId ?? accountId}`
    let [row] = await found()
    if (!row) {
      await sql`
        insert into recorders (account_id, key_id) values (${accountId}, ${keyId})
        on conflict do nothing`
      row = (await found())[0]
    }
    if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered.clear()
    this.#remembered.set(name, row!.id)
    return row!.id
  }

  /** Forgets all, after the database turned out to lack rows, perhaps by a failover. */
  forget(): void {
    this.#remembered.clear()
  }
}
