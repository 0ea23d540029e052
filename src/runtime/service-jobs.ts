import type { Config } from '~/config.ts'
import { DAY_MS } from '~/domain/duration.ts'
import { pruneObservations } from '~/jobs/prune-observations.ts'
import type { Job } from '~/jobs/schedule.ts'
import { watchTime } from '~/jobs/watch-time.ts'
import type { Memory } from '~/memory/memory.ts'
import { createChangeStore } from '~/store/change/change-store.ts'
import { makeMonths } from '~/store/month/ahead.ts'
import { renewStatistics } from '~/store/month/statistics.ts'
import type { createObservationStore } from '~/store/observation-store.ts'
import { once } from '~/store/once.ts'
import { createRetentionStore } from '~/store/past/retention-store.ts'
import { createRollupStore } from '~/store/past/rollup-store.ts'
import type { Core } from './core.ts'
import { withHeartbeat } from './heartbeat.ts'
import type { ServiceOptions } from './service-options.ts'

/** Time ahead for which there are months of observations. */
const MONTHS_AHEAD_MS = 62 * DAY_MS
const MONTHS_WORK = 'corridor months'

type Parts = {
  readonly core: Core
  readonly observations: ReturnType<typeof createObservationStore>
}

/** The jobs that maintain memory, usage and the data stored for retries. */
export function serviceJobs(
  { clock, database }: ServiceOptions,
  { core, observations }: Parts,
): Job[] {
  const { meter, refresher, exchange, follower } = core
  return [
    { name: 'flush-usage', pattern: '* * * * * *', run: () => exchange.run() },
    {
      name: 'prune',
      pattern: '1 * * * *',
      async run() {
        meter.prune(clock.now())
        await exchange.prune()
        await once(database, 'corridor prune', () => observations.pruneIdempotency(clock.now()))
      },
    },
    { name: 'catch-up', pattern: '*/2 * * * * *', run: () => refresher.retry() },
    ...monthJobs({ clock, database }),
    {
      name: 'recheck',
      pattern: '*/10 * * * *',
      async run() {
        await refresher.reload()
        await follower.check()
      },
    },
    ...liveJobs({ clock, database }, core),
    ...(core.spread?.jobs ?? []),
  ]
}

function monthJobs({ clock, database }: Pick<ServiceOptions, 'clock' | 'database'>): Job[] {
  return [
    {
      name: 'months',
      pattern: '17 * * * *',
      run: () =>
        once(database, MONTHS_WORK, async () => {
          await makeMonths(database, clock.now() + MONTHS_AHEAD_MS)
          await renewStatistics(database, { anyway: false })
        }),
    },
    {
      name: 'statistics',
      pattern: '47 3 * * *',
      run: () => once(database, MONTHS_WORK, () => renewStatistics(database, { anyway: true })),
    },
  ]
}

function liveJobs(
  { clock, database }: Pick<ServiceOptions, 'clock' | 'database'>,
  core: Core,
): Job[] {
  const changes = createChangeStore(database)
  const prune = () => once(database, 'corridor changes prune', () => changes.prune(clock.now()))
  return [
    {
      name: 'watch-time',
      pattern: '* * * * * *',
      run: () => watchTime({ ...core, changes, clock }),
    },
    { name: 'prune-changes', pattern: '* * * * *', run: prune },
  ]
}

type RetentionDeps = Pick<ServiceOptions, 'database' | 'clock' | 'log'> & {
  readonly config: Pick<Config, 'retentionYears'>
  readonly memory: Memory
}

const ACTOR = 'RETENTION_YEARS'
const HEARTBEAT_MS = 60_000

/** The job that deletes observations older than the setting; none if they are retained for ever. */
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
