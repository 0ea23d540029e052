import { nullable } from '~/wire/fields.ts'
import { MEDIA } from '~/wire/list/format.ts'
import type { List } from '~/wire/list/list.ts'
import type { Components, Json } from './schema.ts'

/** Headers that a list as a file may carry, besides those of the JSON response. */
export const ROW_HEADERS = [
  ...['Content-Disposition', 'X-As-Of', 'X-Note', 'X-Mid-Rate', 'X-Mid-Source'],
  'X-Mid-Fetched-At',
] as const

/** A schema without its description and examples, which are about the JSON field. */
const bare = ({ description: _description, examples: _examples, ...schema }: Json): Json => schema

/**
 * The media of a list besides JSON. A medium of rows has no schema of its own in OpenAPI 3.1; so
 * `x-columns` names the columns in their order, each with the schema of its values.
 */
export function rowMedia(list: List, components: Components): Record<string, Json> {
  const columns = list.columns.map(({ name, schema, isList }) => ({
    name,
    ...(isList && { separator: '|' }),
    schema: bare(components.schema(nullable(schema))),
  }))
  const names = list.names.map((name) => `\`${name}\``).join(', ')
  return {
    [MEDIA.csv]: {
      schema: {
        type: 'string',
        description:
          'A header line and a row for each entry, by RFC 4180 in UTF-8; empty where JSON has ' +
          `null or nothing. Columns: ${names}.`,
      },
      'x-columns': columns,
    },
    [MEDIA.ndjson]: {
      schema: {
        type: 'string',
        description:
          'One JSON object a line for each entry, with the columns of text/csv as fields; null ' +
          'where they are empty there, and lists as arrays.',
      },
    },
  }
}
