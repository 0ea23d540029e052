import type { Command } from 'commander'
import { systemClock } from '~/clock.ts'
import type { Config } from '~/config.ts'
import { DAY_MS } from '~/domain/duration.ts'
import { dateMsOf } from '~/domain/instant.ts'
import { BACKFILL_YEARS_MAX, backfillStartMs, type Observation } from '~/domain/observation.ts'
import { systemPace } from '~/feed/fetcher.ts'
import type { SourceReport, Wish } from '~/jobs/fetch-source.ts'
import { fetchSources } from '~/jobs/fetch-sources.ts'
import { createLog } from '~/log.ts'
import { withHeartbeat } from '~/runtime/heartbeat.ts'
import { sourceStoreOf, sourcesOf } from '~/runtime/upstream/sources.ts'
import { currencyEntry } from '~/sample/currency-entry.ts'
import { asSourceNames } from '~/setting.ts'
import { SOURCE_NAMES, type SourceName } from '~/source/sources.ts'
import type { Database } from '~/store/database.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import {
  CommandFailure,
  configOf,
  printResult,
  type Terminal,
  withDatabase,
  withExisting,
} from '../terminal.ts'

type Options = { since?: string | null; until?: string | null; dryRun?: boolean; json?: boolean }

export function addSourceFetch(sources: Command, terminal: Terminal): void {
  sources
    .command('fetch')
    .description('ask banks now, record what is new, and report on each in one line')
    .argument('[names...]', 'banks of `sources list`, or all; those of QUOTE_SOURCES without any')
    .option('--since <date>', 'the first day to ask for, up to five years back')
    .option('--until <date>', 'with --since: the last day to ask for')
    .option('--dry-run', 'ask and report, and record nothing')
    .option('--json', 'print one JSON document')
    .action(async (names: string[], options: Options, command: Command) => {
      const wish = wishOf(options, command)
      const config = { ...configOf(terminal), ...namedIn(names, terminal, command) }
      const opened = wish.isDry ? withExisting : withDatabase
      const reports = await opened(terminal, (database) =>
        fetchNow(terminal, database, { config, wish }),
      )
      const result = reports.map(presentReport)
      const lines = reports.map((report) => lineOf(report, wish))
      printResult(terminal, { isJson: options.json ?? false, result, lines })
      const failing = reports.filter(({ isOk }) => !isOk)
      if (failing.length > 0)
        throw new CommandFailure(
          `${failing.length} of ${reports.length} sources failed: ` +
            `${failing.map(({ id }) => id).join(', ')}; see sources status`,
        )
    })
}

type Work = { readonly config: Config; readonly wish: Wish }

async function fetchNow(
  terminal: Terminal,
  database: Database,
  { config, wish }: Work,
): Promise<readonly SourceReport[]> {
  const observed = createObservationStore(database)
  const record = async (observations: readonly Observation[], source: string) => {
    const origin = { recorder: null, via: `source:${source}` }
    const recording = await observed.record({ observations, origin, idempotency: null })
    if (recording.kind !== 'recorded') throw new Error('observations without offers were refused')
  }
  const deps = {
    sources: sourcesOf(config, { clock: systemClock, pace: systemPace }),
    store: sourceStoreOf(database, { record, publish: () => {}, served: async () => {} }),
    clock: systemClock,
    log: createLog({ level: 'error', format: config.logFormat }),
    midMaxAgeMs: config.midMaxAgeMs,
    entryOf: currencyEntry,
  }
  const say = terminal.isTerminal ? terminal.say : () => {}
  const reports = await withHeartbeat({ what: 'querying banks', say }, () =>
    fetchSources(deps, wish),
  )
  if (reports === null)
    throw new CommandFailure('another process is querying banks; see sources status')
  return reports
}

function namedIn(names: readonly string[], terminal: Terminal, command: Command) {
  const { quoteSources } = configOf(terminal)
  const named = names.length > 0 ? namesOf(names, command) : quoteSources
  if (named.length > 0) return { quoteSources: named }
  throw new CommandFailure(
    `name the banks to ask, or all: QUOTE_SOURCES names none. There are ${SOURCE_NAMES.join(', ')}`,
  )
}

function namesOf(names: readonly string[], command: Command): readonly SourceName[] {
  try {
    return asSourceNames(names.join(','))
  } catch (error) {
    return command.error(`error: the names of banks ${(error as Error).message}`)
  }
}

function wishOf({ since = null, until = null, dryRun = false }: Options, command: Command): Wish {
  if (until !== null && since === null)
    command.error('error: --until goes with --since: name the day to begin with')
  const days = { '--since': since, '--until': until }
  for (const [option, day] of Object.entries(days))
    if (day !== null && dateMsOf(day) === null)
      command.error(`error: ${option} must be a date such as 2026-01-31`)
  const nowMs = systemClock.now()
  const sinceMs = since === null ? nowMs : dateMsOf(since)!
  if (sinceMs > (until === null ? nowMs : dateMsOf(until)!))
    command.error('error: --since must not be after --until or today')
  if (sinceMs + DAY_MS <= backfillStartMs(nowMs))
    command.error(`error: --since may be at most ${BACKFILL_YEARS_MAX} years back`)
  return { since, until, isDry: dryRun }
}

const presentReport = ({ id, isOk, observations, newestMs, faults }: SourceReport) => ({
  source: id,
  ok: isOk,
  observations,
  newest: newestMs === null ? null : new Date(newestMs).toISOString(),
  error: faults.length > 0 ? faultsText(faults) : null,
})

function lineOf({ id, observations, newestMs, faults, excerpt }: SourceReport, { isDry }: Wish) {
  const newest = newestMs === null ? 'no day' : `newest ${new Date(newestMs).toISOString()}`
  const counted = `${observations} ${isDry ? 'would be recorded' : 'recorded'}, ${newest}`
  const began = excerpt === null ? '' : `; it begins: ${excerpt}`
  if (faults.length === 0) return `${id} ${counted}`
  return `${id} ${faultsText(faults)}${began} (${counted})`
}

/** The maximum number of errors that are reported; the others are counted. */
const FAULTS_MAX = 3

function faultsText(faults: readonly string[]): string {
  const others = faults.length - FAULTS_MAX
  const listed = faults.slice(0, FAULTS_MAX).join('; ')
  return others > 0 ? `${listed}; and ${others} more` : listed
}
