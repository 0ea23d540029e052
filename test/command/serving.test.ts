import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../package.json'
import { BARE_ENV } from '../support/child.ts'
import { corridorProcess } from '../support/command.ts'
import { cleanUp, preparedDataDir } from '../support/embedded-process.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'
import { TEST_MS_MAX } from '../support/until.ts'

setDefaultTimeout(TEST_MS_MAX)

const MAIN = join(import.meta.dir, '../../src/main.ts')
const CRASHING = join(import.meta.dir, '../support/crashing-child.ts')
const LINES = 500
const CRASH_MS_MAX = 10_000

const databases: FreshDatabase[] = []

afterEach(async () => {
  for (const database of databases.splice(0)) await database.close()
  await cleanUp()
}, 120_000)

async function ownDatabase(): Promise<string> {
  const database = await freshDatabase()
  databases.push(database)
  return database.url
}

type Line = Readonly<Record<string, unknown>>

/** Runs `serve` from its start to its stop. */
async function served(settings: Record<string, string>) {
  const child = Bun.spawn([process.execPath, MAIN, 'serve'], {
    env: { ...BARE_ENV, PORT: '0', REFERENCE_FEED: 'none', ...settings },
    detached: true,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const said = new Response(child.stderr).text()
  const [first, ...others] = await logged(child)
  return { status: await child.exited, stdout: [first, ...others].join(''), said: await said }
}

/** Returns its output; asks it and its children to stop at the first output. */
async function logged(child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>): Promise<string[]> {
  const texts: string[] = []
  for await (const chunk of child.stdout) {
    texts.push(new TextDecoder().decode(chunk))
    process.kill(-child.pid, 'SIGTERM')
  }
  return texts
}

const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('corridor serve with JSON lines', () => {
  test('logs its start, what it loaded and its stop, and nothing in another form', async () => {
    const PUBLIC_URL = 'https://fx.example'
    const { status, stdout, said } = await served({
      DATA_DIR: await preparedDataDir(),
      PUBLIC_URL,
    })
    const lines = linesOf(said)
    expect(status).toBe(0)
    expect(stdout).toMatch(/^corridor answers at http:\S+\n$/)
    expect(lines.map(({ level }) => level)).toEqual(lines.map(() => 'info'))
    expect(lines.map(({ msg }) => msg)).toEqual([
      'corridor starts',
      'the database is open',
      'memory is loaded',
      'corridor answers',
      'corridor stops',
      'corridor has stopped',
    ])
    const [starts, open, loaded, answers, stops, stopped] = lines
    const ms = expect.any(Number)
    expect(starts).toMatchObject({ version, revision: 'unknown', workers: 1 })
    expect(open).toMatchObject({
      database: 'embedded',
      where: expect.stringMatching(/^embedded PostgreSQL \d/),
      schema: expect.stringMatching(/^\d{4}_/),
      migrations: expect.any(Number),
      ms,
    })
    expect(loaded).toMatchObject({ quotes: 0, references: 0, keys: 0, currencies: 0, ms })
    expect(answers).toMatchObject({ url: expect.stringMatching(/^http:/) })
    expect(stops).toMatchObject({ signal: 'SIGTERM' })
    expect(stopped).toMatchObject({ ms })
  })

  test('names the worker in each line, and every worker stops in order', async () => {
    const DATABASE_URL = await ownDatabase()
    const { status, stdout, said } = await served({ DATABASE_URL, WORKERS: '2' })
    const lines = linesOf(said)
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^corridor answers at \S+\n$/)])
    const warnings = lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg)
    expect(warnings).toEqual(['PUBLIC_URL is not set; behind a proxy, sign-in needs it'])
    const saying = (wanted: string) => lines.filter(({ msg }) => msg === wanted)
    const workers = (wanted: string) =>
      saying(wanted)
        .map(({ worker }) => String(worker))
        .sort()
    expect(workers('memory is loaded')).toEqual(['0', '1'])
    expect(workers('corridor has stopped')).toEqual(['0', '1', 'undefined'])
    expect(lines.at(-1)).not.toHaveProperty('worker')
  })

  test.each(['1', '2'])('logs that it cannot listen, with WORKERS=%s', async (workers) => {
    const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
    const port = String(other.port)
    const env = { PORT: port, WORKERS: workers, REFERENCE_FEED: 'none' }
    const settings = { databaseUrl: await ownDatabase(), env }
    const { status, stdout, said } = await corridorProcess(['serve'], settings)
    await other.stop(true)
    const errors = said.filter((line) => line.includes('"level":"error"'))
    expect([status, stdout, errors.length]).toEqual([1, '', 1])
    expect(JSON.parse(errors[0]!)).toMatchObject({
      level: 'error',
      msg: expect.stringContaining(
        `cannot listen on 127.0.0.1:${port} (the port is taken); set HOST and PORT`,
      ),
    })
  })

  test('logs in one line that its settings are wrong, whatever its level', async () => {
    const env = { PORT: 'many', LOG_LEVEL: 'silent', MID_MAX_AGE: 'old' }
    const { status, said } = await corridorProcess(['serve'], { databaseUrl: '', env })
    expect(status).toBe(1)
    expect(said).toHaveLength(1)
    const { level, msg } = JSON.parse(said[0]!)
    expect(level).toBe('error')
    expect(msg).toMatch(/^corridor ends: wrong settings: PORT .*; MID_MAX_AGE /)
  })

  test('prints that in a sentence on a terminal', async () => {
    const env = { PORT: 'many', LOG_FORMAT: 'pretty' }
    const { status, said } = await corridorProcess(['serve'], { databaseUrl: '', env })
    expect(status).toBe(1)
    expect(said).toEqual([expect.stringMatching(/^corridor: wrong settings: PORT /)])
  })
})

describe('an uncaught error', () => {
  test.each(['at once', 'later'])(
    'is the last line but one, and ends the process with 1: %s',
    async (when) => {
      const child = Bun.spawn([process.execPath, CRASHING, String(LINES), when], { stderr: 'pipe' })
      const lines = linesOf(await new Response(child.stderr).text())
      expect(await child.exited).toBe(1)
      expect(lines).toHaveLength(LINES + 2)
      const message = 'corridor ends after an uncaught error'
      expect(lines.at(-2)).toMatchObject({ level: 'error', msg: message })
      expect(lines.at(-2)!.err).toMatchObject({ message: 'uncaught' })
      expect(lines.at(-1)).toMatchObject({ msg: 'let go of' })
    },
  )

  test('ends the process even if its lines are not read', async () => {
    const path = join(await scratchFolder(), 'stderr')
    spawnSync('mkfifo', [path])
    const pipe = openSync(path, constants.O_RDWR)
    const startMs = performance.now()
    const child = Bun.spawn([process.execPath, CRASHING, '20000', 'at once'], { stderr: pipe })
    expect(await child.exited).toBe(1)
    expect(performance.now() - startMs).toBeLessThan(CRASH_MS_MAX)
    closeSync(pipe)
  })
})
