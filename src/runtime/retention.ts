import type { Config } from '~/config.ts'
import { pruneObservations } from '~/jobs/prune-observations.ts'
import type { Job } from '~/jobs/schedule.ts'
import type { Memory } from '~/memory/memory.ts'
import { withHeartbeat } from '~/runtime/heartbeat.ts'
import { createRetentionStore } from '~/store/past/retention-store.ts'
import { createRollupStore } from '~/store/past/rollup-store.ts'
import type { ServiceOptions } from './service-options.ts'

type RetentionDeps = Pick<ServiceOptions, 'database' | 'clock' | 'log'> & {
  readonly config: Pick<Config, 'retentionYears'>
  readonly memory: Memory
}

const ACTOR = 'RETENTION_YEARS'
const HEARTBEAT_MS = 60_000

/** The job that deletes observations older than the setting; none if they are kept for ever. */
export function retentionJobs({ config, database, memory, clock, log }: RetentionDeps): Job[] {
  const { retentionYears } = config
  if (retentionYears === null) return []
  const store = createRetentionStore(database)
  const rollups = createRollupStore(database)
  const run = async () => {
    const say = (line: string) => log.info({}, line)
    const pruning = withHeartbeat(
      { what: 'pruning observations', say, everyMs: HEARTBEAT_MS },
      () => pruneObservations({ store, rollups, clock, actor: ACTOR }, retentionYears),
    )
    const done = await pruning.finally(() => memory.publish({ isPastChanged: true }, clock.now()))
    if (!done || done.observations === 0) return
    const { observations, beforeMs } = done
    log.info({ observations, before: new Date(beforeMs).toISOString() }, 'observations were pruned')
  }
  return [{ name: 'prune-observations', pattern: '23 3 * * *', run }]
}
