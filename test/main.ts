import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ROOT } from './support/child.ts'
import { fillDataDir, PREPARED_VARIABLE } from './support/embedded-process.ts'
import { type Need, testFiles } from './support/needs.ts'
import { SERVER_VARIABLE, startTestServer } from './support/postgres.ts'
import { preferMemory, removeScratch, scratchFolder } from './support/scratch.ts'

/** Processes that run test files: more than the cores of a small machine, since many tests wait. */
const WORKERS = 4
/** One file that needs nothing else waits for a dozen seconds: the others have the cores. */
const FAST_WORKERS = 3
const TEST_MS_MAX = 60_000
/**
 * For processes that live two minutes, the last stage of optimization and giving memory back cost a
 * quarter of their CPU. Processes under test run as they always do: `BARE_ENV` leaves it out.
 */
const SHORT_LIVED = { BUN_JSC_useFTLJIT: '0', MIMALLOC_PURGE_DELAY: '-1' }
const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const FAST = '--fast'
const REPEAT = '--repeat'

/** Times of files in the runs before, by which the slowest start first. */
const TIMINGS = join(ROOT, 'node_modules/.cache/corridor/test-timings.json')
/** For a first run: whoever waits for processes had better begin early. */
const GUESSED_MS: Readonly<Record<Need, number>> = { process: 3000, database: 1000, nothing: 100 }

/**
 * `bun run test`: every test file, several at a time, on one PostgreSQL from which each takes
 * databases of its own. With --fast only the files that need neither a database nor a process.
 * With --repeat N it runs all of that N times, each with other random cases (TEST_SEED), and then
 * lists what failed in which run.
 * Further arguments go to `bun test`; its exit status is ours.
 */
async function main(args: readonly string[]): Promise<number> {
  const at = args.indexOf(REPEAT)
  if (at === -1) return suite(args)
  const times = Number(args[at + 1])
  if (Number.isInteger(times) && times > 0) return repeated(times, args.toSpliced(at, 2))
  console.error('--repeat needs the number of runs, from 1')
  return 2
}

/** Runs the suite in a process of its own, `times` times, whatever fails. */
async function repeated(times: number, args: readonly string[]): Promise<number> {
  const lines: string[] = []
  for (let run = 1; run <= times; run++) {
    const startMs = performance.now()
    const seed = String(Math.floor(Math.random() * 2 ** 31))
    const child = Bun.spawn([process.execPath, import.meta.path, ...args], {
      env: { ...process.env, TEST_SEED: seed },
      stdio: ['ignore', 'inherit', 'pipe'],
    })
    const text = await new Response(child.stderr).text()
    process.stderr.write(text)
    const status = await child.exited
    const seconds = Math.round((performance.now() - startMs) / 1000)
    const failed = new Set(text.match(/^\(fail\) .*(?= \[)/gm))
    const outcome = status === 0 ? 'passed' : [`failed with ${status}`, ...failed].join('\n  ')
    lines.push(`run ${run}, TEST_SEED=${seed}: ${seconds} s, ${outcome}`)
  }
  console.log(lines.join('\n'))
  return lines.every((line) => line.endsWith('passed')) ? 0 : 1
}

async function suite(args: readonly string[]): Promise<number> {
  const isFast = args.includes(FAST)
  const others = args.filter((arg) => arg !== FAST)
  const files = await testFiles()
  await guessTimings(files)
  if (!isFast) return withServer((env) => tests([`--parallel=${WORKERS}`, ...others], env))
  const fast = Object.keys(files).filter((path) => files[path] === 'nothing')
  return tests([`--parallel=${FAST_WORKERS}`, ...others, ...fast.map((path) => `./${path}`)], {})
}

/** Prepares, once for all files, what tests of databases and of processes start from. */
async function withServer(work: (env: Record<string, string>) => Promise<number>): Promise<number> {
  await preferMemory()
  const prepared = await scratchFolder()
  const [server] = await Promise.all([startTestServer(), fillDataDir(prepared)])
  const status = await work({ [SERVER_VARIABLE]: server.url, [PREPARED_VARIABLE]: prepared })
  await server.end()
  await removeScratch()
  return status
}

/** Files that a worker runs share their modules, whose loading would take as long as the tests. */
async function tests(args: readonly string[], env: Record<string, string>): Promise<number> {
  const shared = ['--no-isolate', '--parallel-delay=0']
  const timings = [`--timings=${TIMINGS}`, '--update-timings']
  const child = Bun.spawn(
    [process.execPath, 'test', `--timeout=${TEST_MS_MAX}`, ...shared, ...timings, ...args],
    { env: { ...process.env, ...SHORT_LIVED, ...env }, stdio: ['ignore', 'inherit', 'inherit'] },
  )
  for (const signal of ENDINGS) process.on(signal, () => child.kill(signal))
  return child.exited
}

async function guessTimings(needs: Readonly<Record<string, Need>>): Promise<void> {
  if (await Bun.file(TIMINGS).exists()) return
  const files = Object.fromEntries(
    Object.entries(needs).map(([path, need]) => [path, GUESSED_MS[need]]),
  )
  await mkdir(dirname(TIMINGS), { recursive: true })
  await writeFile(TIMINGS, JSON.stringify({ version: 1, files }))
}

process.exit(await main(process.argv.slice(2)))
