import type { WorkFigures } from '~/portal/operator/work.tsx'
import { type Database, poolOf } from '~/store/database.ts'
import type { RowFigures } from '~/telemetry/row-figures.ts'
import type { Deliveries } from '../alert/deliveries.ts'
import type { Telemetry } from '../telemetry.ts'
import type { StorageWatch } from './storage-watch.ts'

type Sources = {
  readonly deliveries: Pick<Deliveries, 'figures'>
  readonly rows: Pick<RowFigures, 'total'>
  readonly storage: Pick<StorageWatch, 'growth'>
  readonly telemetry: Pick<Telemetry, 'slowerThan'>
  readonly database: Pick<Database, 'sql'>
}

const SLOW_MS = 1000

/** Work of this process since it started, for the operator's page. */
export const workOf =
  ({ deliveries, rows, storage, telemetry, database }: Sources) =>
  (): WorkFigures => ({
    deliveries: {
      failed: deliveries.figures.failed,
      lateSeconds: deliveries.figures.lateSeconds,
    },
    rows: { recorded: rows.total('recorded'), refused: rows.total('refused') },
    requests: telemetry.slowerThan(SLOW_MS),
    waiting: poolOf(database.sql).waiting,
    growth: storage.growth,
  })
