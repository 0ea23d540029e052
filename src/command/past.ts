import type { PastDeps } from '~/http/cold-route.ts'
import type { WindowCache } from '~/memory/window-cache.ts'
import { inTime } from '~/service/deadline.ts'
import type { Database } from '~/store/database.ts'
import { createHistoryStore } from '~/store/history-store.ts'
import { orUnavailable } from '~/store/outage.ts'
import { createSeriesStore } from '~/store/series-store.ts'
import { createSnapshotStore } from '~/store/snapshot-store.ts'
import { type Tracing, traced } from '~/telemetry/tracing.ts'

/** Longer than this nobody is kept waiting for a question about the past. */
const ANSWER_MS_MAX = 10_000

const AWAY =
  'the database that history is read from cannot be reached just now; retry shortly, ' +
  'or ask for what is current: that goes on'

/** Where the past is read from; without the database it fails with `database_unavailable`. */
export function pastOf(
  database: Database,
  windows: WindowCache,
  tracing: Tracing | null = null,
): PastDeps {
  const store = {
    ...createHistoryStore(database),
    ...createSeriesStore(database),
    ...createSnapshotStore(database),
  }
  return { store: guarded(store, tracing), windows }
}

type Store = Record<string, (...args: never[]) => Promise<unknown>>

function guarded<T extends Store>(store: T, tracing: Tracing | null): T {
  const guard =
    (name: string, work: Store[string]) =>
    (...args: never[]) => {
      const answer = traced(tracing, `database ${name}`, () => work(...args))
      return orUnavailable(inTime(answer, { msMax: ANSWER_MS_MAX, message: AWAY }), AWAY)
    }
  const names = Object.entries(store).map(([name, work]) => [name, guard(name, work)])
  return Object.fromEntries(names) as T
}
