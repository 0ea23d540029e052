import { DAY_MS } from '~/domain/duration.ts'
import { ServiceError } from '~/domain/errors.ts'
import { NO_FILTERS } from '~/domain/offer/filter.ts'
import type { View } from '~/memory/view.ts'
import { WindowCache } from '~/memory/window-cache.ts'
import { type Snapshot, snapshotIn } from '~/service/snapshot.ts'
import type { FileMaker, Put } from './kept-file.ts'
import type { DayPast } from './past.ts'

/** Writes snapshots, one for each corridor, as the file of a day; returns its rows. */
type DayFileWriter = (
  snapshots: AsyncIterable<Snapshot>,
  asked: { readonly day: string; readonly put: Put },
) => Promise<number>

/** Every offer of every corridor as it was at the end of the day. */
export const dayMaker =
  (write: DayFileWriter): FileMaker =>
  async (past, view, { name, startMs, endMs }, put) => {
    const first = await past.firstMs()
    if (first === null || first >= endMs) throw beforeAll(name)
    return write(snapshotsOf(past, view, startMs), { day: name, put })
  }

/** The error of a day before the first observation. */
export const beforeAll = (day: string): ServiceError =>
  new ServiceError(
    'unknown_file',
    `nothing had been observed by the end of ${day}; ask for a later day`,
  )

/** The corridors of a day, one after the other; those of currencies switched off are left out. */
async function* snapshotsOf(past: DayPast, view: View, dateMs: number): AsyncGenerator<Snapshot> {
  const windows = new WindowCache()
  const selection = { filters: NO_FILTERS, isEvery: true, maxAgeMs: null }
  for (const corridor of await past.corridorsBefore(dateMs + DAY_MS)) {
    if (!view.catalogue.currency(corridor.from) || !view.catalogue.currency(corridor.to)) continue
    yield await snapshotIn({ store: past, windows }, view, { corridor, dateMs, selection })
  }
}
