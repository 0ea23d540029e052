import type { DayFileStore } from '~/service/file/day-file.ts'
import { emptyPast } from './past.ts'

/** Nothing was ever observed, so there are no files. */
export const noDayFiles: DayFileStore = {
  find: async () => null,
  edition: async () => null,
  keep: (_day, make) =>
    make({ ...emptyPast().store, corridorsBefore: async () => [], firstMs: async () => null }),
}
