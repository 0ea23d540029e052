import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { cp, mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { currency, provider } from '../support/catalogue.ts'
import { corridorWith } from '../support/command.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'
import { SftpServer } from '../support/sftp-server.ts'
import { TEST_MS_MAX } from '../support/until.ts'

setDefaultTimeout(TEST_MS_MAX)

const SHIPPED = join(import.meta.dir, '../../ops/connectors')
const RECORDINGS = join(import.meta.dir, 'recordings')
const PER_USD = {
  GBP: '0.75',
  EUR: '0.87',
  KES: '129',
  NGN: '1490',
  UGX: '3610',
  TZS: '2550',
  RWF: '1450',
}
/** Days of the survey that have mids. */
const SURVEYED = ['2025-08-19', '2025-08-22', '2025-08-25']
const PROVIDERS = ['acme', 'wise', 'barclays', 'nationwide', 'moneygram', 'western-union']

let database: FreshDatabase
let sftp: SftpServer
let folder: string
let asked: string[]
let recording = ''
const partner = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    asked.push(new URL(request.url).search)
    return new Response(Bun.file(join(RECORDINGS, recording)))
  },
})

beforeAll(async () => {
  database = await freshDatabase()
  await createCatalogueStore(database).apply({
    currencies: ['USD', ...Object.keys(PER_USD)].map((code) => currency(code)),
    providers: PROVIDERS.map((id) => provider(id)),
  })
  const rates = Object.entries(PER_USD).map(([currency, perUsd]) => ({ currency, perUsd }))
  const { append } = createReferenceStore(database)
  for (const day of SURVEYED)
    await append({ source: 'test', fetchedMs: Date.parse(`${day}T01:00:00Z`), rates })
  await append({ source: 'test', fetchedMs: Date.now(), rates })
  sftp = await SftpServer.start()
})
afterAll(async () => {
  sftp.stop()
  await partner.stop(true)
  await database.close()
})
beforeEach(async () => {
  folder = await scratchFolder()
  asked = []
})

/** Puts a recorded file where the connector of a folder finds it. */
async function arrive(name: string, path: string): Promise<void> {
  const to = join(folder, path)
  await mkdir(join(to, '..'), { recursive: true })
  await cp(join(RECORDINGS, name), to)
  await utimes(to, 1_795_000_000, 1_795_000_000)
}

type Shown = {
  readonly rows: { readonly values: object; readonly change: string }[]
  readonly refused: string[]
}

/** The dry run of a connector as it is shipped, with some of its lines changed. */
async function dryRun(name: string, edits: readonly [from: string | RegExp, to: string][] = []) {
  const shipped = await readFile(join(SHIPPED, `${name}.yaml`), 'utf8')
  const text = edits.reduce((text, [from, to]) => text.replace(from, to), shipped)
  await writeFile(join(folder, `${name}.yaml`), text)
  const env = {
    ...{ DATABASE_URL: database.url, CONNECTORS: folder, CONNECTORS_ALLOW: '127.0.0.1' },
    SFTP_SEMICOLONS_PASSWORD: 'a password',
  }
  const { stdout, said } = await corridorWith(env, [
    ...['connectors', 'run', name, '--dry-run', '--json'],
  ])
  expect(said.filter((line) => !line.includes('refused, more than a quarter'))).toEqual([])
  const { rows, refused }: Shown = JSON.parse(stdout)
  const flat: object[] = rows.map(({ values, change }) => ({ ...values, change }))
  return { rows: flat, refused }
}

test("Wise's comparison gives a row for each quote of each provider", async () => {
  recording = 'wise-comparison-2026.json'
  const { rows, refused } = await dryRun('wise-comparison', [
    ['https://api.wise.com', partner.url.origin],
    [/corridor: \[.*?\]/, 'corridor: [GBP/EUR]'],
  ])
  expect(asked).toEqual(['?sourceCurrency=GBP&targetCurrency=EUR&sendAmount=200'])
  expect(refused).toEqual([])
  const row = { from: 'GBP', to: 'EUR', source_country: '', target_country: '', change: 'new' }
  expect(rows).toEqual([
    {
      ...{ ...row, provider_id: 'wise', rate: '1.16782', fee: '3.81' },
      effective_from: '2026-08-26T10:59:08Z',
    },
    {
      ...{ ...row, provider_id: 'barclays', rate: '1.13594', fee: '0' },
      effective_from: '2026-08-25T13:13:00Z',
    },
    expect.objectContaining({ provider_id: 'nationwide', change: 'new' }),
  ])
})

const SEMICOLONS = [
  { from: 'GBP', to: 'KES', rate: '171.50', fee: '1.10', at: '2026-11-19T23:00:00.000Z' },
  { from: 'GBP', to: 'NGN', rate: '1984.25', fee: '', at: '2026-11-19T23:00:00.000Z' },
  { from: 'GBP', to: 'UGX', rate: '4812.75', fee: '0.99', at: '2026-11-18T23:00:00.000Z' },
].map(({ at, ...row }) => ({ ...row, effective_from: at, change: 'new' }))

test('a folder of CSV files with semicolons, as LibreOffice writes them', async () => {
  await arrive('libreoffice-semicolons.csv', 'incoming/today.csv')
  expect(await dryRun('csv-folder')).toEqual({ rows: SEMICOLONS, refused: [] })
})

test('an SFTP server with such files', async () => {
  const text = await readFile(join(RECORDINGS, 'libreoffice-semicolons.csv'), 'utf8')
  sftp.files.set('today.csv', { text, atMs: 1_795_000_000_000 })
  const found = await dryRun('sftp-semicolons', [
    ['sftp.partner.example/outgoing', `127.0.0.1:${sftp.port}/out`],
    [/SHA256:\S+/, sftp.fingerprint],
  ])
  expect(found).toEqual({ rows: SEMICOLONS, refused: [] })
})

test('a sheet that is published as CSV', async () => {
  recording = 'published-sheet.csv'
  const { rows, refused } = await dryRun('published-sheet', [[/https:\S+/, partner.url.href]])
  expect(refused).toEqual([])
  expect(rows).toEqual([
    { from: 'GBP', to: 'KES', rate: '171.5', fee: '1.99', change: 'new' },
    { from: 'GBP', to: 'NGN', rate: '1984.25', fee: '', change: 'new' },
  ])
})

/** The times of the workbooks, on the clocks of Lagos. */
const MIDNIGHT = { effective_from: '2026-11-19T23:00:00.000Z', change: 'new' }
const MORNING = { effective_from: '2026-11-20T08:30:00.000Z', change: 'new' }

test('a folder of Excel files, as LibreOffice writes them', async () => {
  await arrive('libreoffice-prices.xlsx', 'incoming/today.xlsx')
  expect(await dryRun('excel-folder')).toEqual({
    rows: [
      { from: 'GBP', to: 'KES', rate: '171.5', fee: '1.1', ...MIDNIGHT },
      { from: 'GBP', to: 'NGN', rate: '1984.25', fee: '', ...MORNING },
    ],
    refused: [],
  })
})

test('an Excel file with text for numbers, titles above and a formula', async () => {
  await arrive('libreoffice-local.xlsx', 'incoming/today.xlsx')
  const found = await dryRun('excel-folder', [
    ['sheet: Prices', 'sheet: Kurse'],
    ['from: From', `from: '"GBP"'`],
    ['to: To', 'to: Nach'],
    ['rate: Rate', 'rate: Kurs'],
    ['fee: Fee', 'fee: Gebühr'],
    ['effective_from: Date', 'effective_from: "`Gültig ab`"'],
    ['evidence', 'numbers: { decimal: ",", group: "." }\ndates: { format: dd/MM/yyyy }\nevidence'],
  ])
  expect(found).toEqual({
    rows: [
      { from: 'GBP', to: 'KES', rate: '171.50', fee: '1.1', ...MIDNIGHT },
      { from: 'GBP', to: 'NGN', rate: '1984.25', fee: '', ...MORNING },
      { from: 'GBP', to: 'UGX', rate: '4812.75', fee: '0.99', ...MORNING },
    ],
    refused: [],
  })
})

test("the World Bank's survey, with its inverted rates refused", async () => {
  await arrive('world-bank-survey.xlsx', 'survey/q.xlsx')
  const { rows, refused } = await dryRun('world-bank-survey')
  expect(rows).toHaveLength(28)
  const kept = rows.filter((row) => !('change' in row) || row.change !== 'refused')
  expect(kept).toHaveLength(7)
  expect(kept[0]).toEqual({
    ...{ provider_id: 'moneygram', from: 'RWF', to: 'KES', rate: '0.0862', fee: '5000' },
    ...{ amount_min: '150000', amount_max: '150000', change: 'new' },
    effective_from: '2025-08-22T00:00:00.000Z',
  })
  const said = refused.join('\n')
  expect(said).toContain('row 1 (q.xlsx): effective_from must not be more than 5 years back')
  expect(said).toContain('"kcb-kenya-commercial-bank" is not an active id of /providers')
  expect(said).toMatch(/rate 121.852 is .* times the mid of its day/)
})
