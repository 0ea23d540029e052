import { getTableColumns } from 'drizzle-orm'
import { checkpointText, type Sealed, type SealPass } from '~/evidence/checkpoint.ts'
import { EMPTY_ROOT } from '~/evidence/tree.ts'
import type { Database, TransactionSql } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import { observations } from '~/store/schema.ts'
import { inOrder, lastOrigin, save, serverName, stateOf } from './log-state.ts'
import { storedEdge, writeLeaves, writeTiles } from './log-tree.ts'
import { Taking } from './taking.ts'

const CHECKPOINTS_MAX = 10_000

/**
 * Seals what was committed, in one transaction: all of a pass, or nothing of it.
 *
 * The order is that of the log of changes: commit by commit, and the rows of one by their ids,
 * withdrawals last. Rows that the log of changes does not list are sealed by kind and id: rows from
 * before the first seal, rows of an import in its place, and rows of commits that left the log of
 * changes before they were sealed.
 *
 * Returns null if there is nothing to do. Throws if a newer version has given observations a
 * column: their leaves would lack it for good.
 */
export async function sealPass(database: Database, pass: SealPass): Promise<Sealed | null> {
  const { sql } = database
  return sql.begin('isolation level repeatable read', async (tx) => {
    await refuseNewColumns(tx)
    const server = await serverName(tx)
    const before = await stateOf(sql, tx, { origin: pass.origin, server })
    const state = await inOrder(tx, { ...before, server: before.server }, { known: pass, server })
    const taking = new Taking(sql, tx, state, pass)
    await taking.run()
    const { leaves, hashes } = taking
    const named = await lastOrigin(tx)
    const isNew = named !== null && named !== state.origin
    if (leaves.length === 0 && !isNew) {
      if (before.size > 0 && taking.hasMoved) await save(tx, { ...taking.state, server })
      return null
    }
    const edge = await storedEdge(tx, state.size)
    await writeTiles(tx, edge.append(hashes))
    await writeLeaves(tx, state.size, leaves)
    const { origin } = state
    const text = checkpointText({ origin, size: edge.size, root: edge.root() ?? EMPTY_ROOT })
    await tx`
      insert into log_checkpoints (size, sealed_at, note) values
        (${edge.size}, ${instantText(pass.nowMs)}::timestamptz, ${await pass.signed(text, origin)})`
    await tx`
      delete from log_checkpoints where id <= (
        select id from log_checkpoints order by id desc offset ${CHECKPOINTS_MAX} limit 1)`
    await save(tx, { ...taking.state, size: edge.size, server })
    const abandoned = isNew ? named : null
    return { added: leaves.length, isMore: taking.isMore, abandoned }
  }) as Promise<Sealed | null>
}

async function refuseNewColumns(tx: TransactionSql): Promise<void> {
  const known = Object.values(getTableColumns(observations)).map(({ name }) => name)
  const unknown = await tx<{ attname: string }[]>`
    select attname from pg_attribute
    where attrelid = 'observations'::regclass and attnum > 0 and not attisdropped
      and attname <> all(${known})`
  const names = unknown.map(({ attname }) => attname).join(', ')
  if (names)
    throw new Error(
      `a newer version, which seals, gave observations columns (${names}); run it again`,
    )
}
