import { describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readConnector } from '~/connector/definition.ts'
import { documentOf } from '~/connector/document.ts'
import { expressionOf } from '~/connector/expression.ts'

const SHIPPED = join(import.meta.dir, '../../ops/connectors')
const WHOLE = `name: acme
provider: acme
from:
  url: https://partner.example/quotes?from={from}
  headers: { Authorization: "Bearer \${ACME_TOKEN}" }
  each: { corridor: [GBP/NGN] }
format: json
row:
  rate: rate
terms: ours
`
const faultsOf = (text: string) => readConnector(text).faults

describe('a connector file', () => {
  test('is read if nothing is wrong with it', () => {
    const { connector, faults } = readConnector(WHOLE)
    expect(faults).toEqual([])
    expect(connector).toMatchObject({ name: 'acme', row: { rate: 'rate' } })
  })

  const wrong: [what: string, text: string, fault: RegExp][] = [
    ['no YAML', 'name: [acme\nrow: 1', /^line 2, column 1: /],
    ['a misspelt member', WHOLE.replace('terms', 'term'), /line 10, column 1: term is not a known/],
    [
      'a member that is no price',
      WHOLE.replace('  rate:', '  price:'),
      /line 9, column 3: row.price/,
    ],
    ['a format that is not read', WHOLE.replace('json', 'pdf'), /line 7, column 1: format must be/],
    [
      'no JSONata',
      WHOLE.replace('rate: rate', 'rate: (a'),
      /line 9, column 3: row.rate is not JSONata/,
    ],
    [
      'a secret of others',
      WHOLE.replace('ACME_', 'AWS_'),
      /line 5, column 14: \$\{AWS_TOKEN\} must/,
    ],
    ['a name without values', WHOLE.replace('{from}', '{sum}'), /line 4, column 3: from.url names/],
    ['no corridor', WHOLE.replace('GBP/NGN', 'GBPNGN'), /line 6, column 11: .* not GBPNGN/],
    [
      'a scheme that is a name of every object',
      WHOLE.replace('https:', 'constructor:'),
      /line 4, column 3: from.url must begin/,
    ],
    ['another scheme', WHOLE.replace('https:', 'gopher:'), /line 4, column 3: from.url must begin/],
    [
      'a bucket without a key',
      WHOLE.replace(/https:[^\n]*/, 's3://prices/*.csv').replace(/ {2}each.*\n/, ''),
      /line 3, column 1: from lacks access_key or secret_key/,
    ],
    [
      'a port that there is not',
      WHOLE.replace('.example', '.example:99999'),
      /line 4, column 3: from.url must be an address with a host/,
    ],
    [
      'an endpoint without a host',
      WHOLE.replace(/https:[^\n]*/, 's3://prices/*.csv\n  endpoint: https://'),
      /line 5, column 3: from.endpoint must be an address/,
    ],
    [
      'a percent sign alone',
      WHOLE.replace(/https:[^\n]*/, 's3://prices/100%.csv'),
      /line 4, column 3: from.url must have %25 for a percent sign/,
    ],
    ['no schedule', `${WHOLE}schedule: daily at 9\n`, /line 11, column 1: schedule must be a cron/],
    ['no duration', `${WHOLE}repeat: often\n`, /line 11, column 1: repeat must be a duration/],
    ['a sheet of no workbook', `${WHOLE}sheet: Prices\n`, /line 11, column 1: sheet is for format/],
    ['no zone', `${WHOLE}time_zone: Lagos\n`, /line 11, column 1: time_zone must be/],
    ['no provider', WHOLE.replace('provider: acme\n', ''), /line 7, column 1: provider is missing/],
    [
      'one sign for thousands and decimals',
      `${WHOLE}numbers: { decimal: ",", group: "," }\n`,
      /line 11, column 1: numbers.group must be another sign/,
    ],
    ['a key twice', `${WHOLE}name: other\n`, /line 11, column 1: /],
    ['a megabyte', `${WHOLE}#${'x'.repeat(1_000_000)}`, /more than 65536 characters/],
  ]
  for (const [what, text, fault] of wrong)
    test(`is refused for ${what}, in its line and column`, () => {
      expect(faultsOf(text).join('\n')).toMatch(fault)
    })

  test('of an SFTP server is refused without a secret and a host key, or with a plain password', () => {
    const url = 'sftp://corridor@sftp.partner.example/out/*.csv'
    const sftp = WHOLE.replace(/ {2}url[\s\S]*?\nformat/, `  url: ${url}\nformat`)
    expect(faultsOf(sftp)).toEqual([
      'line 3, column 1: from lacks password or key: give one',
      'line 3, column 1: from lacks host_key: give what ssh-keygen -lf prints',
    ])
    const login = (text: string) => faultsOf(sftp.replace(url, `${url}\n  ${text}`)).join()
    expect(login('password: secret')).toContain('line 5, column 3: from.password must name')
    expect(login(`key: \${AWS_KEY}`)).toContain('AWS_KEY} must start with ACME_')
    expect(login('host_key: SHA1:abc')).toContain('from.host_key must be SHA256:')
  })

  test('of a mailbox is refused without a password and a sender, or without a folder', () => {
    const url = 'imaps://prices@mail.example/*.csv'
    const mail = WHOLE.replace(/ {2}url[\s\S]*?\nformat/, `  url: ${url}\nformat`)
    expect(faultsOf(mail)).toEqual([
      'line 4, column 3: from.url must be imaps://user@host/INBOX/*.csv',
      'line 3, column 1: from lacks password: give the name of a secret',
      'line 3, column 1: from lacks sender: the address that the emails are from',
    ])
  })

  test('does not repeat a secret in it', () => {
    const url = 'sftp://corridor@sftp.partner.example/out/*.csv'
    const sftp = WHOLE.replace(
      / {2}url[\s\S]*?\nformat/,
      `  url: ${url}\n  password: hunter2\nformat`,
    )
    expect(faultsOf(sftp).join()).toContain('from.password must name an environment variable')
    expect(faultsOf(sftp).join()).not.toContain('hunter2')
  })

  test('says where its entries of the catalogue are wrong', () => {
    const lines = 'catalogue:\n  providers:\n    - id: acme\n      nam: Acme\n'
    expect(faultsOf(`${WHOLE}${lines}`)).toEqual([
      expect.stringContaining(
        'line 12, column 3: catalogue.providers[0].name is missing: it must be',
      ),
      'line 14, column 7: catalogue.providers[0].nam is not a known field',
    ])
  })

  test('is refused if its aliases multiply', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x]']
    for (const [one, next] of ['ab', 'bc', 'cd', 'de', 'ef'].map((pair) => [...pair]))
      bomb.push(`${next}: &${next} [${`*${one}, `.repeat(8)}]`)
    expect(faultsOf(bomb.join('\n'))).toEqual(['repeats its parts by more than 20 aliases'])
  })

  for (const name of [
    'wise-comparison',
    'published-sheet',
    'csv-folder',
    'excel-folder',
    'sftp-semicolons',
    'world-bank-survey',
  ])
    test(`is valid as it is shipped: ${name}`, async () => {
      expect(faultsOf(await readFile(join(SHIPPED, `${name}.yaml`), 'utf8'))).toEqual([])
    })
})

describe('an expression', () => {
  test('that never ends is ended', async () => {
    const endless = expressionOf('( $f := function($n) { $f($n + 1) + 1 }; $f(1) )')
    expect(endless.valueIn({})).rejects.toThrow('failed: ')
  })

  test('names the columns that it reads', () => {
    expect(expressionOf('$number(Rate) * (ask.amount > 1 ? `Pay out` : 1)').columns).toEqual([
      'Rate',
      'ask',
      'Pay out',
    ])
  })
})

test('the comparison of Wise gives a row for each quote, with its provider', async () => {
  const text = await readFile(join(SHIPPED, 'wise-comparison.yaml'), 'utf8')
  const { connector } = readConnector(text)
  const recorded = await readFile(join(import.meta.dir, 'recordings/wise-comparison.json'))
  const { value } = await documentOf(recorded, connector!)
  const rows = (await expressionOf(connector!.rows!).valueIn(value)) as { alias: string }[]
  expect(rows[0]).toMatchObject({ alias: 'wise', rate: 1.15989, fee: 37.12 })
  expect(rows[1]).toMatchObject({ alias: 'barclays' })
})
