import { gunzipSync } from 'node:zlib'
import { SAMPLE_MARK } from '~/domain/sample.ts'
import { dateIn, midnightMs } from '~/domain/source/zone.ts'
import catalogue from '~generated/sample/catalogue.json'
import manifest from '~generated/sample/manifest.json'
import sources from './sources.json'

/** A currency of the sample, in the form of a catalogue file. */
export type SampleCurrency = {
  code: string
  name: string
  type: string
  kind: string
  flag_url: string | null
  minor_units: number | null
  peg: { to: string; rate: number } | null
  is_active: boolean
  sort_order: number
}

/** A provider of the sample, in the form of a catalogue file. */
export type SampleProvider = {
  id: string
  name: string
  provider_type: string
  rate_type: string
  region: string | null
  time_zone?: string
  transfer_time: string | null
  payment_methods: string[] | null
  logo_url: string | null
  website_url: string | null
  is_active: boolean
}

/** The content of `catalogue.json`. */
type SampleCatalogue = { currencies: SampleCurrency[]; providers: SampleProvider[] }

const DAY_MS = 86_400_000
const DATE_LENGTH = 10
const LINES_PER_CHUNK = 2000

/**
 * The catalogue of every currency and provider of the sample, flags as URLs below `origin`.
 *
 * `origin` is the service's own, such as `http://localhost:3000`, and serves `/flags/`.
 */
export function sampleCatalogue(origin: string): SampleCatalogue {
  const base = origin.replace(/\/+$/, '')
  const currencies = catalogue.currencies.map((currency) => ({
    ...currency,
    flag_url: currency.flag_url === null ? null : base + currency.flag_url,
  }))
  return { currencies, providers: structuredClone(catalogue.providers) }
}

/** The time of the newest row, quotes and references together: differs from sample to sample. */
export const sampleEnd: string = [manifest.observations.newest, manifest.references.newest]
  .sort()
  .at(-1)!

/**
 * The whole number of days that moves the newest row of the sample, quotes and references together,
 * to the present: not after `nowMs` and less than one day before it.
 */
export function sampleShiftDays(nowMs: number): number {
  return Math.floor((nowMs - Date.parse(sampleEnd)) / DAY_MS)
}

/**
 * The sample's quotes as CSV for the importer, oldest first, every time moved by `shiftDays`.
 *
 * The order shows the latest among rows of one provider, corridor and time, so import them in it.
 */
export function sampleObservations(shiftDays: number): ReadableStream<Uint8Array> {
  const shifted = shiftedDates(shiftDays)
  const bankShifted = shiftedBankDates(shiftDays)
  return csvStream('observations.csv.gz', (line) => {
    const at = nthComma(line, 6) + 1
    const zone = BANK_ZONES.get(line.slice(0, line.indexOf(',')))
    const end = zone === undefined ? at + DATE_LENGTH : line.indexOf(',', at)
    const time = line.slice(at, end)
    return line.slice(0, at) + (zone ? bankShifted(time, zone) : shifted(time)) + line.slice(end)
  })
}

/**
 * The sample's reference rates as CSV, oldest first, every time moved by `shiftDays`. The source of
 * each says that it was shifted; it holds a comma, so that field is quoted.
 */
export function sampleReferences(shiftDays: number): ReadableStream<Uint8Array> {
  const shifted = shiftedDates(shiftDays)
  const label = `${SAMPLE_MARK}${shiftDays} days)`
  return csvStream('reference.csv.gz', (line) => {
    const at = nthComma(line, 2)
    const source = line.slice(line.indexOf(',') + 1, at)
    const time = shifted(line.slice(0, DATE_LENGTH)) + line.slice(DATE_LENGTH, line.indexOf(','))
    return `${time},"${source}${label}"${line.slice(at)}`
  })
}

/** The sources of the sample, one line each, credited as their licences ask. */
export const sampleSources: readonly string[] = sources.map(({ attribution }) => attribution)

/** Moves `YYYY-MM-DD` by whole days; the dates are few and the rows many, so each is cached. */
function shiftedDates(shiftDays: number): (date: string) => string {
  const known = new Map<string, string>()
  const shifted = (date: string) =>
    new Date(Date.parse(date) + shiftDays * DAY_MS).toISOString().slice(0, DATE_LENGTH)
  return (date) => known.getOrInsertComputed(date, shifted)
}

const BANK_ZONES = new Map(
  catalogue.providers.flatMap(({ id, time_zone: zone }: SampleProvider) =>
    zone ? [[id, zone] as const] : [],
  ),
)

/**
 * Moves the start of a bank's date by whole days of the bank's own calendar, whose clocks may be
 * put forward or back in between; another time moves by whole days of UTC.
 */
function shiftedBankDates(shiftDays: number): (time: string, zone: string) => string {
  const known = new Map<string, string>()
  const shifted = (time: string, zone: string) => {
    const atMs = Date.parse(time)
    const movedMs = shiftDays * DAY_MS
    const date = dateIn(atMs, zone)
    const isStart = midnightMs(date, zone) === atMs
    const start = new Date(Date.parse(date) + movedMs).toISOString().slice(0, DATE_LENGTH)
    return new Date(isStart ? midnightMs(start, zone)! : atMs + movedMs).toISOString()
  }
  return (time, zone) => known.getOrInsertComputed(`${time} ${zone}`, () => shifted(time, zone))
}

function nthComma(line: string, count: number): number {
  let at = -1
  for (let i = 0; i < count; i++) at = line.indexOf(',', at + 1)
  return at
}

function csvStream(name: string, present: (line: string) => string): ReadableStream<Uint8Array> {
  const source = chunks(name, present)
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await source.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

async function* chunks(name: string, present: (line: string) => string) {
  const packed = await Bun.file(new URL(`../../generated/sample/${name}`, import.meta.url)).bytes()
  const encoder = new TextEncoder()
  const [header, ...lines] = gunzipSync(packed).toString().trimEnd().split('\n')
  yield encoder.encode(`${header}\n`)
  for (let i = 0; i < lines.length; i += LINES_PER_CHUNK) {
    const chunk = lines.slice(i, i + LINES_PER_CHUNK).map(present)
    yield encoder.encode(`${chunk.join('\n')}\n`)
  }
}
