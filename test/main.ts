import { SERVER_VARIABLE, startTestServer } from './support/postgres.ts'
import { removeScratch } from './support/scratch.ts'

/** Processes that run test files: more than the cores of a small machine, since many tests wait. */
const WORKERS = 4
const TEST_MS_MAX = 60_000
const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * `bun run test`: every test file, several at a time, on one PostgreSQL from which each takes
 * databases of its own. Arguments go to `bun test`; its exit status is ours.
 */
async function main(args: readonly string[]): Promise<number> {
  const server = await startTestServer()
  const child = Bun.spawn(
    [process.execPath, 'test', `--timeout=${TEST_MS_MAX}`, `--parallel=${WORKERS}`, ...args],
    {
      env: { ...process.env, [SERVER_VARIABLE]: server.url },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  for (const signal of ENDINGS) process.on(signal, () => child.kill(signal))
  const status = await child.exited
  await server.end()
  await removeScratch()
  return status
}

process.exit(await main(process.argv.slice(2)))
