import { parse } from 'csv-parse/sync'
import { LINE_LENGTH_MAX, type Line } from './lines.ts'

/** An error that makes a whole file unusable, as a sentence; no row of it can be read. */
export class FileFault extends Error {}

/** One record of a CSV: the line it starts on, and its whole string without the last line end. */
export type CsvRecord = Line & {
  /** The fields; null when they cannot be separated. */
  readonly fields: readonly string[] | null
}

const QUOTE = '"'
const NOT_CLOSED = 'has a quote that is not closed'
const BAD_QUOTES = 'has quotes in the wrong places: quote the whole field and double those inside'

/**
 * The records of an RFC 4180 string, divided by `separator`, in arrays; blank lines are skipped.
 * Strict: nothing is trimmed or repaired.
 *
 * A record that cannot be read has an error, and reading continues after it. A quote that is not
 * closed within the length of the longest line invalidates its own line only.
 */
export async function* csvRecords(
  lines: AsyncIterable<Line[]>,
  separator = ',',
): AsyncGenerator<CsvRecord[]> {
  const joiner = new RecordJoiner()
  for await (const batch of lines) {
    const records = parsed(joiner.add(batch), separator)
    if (records.length > 0) yield records
  }
  const records = parsed(joiner.end(), separator)
  if (records.length > 0) yield records
}

/** Joins the lines of records whose quoted fields hold line ends. */
class RecordJoiner {
  #complete: Line[] = []
  /** The lines of a record whose last quote is still open. */
  #open: Line[] = []
  #openLength = 0

  add(lines: readonly Line[]): Line[] {
    for (const line of lines) this.#take(line)
    return this.#taken()
  }

  end(): Line[] {
    while (this.#open.length > 0) this.#giveUpFirst()
    return this.#taken()
  }

  #taken(): Line[] {
    const taken = this.#complete
    this.#complete = []
    return taken
  }

  #take(line: Line): void {
    if (line.fault !== null) {
      while (this.#open.length > 0) this.#giveUpFirst()
      this.#complete.push(line)
    } else if (this.#open.length === 0 && !line.text.includes(QUOTE)) this.#push(line)
    else this.#takeQuoted(line)
  }

  #takeQuoted(line: Line): void {
    const isOdd = quotesIn(line.text) % 2 === 1
    const wasOpen = this.#open.length > 0
    this.#open.push(line)
    this.#openLength += line.text.length + 1
    if (wasOpen === isOdd) {
      const text = this.#open.map((part) => part.text).join('\n')
      this.#push({ ...this.#open[0]!, text })
      this.#clearOpen()
    } else if (this.#openLength > LINE_LENGTH_MAX) this.#giveUpFirst()
  }

  #giveUpFirst(): void {
    const [first, ...others] = this.#open
    this.#clearOpen()
    this.#complete.push({ ...first!, fault: NOT_CLOSED })
    for (const line of others) this.#take(line)
  }

  #clearOpen(): void {
    this.#open = []
    this.#openLength = 0
  }

  #push(record: Line): void {
    const { number, text } = record
    const isCrlf = text.endsWith('\r')
    if (text.length > (isCrlf ? 1 : 0))
      this.#complete.push(isCrlf ? { number, text: text.slice(0, -1), fault: null } : record)
  }
}

function quotesIn(text: string): number {
  let count = 0
  for (let at = text.indexOf(QUOTE); at >= 0; at = text.indexOf(QUOTE, at + 1)) count++
  return count
}

/** Splits a record without a quote at its separators; only the others need the parser. */
function parsed(records: readonly Line[], separator: string): CsvRecord[] {
  const quoted = records.filter(({ text, fault }) => fault === null && text.includes(QUOTE))
  const texts = quoted.map(({ text }) => text)
  const fieldsOfQuoted = texts.length === 0 ? [] : parsedQuoted(texts, separator)
  let nextQuoted = 0
  return records.map(({ number, text, fault }) => {
    if (fault !== null) return { number, text, fields: null, fault }
    const fields = text.includes(QUOTE) ? fieldsOfQuoted[nextQuoted++]! : text.split(separator)
    return { number, text, fields, fault: fields === null ? BAD_QUOTES : null }
  })
}

/** The fields of each record; null for one that is not CSV, found by halving. */
function parsedQuoted(texts: readonly string[], separator: string): (string[] | null)[] {
  const fields = parsedTogether(texts, separator)
  if (fields) return fields
  if (texts.length === 1) return [null]
  const middle = texts.length >> 1
  return [texts.slice(0, middle), texts.slice(middle)].flatMap((half) =>
    parsedQuoted(half, separator),
  )
}

function parsedTogether(texts: readonly string[], delimiter: string): string[][] | null {
  try {
    const options = { delimiter, record_delimiter: '\n', relax_column_count: true }
    const records = parse(texts.join('\n'), options)
    return records.length === texts.length ? records : null
  } catch {
    return null
  }
}
