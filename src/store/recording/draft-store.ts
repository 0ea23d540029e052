import { and, desc, eq, gte, lte, sql as part } from 'drizzle-orm'
import { DRAFTS_MAX, type UploadDraft } from '~/domain/upload.ts'
import type { Database } from '~/store/database.ts'
import { uploadDrafts } from './schema.ts'

const DRAFT = {
  id: uploadDrafts.id,
  accountId: uploadDrafts.accountId,
  person: uploadDrafts.person,
  fileName: uploadDrafts.fileName,
  createdMs: uploadDrafts.createdMs,
  rowCount: uploadDrafts.rows,
}

type Own = { readonly accountId: string; readonly sinceMs: number }

const own = ({ accountId, sinceMs }: Own) =>
  and(eq(uploadDrafts.accountId, accountId), gte(uploadDrafts.createdMs, sinceMs))

const named = ({ id, accountId }: Pick<UploadDraft, 'id' | 'accountId'>) =>
  and(eq(uploadDrafts.id, id), eq(uploadDrafts.accountId, accountId))

/** Tables that were sent and are not recorded yet. */
export function createDraftStore({ db }: Database) {
  return {
    /** Keeps a draft, and the newest others of its account up to `DRAFTS_MAX`. */
    keepDraft: ({ rowCount, ...draft }: UploadDraft): Promise<void> =>
      db.transaction(async (tx) => {
        await tx.insert(uploadDrafts).values({ ...draft, rows: rowCount })
        await tx.execute(part`
          delete from ${uploadDrafts} where id in (
            select id from ${uploadDrafts} where account_id = ${draft.accountId}::uuid
            order by created_at desc, id offset ${DRAFTS_MAX})`)
      }),
    async draft(id: string, ask: Own): Promise<UploadDraft | null> {
      const { content, choices } = uploadDrafts
      const [row] = await db
        .select({ ...DRAFT, content, choices })
        .from(uploadDrafts)
        .where(and(own(ask), eq(uploadDrafts.id, id)))
      return row ?? null
    },
    /** The drafts of an account, newest first, without their content. */
    drafts: async (ask: Own) =>
      db.select(DRAFT).from(uploadDrafts).where(own(ask)).orderBy(desc(uploadDrafts.createdMs)),
    async chooseDraft({
      id,
      accountId,
      choices,
    }: Pick<UploadDraft, 'id' | 'accountId' | 'choices'>) {
      await db.update(uploadDrafts).set({ choices }).where(named({ id, accountId }))
    },
    async dropDraft(draft: Pick<UploadDraft, 'id' | 'accountId'>) {
      await db.delete(uploadDrafts).where(named(draft))
    },
    async pruneDrafts(beforeMs: number) {
      await db.delete(uploadDrafts).where(lte(uploadDrafts.createdMs, beforeMs))
    },
  }
}
