import { bunTest } from './support/bun-test.ts'
import { fillDataDir, PREPARED_VARIABLE } from './support/embedded-process.ts'
import { type Need, testFiles } from './support/needs.ts'
import { SERVER_VARIABLE, startTestServer } from './support/postgres.ts'
import { preferMemory, removeScratch, scratchFolder } from './support/scratch.ts'

/** Processes that run test files: more than the cores of a small machine, since many tests wait. */
const WORKERS = 4
/** The number of workers for fast files: another one would only take cores from the rest. */
const FAST_WORKERS = 3
const FAST = '--fast'
const REPEAT = '--repeat'

/** Guesses for a first run: files that wait for processes should start early. */
const GUESSED_MS: Readonly<Record<Need, number>> = { process: 3000, database: 1000, nothing: 100 }

/**
 * `bun run test`: every test file, several at a time, on one PostgreSQL with separate databases for
 * each. With --fast only the files that need neither a database nor a process. With --repeat N it
 * runs all of that N times, each with other random cases (TEST_SEED), and then lists what failed in
 * which run. Further arguments go to `bun test`, whose exit status it returns.
 */
async function main(args: readonly string[]): Promise<number> {
  const at = args.indexOf(REPEAT)
  if (at === -1) return suite(args)
  const times = Number(args[at + 1])
  if (Number.isInteger(times) && times > 0) return repeated(times, args.toSpliced(at, 2))
  console.error('--repeat needs the number of runs, from 1')
  return 2
}

/** Runs the suite in a process of its own, `times` times, even after failures. */
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
  const times = {
    timings: 'test-timings.json',
    guessedMs: Object.fromEntries(
      Object.entries(files).map(([path, need]) => [path, GUESSED_MS[need]]),
    ),
  }
  if (!isFast)
    return withServer((env) =>
      bunTest({ args: [`--parallel=${WORKERS}`, ...others], env, ...times }),
    )
  const fast = Object.keys(files).filter((path) => files[path] === 'nothing')
  const paths = fast.map((path) => `./${path}`)
  return bunTest({ args: [`--parallel=${FAST_WORKERS}`, ...others, ...paths], ...times })
}

/** Prepares, once for all files, the templates of databases and data directories. */
async function withServer(work: (env: Record<string, string>) => Promise<number>): Promise<number> {
  await preferMemory()
  const prepared = await scratchFolder()
  const [server] = await Promise.all([startTestServer(), fillDataDir(prepared)])
  const status = await work({ [SERVER_VARIABLE]: server.url, [PREPARED_VARIABLE]: prepared })
  await server.end()
  await removeScratch()
  return status
}

process.exit(await main(process.argv.slice(2)))
