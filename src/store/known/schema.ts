import { bigint, index, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { instant } from '~/store/instant-column.ts'

/**
 * Every version of every currency and provider, by the columns of its table; append-only. Triggers
 * write it at the commit, whatever program changes the catalogue, with one time for a commit. What
 * there was before the history began dates from `-infinity`; `row` is null from when an entry was
 * deleted.
 */
export const catalogueHistory = pgTable(
  'catalogue_history',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** The table: `currencies` or `providers`. */
    kind: text('kind').notNull(),
    /** The code of a currency, or the id of a provider. */
    name: text('name').notNull(),
    row: jsonb('row'),
    since: instant('since').notNull(),
  },
  (t) => [index('catalogue_history_since').on(t.kind, t.name, t.since, t.id)],
)

/**
 * Commits that came more than a second after the time that their rows bear, such as long imports,
 * or that would come before an earlier one as the clock was set back. Their rows count as known
 * from `known_at` on; all others from the time that they bear. Append-only, written by triggers;
 * pruned with the observations, once no earlier time can be requested.
 */
export const lateCommits = pgTable(
  'late_commits',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** `observations`, `references` or `withdrawals`. */
    kind: text('kind').notNull(),
    /** The time that the rows bear. */
    saidAt: instant('said_at').notNull(),
    knownAt: instant('known_at').notNull(),
    /** The rows; null for all that bear this time. */
    ids: bigint('ids', { mode: 'number' }).array(),
  },
  (t) => [index('late_commits_known').on(t.knownAt)],
)
