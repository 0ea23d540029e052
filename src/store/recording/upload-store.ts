import { createHash } from 'node:crypto'
import { and, desc, eq, lt, sql as part } from 'drizzle-orm'
import {
  LAYOUTS_MAX,
  type ListedUpload,
  type Upload,
  type UploadLayout,
  type UploadSpan,
} from '~/domain/upload.ts'
import { archivedMonths } from '~/store/archive/archived.ts'
import { observationTable } from '~/store/archive/rows.ts'
import type { Database, Part, Tx } from '~/store/database.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import { type QuoteRow, quoteColumns, quoteOf, quoteTables } from '~/store/quote-store.ts'
import { createDraftStore } from './draft-store.ts'
import { uploadDrafts, uploadLayouts, uploads } from './schema.ts'

/** Tables that people sent, how each account has them read, and those that were recorded. */
export function createUploadStore(database: Database) {
  const { db } = database
  return {
    ...createDraftStore(database),
    ...layoutsIn(database),
    async upload(id: string): Promise<Upload | null> {
      const { ids, sinceMs, untilMs } = uploads
      const asked = { ...LISTED, ids, sinceMs, untilMs }
      const [row] = await db.select(asked).from(uploads).where(eq(uploads.id, id))
      return row ?? null
    },
    /** The newest uploads of an account, or of all, that were recorded before a time. */
    uploads: async ({ accountId, beforeMs, limit }: UploadsAsk): Promise<ListedUpload[]> =>
      db
        .select({ ...LISTED, rowCount: part<number>`cardinality(${uploads.ids})` })
        .from(uploads)
        .where(
          and(
            accountId === null ? undefined : eq(uploads.accountId, accountId),
            beforeMs === null ? undefined : lt(uploads.recordedMs, beforeMs),
          ),
        )
        .orderBy(desc(uploads.recordedMs), desc(uploads.id))
        .limit(limit),
    rowsOf: (span: UploadSpan) => rowsOf(database, span),
  }
}

/** The observations of these ids, which took effect in a span; withdrawn or not, by id. */
async function rowsOf({ sql }: Database, { ids, sinceMs, untilMs }: UploadSpan) {
  const archive = await archivedMonths(sql)
  const from = (table: Part) => sql<QuoteRow[]>`
    select ${quoteColumns(sql)} from ${quoteTables(sql, table)}
    where o.id = any(${arrayLiteral(ids)}::bigint[])
      and o.effective_from between ${instantText(sinceMs)}::timestamptz
        and ${instantText(untilMs)}::timestamptz`
  const [held, gone] = await Promise.all([
    from(observationTable(sql, archive, { ids })),
    from(sql`withdrawals`),
  ])
  const quotes = new Map([...gone, ...held].map((row) => [Number(row.id), quoteOf(row)]))
  const withdrawn = new Set(gone.map(({ id }) => Number(id)))
  return [...quotes.values()]
    .sort((a, b) => a.id - b.id)
    .map((quote) => ({ quote, isWithdrawn: withdrawn.has(quote.id) }))
}

type UploadsAsk = {
  readonly accountId: string | null
  readonly beforeMs: number | null
  readonly limit: number
}

const LISTED = {
  id: uploads.id,
  accountId: uploads.accountId,
  person: uploads.person,
  fileName: uploads.fileName,
  recordedMs: uploads.recordedMs,
  withdrawnMs: uploads.withdrawnMs,
}

const hashOf = (header: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(header)).digest('hex')

function layoutsIn({ db }: Database) {
  return {
    /** The layouts of an account, the most recently used first. */
    layouts: (accountId: string): Promise<UploadLayout[]> =>
      db
        .select({ header: uploadLayouts.header, choices: uploadLayouts.choices })
        .from(uploadLayouts)
        .where(eq(uploadLayouts.accountId, accountId))
        .orderBy(desc(uploadLayouts.usedMs))
        .limit(LAYOUTS_MAX),
    /** Remembers a layout, and the others used last up to `LAYOUTS_MAX`. */
    rememberLayout: (accountId: string, layout: UploadLayout, nowMs: number): Promise<void> =>
      db.transaction(async (tx) => {
        const { header, choices } = layout
        const chosen = { choices, usedMs: nowMs }
        await tx
          .insert(uploadLayouts)
          .values({ accountId, header: [...header], hash: hashOf(header), ...chosen })
          .onConflictDoUpdate({
            target: [uploadLayouts.accountId, uploadLayouts.hash],
            set: chosen,
          })
        await tx.execute(part`
          delete from ${uploadLayouts} where account_id = ${accountId}::uuid and hash not in (
            select hash from ${uploadLayouts} where account_id = ${accountId}::uuid
            order by used_at desc limit ${LAYOUTS_MAX})`)
      }),
  }
}

/** Deletes the drafts and layouts of an account, and the addresses in its uploads. */
export async function forgetUploads(tx: Tx, accountId: string): Promise<void> {
  await tx.delete(uploadDrafts).where(eq(uploadDrafts.accountId, accountId))
  await tx.delete(uploadLayouts).where(eq(uploadLayouts.accountId, accountId))
  await tx.update(uploads).set({ person: null }).where(eq(uploads.accountId, accountId))
}
