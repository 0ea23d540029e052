import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadConfig } from '~/config.ts'
import type { Follower } from '~/jobs/follower.ts'
import { Memory } from '~/memory/memory.ts'
import { ConnectorService } from '~/runtime/upstream/connectors.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { createConnectorStore } from '~/store/source/connector-store.ts'
import { currency, provider } from '../support/catalogue.ts'
import { BARE_ENV, ROOT } from '../support/child.ts'
import { followerOn } from '../support/followed.ts'
import { KeptLog } from '../support/log.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'
import { serving } from '../support/serving.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'

setDefaultTimeout(TEST_MS_MAX)

const MINUTE_MS = 60_000
const START_MS = Date.parse('2026-11-24T09:05:00Z')

let database: FreshDatabase
let partner: Bun.Server<undefined>
let folder: string
let log: KeptLog
let memory: Memory
let follower: Follower
let asked = 0
let nowMs = START_MS
let answer: () => Response | Promise<Response>

beforeAll(async () => {
  database = await freshDatabase()
  partner = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => {
      asked++
      return answer()
    },
  })
  await createCatalogueStore(database).apply({
    currencies: ['GBP', 'KES'].map((code) => currency(code)),
    providers: [provider('acme')],
  })
})
afterAll(async () => {
  await partner.stop(true)
  await database.close()
})
beforeEach(async () => {
  folder = await scratchFolder()
  log = new KeptLog()
  asked = 0
  nowMs = START_MS
  await database.sql`truncate connector_state`
})

const replica = (settings: Record<string, string> = {}) => {
  const config = loadConfig({ CONNECTORS: folder, CONNECTORS_ALLOW: '127.0.0.1', ...settings })
  const clock = { now: () => nowMs }
  memory = new Memory()
  const { record, answered } = createObservationStore(database, clock)
  const { referencesAt } = createReferenceStore(database)
  const store = serving({ record, answered, referencesAt }, { memory, clock })
  follower = followerOn(database, { memory, clock })
  return new ConnectorService({ config, log, database, clock, memory, store, follower })
}

const connector = (name: string, more = '', url = partner.url.href) =>
  writeFile(
    join(folder, `${name}.yaml`),
    `name: ${name}
provider: acme
from: { url: "${url}" }
format: json
row: { from: '"GBP"', to: '"KES"', rate: rate }
terms: ours
${more}`,
  )

const quoting = (rate: number) => () => Response.json([{ rate }])
const recorded = async () => [
  ...(await database.sql`
    select recorded_via, trim_scale(rate)::text as rate from observations
    where effective_from >= ${new Date(START_MS).toISOString()} order by id`),
]
const HOURLY = 'schedule: "0 9-17 * * *"\ntime_zone: Africa/Nairobi\n'
const states = () => createConnectorStore(database).load()

test('a connector runs at the times of its schedule, on the clocks of its zone', async () => {
  await connector('hourly', HOURLY)
  await connector('by-hand')
  answer = quoting(171.5)
  const service = replica()
  await service.run()
  await service.run()
  expect(asked).toBe(1)
  nowMs = Date.parse('2026-11-24T10:00:20Z')
  answer = quoting(172.5)
  await service.run()
  expect(asked).toBe(2)
  expect([...memory.current.quotes.allQuotes()].map(({ rate }) => rate)).toContain(172.5)
  expect(memory.current.connectors).toMatchObject([{ id: 'hourly', isFailing: false }])
  expect(await recorded()).toEqual([
    { recorded_via: 'connector:hourly', rate: '171.5' },
    { recorded_via: 'connector:hourly', rate: '172.5' },
  ])
  nowMs = Date.parse('2026-11-24T19:00:20Z')
  await service.run()
  expect(asked).toBe(3)
  await service.run()
  expect(asked).toBe(3)
})

test('two replicas run it once, even if one is late', async () => {
  await connector('hourly', HOURLY)
  const { promise, resolve } = Promise.withResolvers<Response>()
  answer = () => promise
  const [one, other] = [replica(), replica()]
  const first = one.run()
  const second = other.run()
  resolve(Response.json([{ rate: 171.5 }]))
  await Promise.all([first, second])
  await other.run()
  expect(asked).toBe(1)
})

test('a failure is reported in one line, stored, and over with the next good run', async () => {
  await connector('hourly', HOURLY)
  answer = () => new Response('<html>Sorry</html>')
  await replica().run()
  expect(await states()).toMatchObject([
    { id: 'hourly', isFailing: true, fault: 'not_data', excerpt: '<html>Sorry</html>' },
  ])
  expect(log.said.filter((line) => line.includes('hourly'))).toHaveLength(1)
  nowMs += 60 * MINUTE_MS
  answer = quoting(173.5)
  await replica().run()
  expect(await states()).toMatchObject([{ isFailing: false, recorded: 1, failures: 0 }])
})

test('a source is not requested again before the time that it named', async () => {
  await connector('often', 'schedule: "* * * * *"\n')
  answer = () => new Response('', { status: 429, headers: { 'retry-after': '600' } })
  await replica().run()
  const before = asked
  nowMs += 5 * MINUTE_MS
  await replica().run()
  expect(asked).toBe(before)
  nowMs += 6 * MINUTE_MS
  answer = quoting(174.5)
  await replica().run()
  expect(asked).toBe(before + 1)
})

test('a percentage that changes is recorded: at the same time, and back to what it was', async () => {
  const terms = 'rate: rate, fee_percent: percent, effective_from: since'
  await connector('hourly', HOURLY)
  const file = join(folder, 'hourly.yaml')
  await writeFile(file, (await Bun.file(file).text()).replace('rate: rate', terms))
  const [since, later] = ['2026-11-24T09:00:00Z', '2026-11-24T10:00:00Z']
  for (const [percent, at] of [
    [1, since],
    [2, since],
    [1, later],
    [1, later],
  ] as const) {
    answer = () => Response.json([{ rate: 179.5, percent, since: at }])
    await replica().run()
    nowMs += 60 * MINUTE_MS
  }
  expect(asked).toBe(4)
  const rows = await database.sql`
    select trim_scale(fee_percent)::text as percent, effective_from as at from observations
    where rate = 179.5 order by id`
  expect(rows.map(({ percent, at }) => [percent, Date.parse(at)])).toEqual([
    ['1', Date.parse(since)],
    ['2', Date.parse(since)],
    ['1', Date.parse(later)],
  ])
})

test('a clock that was an hour ahead delays no run', async () => {
  await connector('often', 'schedule: "* * * * *"\n')
  answer = quoting(175.5)
  nowMs += 60 * MINUTE_MS
  await replica().run()
  nowMs -= 60 * MINUTE_MS
  await replica().run()
  expect(asked).toBe(2)
})

test('a run of a replica whose clock is a little ahead is not repeated', async () => {
  await connector('often', 'schedule: "* * * * *"\n')
  answer = quoting(175.6)
  nowMs += 30_000
  await replica().run()
  nowMs -= 30_000
  await replica().run()
  expect(asked).toBe(1)
})

test('a file that is not valid is logged once, and affects no other', async () => {
  await writeFile(join(folder, 'broken.yaml'), 'name: [')
  await connector('hourly', HOURLY)
  answer = quoting(176.5)
  const service = replica()
  await service.run()
  await service.run()
  expect(asked).toBe(1)
  expect(log.said.filter((line) => line.includes('broken.yaml line 1'))).toHaveLength(1)
})

test('a run that failed is repeated after a quarter of an hour, then after half an hour', async () => {
  await connector('daily', 'schedule: "0 9 * * *"\n')
  answer = () => new Response('no', { status: 404 })
  await replica().run()
  for (const [minutes, count] of [
    [14, 1],
    [15, 2],
    [44, 2],
    [45, 3],
  ] as const) {
    nowMs = START_MS + minutes * MINUTE_MS
    await replica().run()
    expect(asked).toBe(count)
  }
})

test('a file that is no longer valid counts as failing until it is corrected', async () => {
  await connector('hourly', HOURLY)
  answer = quoting(177.5)
  const service = replica()
  await service.run()
  await connector('hourly', `${HOURLY}termz: x\n`)
  await service.run()
  expect(memory.current.connectors).toMatchObject([
    {
      ...{ id: 'hourly', isFailing: true, fault: 'misconfigured', succeededMs: START_MS },
      message: expect.stringContaining('is not valid: hourly.yaml line 9, column 1: termz'),
    },
  ])
  await connector('hourly', HOURLY)
  await service.run()
  expect(memory.current.connectors).toMatchObject([{ id: 'hourly', isFailing: false }])
})

test('a connector is shown until its file is removed', async () => {
  await connector('hourly', HOURLY)
  answer = () => new Response('gone', { status: 404 })
  const service = replica()
  await service.run()
  expect(memory.current.connectors).toMatchObject([{ id: 'hourly', isFailing: true }])
  await rm(join(folder, 'hourly.yaml'))
  await service.run()
  expect(memory.current.connectors).toEqual([])
})

test('files of one name are not run, and shown as not valid', async () => {
  await connector('hourly', HOURLY)
  await writeFile(join(folder, 'copy.yml'), await Bun.file(join(folder, 'hourly.yaml')).text())
  await replica().run()
  const isNotValid = (about: string) => ({
    ...{ isFailing: true, message: expect.stringContaining(about) },
  })
  expect([asked, memory.current.connectors]).toMatchObject([
    0,
    [
      { id: 'copy', ...isNotValid('copy.yml and hourly.yaml are both called hourly') },
      { id: 'hourly', ...isNotValid('hourly.yaml and copy.yml are both called hourly') },
    ],
  ])
})

test('more offers than a provider may have fail the run, and are not requested again at once', async () => {
  await connector('hourly', HOURLY)
  const file = join(folder, 'hourly.yaml')
  const text = (await Bun.file(file).text()).replace('rate: rate', 'rate: rate, amount_min: least')
  await writeFile(file, text)
  answer = () =>
    Response.json(Array.from({ length: 201 }, (_, i) => ({ rate: 171.5, least: i + 1 })))
  const service = replica()
  await service.run()
  nowMs += MINUTE_MS
  await service.run()
  expect(asked).toBe(1)
  expect(await states()).toMatchObject([
    { isFailing: true, message: expect.stringMatching(/cannot be recorded: acme has 200 offers/) },
  ])
})

test('a provider of a connector is added to the catalogue with its first prices', async () => {
  const entry = 'catalogue: { providers: [{ id: newcomer, name: New Comer }] }\n'
  await connector('hourly', `${HOURLY}${entry}`)
  const file = join(folder, 'hourly.yaml')
  await writeFile(
    file,
    (await Bun.file(file).text()).replace('provider: acme', 'provider: newcomer'),
  )
  answer = () => new Response('[]')
  const service = replica()
  await follower.begin()
  await service.run()
  const named = async () =>
    (await createCatalogueStore(database).load()).providers.map(({ name }) => name)
  expect(await named()).not.toContain('New Comer')
  answer = quoting(178.5)
  nowMs += 60 * MINUTE_MS
  await service.run()
  expect(await named()).toContain('New Comer')
  expect(memory.current.catalogue.provider('newcomer')?.name).toBe('New Comer')
})

test('one host is requested by one connector at a time, and other hosts meanwhile', async () => {
  const open = { most: 0, now: 0 }
  const { promise: bothCame, resolve } = Promise.withResolvers<void>()
  answer = async () => {
    open.most = Math.max(open.most, ++open.now)
    if (asked >= 2) resolve()
    await bothCame
    open.now--
    return Response.json([{ rate: 171.5 }])
  }
  const EVERY = 'schedule: "* * * * *"\n'
  await connector('a', EVERY)
  await connector('b', EVERY)
  await connector('c', EVERY, partner.url.href.replace('127.0.0.1', 'localhost'))
  await replica({ CONNECTORS_ALLOW: '127.0.0.1,::1,localhost' }).run()
  expect(asked).toBe(3)
  expect(open.most).toBe(2)
})

test('a folder that is gone fails its connector, and affects no other', async () => {
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
    await connector(name, HOURLY, `file:gone-${name}/*`)
  await connector('hourly', HOURLY)
  answer = quoting(171.5)
  await replica().run()
  const failing = (await states()).filter(({ isFailing }) => isFailing)
  expect([asked, failing.length]).toEqual([1, 8])
  expect(log.said.filter((line) => line.includes('cannot be read: ENOENT'))).toHaveLength(8)
})

test('files beyond 10,000 rows are left for the next run', async () => {
  await mkdir(join(folder, 'in'))
  const rows = 'r\n'.repeat(6000)
  for (const [i, name] of ['a', 'b'].entries()) {
    const path = join(folder, 'in', name)
    await writeFile(path, `rate\n${rows.replaceAll('r', `17${i}`)}`)
    await utimes(path, START_MS / 1000 - 100 + i, START_MS / 1000 - 100 + i)
  }
  await connector('folder', 'schedule: "* * * * *"\n', 'file:in/*')
  const file = join(folder, 'folder.yaml')
  await writeFile(file, (await Bun.file(file).text()).replace('json', 'csv'))
  const service = replica()
  const files = async () => (await createConnectorStore(database).seen('folder')).files.length
  for (const count of [1, 2]) {
    await service.run()
    expect(await files()).toBe(count)
    nowMs += MINUTE_MS
  }
  expect(await states()).toMatchObject([{ rows: 6000, isFailing: false }])
})

test('an empty or broken file withholds no other, and a broken one is reported until it is mended', async () => {
  await mkdir(join(folder, 'in'))
  const wrote = async (name: string, text: string, second: number) => {
    const path = join(folder, 'in', name)
    await writeFile(path, text)
    await utimes(path, START_MS / 1000 - 100 + second, START_MS / 1000 - 100 + second)
  }
  await wrote('a', 'rate\n171\n', 0)
  await wrote('b', '', 1)
  await connector('folder', 'schedule: "* * * * *"\n', 'file:in/*')
  const file = join(folder, 'folder.yaml')
  await writeFile(file, (await Bun.file(file).text()).replace('json', 'csv'))
  const service = replica()
  const ran = async () => {
    await service.run()
    nowMs += 60 * MINUTE_MS
    return (await createConnectorStore(database).seen('folder')).files.length
  }
  expect(await ran()).toBe(1)
  expect(await ran()).toBe(1)
  expect(log.said.at(-1)).toContain('finds b empty')
  await wrote('c', 'rate\n172\n', 2)
  await wrote('d', '"rate\n', 3)
  expect(await ran()).toBe(2)
  expect(log.said.at(-1)).toContain('a quote that is not closed')
  await wrote('e', 'rate\n173\n', 4)
  expect(await ran()).toBe(3)
  const said = log.said.at(-1)!
  expect(said).toContain('a quote that is not closed')
  expect(said).toContain('that file was left out')
  expect(await states()).toMatchObject([{ rows: 1, recorded: 1, isFailing: true }])
  expect(await ran()).toBe(3)
  expect(log.said.at(-1)).toContain('nothing was recorded')
  await wrote('d', 'rate\n172.5\n', 5)
  expect(await ran()).toBe(4)
  expect(await states()).toMatchObject([{ isFailing: false }])
})

test('a file that has again what it had before the last time is read again', async () => {
  await mkdir(join(folder, 'in'))
  await connector('returning', 'schedule: "* * * * *"\n', 'file:in/*')
  const file = join(folder, 'returning.yaml')
  await writeFile(file, (await Bun.file(file).text()).replace('json', 'csv'))
  const service = replica()
  const path = join(folder, 'in', 'prices')
  for (const rate of [171, 172, 171, 171]) {
    await writeFile(path, `rate\n${rate}\n`)
    await utimes(path, nowMs / 1000 - 60, nowMs / 1000 - 60)
    await service.run()
    nowMs += 60 * MINUTE_MS
  }
  const rows = await database.sql`
    select trim_scale(rate)::text as rate from observations
    where recorded_via = 'connector:returning' order by effective_from`
  expect(rows.map(({ rate }) => rate)).toEqual(['171', '172', '171'])
})

test('a process that is killed during a request leaves nothing behind, and delays no other', async () => {
  await connector('hourly', HOURLY)
  const { promise: came, resolve } = Promise.withResolvers<void>()
  answer = () => {
    resolve()
    return new Promise(() => {})
  }
  const child = Bun.spawn(
    [process.execPath, join(ROOT, 'src/main.ts'), 'connectors', 'run', 'hourly'],
    {
      env: {
        ...{ ...BARE_ENV, DATABASE_URL: database.url, CONNECTORS: folder },
        CONNECTORS_ALLOW: '127.0.0.1',
      },
      stdout: 'ignore',
      stderr: 'ignore',
    },
  )
  await came
  const service = replica()
  await service.run()
  expect(asked).toBe(1)
  child.kill('SIGKILL')
  await child.exited
  answer = quoting(179.5)
  await until('the lock of the dead process to be free', async () => {
    await service.run()
    return asked > 1
  })
  expect(await states()).toMatchObject([{ id: 'hourly', isFailing: false, recorded: 1 }])
})
