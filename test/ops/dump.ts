import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '~/runtime/listener.ts'
import { connect } from '~/store/database.ts'
import { command, serve } from '../bench/process.ts'
import { preferMemory } from '../support/scratch.ts'
import { until } from '../support/until.ts'

/**
 * `pg_dump` and `pg_restore` on a server of the machine's own PostgreSQL: whether a service on the
 * restored database responds as before, and the restored rows are protected as before.
 */
const [postgres] = [...new Bun.Glob('/usr/lib/postgresql/*/bin/postgres').scanSync('/')]
  .sort()
  .reverse()
if (!postgres) {
  console.log('there is no PostgreSQL server here to try pg_dump on: apt-get install postgresql')
  console.log('0 passed, 1 failed')
  process.exit(1)
}
const bin = (name: string) => join(postgres, '..', name)
await preferMemory()
const DAY_MS = 86_400_000
const home = await mkdtemp(join(tmpdir(), 'corridor-dump-'))
await chmod(home, 0o777)
const data = join(home, 'data')
const dump = join(home, 'corridor.dump')
const port = freePort('127.0.0.1')
const urlOf = (name: string) => `postgres://corridor@127.0.0.1:${port}/${name}`
const READS = [
  '/rates?from=USD&to=KES',
  '/corridors',
  '/currencies',
  '/providers',
  '/rates/history?from=USD&to=KES&period=90d&limit=100',
  `/historical?from=USD&to=KES&date=${new Date(Date.now() - 80 * DAY_MS).toISOString().slice(0, 10)}`,
  '/time-series?from=USD&to=KES&interval=P1D&period=90d',
  '/change?from=USD&to=KES&period=30d',
]

const outcomes: [string, boolean][] = []
try {
  await run([bin('initdb'), '-D', data, '-U', 'corridor', '-A', 'trust', '-E', 'UTF8', '--no-sync'])
  const options = `-p ${port} -k ${home} -c listen_addresses=127.0.0.1 -c fsync=off`
  await run([bin('pg_ctl'), '-D', data, '-w', '-l', join(home, 'log'), '-o', options, 'start'])
  try {
    await tried()
  } finally {
    await run([bin('pg_ctl'), '-D', data, '-m', 'immediate', 'stop'])
  }
} finally {
  await rm(home, { recursive: true, force: true })
}
for (const [what, isRight] of outcomes) console.log(`${isRight ? 'right' : 'WRONG'}: ${what}`)
const failed = outcomes.filter(([, isRight]) => !isRight).length
console.log(`${outcomes.length - failed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

async function tried(): Promise<void> {
  const admin = connect(urlOf('postgres'), { connectionsMax: 1 })
  await admin`create database before`
  await admin`create database after`
  await admin.end()
  const key = await filled({ DATABASE_URL: urlOf('before') })
  const asRows = await answers(urlOf('before'), key)
  const moved = await archivedOnceSealed()
  outcomes.push([`${moved} observations are archived`, moved > 400])
  await run([bin('pg_dump'), '-Fc', '-f', dump, urlOf('before')])
  await run([bin('pg_restore'), '--exit-on-error', '-d', urlOf('after'), dump])
  const isSame = (await isAnsweredAlike(key)) || (await isAnsweredAlike(key))
  outcomes.push([`${READS.length} answers are the same, byte for byte`, isSame])
  const isArchived = (await blocks()) > 0 && (await answers(urlOf('after'), key)) === asRows
  outcomes.push(['they are those of rows, from blocks that were restored', isArchived])
  const settings = { DATABASE_URL: urlOf('after') }
  const migrated = JSON.parse(await command(['migrate', '--json'], settings))
  outcomes.push(['the restored schema is current', migrated.applied === 0])
  const verified = JSON.parse(await command(['rollups', 'verify', '--json'], settings))
  outcomes.push(['its roll-ups are right', verified.corridors > 0 && verified.differences === 0])
  outcomes.push(['it refuses to delete observations', await isRefused('delete from observations')])
  const { restored } = JSON.parse(await archived('after', '--undo'))
  outcomes.push(['what was archived becomes rows again', restored === moved])
}

/**
 * Archives all possible months, or with `--undo` restores them, and returns the command's output.
 */
function archived(name: string, ...more: string[]): Promise<string> {
  const settings = { DATABASE_URL: urlOf(name) }
  return command(['observations', 'archive', '--older-than', '1m', '--json', ...more], settings)
}

/**
 * Archives the months while a service seals them in the log; returns the number of observations
 * moved.
 */
async function archivedOnceSealed(): Promise<number> {
  const service = await serve({ DATABASE_URL: urlOf('before') })
  let moved = 0
  try {
    await until('the log has sealed all months', async () => {
      const { observations, unsealed } = JSON.parse(await archived('before'))
      moved += observations
      return unsealed === 0
    })
  } finally {
    await service.stop()
  }
  return moved
}

/** The number of blocks in the restored database. */
async function blocks(): Promise<number> {
  const sql = connect(urlOf('after'), { connectionsMax: 1 })
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from observation_blocks`
  await sql.end()
  return row.count
}

/** Responses differ when the hour turns in between: a second try decides. */
async function isAnsweredAlike(key: string): Promise<boolean> {
  return (await answers(urlOf('before'), key)) === (await answers(urlOf('after'), key))
}

async function isRefused(statement: string): Promise<boolean> {
  const sql = connect(urlOf('after'), { connectionsMax: 1 })
  const isDone = await sql.unsafe(statement).then(
    () => true,
    () => false,
  )
  await sql.end()
  return !isDone
}

/** Fills a database by the commands of an operator; returns an account's key. */
async function filled(settings: Record<string, string>): Promise<string> {
  const catalogue = join(home, 'catalogue.json')
  const currency = (code: string) => ({ code, name: `Currency ${code}` })
  const providers = ['one', 'two'].map((id) => ({ id, name: `Provider ${id}` }))
  await writeFile(
    catalogue,
    JSON.stringify({ currencies: ['USD', 'KES'].map(currency), providers }),
  )
  await command(['catalogue', 'apply', catalogue], settings)
  const sql = connect(settings.DATABASE_URL!, { connectionsMax: 1 })
  await sql`select make_earlier_months(now() - interval '160 days')`
  await sql.end()
  const quotes = join(home, 'quotes.csv')
  const rows = Array.from({ length: 1200 }, (_, i) => {
    const at = new Date(Date.now() - (i + 1) * 3 * 3_600_000).toISOString()
    return `${i % 2 ? 'one' : 'two'},USD,KES,${120 + (i % 17)}.5,${at}`
  })
  await writeFile(quotes, `provider_id,from,to,rate,effective_from\n${rows.join('\n')}\n`)
  await command(['observations', 'import', quotes], settings)
  const account = ['account', 'create', '--email', 'a@example.com', '--plan', 'pro', '--json']
  return JSON.parse(await command(account, settings)).key
}

/**
 * Responses of a service on a database, without the fields that depend on the time of the request.
 */
async function answers(databaseUrl: string, key: string): Promise<string> {
  const service = await serve({ DATABASE_URL: databaseUrl })
  const texts: string[] = []
  for (const path of READS) {
    const reply = await fetch(service.url + path, { headers: { 'x-api-key': key } })
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
    texts.push((await reply.text()).replace(/"timestamp":"[^"]*"/, ''))
  }
  await service.stop()
  return texts.join('\n')
}

/** Runs one of PostgreSQL's programs, as the required user if we are root. */
async function run(line: string[]): Promise<void> {
  const isRoot = process.getuid?.() === 0
  const child = Bun.spawn(isRoot ? ['runuser', '-u', 'postgres', '--', ...line] : line, {
    cwd: '/',
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
  })
  const status = await child.exited
  if (status !== 0) throw new Error(`${line[0]} ended with status ${status}`)
}
