import { symlink } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { $ } from 'bun'
import { ROOT } from '../support/child.ts'
import { removeScratch, scratchFolder } from '../support/scratch.ts'
import { instrument, type Mutant } from './instrument.ts'
import { nearestTo, testsOf } from './nearest.ts'
import { isKilled, reachedBy } from './trial.ts'

/** The folders that are tried where none is named. */
const FOLDERS = ['src/domain', 'src/memory', 'src/service', 'src/wire/row']

type Outcome = Mutant & { readonly tests: readonly string[]; readonly isKilled: boolean }

/**
 * `bun run mutants [FILE or FOLDER ...] [--sample N] [--seed N]`: changes the sources in one place
 * at a time, everywhere or in N places that the seed draws, and counts how often a test notices.
 * Ends with 1 where tests fail without any change.
 */
async function main(args: string[]): Promise<number> {
  const options = { sample: { type: 'string' }, seed: { type: 'string' } } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const root = await copied()
  const paths = await sourcesOf(positionals.length > 0 ? positionals : FOLDERS)
  const all = await instrument(root, paths)
  console.log(`${all.length} mutants in ${paths.length} files`)
  const mutants = values.sample ? drawn(all, Number(values.sample), values.seed ?? '1') : all
  const files = await testsOf([...new Set(mutants.map(({ file }) => file))])
  const reached = await inTurns(files, async (file) => ({ file, ids: await reachedBy(root, file) }))
  const failed = reached.filter(({ ids }) => ids === null).map(({ file }) => file)
  for (const file of failed) console.log(`fails without a mutant: ${file}`)
  const near = nearestTo(all, reached)
  const outcomes = await inTurns(mutants, async (mutant): Promise<Outcome> => {
    const tests = near(mutant)
    const isNoticed = tests.length > 0 && (await isKilled(root, mutant.id, tests))
    return { ...mutant, tests, isKilled: isNoticed }
  })
  report(outcomes)
  await removeScratch()
  return failed.length > 0 ? 1 : 0
}

/** As many of the mutants as asked for, spread over all of them, the same ones for one seed. */
function drawn(mutants: readonly Mutant[], count: number, seed: string): Mutant[] {
  const rank = ({ id, file }: Mutant) => Bun.hash(`${seed} ${file} ${id}`)
  return mutants.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, count)
}

/** A copy of the tracked files, so that nobody sees the mutants. */
async function copied(): Promise<string> {
  const root = await scratchFolder()
  await $`git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t ${root}`.cwd(
    ROOT,
  )
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  return root
}

async function sourcesOf(asked: readonly string[]): Promise<string[]> {
  const found = asked.map(async (path) =>
    path.endsWith('.ts') || path.endsWith('.tsx')
      ? [path]
      : Array.fromAsync(new Bun.Glob(`${path}/**/*.{ts,tsx}`).scan(ROOT)),
  )
  return [...new Set((await Promise.all(found)).flat())].sort()
}

/** Does work on all items, as many at once as there are cores; the results in their order. */
async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const turns = Array.from({ length: availableParallelism() }, async () => {
    while (next < items.length) {
      const at = next++
      results[at] = await work(items[at]!)
    }
  })
  await Promise.all(turns)
  return results
}

function report(outcomes: readonly Outcome[]): void {
  for (const { file, line, replacement, tests } of outcomes.filter(({ isKilled }) => !isKilled))
    console.log(
      `${file}:${line} ${replacement.replace(/\s+/g, ' ').slice(0, 100)}` +
        `${tests.length === 0 ? ' (no test gets there)' : ''}`,
    )
  console.log('| folder | mutants | killed | survived | killed of all |\n|---|---|---|---|---|')
  const folders = Object.entries(Object.groupBy(outcomes, ({ file }) => dirname(file))).sort()
  for (const [folder, of] of [...folders, ['all', outcomes] as const]) {
    const killed = of!.filter(({ isKilled }) => isKilled).length
    const share = ((killed / of!.length) * 100).toFixed(1)
    console.log(`| ${folder} | ${of!.length} | ${killed} | ${of!.length - killed} | ${share} % |`)
  }
}

process.exit(await main(process.argv.slice(2)))
