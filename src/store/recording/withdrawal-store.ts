import { hourStartMs } from '~/domain/freshness.ts'
import type { Withdrawal } from '~/domain/observation.ts'
import type { Quote } from '~/domain/quote.ts'
import type { UploadSpan } from '~/domain/upload.ts'
import { archivedMonths } from '~/store/archive/archived.ts'
import { observationTable } from '~/store/archive/rows.ts'
import type { Database, Sql, TransactionSql } from '~/store/database.ts'
import { isDistributed } from '~/store/distributed/distribution.ts'
import { oneByOne } from '~/store/distributed/shape.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import {
  type LoggedRow,
  NOTIFICATION_CHANNEL,
  originOf,
  placeOf,
} from '~/store/notification-channel.ts'
import { recount } from '~/store/past/recount.ts'
import {
  eachLiveRow,
  type QuoteRow,
  quoteColumns,
  quoteOf,
  quoteTables,
} from '~/store/quote-store.ts'
import { rerun } from '~/store/rerun.ts'
import { Recorders } from './recorders.ts'

/** Withdrawals take turns, so that each finds the results of the others. */
const LOCK_NAME = 'corridor withdrawals'

export function createWithdrawalStore(database: Database) {
  const recorders = new Recorders(database)
  return {
    named: (ids: readonly number[]) => namedRows(database, ids),
    async withdraw(withdrawal: Withdrawal) {
      const { recorder } = withdrawal
      const recorderId = recorder && (await recorders.idOf(recorder))
      return rerun(() => withdraw(database, { ...withdrawal, recorderId }))
    },
  }
}

type NamedRow = {
  readonly id: number
  readonly providerId: string
  readonly isWithdrawn: boolean
  readonly recorderId: number | null
}

/** The existing observations among these ids, withdrawn or not, and who recorded them. */
async function namedRows({ sql }: Database, ids: readonly number[]) {
  const archive = await archivedMonths(sql)
  const tables = {
    observations: observationTable(sql, archive, { ids }),
    withdrawals: sql`withdrawals`,
  }
  const from = (table: keyof typeof tables) => sql<NamedRow[]>`
    select o.id, p.provider_id as "providerId", ${table === 'withdrawals'} as "isWithdrawn",
      o.recorded_by as "recorderId"
    from ${tables[table]} o
    join provider_corridors p on p.id = o.provider_corridor_id and p.corridor_id = o.corridor_id
    where o.id = any(${arrayLiteral(ids)}::bigint[])`
  const [held, gone] = await Promise.all([from('observations'), from('withdrawals')])
  const rows = [...new Map([...held, ...gone].map((row) => [row.id, row])).values()]
  const by = new Set(rows.flatMap(({ recorderId }) => recorderId ?? []))
  const accounts = await sql<{ id: number; accountId: string }[]>`
    select id, account_id as "accountId" from recorders
    where id = any(${arrayLiteral([...by])}::int[])`
  const accountOf = new Map(accounts.map(({ id, accountId }) => [id, accountId]))
  return rows.map(({ recorderId, ...row }) => ({
    ...row,
    accountId: accountOf.get(recorderId ?? 0) ?? null,
  }))
}

type Stored = Withdrawal & { readonly recorderId: number | null }

type Placed = QuoteRow & {
  readonly corridor_id: number
  readonly series: number
  readonly offer_id: number
}

/**
 * Withdraws observations in one transaction: moves them, counts their hours again, and logs the
 * prices of their offers that hold from there on. Observations already withdrawn change nothing.
 */
function withdraw(database: Database, withdrawal: Stored) {
  const { sql } = database
  return sql.begin(async (tx) => {
    const isSpread = await isDistributed(sql)
    if (isSpread) await oneByOne(tx)
    await tx`select pg_advisory_xact_lock(hashtext(${LOCK_NAME}))`
    if (!isSpread) await tx`select unarchive_listed(${arrayLiteral(withdrawal.ids)}::bigint[])`
    const rows = await placedRows(sql, tx, withdrawal)
    const restored = new Map<string, Quote>()
    const inCorridors = [...Map.groupBy(rows, (row) => row.corridor_id)].sort(([a], [b]) => a - b)
    for (const [corridorId, own] of inCorridors) {
      await move(sql, tx, { ...withdrawal, corridorId, rows: own })
      const series = [...new Set(own.map((row) => row.series))]
      const offers = new Set(own.map(offerName))
      await eachLiveRow(sql, tx, {
        nowMs: withdrawal.atMs,
        isDistributed: isSpread,
        corridorId,
        series,
        take: (row) =>
          offers.has(offerName({ ...row, offer_id: row.of_offer })) &&
          restored.set(row.id, quoteOf(row)),
      })
    }
    const withdrawn = rows.map(quoteOf)
    const quotes = [...restored.values()].sort((a, b) => a.id - b.id)
    await markUpload(tx, withdrawal)
    const corridorIds = isSpread ? inCorridors.map(([id]) => id) : null
    const notification = { withdrawn, quotes, corridorIds, atMs: withdrawal.atMs }
    const place = rows.length > 0 ? await announce(database, tx, notification) : { position: null }
    return { withdrawn, quotes, ...place }
  })
}

const offerName = ({ series, offer_id: offer }: Pick<Placed, 'series' | 'offer_id'>) =>
  `${series} ${offer}`

/** Marks the upload that is withdrawn as a whole; one that is marked stays as it is. */
async function markUpload(tx: TransactionSql, { upload, atMs }: Stored): Promise<void> {
  if (!upload) return
  await tx`
    update uploads set withdrawn_at = ${instantText(atMs)}::timestamptz
    where id = ${upload.id}::uuid and withdrawn_at is null`
}

const placedRows = (sql: Sql, tx: TransactionSql, { ids, upload }: Stored) => tx<Placed[]>`
  select ${quoteColumns(sql)}, o.corridor_id, p.id as series, o.offer_id
  from ${quoteTables(sql, sql`observations`)}
  where o.id = any(${arrayLiteral(ids)}::bigint[]) ${upload ? withinSpan(sql, upload) : sql``}
  order by o.id`

/** Limits observations to the months in which those of an upload lie. */
const withinSpan = (sql: Sql, { sinceMs, untilMs }: Pick<UploadSpan, 'sinceMs' | 'untilMs'>) => sql`
  and o.effective_from between ${instantText(sinceMs)}::timestamptz
    and ${instantText(untilMs)}::timestamptz`

type InCorridor = Stored & { readonly corridorId: number; readonly rows: readonly Placed[] }

async function move(sql: Sql, tx: TransactionSql, part: InCorridor): Promise<void> {
  const { corridorId, rows, atMs, recorderId, reason } = part
  const times = rows.map(({ at_ms: atMs }) => Number(atMs))
  const hoursMs = [...new Set(times.map(hourStartMs))]
  await tx`
    select withdraw_observations(${corridorId}::int,
      ${arrayLiteral(rows.map(({ id }) => Number(id)))}::bigint[],
      ${instantText(Math.min(...times))}::timestamptz,
      ${instantText(Math.max(...times))}::timestamptz,
      ${instantText(atMs)}::timestamptz, ${recorderId}::int, ${reason}::text)`
  await recount(sql, tx, { corridorId, hoursMs })
}

type Withdrawn = {
  readonly withdrawn: readonly Quote[]
  readonly quotes: readonly Quote[]
  readonly corridorIds: readonly number[] | null
  readonly atMs: number
}

/** Logs and announces a withdrawal, and returns its position in the log. */
async function announce(database: Database, tx: TransactionSql, notification: Withdrawn) {
  const { withdrawn, quotes, corridorIds, atMs } = notification
  const ids = (of: readonly Quote[]) => arrayLiteral(of.map(({ id }) => id))
  const times = quotes.map((quote) => quote.atMs)
  const boundText = (ms: number) => (quotes.length > 0 ? instantText(ms) : null)
  const [logged] = await tx<LoggedRow[]>`
    select position, position_before(position) as previous,
      pg_notify(${NOTIFICATION_CHANNEL}, json_build_object('kind', 'observations',
      'isWithdrawal', true, 'origin', ${originOf(database)}::text, 'position', position)::text)
    from (select log_withdrawal(
      ${ids(quotes)}::bigint[], ${instantText(atMs)}::timestamptz,
      ${boundText(Math.min(...times))}::timestamptz,
      ${boundText(Math.max(...times))}::timestamptz,
      ${corridorIds && arrayLiteral(corridorIds)}::int[], ${ids(withdrawn)}::bigint[]
    ) as position) logged`
  return placeOf(logged!, atMs)
}
