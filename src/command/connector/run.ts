import type { Command } from 'commander'
import { systemClock } from '~/clock.ts'
import type { Connector } from '~/connector/definition.ts'
import { type Prices, valueText } from '~/connector/prices.ts'
import type { Observation } from '~/domain/observation.ts'
import { systemPace } from '~/feed/fetcher.ts'
import { type ConnectorReport, runConnector } from '~/runtime/upstream/connector-run.ts'
import { connectorFolder } from '~/runtime/upstream/connectors.ts'
import type { Database } from '~/store/database.ts'
import { importNewObservations } from '~/store/transfer/observation-import.ts'
import { tableLines } from '../table.ts'
import { CommandFailure, configOf, printResult, type Terminal, withExisting } from '../terminal.ts'
import { connectorNamed } from './folder.ts'

/** How many faults and rows are shown; the others are counted. */
const FAULTS_SHOWN_MAX = 20
const ROWS_SHOWN_MAX = 50

type Options = { dryRun?: boolean; accept?: boolean; json?: boolean }

/** The command `connectors run`. */
export function addConnectorRun(connectors: Command, terminal: Terminal): void {
  connectors
    .command('run')
    .description('ask a connector now and record its prices, all of a run or none')
    .argument('<name>', 'a connector of `connectors list`')
    .option('--dry-run', 'print the rows and their faults, and record nothing')
    .option(
      '--accept',
      'record the valid rows even where more than a quarter is refused, or few came',
    )
    .option('--json', 'print one JSON document')
    .action(async (name: string, options: Options) => {
      const config = configOf(terminal)
      const folder = connectorFolder(config)
      const connector = await connectorNamed(name, folder)
      const wish = { isDry: options.dryRun ?? false, accepts: options.accept ?? false }
      const outside = { config, folder, env: terminal.env, clock: systemClock, pace: systemPace }
      const report = await withExisting(terminal, (database) =>
        runConnector({ ...outside, database, record: recordInto(database) }, connector, wish),
      )
      if (report === null) throw new CommandFailure(`${name} is running in another process`)
      if (report.prices) print(terminal, { connector, report }, options)
      if (report.error)
        throw new CommandFailure(`${name} ${report.error.message}: nothing was recorded`)
    })
}

/** Records rows without those that are there already, as an import does. */
const recordInto = (database: Database) => (rows: readonly Observation[], via: string) => {
  const batches = async function* () {
    yield rows
  }
  return importNewObservations({ database, rows: batches(), via })
}

type Ended = { readonly connector: Connector; readonly report: ConnectorReport }

function print(terminal: Terminal, { connector, report }: Ended, options: Options): void {
  const { name } = connector
  const { inserted, skipped, error } = report
  const prices = report.prices!
  const { faults, rows, read } = prices
  const repeated = error ? 0 : read - faults.length - rows.length
  const refusal = error?.message ?? null
  const result = { connector: name, inserted, skipped, repeated, refused: faults, refusal }
  const lines = [...(options.dryRun ? shownRows(connector, prices) : []), ...shown(faults)]
  const unchanged = `${faults.length} refused${repeated > 0 ? `, ${repeated} unchanged` : ''}`
  const counted = options.dryRun
    ? `${error ? 0 : rows.length} would be recorded, ${unchanged}`
    : `${inserted} recorded, ${skipped} there already, ${unchanged}`
  const said = read === 0 && !error ? 'no new file' : counted
  const all = [...lines, `${name}: ${said}`]
  printResult(terminal, { isJson: options.json ?? false, result, lines: all })
}

function shownRows({ row }: Connector, { values }: Prices): string[] {
  const names = Object.keys(row)
  const rows = values
    .slice(0, ROWS_SHOWN_MAX)
    .map((one) => names.map((name) => valueText(one[name]) || '-'))
  const more = values.length - ROWS_SHOWN_MAX
  return [...tableLines([names, ...rows]), ...(more > 0 ? [`and ${more} more rows`] : []), '']
}

function shown(faults: readonly string[]): string[] {
  const more = faults.length - FAULTS_SHOWN_MAX
  return [...faults.slice(0, FAULTS_SHOWN_MAX), ...(more > 0 ? [`and ${more} more`] : [])]
}
