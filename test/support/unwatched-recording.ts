import type { Recording } from '~/domain/observation.ts'
import { RowFigures } from '~/telemetry/row-figures.ts'

/** For a recorder whose figures nobody reads. */
export const UNWATCHED = {
  storage: { watched: (recorded: Promise<Recording>) => recorded },
  rows: new RowFigures(),
}
