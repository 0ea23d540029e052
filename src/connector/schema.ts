import { type Static, Type } from '@sinclair/typebox'
import { EVIDENCE } from '~/domain/price/evidence.ts'
import { CatalogueFile } from '~/file/catalogue.ts'
import { ruled } from '~/file/ruled.ts'
import { ROW_MEMBERS } from '~/wire/row/members.ts'
import { DATE_ORDERS, DECIMALS, GROUPS } from '~/wire/row/notation.ts'

const EXPRESSION_LENGTH_MAX = 2000
const PAGES_MAX = 100

const closed = { additionalProperties: false }
const text = (rule: string, options = {}) =>
  ruled(Type.String({ minLength: 1, maxLength: 2048, ...options }), rule)
const word = <const T extends readonly string[]>(words: T) =>
  ruled(
    Type.Union(words.map((one) => Type.Literal(one as T[number]))),
    `must be one of ${words.join(', ')}`,
  )
const expression = ruled(
  Type.String({ minLength: 1, maxLength: EXPRESSION_LENGTH_MAX }),
  `must be a JSONata expression of at most ${EXPRESSION_LENGTH_MAX} characters`,
)
const scalar = Type.Union([Type.String({ minLength: 1 }), Type.Number()])

const SecretName = text('must name an environment variable, as a dollar sign and {NAME}', {
  pattern: '^\\$\\{\\w+\\}$',
  isSecret: true,
})

const From = ruled(
  Type.Object(
    {
      url: text(
        'must be an address: https://, or file:, sftp://, s3:// or imaps:// with a path that may ' +
          'have *',
      ),
      password: Type.Optional(SecretName),
      key: Type.Optional(SecretName),
      access_key: Type.Optional(SecretName),
      secret_key: Type.Optional(SecretName),
      endpoint: Type.Optional(text('must be an address', { pattern: '^https?://' })),
      region: Type.Optional(text('must be a region such as eu-west-1')),
      host_key: Type.Optional(
        text('must be SHA256: and what ssh-keygen -lf prints behind it', {
          pattern: '^SHA256:[A-Za-z0-9+/]{43}=?$',
        }),
      ),
      headers: Type.Optional(
        ruled(Type.Record(Type.String(), Type.String()), 'must give each header a text'),
      ),
      body: Type.Optional(
        ruled(
          Type.Record(Type.String(), Type.Unknown()),
          'must be an object, which is sent as JSON by POST',
        ),
      ),
      each: Type.Optional(
        ruled(
          Type.Record(Type.String(), Type.Array(scalar, { minItems: 1, maxItems: 1000 })),
          'must give each name of the url a list of texts or numbers',
        ),
      ),
      pages: Type.Optional(
        ruled(
          Type.Object(
            { next: expression, max: Type.Integer({ minimum: 1, maximum: PAGES_MAX }) },
            closed,
          ),
          `must have next, an expression, and max, a number up to ${PAGES_MAX}`,
        ),
      ),
      sender: Type.Optional(
        text('must be the address that the emails are from', { pattern: '^[^@\\s]+@[^@\\s]+$' }),
      ),
      subject: Type.Optional(text('must be a part of the subject of the emails')),
      latest: Type.Optional(ruled(Type.Boolean(), 'must be true or false')),
    },
    closed,
  ),
  'must be an object with url',
)

const rowMembers = Object.fromEntries(
  ROW_MEMBERS.map((name) => [name, Type.Optional(expression)] as const),
)

export const ConnectorSchema = ruled(
  Type.Object(
    {
      name: text('must be 1 to 64 lower-case letters, digits and hyphens', {
        pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
      }),
      provider: Type.Optional(text('must be the id of a provider in the catalogue')),
      catalogue: Type.Optional(CatalogueFile),
      from: From,
      format: word(['json', 'ndjson', 'csv', 'tsv', 'xlsx', 'xml', 'html']),
      sheet: Type.Optional(text('must be the name of a sheet')),
      charset: Type.Optional(word(['utf-8', 'iso-8859-1', 'windows-1250', 'windows-1252'])),
      skip_uneven_lines: Type.Optional(ruled(Type.Boolean(), 'must be true or false')),
      rows: Type.Optional(expression),
      row: ruled(
        Type.Object(rowMembers, closed),
        'must be an object with an expression for each field of a rate',
      ),
      evidence: Type.Optional(word(EVIDENCE)),
      schedule: Type.Optional(text('must be a cron pattern such as */20 6-20 * * 1-5')),
      repeat: Type.Optional(
        text('must be a duration such as 30m, 6h or 2d', { pattern: '^[1-9]\\d{0,3}[mhd]$' }),
      ),
      time_zone: Type.Optional(text('must be an IANA time zone such as Africa/Nairobi')),
      numbers: Type.Optional(
        ruled(
          Type.Object({ decimal: word(DECIMALS), group: Type.Optional(word(GROUPS)) }, closed),
          'must be an object with decimal, and group if thousands are separated',
        ),
      ),
      dates: Type.Optional(
        ruled(Type.Object({ format: word(DATE_ORDERS) }, closed), 'must be an object with format'),
      ),
      secrets: Type.Optional(
        ruled(Type.Array(Type.String()), 'must be a list of names of environment variables'),
      ),
      terms: text('must say where the terms of use are: an address, or a sentence'),
    },
    closed,
  ),
  'must be an object',
)

export const connectorJsonSchema = () => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  ...JSON.parse(JSON.stringify(ConnectorSchema).replaceAll('"rule":', '"description":')),
})

type ConnectorFile = Static<typeof ConnectorSchema>

/** A connector whose every part was checked. */
export type Connector = Omit<ConnectorFile, 'row'> & {
  readonly row: Readonly<Record<string, string>>
}

/** The host that a connector queries, one query at a time; null for a folder. */
export function hostOf({ from }: Pick<Connector, 'from'>): string | null {
  const [, host] = /^\w+:\/\/(?:[^/@]*@)?([^/?#]+)/.exec(from.endpoint ?? from.url) ?? []
  return from.url.startsWith('file:') ? null : (host ?? null)
}
