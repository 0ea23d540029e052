import type { Sql, TransactionSql } from '~/store/database.ts'

/** One of several equal parts of a work, from 0 on. */
export type Share = { readonly nth: number; readonly of: number }

const READING = 'isolation level repeatable read read only'

/** The last work of each pool: work on several connections waits until others have theirs. */
const lastOf = new WeakMap<Sql, Promise<unknown>>()

/**
 * Runs the shares of a read-only work at once, all as of one time, each in a transaction of its
 * own. A pool that is too small for that many gets fewer. Works of several shares take turns on one
 * pool, as each of many that began at once might hold a connection and wait for another.
 */
export function atOneMoment<T>(
  sql: Sql,
  sharesMax: number,
  work: (tx: TransactionSql, share: Share) => Promise<T>,
): Promise<T[]> {
  const of = Math.max(1, Math.min(sharesMax, sql.options.max - 1))
  const begin = () => divided(sql, of, work)
  if (of === 1) return begin()
  const done = (lastOf.get(sql) ?? Promise.resolve()).then(begin)
  lastOf.set(sql, done.then(nothing, nothing))
  return done
}

const nothing = () => {}

const divided = <T>(
  sql: Sql,
  of: number,
  work: (tx: TransactionSql, share: Share) => Promise<T>,
): Promise<T[]> =>
  sql.begin(READING, async (tx) => {
    if (of === 1) return [await work(tx, { nth: 0, of })]
    const [{ snapshot }] = await tx<[{ snapshot: string }]>`
      select pg_export_snapshot() as snapshot`
    const others = Array.from({ length: of - 1 }, (_, i) =>
      sql.begin(READING, async (other) => {
        await other.unsafe(`set transaction snapshot '${snapshot}'`)
        return work(other, { nth: i + 1, of })
      }),
    )
    return Promise.all([work(tx, { nth: 0, of }), ...others])
  }) as Promise<T[]>
