import type { Command } from 'commander'
import { systemClock } from '~/clock.ts'
import type { Connector } from '~/connector/definition.ts'
import { type Prices, pricesOf, valueText } from '~/connector/prices.ts'
import { FeedError } from '~/domain/feed/feed.ts'
import { systemPace } from '~/feed/fetcher.ts'
import { allowedPlaces } from '~/outbound/places.ts'
import type { Database } from '~/store/database.ts'
import { once } from '~/store/once.ts'
import { importNewObservations } from '~/store/transfer/observation-import.ts'
import { version } from '../../../package.json'
import { rowRules } from '../row-rules.ts'
import { tableLines } from '../table.ts'
import { CommandFailure, configOf, printResult, type Terminal, withExisting } from '../terminal.ts'
import { connectorNamed, folderOf } from './folder.ts'

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
    .option('--accept', 'record the valid rows even where more than a quarter is refused')
    .option('--json', 'print one JSON document')
    .action(async (name: string, options: Options) => {
      const connector = await connectorNamed(name, folderOf(terminal))
      const outcome = await withExisting(terminal, (database) =>
        once(database, `corridor connector ${name}`, () =>
          run({ terminal, database, connector }, options),
        ),
      )
      if (outcome === null) throw new CommandFailure(`${name} is running in another process`)
      const { prices, inserted, skipped } = outcome
      const { refusal, faults } = prices
      const isRefused = refusal !== null && !(options.accept && prices.rows.length > 0)
      const result = { connector: name, inserted, skipped, refused: faults, refusal }
      const lines = [...(options.dryRun ? shownRows(connector, prices) : []), ...shown(faults)]
      const counted = options.dryRun
        ? `${isRefused ? 0 : prices.rows.length} would be recorded, ${faults.length} refused`
        : `${inserted} recorded, ${skipped} there already, ${faults.length} refused`
      printResult(terminal, {
        isJson: options.json ?? false,
        result,
        lines: [...lines, `${name}: ${counted}`],
      })
      if (isRefused) throw new CommandFailure(`${name}: nothing was recorded: ${refusal}`)
    })
}

type Run = { terminal: Terminal; database: Database; connector: Connector }

async function run({ terminal, database, connector }: Run, { dryRun, accept }: Options) {
  const { publicUrl, connectorsAllow } = configOf(terminal)
  const rules = await rowRules(terminal, database, { acceptsAll: false })
  const outer = {
    fetcher: { clock: systemClock, ...systemPace },
    allowed: allowedPlaces(connectorsAllow),
    env: terminal.env,
    folder: folderOf(terminal),
    agent: `corridor/${version}${publicUrl === null ? '' : ` (+${publicUrl})`}`,
  }
  const prices = await pricesOf(connector, outer, rules).catch((error) => {
    if (!(error instanceof FeedError)) throw error
    throw new CommandFailure(`${connector.name} ${error.message}: nothing was recorded`)
  })
  const isRefused = prices.refusal !== null && !accept
  if (dryRun || isRefused || prices.rows.length === 0) return { prices, inserted: 0, skipped: 0 }
  const rows = (async function* () {
    yield prices.rows
  })()
  return { prices, ...(await importNewObservations({ database, rows })) }
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
