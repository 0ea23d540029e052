import type { HeldSeriesDeps } from '~/service/held-series.ts'
import type { HistoryDeps } from '~/service/history.ts'
import type { KnownPast, KnownStore } from '~/service/known/known.ts'
import type { FeedAnswerStore } from '~/service/references.ts'
import type { SeriesDeps } from '~/service/series.ts'
import type { SnapshotDeps } from '~/service/snapshot.ts'

export type PastDeps = HistoryDeps &
  SeriesDeps &
  HeldSeriesDeps &
  SnapshotDeps & { readonly store: FeedAnswerStore }

/** Past as known at an earlier time; without the responses of feeds. */
export type KnownPastDeps = KnownPast<Omit<PastDeps['store'], keyof FeedAnswerStore>>

export type KnownDeps = { readonly known: KnownStore<KnownPastDeps['store']> }
