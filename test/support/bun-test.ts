import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ROOT } from './child.ts'

/** Limit of a test: only a hanging one takes as long. */
const HANG_MS = 120_000
const TIMINGS = join(ROOT, 'node_modules/.cache/corridor')
/**
 * Settings for processes that live two minutes: the last stage of optimization and returning memory
 * would cost a quarter of their CPU. Processes under test run as usual: `BARE_ENV` leaves it out.
 */
export const SHORT_LIVED = { BUN_JSC_useFTLJIT: '0', MIMALLOC_PURGE_DELAY: '-1' }
const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

type Run = {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Time limit of a test or a hook that only a hang reaches. */
  readonly hangMs?: number
  /** File in the cache with the times of test files in earlier runs: the slowest start first. */
  readonly timings: string
  /** Milliseconds that each file takes, for a first run. */
  readonly guessedMs: Readonly<Record<string, number>>
}

/**
 * Runs `bun test`, and returns its exit status. The files of a worker share their modules, whose
 * loading would take as long as the tests.
 */
export async function bunTest(run: Run): Promise<number> {
  const { args, env = {}, hangMs = HANG_MS, timings, guessedMs } = run
  const path = join(TIMINGS, timings)
  if (!(await Bun.file(path).exists())) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, JSON.stringify({ version: 1, files: guessedMs }))
  }
  const shared = ['--no-isolate', '--parallel-delay=0', `--timings=${path}`, '--update-timings']
  const child = Bun.spawn([process.execPath, 'test', `--timeout=${hangMs}`, ...shared, ...args], {
    env: { ...process.env, ...SHORT_LIVED, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  for (const signal of ENDINGS) process.on(signal, () => child.kill(signal))
  return child.exited
}
