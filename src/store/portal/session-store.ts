import { and, desc, eq, gt, inArray, ne } from 'drizzle-orm'
import type { OwnSession } from '~/domain/person/profile.ts'
import type { Database } from '~/store/database.ts'
import { portalSessions } from './schema.ts'

/** Sessions of people, as their owners see and end them. */
export function createSessionStore({ db }: Database) {
  return {
    /** The sessions that last, the last used first. */
    async sessions(userId: string, nowMs: number): Promise<OwnSession[]> {
      const lasts = gt(portalSessions.expiresAt, new Date(nowMs))
      const rows = await db
        .select()
        .from(portalSessions)
        .where(and(eq(portalSessions.userId, userId), lasts))
        .orderBy(desc(portalSessions.updatedAt), desc(portalSessions.id))
      return rows.map(({ id, createdAt, updatedAt, userAgent }) => ({
        ...{ id, userAgent, createdMs: createdAt.getTime(), usedMs: updatedAt.getTime() },
      }))
    },
    async touchSession(id: string, nowMs: number) {
      await db
        .update(portalSessions)
        .set({ updatedAt: new Date(nowMs) })
        .where(eq(portalSessions.id, id))
    },
    async endSession(userId: string, id: string) {
      await db
        .delete(portalSessions)
        .where(and(eq(portalSessions.userId, userId), eq(portalSessions.id, id)))
    },
    async endSessions(userId: string, butToken: string | null) {
      const isOther = butToken === null ? undefined : ne(portalSessions.token, butToken)
      await db.delete(portalSessions).where(and(eq(portalSessions.userId, userId), isOther))
    },
    async boundSessions(userId: string, max: number) {
      const old = db
        .select({ id: portalSessions.id })
        .from(portalSessions)
        .where(eq(portalSessions.userId, userId))
        .orderBy(desc(portalSessions.createdAt), desc(portalSessions.id))
        .offset(max)
      await db.delete(portalSessions).where(inArray(portalSessions.id, old))
    },
  }
}
