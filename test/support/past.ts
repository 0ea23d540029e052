import type { Quote, RecordedQuote } from '~/domain/quote.ts'
import type { PastDeps } from '~/http/known/past.ts'
import { WindowCache } from '~/memory/window-cache.ts'
import type { Database } from '~/store/database.ts'
import { createFeedAnswerStore } from '~/store/past/feed-answer-store.ts'
import { createHeldStore } from '~/store/past/held-store.ts'
import { createHistoryStore } from '~/store/past/history-store.ts'
import { createSeriesStore } from '~/store/past/series-store.ts'
import { createSnapshotStore } from '~/store/past/snapshot-store.ts'
import { createWorthPathStore } from '~/store/past/worth-path-store.ts'
import { noReferences } from './days.ts'

/** The past as `serve` reads it; changes of memory have to be noted in `windows`. */
export const pastOf = (database: Database, windows = new WindowCache()): PastDeps => ({
  store: {
    ...createHistoryStore(database),
    ...createSeriesStore(database),
    ...createSnapshotStore(database),
    ...createHeldStore(database),
    ...createWorthPathStore(database),
    ...createFeedAnswerStore(database),
  },
  windows,
})

/** A quote that came through the API as soon as it held. */
export const recorded = (quote: Quote): RecordedQuote => ({
  ...quote,
  recordedMs: quote.atMs,
  recordedVia: 'api',
  recorderId: null,
})

/** Nothing was ever observed. */
export const emptyPast = (): PastDeps => ({
  store: {
    page: async () => [],
    recorders: async () => new Map(),
    standing: async () => [],
    bankSeries: async () => [],
    referencesAt: noReferences,
    worthRange: async () => null,
    buckets: async () => [],
    firstObservedMs: async () => null,
    lastIn: async () => [],
    worthsBefore: async (_currency, momentsMs) => momentsMs.map(() => null),
    worthRanges: async () => [],
    worthsIn: async (_currency, windows) => windows.map(() => []),
    worthPath: async () => ({ timesMs: new Float64Array(), worths: new Float64Array() }),
    feedAnswers: async () => [],
    referenceRowAt: async () => null,
    believedBests: async () => new Map(),
  },
  windows: new WindowCache(),
})
