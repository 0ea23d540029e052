import { eq, sql } from 'drizzle-orm'
import type { Database } from '~/store/database.ts'
import { portalAttempts } from './schema.ts'

/** Counts attempts in a window of time, on all replicas together. */
export function createAttemptStore({ db }: Database) {
  return {
    async countAttempt(scope: string, endsMs: number) {
      const [row] = await db
        .insert(portalAttempts)
        .values({ scope, endsAt: new Date(endsMs), count: 1 })
        .onConflictDoUpdate({
          target: [portalAttempts.scope, portalAttempts.endsAt],
          set: { count: sql`${portalAttempts.count} + 1` },
        })
        .returning({ count: portalAttempts.count })
      return row!.count
    },
    async forgetAttempts(scope: string) {
      await db.delete(portalAttempts).where(eq(portalAttempts.scope, scope))
    },
  }
}
