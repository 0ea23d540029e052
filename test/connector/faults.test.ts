import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unzipSync, zipSync } from 'fflate'
import { loadConfig } from '~/config.ts'
import { systemPace } from '~/feed/fetcher.ts'
import { Memory } from '~/memory/memory.ts'
import { ConnectorService } from '~/runtime/upstream/connectors.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { connectorMetrics } from '~/telemetry/memory-metrics.ts'
import { currency, provider } from '../support/catalogue.ts'
import { KeptLog } from '../support/log.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'
import { serving } from '../support/serving.ts'
import { TEST_MS_MAX } from '../support/until.ts'
import { BucketWay, FolderWay, HttpWay, MailWay, SECRETS, SftpWay, type Way } from './ways.ts'

setDefaultTimeout(TEST_MS_MAX)

const MINUTE_MS = 60_000
const READ_MS_MAX = 20_000
let nowMs = Date.parse('2026-11-24T09:05:00Z')
const clock = { now: () => nowMs }

const http = new HttpWay()
const bucket = new BucketWay()
let sftp: SftpWay
const ways = {} as Record<'http' | 'file' | 'sftp' | 's3' | 'imap', Way>
let database: FreshDatabase
let folder: string
let log: KeptLog
let memory: Memory

beforeAll(async () => {
  database = await freshDatabase()
  await createCatalogueStore(database).apply({
    currencies: ['GBP', 'KES'].map((code) => currency(code)),
    providers: [provider('acme')],
  })
  sftp = await SftpWay.start()
  const [file, imap] = await Promise.all([FolderWay.start(), MailWay.start()])
  Object.assign(ways, { http, file, sftp, s3: bucket, imap })
})
afterAll(async () => {
  for (const way of Object.values(ways)) await way.stop()
  await database.close()
})
beforeEach(async () => {
  folder = await scratchFolder()
  log = new KeptLog()
  memory = new Memory()
  nowMs += 24 * 60 * MINUTE_MS
  http.reply = null
  const rates = Object.entries({ GBP: '0.75', KES: '129' })
  await createReferenceStore(database).append({
    ...{ source: 'test', fetchedMs: nowMs },
    rates: rates.map(([currency, perUsd]) => ({ currency, perUsd })),
  })
  await database.sql`truncate connector_state`
})

/** Says whether long reads are cut short. */
let isHasty = false
const pace = {
  ...systemPace,
  sleep: async () => {},
  deadline: (ms: number) => AbortSignal.timeout(isHasty && ms === READ_MS_MAX ? 500 : ms),
}

/** Asks a host over http, whatever its name, at the addresses that were checked. */
function connect(request: Parameters<typeof systemPace.connect>[0]) {
  const url = new URL(request.url)
  const headers = { ...request.headers, host: url.host }
  Object.assign(url, { protocol: 'http:', hostname: request.addresses[0]! })
  return systemPace.connect({ ...request, url, headers })
}

function service(addressesOf = systemPace.addressesOf): ConnectorService {
  const config = loadConfig({ CONNECTORS: folder, CONNECTORS_ALLOW: '127.0.0.1' })
  const { record, answered } = createObservationStore(database, clock)
  const { referencesAt } = createReferenceStore(database)
  const store = serving({ record, answered, referencesAt }, { memory, clock })
  const follower = { caughtUp: async () => {} }
  const parts = { config, log, database, clock, memory, store, follower, env: SECRETS }
  return new ConnectorService({ ...parts, pace: { ...pace, connect, addressesOf } })
}

const FORM = `format: csv
row: { to: To, rate: Rate, effective_from: Date, from: '"GBP"' }
time_zone: UTC
`
const connector = (from: string, form = FORM) =>
  writeFile(
    join(folder, 'acme.yaml'),
    `name: acme\nprovider: acme\nfrom: ${from}\n${form}terms: ours\nschedule: "* * * * *"\n`,
  )

/** The prices of the current day that are recorded. */
const recorded = () => database.sql`
  select trim_scale(rate)::text as rate from observations
  where effective_from >= ${new Date(nowMs - 4 * 60 * MINUTE_MS).toISOString()}`

const date = () => new Date(nowMs - 60 * MINUTE_MS).toISOString()
const table = (...rates: string[]) =>
  `To,Rate,Date\n${rates.map((rate) => `KES,${rate},${date()}\n`).join('')}`
const at = (bytes: string | Uint8Array) => ({ bytes: Buffer.from(bytes), atMs: nowMs - MINUTE_MS })

async function expectFault(run: ConnectorService, said: string): Promise<void> {
  const before = log.lines.length
  await run.run()
  const lines = log.said.slice(before)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain(said)
  expect(await recorded()).toHaveLength(0)
  expect(memory.current.connectors).toMatchObject([{ id: 'acme', isFailing: true }])
  const [failing] = connectorMetrics(memory, clock)
  expect([...(failing!.read() as Iterable<unknown>)]).toEqual([[{ connector: 'acme' }, 1]])
}

/** Expects that after the error a good file or response is recorded in full, and once. */
async function expectWhole(run: ConnectorService, way: Way): Promise<void> {
  nowMs += 7 * 60 * MINUTE_MS
  await connector(way.from())
  await way.deliver(at(table('171.5')))
  await run.run()
  expect(log.said.at(-1)).toBe('info: connector acme works again')
  nowMs += MINUTE_MS
  await run.run()
  expect([...(await recorded())]).toEqual([{ rate: '171.5' }])
}

const workbook = await readFile(join(import.meta.dir, 'recordings/libreoffice-prices.xlsx'))
const bomb = zipSync({
  ...unzipSync(workbook),
  'xl/worksheets/sheet2.xml': new Uint8Array(17 * 2 ** 20),
})
const JSON_FORM = FORM.replace('csv', 'json').replace('To', 'to').replace('Rate', 'rate')
const ENDLESS = FORM.replace('rate: Rate', 'rate: \'$length($pad("x", 400000000))\'')

type Content = [what: string, content: () => string | Uint8Array, said: string, form?: string]

const contents: Content[] = [
  ['is cut off', () => '[{"to": "KES", "ra', 'did not return complete JSON', JSON_FORM],
  ['is an error page', () => '<html>Sorry, come back later</html>', 'returned a web page'],
  ['has a moved column', () => 'To,Price,Date\nKES,171.5,\n', 'has no column Rate in its header'],
  ['names a column twice', () => 'To,Rate,Rate,Date\n', 'names "Rate" twice'],
  [
    'has another decimal separator',
    () => `To;Rate;Date\nKES;171,5;${date()}\n`,
    'had 1 of its 1 rows refused',
  ],
  ['has a comma between thousands', () => table('"1,715"'), 'had 1 of its 1 rows refused'],
  [
    'has a date that could be two',
    () => 'To,Rate,Date\nKES,171.5,03/04/2026\n',
    'had 1 of its 1 rows refused',
  ],
  ['has hundredfold values', () => table('17150'), 'had 1 of its 1 rows refused'],
  ['has zeros alone', () => table('0', '0'), 'had 2 of its 2 rows refused'],
  ['has 10,001 rows', () => `To,Rate,Date\n${'KES,1,\n'.repeat(10_001)}`, 'more than 10000 rows'],
  ['is a zip bomb', () => bomb, 'unpacks to more than 16 MiB', FORM.replace('csv', 'xlsx')],
  ['meets an expression that never ends', () => table('171.5'), 'longer than 20 s', ENDLESS],
  ['is longer than 8 MiB', () => 'x'.repeat(9 * 2 ** 20), 'MiB'],
]

for (const name of ['http', 'file', 'sftp', 's3', 'imap'] as const)
  describe(`what comes by ${name}`, () => {
    for (const [what, content, said, form = FORM] of contents)
      test(`and ${what} records nothing, and is reported in one line`, async () => {
        const way = ways[name]
        await connector(way.from(), form)
        await way.deliver(at(content()))
        const run = service()
        isHasty = form === ENDLESS
        const expected = name === 'http' && said === 'MiB' ? 'more than 8192 KiB' : said
        await expectFault(run, expected).finally(() => {
          isHasty = false
        })
        await expectWhole(run, way)
      })

    test('a second time is recorded once', async () => {
      const way = ways[name]
      await connector(way.from())
      const run = service()
      const text = table('171.5')
      for (const bytes of [text, text]) {
        await way.deliver(at(bytes))
        nowMs += MINUTE_MS
        await run.run()
      }
      expect(await recorded()).toHaveLength(1)
    })

    test('and was recorded by a run that was killed before it remembered is recorded once', async () => {
      const way = ways[name]
      await connector(way.from())
      await way.deliver(at(table('171.5', '171.75')))
      await service().run()
      await database.sql`truncate connector_state`
      nowMs += MINUTE_MS
      await service().run()
      expect(await recorded()).toHaveLength(2)
      expect(memory.current.connectors).toMatchObject([{ id: 'acme', isFailing: false, rows: 2 }])
    })
  })

describe('a source that refuses', () => {
  const refusals: [name: keyof typeof ways, said: string][] = [
    ['http', 'returned 401'],
    ['sftp', 'refused the user, the password or the key'],
    ['s3', 'returned 403 (ExpiredToken)'],
    ['imap', 'refused the user or the password'],
  ]
  for (const [name, said] of refusals)
    test(`by ${name} records nothing until it lets us in again`, async () => {
      const way = ways[name]
      await connector(way.from())
      await way.deliver(at(table('171.5')))
      const run = service()
      way.deny(true)
      await expectFault(run, said).finally(() => way.deny(false))
      await expectWhole(run, way)
    })

  const answers: [what: string, reply: () => Response, said: string][] = [
    ['with 403', () => new Response('no', { status: 403 }), 'returned 403'],
    [
      'with 429',
      () => new Response('', { status: 429, headers: { 'retry-after': '600' } }),
      'returned 429, retry after 600 s',
    ],
    ['with half a packed answer', halfPacked, 'cannot be unpacked'],
    ['by never ending', endless, 'returned more than 8192 KiB'],
    [
      'by a redirect to the metadata of a cloud',
      () => Response.redirect('http://169.254.169.254/latest', 302),
      'redirects to an address in a private network',
    ],
  ]
  for (const [what, reply, said] of answers)
    test(`${what} records nothing`, async () => {
      await connector(http.from())
      http.reply = reply
      const run = service()
      await expectFault(run, said)
      http.reply = null
      await expectWhole(run, http)
    })

  test('for a while, such as a bucket with too many requests, is left alone for that time', async () => {
    await connector(bucket.from())
    bucket.server.refusal = ['SlowDown', 503]
    const run = service()
    await expectFault(run, 'returned 503 (SlowDown), retry after 120 s')
    const asked = bucket.server.asked.length
    nowMs += MINUTE_MS
    await run.run()
    expect(bucket.server.asked).toHaveLength(asked)
    bucket.server.refusal = null
    await expectWhole(run, bucket)
  })

  test('with another host key is not read', async () => {
    await sftp.deliver(at(table('171.5')))
    sftp.hostKey = `SHA256:${'A'.repeat(43)}`
    await connector(sftp.from())
    const run = service()
    await expectFault(run, 'shows another host key than from.host_key')
    sftp.hostKey = null
    await expectWhole(run, sftp)
  })

  for (const name of ['http', 's3', 'sftp', 'imap'] as const)
    test(`a host that leads elsewhere the second time is not asked by ${name}`, async () => {
      const way = ways[name]
      await way.deliver(at(table('171.5')))
      const named = way.from().replace('127.0.0.1', 'prices.partner.example')
      await connector(named.replace('http:', 'https:'))
      let leadsTo = '127.0.0.1'
      const run = service(async () => [leadsTo])
      await run.run()
      expect(log.said.at(-1)).toBe('info: connector acme ran')
      leadsTo = '169.254.169.254'
      nowMs += MINUTE_MS
      await run.run()
      expect(log.said.at(-1)).toMatch(/not on the public internet|address in a private network/)
    })
})

for (const name of ['file', 'sftp'] as const)
  test(`a file that is still being written, by ${name}, is read a minute later`, async () => {
    const way = ways[name]
    await connector(way.from())
    await way.deliver({ bytes: Buffer.from(table('171.5').slice(0, 20)), atMs: nowMs })
    const run = service()
    await expectFault(run, 'finds prices still being written')
    await way.deliver({ bytes: Buffer.from(table('171.5')), atMs: nowMs })
    nowMs += 61_000
    await run.run()
    expect([...(await recorded())]).toEqual([{ rate: '171.5' }])
  })

const halfPacked = (): Response =>
  new Response(Bun.gzipSync(Buffer.from(table('171.5'))).subarray(0, 30), {
    headers: { 'content-encoding': 'gzip' },
  })

function endless(): Response {
  const chunk = new Uint8Array(64 * 1024).fill(120)
  return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }))
}
