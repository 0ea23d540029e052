import { type Command, InvalidArgumentError } from 'commander'
import { systemClock } from '~/clock.ts'
import { COMMAND_LINE } from '~/domain/audit.ts'
import { RETENTION_YEARS_MAX } from '~/domain/observation.ts'
import { keptFromMs, pruneObservations } from '~/jobs/prune-observations.ts'
import type { Database } from '~/store/database.ts'
import { createRetentionStore } from '~/store/past/retention-store.ts'
import { createRollupStore } from '~/store/past/rollup-store.ts'
import { type Reach, withBar } from './progress.ts'
import { CommandFailure, printResult, type Terminal, withExisting } from './terminal.ts'

type Options = { olderThan: number; dryRun?: boolean; json?: boolean }

export function addPrune(observations: Command, terminal: Terminal): void {
  observations
    .command('prune')
    .description('delete observations older than some years; the time series made from them stay')
    .requiredOption('--older-than <years>', 'such as 5y; 1y or more', asYears)
    .option('--dry-run', 'only count them')
    .option('--json', 'print one JSON document')
    .action(async ({ olderThan, dryRun = false, json = false }: Options) => {
      const { beforeMs, count } = await withExisting(terminal, (database) =>
        withBar(terminal, 'months and series', (reach) =>
          (dryRun ? counted : pruned)(database, olderThan, reach),
        ),
      )
      const before = new Date(beforeMs).toISOString()
      const result = dryRun ? { before, prunable: count } : { before, pruned: count }
      const verb = dryRun ? 'would be deleted' : 'deleted'
      const lines = [`${count} observations from before ${before} ${verb}`]
      printResult(terminal, { isJson: json, result, lines })
    })
}

function asYears(text: string): number {
  const years = Number(/^(\d{1,3})y$/.exec(text)?.[1] ?? 0)
  if (years < 1 || years > RETENTION_YEARS_MAX)
    throw new InvalidArgumentError(`It must be 1y to ${RETENTION_YEARS_MAX}y.`)
  return years
}

type Counted = { beforeMs: number; count: number }

async function counted(database: Database, years: number, reach: Reach): Promise<Counted> {
  const beforeMs = keptFromMs(systemClock.now(), years)
  const store = createRetentionStore(database)
  const outdated = await store.outdated(beforeMs)
  let count = 0
  for (const [done, series] of outdated.entries()) {
    reach(done, outdated.length)
    count += await store.count(series, beforeMs)
  }
  return { beforeMs, count }
}

async function pruned(database: Database, years: number, reach: Reach): Promise<Counted> {
  const done = await pruneObservations(
    {
      store: createRetentionStore(database),
      rollups: createRollupStore(database),
      clock: systemClock,
      actor: COMMAND_LINE,
      reach,
    },
    years,
  )
  if (done) return { beforeMs: done.beforeMs, count: done.observations }
  throw new CommandFailure('another process is pruning observations; wait for it to finish')
}
