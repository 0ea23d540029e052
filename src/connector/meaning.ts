import { isTimeZone } from '~/domain/source/zone.ts'
import { isCronPattern } from '~/jobs/schedule.ts'
import { expressionFault } from './expression.ts'
import type { Connector } from './schema.ts'
import { SECRET } from './secrets.ts'

type Fault = { readonly parts: readonly string[]; readonly sentence: string }

const faultOf = (place: string, sentence: string): Fault => ({ parts: place.split('.'), sentence })

/** The errors of a connector that its schema cannot detect. */
export function* meaningFaults(connector: Connector): Generator<Fault> {
  const { row, time_zone: zone, provider, numbers } = connector
  yield* sourceFaults(connector)
  if (connector.sheet !== undefined && connector.format !== 'xlsx')
    yield faultOf('sheet', 'sheet is for format xlsx alone: leave it out')
  if (connector.skip_uneven_lines !== undefined && !/^[ct]sv$/.test(connector.format))
    yield faultOf('skip_uneven_lines', 'skip_uneven_lines is for csv and tsv alone')
  if (connector.schedule !== undefined && !isCronPattern(connector.schedule))
    yield faultOf('schedule', 'schedule must be a cron pattern: */20 6-20 * * 1-5')
  if (zone !== undefined && !isTimeZone(zone))
    yield faultOf('time_zone', 'time_zone must be an IANA zone: Africa/Nairobi')
  if (provider === undefined && row.provider_id === undefined)
    yield faultOf('row', 'provider is missing, and so is row.provider_id: give one')
  if (numbers?.group !== undefined && numbers.group === numbers.decimal)
    yield faultOf('numbers', 'numbers.group must be another sign than decimal')
  yield* secretFaults(connector)
  yield* expressionFaults(connector)
}

function* expressionFaults({ from, row, rows }: Connector): Generator<Fault> {
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

/** Yields the missing settings for the kind of a source. */
function* sourceFaults(connector: Connector): Generator<Fault> {
  const { from } = connector
  const [kind] = from.url.split(':')
  if (Object.hasOwn(SOURCES, kind!)) yield* SOURCES[kind as keyof typeof SOURCES](connector)
  else
    yield faultOf(
      'from.url',
      'from.url must begin with https://, sftp://, s3://, imaps://, imap:// or file:',
    )
  if (DECODED.test(from.url) && !isDecodable(from.url))
    yield faultOf('from.url', 'from.url must have %25 for a percent sign')
  for (const member of ['url', 'body'] as const)
    for (const asked of JSON.stringify(from[member] ?? '').matchAll(/\{(\w*)\}/g))
      if (!namesOf(connector).includes(asked[1]!))
        yield {
          parts: ['from', member],
          sentence: `from.${member} names {${asked[1]}}, not in from.each`,
        }
  for (const corridor of from.each?.corridor ?? [])
    if (!/^\w{3,4}\/\w{3,4}$/.test(String(corridor)))
      yield faultOf(
        'from.each.corridor',
        `from.each.corridor must list corridors such as GBP/NGN, not ${corridor}`,
      )
}

/** Addresses whose paths are decoded. */
const DECODED = /^(?:sftp:|s3:|imaps?:|file:\/\/\/)/

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
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

function* sftpFaults({ from }: Connector): Generator<Fault> {
  const url = URL.parse(from.url)
  if (!url?.username || !url.hostname || url.password !== '' || !/\/[^/]+$/.test(url.pathname))
    yield faultOf('from.url', 'from.url must be sftp://user@host/folder/*.csv')
  if ((from.password ?? from.key) === undefined)
    yield faultOf('from', 'from lacks password or key: give one')
  if (from.host_key === undefined)
    yield faultOf('from', 'from lacks host_key: give what ssh-keygen -lf prints')
}

function* bucketFaults({ from }: Connector): Generator<Fault> {
  if (!/^s3:\/\/[a-z0-9.-]+\/(.*\/)?[^/]+$/.test(from.url))
    yield faultOf('from.url', 'from.url must be s3://bucket/folder/*.csv')
  if (from.endpoint !== undefined && !URL.canParse(from.endpoint))
    yield faultOf('from.endpoint', 'from.endpoint must be an address with a host')
  if (from.access_key === undefined || from.secret_key === undefined)
    yield faultOf('from', 'from lacks access_key or secret_key: give both')
}

const prefixOf = (name: string): string => `${name.toUpperCase().replaceAll('-', '_')}_`

const namesOf = ({ from }: Connector): string[] => {
  const names = Object.keys(from.each ?? {})
  return names.includes('corridor') ? [...names, 'from', 'to'] : names
}

function* mailFaults({ from }: Connector): Generator<Fault> {
  const url = URL.parse(from.url)
  const isPlace = url !== null && /^\/.+\/[^/]+$/.test(url.pathname)
  if (!isPlace || !url.username || !url.hostname || url.password !== '')
    yield faultOf('from.url', 'from.url must be imaps://user@host/INBOX/*.csv')
  if (from.password === undefined)
    yield faultOf('from', 'from lacks password: give the name of a secret')
  if (from.sender === undefined)
    yield faultOf('from', 'from lacks sender: the address that the emails are from')
}

function* webFaults({ from }: Connector): Generator<Fault> {
  if (!URL.canParse(from.url.replace(/\{\w+\}/g, '0')))
    yield faultOf('from.url', 'from.url must be an address with a host')
}

function* nothing(): Generator<Fault> {}

const SOURCES = {
  ...{ https: webFaults, http: webFaults, file: nothing },
  ...{ sftp: sftpFaults, s3: bucketFaults, imap: mailFaults, imaps: mailFaults },
}
