import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { mailFolder } from '~/connector/mail.ts'
import { ARRIVED_MS, arrived as arrivedFrom, valuesOf } from '../support/connector.ts'
import { ImapServer } from '../support/imap-server.ts'
import { TEST_MS_MAX } from '../support/until.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let server: ImapServer

beforeAll(async () => {
  server = await ImapServer.start()
})
afterAll(() => server.stop())
beforeEach(() => {
  server.password = 'a password'
  server.clear()
})

const rate = (text: string) => Buffer.from(`To,Rate\nKES,${text}\n`)
const mail = (text: string, more: object = {}) =>
  server.send({ content: rate(text), atMs: ARRIVED_MS - HOUR_MS, ...more })

type Change = { url?: string; more?: string; allow?: string[]; seen?: string[] }

const arrived = ({ url, more = '', ...change }: Change = {}) =>
  arrivedFrom(
    `name: acme
provider: acme
from:
  url: ${url ?? `imap://corridor@127.0.0.1:${server.port}/INBOX/*.csv`}
  password: \${ACME_PASSWORD}
  sender: Prices@partner.example
  subject: daily rates
${more}
format: csv
charset: windows-1252
row: { to: To, rate: Rate, notes: Note }
terms: ours
`.replace(', notes: Note', more.includes('note') ? ', notes: Note' : ''),
    { ...change, env: { ACME_PASSWORD: 'a password' } },
  )

test('the attachments of a sender with a subject come by age, and once', async () => {
  mail('172')
  mail('171', { atMs: ARRIVED_MS - 2 * HOUR_MS, subject: 'Your Daily Rates for Tuesday' })
  mail('1', { from: 'prices@partner.example.evil.example' })
  mail('2', { subject: 'Hello' })
  mail('3', { name: 'logo.png' })
  mail('4', { atMs: ARRIVED_MS - 40 * DAY_MS })
  const first = await arrived()
  expect(valuesOf(first)).toEqual([
    ['prices.csv', [{ to: 'KES', rate: '171' }]],
    ['prices.csv', [{ to: 'KES', rate: '172' }]],
  ])
  expect(await arrived({ seen: first.map(({ file }) => file!) })).toEqual([])
  expect(valuesOf(await arrived({ more: '  latest: true' }))).toHaveLength(1)
})

test('an attachment is the bytes that were sent, in whatever character set', async () => {
  const content = Buffer.from('To,Rate,Note\nKES,171,F\xfcr heute\n', 'latin1')
  server.send({ content, atMs: ARRIVED_MS })
  const [[, rows]] = valuesOf(await arrived({ more: '# note' })) as [[string, object[]]]
  expect(rows).toEqual([{ to: 'KES', rate: '171', notes: 'Für heute' }])
})

test('an attachment has its own size, although an email has it a third longer', async () => {
  server.send({ content: Buffer.alloc(57 * 100), atMs: ARRIVED_MS })
  const folder = await mailFolder({
    ...{ url: new URL(`imap://127.0.0.1:${server.port}`), address: '127.0.0.1', mayBePlain: true },
    ...{ username: 'corridor', password: 'a password', mailbox: 'INBOX', subject: undefined },
    ...{ sender: 'prices@partner.example', nowMs: ARRIVED_MS, bytesMax: 57 * 100 },
    signal: AbortSignal.timeout(TEST_MS_MAX),
  })
  const [found] = await folder.list(new Bun.Glob('*'), 10)
  expect([found!.bytes, (await found!.read()).length]).toEqual([5700, 5700])
  await folder.close()
})

test('a refused password, a missing mailbox and a mailbox without such emails are named', async () => {
  await expect(arrived()).rejects.toThrow('finds no file at /INBOX/*.csv')
  const other = `imap://corridor@127.0.0.1:${server.port}/Prices/*.csv`
  await expect(arrived({ url: other })).rejects.toThrow('has no mailbox of that name')
  server.password = 'changed'
  await expect(arrived()).rejects.toThrow('refused the user or the password')
})

test('a private host is contacted only if a setting names it', async () => {
  await expect(arrived({ allow: [] })).rejects.toThrow('is not on the public internet')
})

test('a password is not sent to a server that shows no certificate of its host', async () => {
  await expect(
    arrived({ url: `imaps://corridor@127.0.0.1:${server.port}/INBOX/*.csv` }),
  ).rejects.toThrow(/TLS|could not be reached/)
})
