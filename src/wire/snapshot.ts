import { type Static, Type } from '@sinclair/typebox'
import { corridorKey } from '~/domain/corridor.ts'
import type { Freshness } from '~/domain/freshness.ts'
import type { Snapshot } from '~/service/snapshot.ts'
import { DataFreshness, Instant, midFields, namedRecord, sampleFields } from './fields.ts'
import { knownFields } from './known/known.ts'
import { List } from './list/list.ts'
import { noteFields, pastAbsenceNote, presentNote } from './note.ts'
import { offerParameters } from './offer/selection.ts'
import { CorridorQuery } from './parameters.ts'
import { iso, presentMid, presentSample } from './present.ts'
import { ProviderRate, presentProviderRate } from './rates.ts'

export const SnapshotQuery = Type.Object({
  ...CorridorQuery.properties,
  date: Type.String({
    description: 'A UTC calendar date, YYYY-MM-DD, not in the future.',
    format: 'date',
    examples: ['2026-03-05'],
  }),
  ...offerParameters,
})

export const SnapshotResponse = namedRecord('HistoricalResponse', {
  corridor: Type.String({ examples: ['USD/KES'] }),
  providers: Type.Array(ProviderRate),
  count: Type.Integer(),
  ...midFields,
  timestamp: Instant,
  ...sampleFields,
  date: Type.String({ format: 'date', examples: ['2026-03-05'] }),
  as_of: Type.String({
    ...Instant,
    description:
      'Quotes count before this time: the start of the next UTC day, or on the hourly tier the ' +
      'top of the current hour while that day is not over.',
  }),
  data_freshness: DataFreshness,
  ...noteFields,
  ...knownFields,
})

export const snapshotList = new List({
  response: SnapshotResponse,
  entries: 'providers',
  about: ({ corridor, date }) => ['historical', corridor, date],
})

/** The rows of the file of a day, which is the same for every client and at any time. */
export const dayFileList = new List({
  response: SnapshotResponse,
  entries: 'providers',
  without: ['note', 'timestamp', 'data_freshness'],
  about: ({ date }) => ['corridor', date],
})

export function presentSnapshot(
  snapshot: Snapshot,
  date: string,
  { tier, nowMs, isSample }: Freshness,
): Static<typeof SnapshotResponse> {
  const { corridor, quotes, mid, absence, asOfMs } = snapshot
  return {
    corridor: corridorKey(corridor),
    providers: quotes.map((quote) => presentProviderRate(quote)),
    count: quotes.length,
    ...presentMid(mid),
    timestamp: iso(nowMs),
    ...presentSample(isSample),
    date,
    as_of: iso(asOfMs),
    data_freshness: tier,
    ...presentNote(absence && pastAbsenceNote(absence, date)),
  }
}
