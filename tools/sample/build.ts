import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { currenciesOf } from './currencies.ts'
import { isObserved, keptRows } from './left-out.ts'
import { Mids } from './mids.ts'
import { OBSERVATION_HEADER, observationLines } from './observations.ts'
import { type Official, officialPrices } from './official.ts'
import { providersOf } from './providers.ts'
import { REFERENCE_HEADER, referenceLines } from './references.ts'
import { type SourceRows, sourceRows } from './rows.ts'
import { surveyPrices } from './survey.ts'
import { surveyAccount } from './survey-account.ts'

/** A file of the sample: its name in `generated/sample`, and its bytes. */
type Artefact = { name: string; bytes: Uint8Array }

const INPUT_DEFAULT = '../shared/data'
const ROOT = resolve(import.meta.dir, '../..')
const OUTPUT = join(ROOT, 'generated/sample')
const GZIP_OS_BYTE = 9
const GZIP_OS_UNKNOWN = 255

/**
 * The files of the sample, made from the three CSV files of `directory` and from the recordings of
 * banks that are in it; writes nothing.
 *
 * The same input gives the same bytes: no clock, no file times. Throws at anything the data has
 * not had before (an unknown way of paying, a country without a currency): nothing slips in unseen.
 */
export function builtSample(directory: string): Artefact[] {
  const read = sourceRows(directory)
  const { rows, leftOut } = keptRows(read)
  const mids = new Mids(rows.mids)
  const official = officialPrices(directory, mids)
  const survey = surveyPrices(rows.survey, mids)
  const observations = observationLines({ ...rows, official: official.prices, survey })
  const references = referenceLines(rows.mids)
  const remitted = [...survey, ...rows.quarters.filter(isObserved)]
  const catalogue = {
    currencies: currenciesOf({ ...rows, official: official.prices, remitted }),
    providers: providersOf({ ...rows, banks: official.names }),
  }
  const artefacts = [
    { name: 'catalogue.json', bytes: jsonBytes(catalogue) },
    { name: 'observations.csv.gz', bytes: csvBytes(OBSERVATION_HEADER, observations) },
    { name: 'reference.csv.gz', bytes: csvBytes(REFERENCE_HEADER, references) },
  ]
  const manifest = {
    times: 'those of the sources; a demonstration moves all by one constant whole number of days',
    inputs: inputsOf(read, official),
    left_out: [...leftOut, ...official.leftOut],
    survey: surveyAccount(survey, mids),
    observations: spanOf(observations, 6),
    references: spanOf(references, 0),
    artefacts: Object.fromEntries(artefacts.map(({ name, bytes }) => [name, digestOf(bytes)])),
  }
  return [...artefacts, { name: 'manifest.json', bytes: textBytes(jsonText(manifest)) }]
}

const inputsOf = ({ survey, quarters, mids }: SourceRows, { counts }: Official) => ({
  'rpw_2025q3.csv': survey.length,
  'quotes_rpw.csv': quarters.length,
  ...counts,
  'reference_currency_api.csv': mids.length,
})

function spanOf(lines: readonly string[], timeColumn: number) {
  const timeOf = (line: string) => line.split(',')[timeColumn]!
  return { rows: lines.length, oldest: timeOf(lines[0]!), newest: timeOf(lines.at(-1)!) }
}

const digestOf = (bytes: Uint8Array) => ({
  bytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
})

const textBytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** JSON of an object of lists, one entry a line. */
function jsonBytes(lists: Readonly<Record<string, readonly unknown[]>>): Uint8Array {
  const members = Object.entries(lists).map(([name, entries]) => {
    const lines = entries.map((entry) => `    ${JSON.stringify(entry)}`)
    return `  ${JSON.stringify(name)}: [\n${lines.join(',\n')}\n  ]`
  })
  return textBytes(`{\n${members.join(',\n')}\n}\n`)
}

/** Gzip with neither a time nor the name of the system it was made on. */
function csvBytes(header: string, lines: readonly string[]): Uint8Array {
  const bytes = new Uint8Array(gzipSync([header, ...lines, ''].join('\n'), { level: 9 }))
  bytes[GZIP_OS_BYTE] = GZIP_OS_UNKNOWN
  return bytes
}

if (import.meta.main) {
  const input = resolve(ROOT, process.argv[2] ?? INPUT_DEFAULT)
  for (const { name, bytes } of builtSample(input)) {
    await Bun.write(join(OUTPUT, name), bytes)
    process.stdout.write(`${name} ${bytes.length} bytes\n`)
  }
}
