import { ServiceError } from '~/domain/errors.ts'
import { parsedExactly } from '~/wire/recording/ingest.ts'
import { MisreadRow } from '~/wire/row/members.ts'
import { Misread, type Notation } from '~/wire/row/notation.ts'
import { FileFault } from './csv.ts'
import { csvTable } from './csv-table.ts'
import { linesOf } from './lines.ts'
import { parserOf, REQUIRED } from './observations.ts'

/**
 * The rows of a CSV with a header, by its columns, in the form of JSON rows. A record that cannot
 * be separated into its fields, or that `notation` cannot read, is a MisreadRow. Throws
 * `malformed_body` for an unusable header.
 */
export async function csvRows(text: string, notation: Notation): Promise<unknown[]> {
  const rows: unknown[] = []
  try {
    const { header, records } = await csvTable(linesOf([Buffer.from(text)]), REQUIRED)
    const columns = header.map((name) => ({ name, parse: parserOf(name, notation) }))
    for await (const batch of records)
      for (const { fields, fault } of batch) {
        const row: Record<string, unknown> = {}
        const faults = fault === null ? [] : [fault]
        columns.forEach(({ name, parse }, i) => {
          const value = parsed(fault === null ? fields![i]! : '', parse)
          if (value instanceof Misread) faults.push(`${name} ${value.fault}`)
          row[name] = value
        })
        rows.push(faults.length === 0 ? row : new MisreadRow(faults.join('; ')))
      }
  } catch (error) {
    if (error instanceof FileFault) throw new ServiceError('malformed_body', error.message)
    throw error
  }
  return rows
}

/** The rows of a text with one JSON object a line; a line that is not JSON is a MisreadRow. */
export const jsonLines = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      try {
        return parsedExactly(line)
      } catch {
        return new MisreadRow('is not valid JSON')
      }
    })

const parsed = (text: string, parse: (text: string) => unknown) =>
  text === '' ? null : parse(text)
