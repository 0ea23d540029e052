import { corridorKey } from '~/domain/corridor.ts'
import type { KnownDeps, PastDeps } from '~/http/known/past.ts'
import type { WindowCache } from '~/memory/window-cache.ts'
import { WorkLimit } from '~/service/work-limit.ts'
import type { Database } from '~/store/database.ts'
import { createKnownStore } from '~/store/known/known-store.ts'
import { readPool } from '~/store/read-pool.ts'
import { rerun } from '~/store/rerun.ts'
import { type Tracing, traced } from '~/telemetry/tracing.ts'
import { reached } from './reached.ts'
import type { PastStore, ReadReplicas } from './read-replicas.ts'

const AWAY =
  'the database with the history cannot be reached; retry shortly, ' +
  'or request current data, which is still served'

/**
 * Store for queries of the past. It fails with `database_unavailable` without the database, and
 * with `overloaded` if too many queries run at once.
 */
export function pastOf(
  readReplicas: Pick<ReadReplicas, 'ask'>,
  windows: WindowCache,
  tracing: Tracing | null = null,
): PastDeps {
  const asked =
    <K extends keyof PastStore>(name: K, sourcesOf: (of: First<K>) => readonly string[]) =>
    (...args: Parameters<PastStore[K]>): ReturnType<PastStore[K]> => {
      const question = (store: PastStore) => {
        const ask = store[name] as (...args: unknown[]) => Promise<unknown>
        return traced(tracing, `database ${name}`, () => ask(...args))
      }
      const answer = readReplicas.ask(sourcesOf(args[0] as First<K>), question)
      return reached(answer, AWAY) as ReturnType<PastStore[K]>
    }
  const store: PastStore = {
    page: asked('page', ({ corridor }) => [corridorKey(corridor)]),
    recorders: asked('recorders', () => []),
    standing: asked('standing', (corridor) => [corridorKey(corridor)]),
    bankSeries: asked('bankSeries', () => []),
    referencesAt: asked('referencesAt', (probes) => probes.map(({ currency }) => currency)),
    worthRange: asked('worthRange', (currency) => [currency]),
    buckets: asked('buckets', ({ corridor }) => [corridorKey(corridor)]),
    firstObservedMs: asked('firstObservedMs', (corridor) => [corridorKey(corridor)]),
    lastIn: asked('lastIn', (corridor) => [corridorKey(corridor)]),
    worthsBefore: asked('worthsBefore', (currency) => [currency]),
    worthRanges: asked('worthRanges', (currency) => [currency]),
    worthsIn: asked('worthsIn', (currency) => [currency]),
    worthPath: asked('worthPath', (currency) => [currency]),
    feedAnswers: asked('feedAnswers', ({ currency }) => [currency]),
    referenceRowAt: asked('referenceRowAt', ({ currency }) => [currency]),
    believedBests: asked('believedBests', (corridor) => [corridorKey(corridor)]),
  }
  return { store, windows }
}

type First<K extends keyof PastStore> = Parameters<PastStore[K]>[0]

const KNOWN_AWAY =
  'the database with the history cannot be reached; retry shortly, ' +
  'or omit known_at for current data, which is still served'

/** The maximum number of queries that run at once, each on a connection of its own. */
const RUNNING_MAX = 2

type Known = KnownDeps['known'] & { stop(): Promise<void> }

/**
 * Store for queries about an earlier state of knowledge: on the primary alone, by its own
 * connections. They fail as `pastOf` does.
 */
export function knownOf(
  database: Database,
  { work }: { readonly work: { readonly waitingMax: number } },
): Known {
  const pool = readPool(database, { connectionsMax: RUNNING_MAX })
  const store = createKnownStore(pool)
  const limit = new WorkLimit({ runningMax: RUNNING_MAX, waitingMax: work.waitingMax })
  return {
    at: (knownMs, ask) =>
      reached(
        limit.run(() => rerun(() => store.at(knownMs, ask))),
        KNOWN_AWAY,
      ),
    stop: () => pool.close(),
  }
}
