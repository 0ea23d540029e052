import { symlink } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { $ } from 'bun'
import { ROOT } from '../support/child.ts'
import { removeScratch, scratchFolder } from '../support/scratch.ts'
import { instrument, type Mutant } from './instrument.ts'
import { nearestTests } from './nearest.ts'
import type { Outcome, Report, Task } from './trial.ts'

/** The folders to try by default. */
const FOLDERS = ['src/domain', 'src/memory', 'src/service', 'src/wire/row']
/** Silence after which a process counts as stuck in an endless loop. */
const SILENCE_MS_MAX = 120_000
/** The number of nearest test files that are tried for a mutant in a process of its own. */
const FRESH_TESTS = 4

type Outcomes = Map<string, Outcome>

/**
 * `bun run mutants [FILE, FILE:LINE or FOLDER ...] [--sample N] [--seed N]`: changes the sources in
 * one place at a time, everywhere or in N places that the seed draws, and counts how often a test
 * notices. Ends with 1 if tests fail without any change.
 */
async function main(args: string[]): Promise<number> {
  const options = { sample: { type: 'string' }, seed: { type: 'string' } } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const root = await copied()
  const asked = (positionals.length > 0 ? positionals : FOLDERS).map((one) => one.split(':'))
  const paths = await sourcesOf(asked.map(([path]) => path!))
  const isAsked = ({ file, line }: Mutant) =>
    asked.some(([path, at]) => (at ? path === file && Number(at) === line : file.startsWith(path!)))
  const all = (await instrument(root, paths)).filter(isAsked)
  console.log(`${all.length} mutants in ${paths.length} files`)
  const mutants = values.sample ? drawn(all, Number(values.sample), values.seed ?? '1') : all
  const nearest = await nearestTests()
  const failing = new Set<string>()
  const outcomes: Outcomes = new Map()
  const files = [...Map.groupBy(mutants, ({ file }) => file)]
  await inTurns(files, async ([file, of]) => {
    const ids = of.map(({ id }) => id)
    const found = await outcomesOf({ root, tests: nearest(file), ids, failing })
    for (const [id, outcome] of found) outcomes.set(id, outcome)
    for (const mutant of of) reportSurvivor(mutant, outcomes.get(mutant.id)!)
  })
  for (const name of failing) console.log(`fails alone, without a mutant: ${name}`)
  report(mutants, outcomes)
  await removeScratch()
  return failing.size > 0 ? 1 : 0
}

/** As many mutants as requested, spread over all of them, the same for one seed. */
function drawn(mutants: readonly Mutant[], count: number, seed: string): Mutant[] {
  const rank = ({ id, file }: Mutant) => Bun.hash(`${seed} ${file} ${id}`)
  return mutants.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, count)
}

/**
 * A copy of the tracked files, which keeps mutants out of the checkout; its tests use `suite.ts`.
 */
async function copied(): Promise<string> {
  const root = await scratchFolder()
  await $`git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t ${root}`.cwd(
    ROOT,
  )
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  for await (const path of new Bun.Glob('test/**/*.{ts,tsx}').scan(root)) {
    const text = await Bun.file(join(root, path)).text()
    if (!path.startsWith('test/mutants/'))
      await Bun.write(join(root, path), text.replace("from 'bun:test'", `from '${root}/${SUITE}'`))
  }
  return root
}
const SUITE = 'test/mutants/suite.ts'

async function sourcesOf(asked: readonly string[]): Promise<string[]> {
  const found = asked.map(async (path) =>
    path.endsWith('.ts') || path.endsWith('.tsx')
      ? [path]
      : Array.fromAsync(new Bun.Glob(`${path}/**/*.{ts,tsx}`).scan(ROOT)),
  )
  return [...new Set((await Promise.all(found)).flat())].sort()
}

/** Runs work on all items, as many at once as there are cores. */
async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items]
  const turns = Array.from({ length: availableParallelism() }, async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item)
  })
  await Promise.all(turns)
}

/**
 * The outcome of each mutant of a source. One process tries them all; survivors that act while
 * modules load, or whose modules cache results, get a process of their own.
 */
async function outcomesOf(of: {
  readonly root: string
  readonly tests: readonly string[]
  readonly ids: readonly string[]
  readonly failing: Set<string>
}): Promise<Outcomes> {
  const { root, tests, ids, failing } = of
  const outcomes: Outcomes = new Map()
  const open = new Set<string>()
  if (tests.length === 0) return new Map(ids.map((id) => [id, 'no test']))
  const taken = (report: Report) => {
    if ('failing' in report) failing.add(report.failing)
    if (!('outcome' in report)) return
    outcomes.set(report.id, report.outcome)
    if (report.isOpen) open.add(report.id)
  }
  for (let left = ids; left.length > 0; left = left.filter((id) => !outcomes.has(id)))
    await run(root, { tests, mutants: left, isFresh: false, failing: [] }, taken)
  const near = tests.slice(0, FRESH_TESTS)
  for (const id of open)
    await run(root, { tests: near, mutants: [id], isFresh: true, failing: [...failing] }, taken)
  return outcomes
}

/** Runs a task in a process, until it ends or is silent for too long. */
async function run(root: string, task: Task, taken: (report: Report) => void): Promise<void> {
  const left = new Set(task.mutants)
  let begun: string | null = null
  const child = Bun.spawn([process.execPath, 'test/mutants/trial.ts'], {
    ...{ cwd: root, stdout: 'ignore', stderr: 'ignore' },
    env: { ...process.env, NODE_ENV: 'test', TZ: 'Etc/UTC' },
    ipc(report: Report) {
      wait()
      if ('isReady' in report) return void child.send(task)
      begun = 'begun' in report ? report.begun : null
      if ('outcome' in report) left.delete(report.id)
      taken(report)
    },
  })
  let timer: Timer | undefined
  const wait = () => {
    clearTimeout(timer)
    timer = setTimeout(() => child.kill('SIGKILL'), SILENCE_MS_MAX)
  }
  wait()
  const status = await child.exited
  clearTimeout(timer)
  if (begun !== null) taken({ id: begun, outcome: 'timed out' })
  else if (status !== 0) for (const id of left) taken({ id, outcome: 'not tried' })
}

const OUTCOMES = ['killed', 'timed out', 'survived', 'no test', 'not tried'] as const
/** Outcomes of mutants that are listed, with what is said of each. */
const LISTED: Partial<Record<Outcome, string>> = {
  ...{ survived: '', 'no test': ' (no test gets there)', 'not tried': ' (not tried)' },
}

function countsOf(mutants: readonly Mutant[], outcomes: Outcomes): number[] {
  return OUTCOMES.map((one) => mutants.filter(({ id }) => outcomes.get(id) === one).length)
}

function reportSurvivor(mutant: Mutant, outcome: Outcome): void {
  const said = LISTED[outcome]
  if (said === undefined) return
  const { file, line, text, replacement } = mutant
  const change = `${text} -> ${replacement.replace(/\s+/g, ' ').slice(0, 100)}`
  console.log(`${file}:${line} ${change}${said}`)
}

function report(mutants: readonly Mutant[], outcomes: Outcomes): void {
  console.log(
    '| folder | mutants | killed | timed out | survived | no test | not tried | noticed |',
  )
  console.log('|---|---|---|---|---|---|---|---|')
  const folders = Object.entries(Object.groupBy(mutants, ({ file }) => dirname(file))).sort()
  for (const [folder, of] of [...folders, ['all', mutants] as const]) {
    const counts = countsOf(of!, outcomes)
    const share = (((counts[0]! + counts[1]!) / (of!.length - counts[4]!)) * 100).toFixed(1)
    console.log(`| ${folder} | ${of!.length} | ${counts.join(' | ')} | ${share} % |`)
  }
}

process.exit(await main(process.argv.slice(2)))
