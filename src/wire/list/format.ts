import { preferred } from '~/wire/accept.ts'
import { optional } from '~/wire/fields.ts'

const FORMATS = ['json', 'csv', 'ndjson'] as const

export type Format = (typeof FORMATS)[number]

export type RowFormat = Exclude<Format, 'json'>

/** The medium of each format, as an Accept header names it. */
export const MEDIA = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
} as const satisfies Record<Format, string>

export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  ...MEDIA,
  csv: 'text/csv; charset=utf-8',
}

const FORMAT_OF = new Map<string, Format>(FORMATS.map((format) => [MEDIA[format], format]))

export const formatParameter = {
  format: optional.words(FORMATS, {
    description:
      'The format of the response, whatever Accept says: `csv` and `ndjson` (one JSON object a ' +
      'line) have a flat row for each entry of the list.',
  }),
}

/** The format that an Accept header prefers; JSON if it has no preference or takes none. */
export function acceptedFormat(accept: string | null): Format {
  if (accept === null || accept === '*/*' || accept === MEDIA.json) return 'json'
  const medium = preferred(accept, [MEDIA.json, MEDIA.csv, MEDIA.ndjson])
  return FORMAT_OF.get(medium ?? MEDIA.json)!
}
