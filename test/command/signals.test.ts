import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { BARE_ENV, ROOT } from '../support/child.ts'
import { cleanUp, endProcesses, preparedDataDir, serverPid } from '../support/embedded-process.ts'
import { scratchFolder } from '../support/scratch.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'

setDefaultTimeout(TEST_MS_MAX)

const MAIN = join(ROOT, 'src/main.ts')
/** Time that a script runner takes to forward a signal that the terminal has sent to both. */
const PASSING_ON_MS = 10
/** Time after which a repeated signal counts as a second request. */
const ANOTHER_WISH_MS = 1100

type Child = { kill(signal: NodeJS.Signals): void; readonly exited: Promise<number> }

const begun: Child[] = []

let dataDir: string

beforeAll(async () => {
  dataDir = await preparedDataDir()
})
afterEach(async () => {
  for (const child of begun.splice(0)) {
    child.kill('SIGKILL')
    await child.exited
  }
  await endProcesses()
}, 120_000)
afterAll(cleanUp)

/** The line of a service for people; the log has the address too, before it or after it. */
const ADDRESS = /answers at (\S+)/

const settingsFor = (directory: string, settings: Record<string, string> = {}) => ({
  ...BARE_ENV,
  ...{ HOME: directory, DATA_DIR: directory },
  ...{ PORT: '0', REFERENCE_FEED: 'none', SHUTDOWN_DELAY: 'off', LOG_FORMAT: 'json' },
  ...settings,
})

/** A command that leads its own process group, with piped streams. */
async function inGroup(args: readonly string[], settings: Record<string, string> = {}) {
  const child = Bun.spawn([process.execPath, MAIN, ...args], {
    env: settingsFor(dataDir, settings),
    detached: true,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  begun.push(child)
  const said = new Response(child.stderr).text()
  const both = (signal: NodeJS.Signals) => twice(child.pid, signal)
  return { child, said, both, url: await urlOf(args, child) }
}

/** Sends a signal to a process group, and again unless the first one has ended it by then. */
async function twice(leader: number, signal: NodeJS.Signals): Promise<void> {
  process.kill(-leader, signal)
  await delay(PASSING_ON_MS)
  try {
    process.kill(-leader, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Address that a service prints; for another command, waits for its database. */
async function urlOf(args: readonly string[], { stdout }: Bun.Subprocess<'pipe', 'pipe', 'pipe'>) {
  if (args[0] !== 'serve') return ''
  const { value } = await stdout.getReader().read()
  return ADDRESS.exec(new TextDecoder().decode(value))![1]!
}

/** A command line in a terminal of its own; its last line has to match before it is returned. */
async function inTerminal(
  line: readonly string[],
  { directory, shows }: { directory: string; shows: RegExp },
) {
  let shown = ''
  const runs = Promise.withResolvers<void>()
  const child = Bun.spawn([...line], {
    cwd: ROOT,
    env: settingsFor(directory, { SHUTDOWN_DELAY: '1s' }),
    terminal: {
      data(_terminal, bytes) {
        shown += new TextDecoder().decode(bytes)
        if (shows.test(shown)) runs.resolve()
      },
    },
  })
  begun.push(child)
  void child.exited.then(() => runs.reject(new Error(`ended before it ran: ${shown}`)))
  await runs.promise
  return { child, terminal: child.terminal!, text: () => shown }
}

describe('a signal that is repeated within milliseconds', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'lets a service and its database stop in order: %s',
    async (signal) => {
      const { child, both } = await inGroup(['serve'])
      await both(signal)
      expect(await child.exited).toBe(0)
      expect(await serverPid(dataDir)).toBeNull()
    },
  )

  test('lets a service with workers stop in order: SIGTERM', async () => {
    const { child, both } = await inGroup(['serve'], { WORKERS: '2' })
    await both('SIGTERM')
    expect(await child.exited).toBe(0)
    expect(await serverPid(dataDir)).toBeNull()
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('lets a command say so and end: %s with %i', async (signal, status) => {
    const { child, said, both } = await inGroup(['observations', 'import', '-'])
    await until('the database', async () => (await serverPid(dataDir)) !== null)
    await both(signal)
    expect(await child.exited).toBe(status)
    expect(await said).toBe(`corridor: stopped by ${signal} before it was done\n`)
    expect(await serverPid(dataDir)).toBeNull()
  })

  test('lets a demo undo a database that it is still creating: SIGINT', async () => {
    const directory = await scratchFolder()
    const child = Bun.spawn([process.execPath, MAIN, 'demo'], {
      env: settingsFor(directory),
      detached: true,
      stdout: 'ignore',
      stderr: 'ignore',
    })
    begun.push(child)
    const made = join(directory, 'demo', 'postgres', 'password')
    await until('the making of a database', () => Bun.file(made).exists())
    await twice(child.pid, 'SIGINT')
    expect(await child.exited).toBe(0)
    expect(await serverPid(join(directory, 'demo'))).toBeNull()
  })
})

describe('a terminal', () => {
  let demoDir: string

  beforeAll(async () => {
    demoDir = await scratchFolder()
  })

  test('Ctrl-C on `bun run demo` stops the demo and its database', async () => {
    const line = ['bun', 'run', 'demo']
    const shows = /api\/v1\/status/
    const { child, terminal } = await inTerminal(line, { directory: demoDir, shows })
    expect(await serverPid(join(demoDir, 'demo'))).not.toBeNull()
    terminal.write('\x03')
    expect(await child.exited).toBe(0)
    await until('the end of the server', async () => !(await serverPid(join(demoDir, 'demo'))))
  })

  test('its client leaves, and `corridor mcp` stops the demo that it began', async () => {
    const client = new Client({ name: 'test', version: '1.0.0' })
    const env = settingsFor(demoDir) as Record<string, string>
    const command = {
      command: process.execPath,
      args: [MAIN, 'mcp'],
      env,
      stderr: 'ignore' as const,
    }
    await client.connect(new StdioClientTransport(command))
    const asked = { name: 'get_rates', arguments: { from: 'GBP', to: 'KES' } }
    const { content } = await client.callTool(asked)
    expect(content).toMatchObject([{ text: expect.stringContaining('"corridor":"GBP/KES"') }])
    await client.close()
    await until('the end of the server', async () => !(await serverPid(join(demoDir, 'demo'))))
  })

  test('closing it stops the demo and its database', async () => {
    const line = ['bun', 'run', 'demo']
    const shows = /api\/v1\/status/
    const { child, terminal } = await inTerminal(line, { directory: demoDir, shows })
    terminal.close()
    await child.exited
    await until('the end of the server', async () => !(await serverPid(join(demoDir, 'demo'))))
  })

  test.each([
    ['the service itself', `exec nohup ${process.execPath} ${MAIN} serve`],
    ['a script runner', 'exec nohup bun run start'],
  ])('closing it does not stop what nohup started: %s', async (_what, line) => {
    const out = join(await scratchFolder(), 'out')
    const command = ['sh', '-c', `echo begun; ${line} >${out} 2>&1 </dev/null`]
    const { child, terminal } = await inTerminal(command, { directory: dataDir, shows: /begun/ })
    const said = async () => ADDRESS.exec(await readFile(out, 'utf8').catch(() => ''))?.[1]
    await until('its address', async () => (await said()) !== undefined)
    const pid = Number(await readFile(join(dataDir, 'postgres', 'service.pid'), 'utf8'))
    terminal.close()
    process.kill(child.pid, 'SIGHUP')
    process.kill(pid, 'SIGHUP')
    await delay(PASSING_ON_MS)
    expect((await fetch(new URL('/readyz', await said()))).status).toBe(200)
    process.kill(pid, 'SIGTERM')
    await until('the end of the server', async () => (await serverPid(dataDir)) === null)
  })
})

describe('a signal that comes again a second later', () => {
  test('makes a service stop its database and end with 1 at once', async () => {
    const { child } = await inGroup(['serve'], { SHUTDOWN_DELAY: '2s' })
    const startMs = performance.now()
    child.kill('SIGTERM')
    await delay(ANOTHER_WISH_MS)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(1)
    expect(performance.now() - startMs).toBeLessThan(6000)
    expect(await serverPid(dataDir)).toBeNull()
  })

  test('makes a service with workers end them too', async () => {
    const settings = { WORKERS: '2', SHUTDOWN_DELAY: '2s' }
    const { child, url } = await inGroup(['serve'], settings)
    child.kill('SIGTERM')
    await delay(ANOTHER_WISH_MS)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(1)
    expect(await serverPid(dataDir)).toBeNull()
    const isGone = () => fetch(url).then(Boolean, () => true)
    await until('the end of the workers', isGone)
  })
})
