import type { Recording } from '~/domain/observation.ts'
import { RowFigures } from '~/telemetry/row-figures.ts'

/** For a recorder whose figures nobody reads, in a process without streams. */
export const UNWATCHED = {
  storage: { watched: (recorded: Promise<Recording>) => recorded },
  rows: new RowFigures(),
  follower: { answered: { note() {} } },
}
