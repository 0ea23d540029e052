import { type Static, Type } from '@sinclair/typebox'
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { EVIDENCE } from '~/domain/price/evidence.ts'
import { isTimeZone } from '~/domain/source/zone.ts'
import { ruled, ruleFaults } from '~/file/ruled.ts'
import { isCronPattern } from '~/jobs/schedule.ts'
import { ROW_MEMBERS } from '~/wire/row/members.ts'
import { DATE_ORDERS, DECIMALS } from '~/wire/row/notation.ts'
import { expressionFault } from './expression.ts'

/** The most characters of a connector; thirty lines have about a thousand. */
export const TEXT_LENGTH_MAX = 65_536
const ALIASES_MAX = 20
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
})

const From = ruled(
  Type.Object(
    {
      url: text(
        'must be an address: https://, or file:, sftp:// or s3:// with a path in which * may stand',
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
      latest: Type.Optional(ruled(Type.Boolean(), 'must be true or false')),
    },
    closed,
  ),
  'must be an object with url',
)

const rowMembers = Object.fromEntries(
  ROW_MEMBERS.map((name) => [name, Type.Optional(expression)] as const),
)

/** A connector as a JSON Schema, for editors too. */
export const ConnectorSchema = ruled(
  Type.Object(
    {
      name: text('must be 1 to 64 lower-case letters, digits and hyphens', {
        pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
      }),
      provider: Type.Optional(text('must be the id of a provider in the catalogue')),
      from: From,
      format: word(['json', 'ndjson', 'csv', 'tsv', 'xlsx', 'xml', 'html']),
      sheet: Type.Optional(text('must be the name of a sheet')),
      charset: Type.Optional(word(['utf-8', 'iso-8859-1', 'windows-1250', 'windows-1252'])),
      rows: Type.Optional(expression),
      row: ruled(
        Type.Object(rowMembers, closed),
        'must be an object with an expression for each member of a rate',
      ),
      evidence: Type.Optional(word(EVIDENCE)),
      schedule: Type.Optional(text('must be a cron pattern such as */20 6-20 * * 1-5')),
      repeat: Type.Optional(
        text('must be a duration such as 30m, 6h or 2d', { pattern: '^[1-9]\\d{0,3}[mhd]$' }),
      ),
      time_zone: Type.Optional(text('must be an IANA time zone such as Africa/Nairobi')),
      numbers: Type.Optional(
        ruled(Type.Object({ decimal: word(DECIMALS) }, closed), 'must be an object with decimal'),
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

type ConnectorFile = Static<typeof ConnectorSchema>

/** A connector whose every part was checked. */
export type Connector = Omit<ConnectorFile, 'row'> & {
  readonly row: Readonly<Record<string, string>>
}

type Reading = { readonly connector: Connector | null; readonly faults: readonly string[] }

/** The connector in a YAML text, or all of its faults, which begin with line and column. */
export function readConnector(source: string): Reading {
  if (source.length > TEXT_LENGTH_MAX)
    return { connector: null, faults: [`has more than ${TEXT_LENGTH_MAX} characters`] }
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const placed = (at: number, sentence: string) => {
    const { line, col } = lines.linePos(at)
    return `line ${line}, column ${col}: ${sentence}`
  }
  if (document.errors.length > 0)
    return {
      connector: null,
      faults: document.errors.map(({ pos, message }) => placed(pos[0], message)),
    }
  let file: unknown
  try {
    file = document.toJS({ maxAliasCount: ALIASES_MAX })
  } catch {
    return { connector: null, faults: [`repeats its parts by more than ${ALIASES_MAX} aliases`] }
  }
  const broken = [...ruleFaults(ConnectorSchema, file)]
  const found = broken.length > 0 ? broken : [...meaningFaults(file as Connector)]
  const faults = found.map(({ parts, sentence }) =>
    placed(offsetOf(document.contents, parts), sentence),
  )
  return { connector: faults.length > 0 ? null : (file as Connector), faults }
}

type Fault = { readonly parts: readonly string[]; readonly sentence: string }

/** What a schema cannot tell. */
function* meaningFaults(connector: Connector): Generator<Fault> {
  const { from, row, rows, time_zone: zone, provider } = connector
  if (!/^((https?|sftp|s3):\/\/|file:)/.test(from.url))
    yield {
      parts: ['from', 'url'],
      sentence: 'from.url must begin with https://, sftp://, s3:// or file:',
    }
  if (from.url.startsWith('sftp:')) yield* sftpFaults(connector)
  if (from.url.startsWith('s3:')) yield* bucketFaults(connector)
  for (const asked of from.url.matchAll(/\{(\w*)\}/g))
    if (!namesOf(connector).includes(asked[1]!))
      yield { parts: ['from', 'url'], sentence: `from.url names {${asked[1]}}, not in from.each` }
  for (const corridor of from.each?.corridor ?? [])
    if (!/^\w{3,4}\/\w{3,4}$/.test(String(corridor)))
      yield {
        parts: ['from', 'each', 'corridor'],
        sentence: `from.each.corridor must list corridors such as GBP/NGN, not ${corridor}`,
      }
  if (connector.sheet !== undefined && connector.format !== 'xlsx')
    yield { parts: ['sheet'], sentence: 'sheet is for format xlsx alone: leave it out' }
  if (connector.schedule !== undefined && !isCronPattern(connector.schedule))
    yield { parts: ['schedule'], sentence: 'schedule must be a cron pattern: */20 6-20 * * 1-5' }
  if (zone !== undefined && !isTimeZone(zone))
    yield { parts: ['time_zone'], sentence: 'time_zone must be an IANA zone: Africa/Nairobi' }
  if (provider === undefined && row.provider_id === undefined)
    yield { parts: ['row'], sentence: 'provider is missing, and so is row.provider_id: give one' }
  yield* secretFaults(connector)
  const expressions: [readonly string[], string | undefined][] = [
    [['rows'], rows],
    [['from', 'pages', 'next'], from.pages?.next],
    ...Object.entries(row).map(([key, one]): [string[], string] => [['row', key], one]),
  ]
  for (const [parts, one] of expressions) {
    const fault = one === undefined ? null : expressionFault(one)
    if (fault !== null) yield { parts, sentence: `${parts.join('.')} ${fault}` }
  }
}

/** Secrets that are neither the connector's own by their names nor listed. */
function* secretFaults({ from, name, secrets = [] }: Connector): Generator<Fault> {
  const { password, key, access_key, secret_key } = from
  const places = Object.entries(from.headers ?? {}).map(([header, text]) => ({
    parts: ['from', 'headers', header],
    text,
  }))
  const logins = Object.entries({ password, key, access_key, secret_key }).flatMap(
    ([member, text]) => (text === undefined ? [] : [{ parts: ['from', member], text }]),
  )
  for (const { parts, text } of [...places, ...logins])
    for (const [, secret] of text.matchAll(SECRET))
      if (!secrets.includes(secret!) && !secret!.startsWith(prefixOf(name)))
        yield {
          parts,
          sentence: `\${${secret}} must start with ${prefixOf(name)} or be listed in secrets`,
        }
}

/** What an SFTP server needs: who asks, by what secret, and which host key it shows. */
function* sftpFaults({ from }: Connector): Generator<Fault> {
  const url = URL.parse(from.url)
  if (!url?.username || !url.hostname || url.password !== '' || !/\/[^/]+$/.test(url.pathname))
    yield { parts: ['from', 'url'], sentence: 'from.url must be sftp://user@host/folder/*.csv' }
  if ((from.password ?? from.key) === undefined)
    yield { parts: ['from'], sentence: 'from lacks password or key: give one' }
  if (from.host_key === undefined)
    yield { parts: ['from'], sentence: 'from lacks host_key: give what ssh-keygen -lf prints' }
}

/** What a bucket needs: its name, and a key with its secret. */
function* bucketFaults({ from }: Connector): Generator<Fault> {
  if (!/^s3:\/\/[a-z0-9.-]+\/(.*\/)?[^/]+$/.test(from.url))
    yield { parts: ['from', 'url'], sentence: 'from.url must be s3://bucket/folder/*.csv' }
  if (from.access_key === undefined || from.secret_key === undefined)
    yield { parts: ['from'], sentence: 'from lacks access_key or secret_key: give both' }
}

/** A secret in a header: `${ACME_TOKEN}`. */
export const SECRET = /\$\{(\w+)\}/g

const prefixOf = (name: string): string => `${name.toUpperCase().replaceAll('-', '_')}_`

const namesOf = ({ from }: Connector): string[] => {
  const names = Object.keys(from.each ?? {})
  return names.includes('corridor') ? [...names, 'from', 'to'] : names
}

/** Where the last part of a path that is there begins. */
function offsetOf(contents: unknown, parts: readonly string[]): number {
  let [node, at] = [contents, 0]
  for (const part of parts) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === part)
      if (!pair) break
      at = (isScalar(pair.key) ? pair.key.range?.[0] : null) ?? at
      node = pair.value
    } else if (isSeq(node)) {
      node = node.items[Number(part)]
      if (isScalar(node)) at = node.range?.[0] ?? at
    } else break
  }
  return at
}
