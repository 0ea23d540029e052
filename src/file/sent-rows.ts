import { ServiceError } from '~/domain/errors.ts'
import { parsedExactly } from '~/wire/recording/ingest.ts'
import { MisreadRow } from '~/wire/row/members.ts'
import { FileFault } from './csv.ts'
import { csvTable } from './csv-table.ts'
import { linesOf } from './lines.ts'
import { parserOf, REQUIRED } from './observations.ts'

/**
 * The rows of a CSV with a header, by its columns, in the form of JSON rows. A record that cannot
 * be told apart into its fields is a MisreadRow. Throws `malformed_body` for an unusable header.
 */
export async function csvRows(text: string): Promise<unknown[]> {
  const rows: unknown[] = []
  try {
    const { header, records } = await csvTable(linesOf(once(text)), REQUIRED)
    const columns = header.map((name) => ({ name, parse: parserOf(name) }))
    for await (const batch of records)
      for (const { fields, fault } of batch) {
        const members = columns.map(({ name, parse }, i) => [
          name,
          parsed(fields?.[i] ?? '', parse),
        ])
        if (fault === null) rows.push(Object.fromEntries(members))
        else rows.push(new MisreadRow(fault))
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

async function* once(text: string) {
  yield Buffer.from(text)
}
