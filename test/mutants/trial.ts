import fc from 'fast-check'
import '../support/preload.ts'
import { type Test, testsIn } from './suite.ts'

/** Outcome of a mutant; not tried if the process ended, or was silent, before it. */
export type Outcome = 'killed' | 'timed out' | 'survived' | 'no test' | 'not tried'

/** Task of a process: the mutants of one source with the tests nearest to it. */
export type Task = {
  readonly tests: readonly string[]
  readonly mutants: readonly string[]
  /** Says whether the one mutant is active from the start, also while modules load. */
  readonly isFresh: boolean
  /** Names of tests that fail alone, without a mutant. */
  readonly failing: readonly string[]
}

/**
 * Report of a process: that it takes a task, which mutant it begins, its outcome, which tests fail
 * without one.
 */
export type Report =
  | { readonly isReady: true }
  | { readonly failing: string }
  | { readonly begun: string | null }
  /**
   * `isOpen`: a process of its own has to try it, since here modules or tests had another state.
   */
  | { readonly id: string; readonly outcome: Outcome; readonly isOpen?: boolean }

/** The switches and counters that the instrumented sources use. */
type Switches = {
  activeMutant?: string | undefined
  currentTestId?: string | undefined
  hitCount?: number
  hitLimit?: number
  mutantCoverage?: { static: object; perTest: Record<string, Record<string, number>> }
}

/** Factor of hits over those without the mutant from which it counts as endless. */
const HITS_FACTOR = 10
const HITS_MIN = 100_000
/** Time after which a test counts as hanging. */
const TEST_MS_MIN = 2_000
/** Slower tests are left out. */
const TEST_MS_MAX = 20_000
const TEST_FACTOR = 10

type Measured = Test & { readonly ms: number; readonly hits: Readonly<Record<string, number>> }
const LATE = Symbol('late')
const switches: Switches = {}
Object.assign(globalThis, { __stryker__: switches })
let stray: unknown = null

async function isPassing(test: Test, msMax: number): Promise<boolean | typeof LATE> {
  stray = null
  const timer = Promise.withResolvers<typeof LATE>()
  const end = setTimeout(() => timer.resolve(LATE), msMax)
  const passed = test.run().then(
    () => true,
    () => false,
  )
  const outcome = await Promise.race([passed, timer.promise])
  clearTimeout(end)
  return outcome === true ? stray === null : outcome
}

const nameOf = ({ file, name }: Test) => `${file}: ${name}`

/** The tests of a file that pass alone and in time, and the mutants that each reaches. */
async function measured(file: string): Promise<Measured[]> {
  const good: Measured[] = []
  const found = await testsIn(process.cwd(), file).catch(() => null)
  if (!found) send({ failing: file })
  for (const test of found ?? []) {
    switches.currentTestId = nameOf(test)
    send({ begun: null })
    const from = performance.now()
    const outcome = await isPassing(test, TEST_MS_MAX)
    const ms = performance.now() - from
    switches.currentTestId = undefined
    const hits = switches.mutantCoverage?.perTest[nameOf(test)] ?? {}
    if (outcome === true) good.push({ ...test, ms, hits })
    if (outcome === false) send({ failing: nameOf(test) })
  }
  return good.sort((a, b) => a.ms - b.ms)
}

/** Mutants that a test reached less often than without them: a module may cache a result. */
const cached = new Set<string>()

/** Runs the tests that reach a mutant until one fails; null if none does. */
async function tried(id: string, tests: readonly Measured[]): Promise<Report | null> {
  for (const test of tests) {
    if (!test.hits[id]) continue
    switches.activeMutant = id
    switches.hitCount = 0
    switches.hitLimit = HITS_MIN + HITS_FACTOR * test.hits[id]
    const msMax = TEST_MS_MIN + TEST_FACTOR * test.ms
    const outcome = await isPassing(test, msMax)
    const isEndless = outcome === LATE || switches.hitCount > switches.hitLimit
    switches.activeMutant = undefined
    if (outcome === true && switches.hitCount < test.hits[id]) cached.add(id)
    if (outcome === true) continue
    if ((await isPassing(test, msMax)) !== true) return { id, outcome: 'survived', isOpen: true }
    return { id, outcome: isEndless ? 'timed out' : 'killed' }
  }
  return null
}

/** Tries each mutant with one test file after the other, the nearest first. */
async function tryAll({ tests, mutants }: Task): Promise<void> {
  const left = new Set(mutants)
  const reached = new Set<string>()
  for (const file of tests) {
    if (left.size === 0) return
    const good = await measured(file)
    for (const { hits } of good) for (const id of Object.keys(hits)) reached.add(id)
    for (const id of left) {
      send({ begun: id })
      const report = await tried(id, good)
      send({ begun: null })
      if (!report) continue
      left.delete(id)
      send(report)
      if ('isOpen' in report) return
    }
  }
  const early = switches.mutantCoverage?.static ?? {}
  const isOpen = (id: string) => id in early || cached.has(id)
  for (const id of left)
    send({ id, outcome: reached.has(id) ? 'survived' : 'no test', isOpen: isOpen(id) })
}

/** Tries a mutant that is active while modules load: a module fails, or a test that did not. */
async function tryFresh({ tests, mutants: [id], failing }: Task): Promise<void> {
  send({ begun: id! })
  switches.activeMutant = id
  const isNoticed = async (file: string) => {
    for (const test of await testsIn(process.cwd(), file))
      if (!failing.includes(nameOf(test)) && (await isPassing(test, TEST_MS_MAX)) === false)
        return true
    return false
  }
  let outcome: Outcome = 'survived'
  for (const file of tests.filter((one) => !failing.includes(one)))
    if (outcome === 'survived' && (await isNoticed(file).catch(() => true))) outcome = 'killed'
  send({ id: id!, outcome })
}

const send = (report: Report) => process.send!(report)

if (process.send) {
  for (const event of ['unhandledRejection', 'uncaughtException'])
    process.on(event, (error) => {
      stray = error
    })
  fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true })
  process.once('message', async (task: Task) => {
    await (task.isFresh ? tryFresh(task) : tryAll(task))
    process.exit(0)
  })
  send({ isReady: true })
}
