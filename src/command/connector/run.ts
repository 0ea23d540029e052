import type { Command } from 'commander'
import { systemClock } from '~/clock.ts'
import { connectorsIn } from '~/connector/folder.ts'
import { type PriceRow, valueText } from '~/connector/prices.ts'
import type { Connector } from '~/connector/schema.ts'
import type { Observation } from '~/domain/observation.ts'
import { offerId } from '~/domain/offer/id.ts'
import type { Quote } from '~/domain/quote.ts'
import { systemPace } from '~/feed/fetcher.ts'
import { type ConnectorReport, runConnector } from '~/runtime/upstream/connector-run.ts'
import { ALL_BUT_ONE, connectorFolder } from '~/runtime/upstream/connectors.ts'
import { quoteOf } from '~/service/recording/ingest.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { isDistributed } from '~/store/distributed/distribution.ts'
import { createSpreadQuoteStore } from '~/store/distributed/spread-quotes.ts'
import { createQuoteStore } from '~/store/quote-store.ts'
import { importNewObservations } from '~/store/transfer/observation-import.ts'
import { tableLines } from '../table.ts'
import { CommandFailure, configOf, printResult, type Terminal, withExisting } from '../terminal.ts'

/** The maximum number of errors and rows that are shown; the others are counted. */
const FAULTS_SHOWN_MAX = 20
const ROWS_SHOWN_MAX = 50

type Options = { dryRun?: boolean; accept?: boolean; json?: boolean }

export function addConnectorRun(connectors: Command, terminal: Terminal): void {
  connectors
    .command('run')
    .description('ask a connector now and record its prices, all of a run or none')
    .argument('<name>', 'a connector of `connectors list`')
    .option('--dry-run', 'print the rows and what they would change, and record nothing')
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
      const ended = await withExisting(terminal, async (database) => {
        const { apply: addEntries } = createCatalogueStore(database)
        const into = { database, record: recordInto(database), addEntries }
        const report = await runConnector({ ...outside, ...into }, connector, wish)
        const changes = report && wish.isDry ? await changesOf(database, report) : []
        return report && { connector, report, changes }
      })
      if (ended === null)
        throw new CommandFailure(
          `another process is querying the host of ${name}: try again shortly`,
        )
      const { report } = ended
      if (report.prices) print(terminal, ended, options)
      if (report.error)
        throw new CommandFailure(`${name} ${report.error.message}: nothing was recorded`)
      const unread = report.prices?.unread
      if (unread) throw new CommandFailure(`${name} ${unread.message}: ${ALL_BUT_ONE}`)
    })
}

/** The valid connector of that name. Throws CommandFailure without one. */
async function connectorNamed(name: string, folder: string): Promise<Connector> {
  const found = await connectorsIn(folder)
  const named = found.find(({ connector }) => connector?.name === name)
  if (named?.connector) return named.connector
  const invalid = found.flatMap(({ file, faults }) => (faults[0] ? [`${file} ${faults[0]}`] : []))
  const also = invalid.length > 0 ? `; not valid: ${invalid.join('; ')}` : ''
  throw new CommandFailure(`no connector in ${folder} is called ${name}${also}`)
}

/** Records rows except existing ones, as an import does. */
const recordInto = (database: Database) => (rows: readonly Observation[], via: string) => {
  const batches = async function* () {
    yield rows
  }
  return importNewObservations({ database, rows: batches(), via })
}

type Ended = {
  readonly connector: Connector
  readonly report: ConnectorReport
  /** Change that each row would make, in a dry run. */
  readonly changes: readonly string[]
}

function print(terminal: Terminal, ended: Ended, options: Options): void {
  const { connector, report, changes } = ended
  const { name } = connector
  const { inserted, skipped, error } = report
  const { faults, rows, read } = report.prices!
  const repeated = error ? 0 : read.filter(({ isRepeat }) => isRepeat).length
  const refusal = error?.message ?? null
  const shownOnly = options.dryRun && {
    rows: read.map(({ values }, i) => rowOf(values, changes[i]!)),
  }
  const counts = { inserted, skipped, repeated }
  const result = { connector: name, ...counts, refused: faults, refusal, ...shownOnly }
  const lines = [...(options.dryRun ? shownRows(ended) : []), ...shown(faults)]
  const unchanged = `${faults.length} refused${repeated > 0 ? `, ${repeated} unchanged` : ''}`
  const counted = options.dryRun
    ? `${error ? 0 : rows.length} would be recorded, ${unchanged}`
    : `${inserted} recorded, ${skipped} there already, ${unchanged}`
  const said = read.length === 0 && !error ? 'no new file' : counted
  const all = [...lines, `${name}: ${said}`]
  printResult(terminal, { isJson: options.json ?? false, result, lines: all })
}

const rowOf = (values: PriceRow['values'], change: string) => ({
  values: Object.fromEntries(Object.entries(values).map(([name, one]) => [name, valueText(one)])),
  change,
})

function shownRows({ connector, report, changes }: Ended): string[] {
  const names = Object.keys(connector.row)
  const { read } = report.prices!
  const rows = read
    .slice(0, ROWS_SHOWN_MAX)
    .map(({ values }, i) => [...names.map((name) => valueText(values[name]) || '-'), changes[i]!])
  const more = read.length - ROWS_SHOWN_MAX
  return [
    ...tableLines([[...names, 'change'], ...rows]),
    ...(more > 0 ? [`and ${more} more rows`] : []),
    '',
  ]
}

/** Returns the change of each row against the price of its offer that is in force. */
async function changesOf(database: Database, { prices }: ConnectorReport): Promise<string[]> {
  const live = await liveIn(database)
  const last = new Map(live.map((quote) => [offerId(quote), quote]))
  return (prices?.read ?? []).map(({ observation, isRepeat }) => {
    if (!observation) return 'refused'
    if (isRepeat) return 'unchanged'
    const quote = quoteOf(observation, 0)
    const before = last.get(offerId(quote))
    if (!before) return 'new'
    const percent = ((quote.rate / before.rate - 1) * 100).toFixed(2)
    const move = quote.rate === before.rate ? '' : `rate was ${before.rate} (${percent}%)`
    const fee = quote.fee === before.fee ? '' : `fee was ${before.fee ?? 'none'}`
    return [move, fee].filter(Boolean).join(', ') || 'same price, later'
  })
}

async function liveIn(database: Database): Promise<readonly Quote[]> {
  const nowMs = systemClock.now()
  return (await isDistributed(database.sql))
    ? createSpreadQuoteStore(database).live(nowMs, null, null)
    : createQuoteStore(database).live(nowMs)
}

function shown(faults: readonly string[]): string[] {
  const more = faults.length - FAULTS_SHOWN_MAX
  return [...faults.slice(0, FAULTS_SHOWN_MAX), ...(more > 0 ? [`and ${more} more`] : [])]
}
