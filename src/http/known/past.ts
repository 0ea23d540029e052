import type { HeldSeriesDeps } from '~/service/held-series.ts'
import type { HistoryDeps } from '~/service/history.ts'
import type { KnownPast, KnownStore } from '~/service/known/known.ts'
import type { FeedAnswerStore } from '~/service/references.ts'
import type { SeriesDeps } from '~/service/series.ts'
import type { SnapshotDeps } from '~/service/snapshot.ts'

/** What the routes about the past need. */
export type PastDeps = HistoryDeps &
  SeriesDeps &
  HeldSeriesDeps &
  SnapshotDeps & { readonly store: FeedAnswerStore }

/** What was known of the past at an earlier time; the answers of feeds are not among it. */
export type KnownPastDeps = KnownPast<Omit<PastDeps['store'], keyof FeedAnswerStore>>

export type KnownDeps = { readonly known: KnownStore<KnownPastDeps['store']> }
