import type { Corridor } from '~/domain/corridor.ts'
import type { Window } from '~/domain/period.ts'
import type { Probe, ProbeAnswer } from '~/domain/price/day-mids.ts'
import type { Catalogue } from '~/domain/provider.ts'
import type { RecordedQuote } from '~/domain/quote.ts'
import type { SnapshotStore } from '~/service/snapshot.ts'

export type DayPast = SnapshotStore & {
  /** The catalogue as it was known when the period settled; null for that of now. */
  readonly catalogue?: Catalogue | null
  /** The corridors with an observation before a time, by their codes. */
  corridorsBefore(beforeMs: number): Promise<readonly Corridor[]>
  /** The time when the first observation took effect; null without any. */
  firstMs(): Promise<number | null>
}

export type MonthPast = {
  referencesAt(probes: readonly Probe[]): Promise<readonly ProbeAnswer[]>
  /** All observations of a window, also those withdrawn, each corridor's in one run. */
  rows(window: Window): AsyncIterable<readonly RecordedQuote[]>
  /** Observations from before this may have been deleted; -Infinity if none were. */
  lostMs(): Promise<number>
}

export type FilePast = DayPast & MonthPast
