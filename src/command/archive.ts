import { setTimeout as delay } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { systemClock } from '~/clock.ts'
import { archiveObservations } from '~/jobs/archive-observations.ts'
import { createArchiveStore } from '~/store/archive/archive-store.ts'
import { ANNOUNCED_MS } from '~/store/archive/archived.ts'
import { type Reach, withBar } from './progress.ts'
import { CommandFailure, printResult, type Terminal, withExisting } from './terminal.ts'

const DISK_FULL = '53100'
const MONTHS_MAX = 1200

type Options = { olderThan: number; undo?: boolean; dryRun?: boolean; json?: boolean }
type Months = ReturnType<typeof createArchiveStore>
type Result = { readonly result: object; readonly lines: readonly string[] }

export function addArchive(observations: Command, terminal: Terminal): void {
  observations
    .command('archive')
    .description('store observations of old months in an eighth of the space; they stay readable')
    .requiredOption('--older-than <age>', 'age of a whole month, such as 1y or 6m', asMonths)
    .option('--undo', 'store them as rows again')
    .option('--dry-run', 'only count them')
    .option('--json', 'print one JSON document')
    .action(async ({ olderThan, undo, dryRun, json = false }: Options) => {
      const way = dryRun ? counted : undo ? undone : archived
      const { result, lines } = await withExisting(terminal, async (database) => {
        const store = createArchiveStore(database)
        if (await store.isDistributed()) throw new CommandFailure(DISTRIBUTED)
        return withBar(terminal, 'corridors and months', (reach) =>
          way(store, monthsBeforeMs(systemClock.now(), olderThan), reach),
        ).catch((error) => {
          throw error.code === DISK_FULL ? new CommandFailure(FULL) : error
        })
      })
      printResult(terminal, { isJson: json, result, lines })
    })
}

const DISTRIBUTED =
  'the observations are distributed over several servers: months can be archived only in a ' +
  'database on one server'
const FULL =
  "the database's disk is full: the corridor and month it was at are unchanged, and earlier ones " +
  'are done; free some space, then run the same command again'
const BUSY = 'another process is archiving or pruning the observations: wait for it'
const MONTHS_A_YEAR = 12

function asMonths(text: string): number {
  const [, count = '0', unit] = /^(\d{1,4})([ym])$/.exec(text) ?? []
  const months = Number(count) * (unit === 'y' ? MONTHS_A_YEAR : 1)
  if (months < 1 || months > MONTHS_MAX)
    throw new InvalidArgumentError('It must be 1m to 1200m, or 1y to 100y.')
  return months
}

function monthsBeforeMs(nowMs: number, months: number): number {
  const now = new Date(nowMs)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, now.getUTCDate())
}

async function archived(store: Months, beforeMs: number, reach: Reach): Promise<Result> {
  const deps = { store, announcedMs: ANNOUNCED_MS, pause: delay, reach }
  const done = await archiveObservations(deps, beforeMs)
  if (!done) throw new CommandFailure(BUSY)
  const { months, observations, unsealed } = done
  const line = `${observations} observations archived; whole months of that age: ${months}`
  const left = `months left out until the log has sealed them: ${unsealed}`
  return { result: done, lines: unsealed > 0 ? [line, left] : [line] }
}

async function undone(store: Months, beforeMs: number, reach: Reach): Promise<Result> {
  const restored = await store.once(() => store.unarchive(beforeMs, reach))
  if (restored === null) throw new CommandFailure(BUSY)
  return { result: { restored }, lines: [`${restored} observations stored as rows again`] }
}

async function counted(store: Months, beforeMs: number, reach: Reach): Promise<Result> {
  const months = await store.months(beforeMs)
  let rows = 0
  for (const [done, month] of months.entries()) {
    reach(done, months.length)
    rows += await store.rows(month)
  }
  const line = `whole months of that age: ${months.length}, with ${rows} observations as rows`
  return { result: { months: months.length, rows }, lines: [line] }
}
