import type { Recording } from '~/domain/observation.ts'
import { RowFigures } from '~/telemetry/row-figures.ts'

/** Dependencies of a recorder whose metrics are not read, in a process without streams. */
export const UNWATCHED = {
  storage: { watched: (recorded: Promise<Recording>) => recorded },
  rows: new RowFigures(),
  follower: {
    committing: <T>(work: () => Promise<T>) => work(),
    serve: async () => true,
  },
}
