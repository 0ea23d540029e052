import type { KnownDeps } from '~/http/known/past.ts'
import { ANSWER_MS_MAX, inTime } from '~/service/deadline.ts'
import { WorkLimit } from '~/service/work-limit.ts'
import type { Database } from '~/store/database.ts'
import { createKnownStore } from '~/store/known/known-store.ts'
import { orUnavailable } from '~/store/outage.ts'
import { readPool } from '~/store/read-pool.ts'
import { rerun } from '~/store/rerun.ts'

const AWAY =
  'the database with the history cannot be reached at the moment; retry shortly, ' +
  'or ask without known_at for current data, which is still served'

/** The maximum number of questions that are answered at once, each on a connection of its own. */
const RUNNING_MAX = 2
/** The limit on a statement, longer than any answer is waited for. */
const STATEMENT_MS_MAX = 11_000

type Known = KnownDeps['known'] & { stop(): Promise<void> }

/**
 * Store for queries about an earlier state of knowledge: on the primary alone, by its own
 * connections. They fail as `pastOf` does.
 */
export function knownOf(
  database: Database,
  { work }: { readonly work: { readonly waitingMax: number } },
): Known {
  const pool = readPool(database, {
    connectionsMax: RUNNING_MAX,
    statementMsMax: STATEMENT_MS_MAX,
  })
  const store = createKnownStore(pool)
  const limit = new WorkLimit({ runningMax: RUNNING_MAX, waitingMax: work.waitingMax })
  return {
    at(knownMs, ask) {
      const answer = limit.run(() => rerun(() => store.at(knownMs, ask)))
      return orUnavailable(inTime(answer, { msMax: ANSWER_MS_MAX, message: AWAY }), AWAY)
    },
    stop: () => pool.close(),
  }
}
