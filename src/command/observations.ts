import { type Command, InvalidArgumentError, Option } from 'commander'
import { systemClock } from '~/clock.ts'
import { isTimeZone } from '~/domain/source/zone.ts'
import { type ObservationFile, openObservationFile } from '~/file/observations.ts'
import { rowRules } from '~/runtime/upstream/row-rules.ts'
import type { Database } from '~/store/database.ts'
import {
  type Imported,
  importNewObservations,
  importObservations,
} from '~/store/transfer/observation-import.ts'
import { DATE_ORDERS, DECIMALS, type Notation } from '~/wire/row/notation.ts'
import { addArchive } from './archive.ts'
import { type InputFile, STDIN, withInput } from './file.ts'
import { withProgress } from './progress.ts'
import { addPrune } from './prune.ts'
import { allOrNothing, FaultReport, RejectsFile } from './rejects.ts'
import { CommandFailure, configOf, printResult, type Terminal, withExisting } from './terminal.ts'

const STDIN_REJECTS = 'observations'
const NAME_LENGTH_MAX = 40
const ADVICE = 'correct the file, or give --skip-invalid to import the others'
const NO_MONTHS =
  'no months were made: they are there already, or the file has fewer than 10,000 rows, or too ' +
  'much is recorded from before the first month, or the table was too busy'

type Options = Partial<Pick<Notation, 'decimal' | 'dates' | 'timeZone'>> & {
  skipInvalid?: boolean
  allowDuplicates?: boolean
  months?: boolean
  acceptImplausible?: boolean
  json?: boolean
}
type Import = { terminal: Terminal; database: Database; input: InputFile }
/** Way of recording rows; `stem` begins the name of the file for invalid ones, null allows none. */
type Way = {
  record: typeof importNewObservations
  stem: string | null
  makesMonths: boolean
  acceptsAll: boolean
  notation: Notation
}
type Outcome = Imported & { rejected: number }

export function addObservations(program: Command, terminal: Terminal): void {
  const observations = program.command('observations').description('what providers quoted')
  observations
    .command('import')
    .description('record a file of any size: all of its rows, or none if one is invalid')
    .argument(
      '<file>',
      'CSV with a header (commas, semicolons, tabs) or one JSON object a line; - is standard input',
    )
    .option('--skip-invalid', 'record the valid rows, write the others to <file>.rejects.*')
    .option('--allow-duplicates', 'record rows again that are already there')
    .option(
      '--accept-implausible',
      'record rates that are far from the mid of their day as suspect',
    )
    .option('--months', 'first create monthly partitions, to drop them singly later')
    .addOption(
      new Option('--decimal <sign>', 'decimal sign of a CSV').choices(DECIMALS).default('.'),
    )
    .addOption(
      new Option('--dates <order>', 'order of dates such as 03/04/2026').choices(DATE_ORDERS),
    )
    .option(
      '--time-zone <zone>',
      'zone of dates and of times without an offset: Africa/Lagos',
      asTimeZone,
    )
    .option('--json', 'print one JSON document')
    .action(async (path: string, options: Options) => {
      const way = wayOf(path, options)
      const result = await withInput(path, (input) =>
        withExisting(terminal, (database) => run({ terminal, database, input }, way)),
      )
      const { inserted, skipped, rejected } = result
      const lines = [
        `observations inserted: ${inserted}, there already: ${skipped}, rows rejected: ${rejected}`,
      ]
      printResult(terminal, { isJson: options.json ?? false, result, lines })
    })
  addArchive(observations, terminal)
  addPrune(observations, terminal)
}

const wayOf = (path: string, options: Options): Way => ({
  record: options.allowDuplicates ? recordAll : importNewObservations,
  stem: options.skipInvalid ? rejectsStem(path) : null,
  makesMonths: options.months ?? false,
  acceptsAll: options.acceptImplausible ?? false,
  notation: notationOf(options),
})

function notationOf({ decimal = '.', dates = null, timeZone = null }: Options): Notation {
  return { decimal, dates, timeZone, settingOf: (name, value) => `--${name} ${value}` }
}

function asTimeZone(text: string): string {
  if (isTimeZone(text)) return text
  throw new InvalidArgumentError('It must be an IANA time zone such as Africa/Nairobi.')
}

const recordAll: Way['record'] = async (source) => ({
  inserted: await importObservations(source),
  skipped: 0,
})

async function run({ terminal, database, input }: Import, way: Way): Promise<Outcome> {
  const { acceptsAll, notation } = way
  const rules = {
    ...(await rowRules(configOf(terminal), database, { acceptsAll, nowMs: systemClock.now() })),
    notation,
  }
  const file = await openObservationFile(withProgress(input, terminal), rules)
  const imported = await importFile(file, { terminal, database, ...way })
  if (file.unread.size > 0) terminal.say(unreadLine(file.unread))
  return imported
}

type Importing = Omit<Import, 'input'> & Way

async function importFile(file: ObservationFile, options: Importing): Promise<Outcome> {
  const { terminal, stem, record } = options
  if (stem !== null) return importValid(file, { ...options, stem })
  const rows = allOrNothing(file.batches, { terminal, advice: ADVICE })
  return { ...(await record({ ...months(options), rows })), rejected: 0 }
}

const months = ({ terminal, database, makesMonths }: Importing) => ({
  database,
  makesMonths,
  onMonths: (made: number) => terminal.say(made > 0 ? `months made: ${made}` : NO_MONTHS),
})

/** A warning about unknown columns: optional fields that are misspelt would be lost silently. */
function unreadLine(names: ReadonlySet<string>): string {
  const shown = [...names].map((name) => JSON.stringify(name.slice(0, NAME_LENGTH_MAX)))
  return `ignored, as observations have no such field: ${shown.join(', ')}; check the spelling`
}

type ValidOnly = Importing & { stem: string }

async function importValid(file: ObservationFile, options: ValidOnly): Promise<Outcome> {
  const { terminal, stem, record } = options
  const report = new FaultReport()
  const rejects = new RejectsFile(`${stem}.rejects.${file.format}`, file.rejectsHeader)
  const rows = validRows(file, rejects, report)
  const imported = await record({ ...months(options), rows }).catch(async (error) => {
    await rejects.discard()
    throw error
  })
  await rejects.keep().catch((error: Error) => {
    throw new CommandFailure(
      `${imported.inserted} observations were inserted, but ${error.message}`,
    )
  })
  if (report.count > 0) terminal.say(`${report.tell(terminal)}: see ${rejects.path}`)
  return { ...imported, rejected: report.count }
}

async function* validRows(file: ObservationFile, rejects: RejectsFile, report: FaultReport) {
  for await (const batch of file.batches) {
    report.add(batch.rejects)
    await rejects.add(batch.rejects.map(({ copy }) => copy))
    yield batch.rows
  }
}

const rejectsStem = (path: string): string => (path === STDIN ? STDIN_REJECTS : path)
