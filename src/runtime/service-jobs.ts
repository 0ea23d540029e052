import { recheck } from '~/jobs/recheck.ts'
import type { Job } from '~/jobs/schedule.ts'
import type { createObservationStore } from '~/store/observation-store.ts'
import { once } from '~/store/once.ts'
import type { Core } from './core.ts'
import type { ServiceOptions } from './service-options.ts'

type Parts = {
  readonly core: Core
  readonly observations: ReturnType<typeof createObservationStore>
}

/** The jobs that keep memory, usage and what is kept for retries in order. */
export function serviceJobs(
  { clock, log, database }: ServiceOptions,
  { core: { memory, meter, refresher, exchange }, observations }: Parts,
): Job[] {
  return [
    { name: 'flush-usage', pattern: '* * * * * *', run: () => exchange.run() },
    {
      name: 'prune',
      pattern: '1 * * * *',
      async run() {
        memory.prune(clock.now())
        meter.prune(clock.now())
        await exchange.prune()
        await once(database, 'corridor prune', () => observations.pruneIdempotency(clock.now()))
      },
    },
    { name: 'catch-up', pattern: '*/2 * * * * *', run: () => refresher.retry() },
    { name: 'recheck', pattern: '*/10 * * * *', run: () => recheck(refresher, log) },
  ]
}
