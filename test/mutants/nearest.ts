import { ROOT } from '../support/child.ts'
import { testFiles } from '../support/needs.ts'
import { sourceFiles } from '../tidy/syntax.ts'
import type { Mutant } from './instrument.ts'

/** Whoever does not notice a mutant among the tests nearest to it will hardly do so elsewhere. */
const NEAREST = 5
/** They read the sources, and the copy has others. */
const READERS = 'test/tidy'

/** The mutants that a test file passes; null where it fails without any. */
type Reached = { readonly file: string; readonly ids: readonly string[] | null }

/** The test files without a database or a process that import some of the sources, however far. */
export async function testsOf(paths: readonly string[]): Promise<string[]> {
  const sources = await sourceFiles(ROOT, ['src', 'test'])
  const users = new Map<string, string[]>()
  for (const { path, imports } of sources)
    for (const { from, isType } of imports)
      if (!isType) users.set(from, [...(users.get(from) ?? []), path])
  const reaching = new Set(paths)
  for (const path of reaching) for (const user of users.get(path) ?? []) reaching.add(user)
  return Object.entries(await testFiles())
    .filter(([path, need]) => need === 'nothing' && reaching.has(path) && !path.startsWith(READERS))
    .map(([path]) => path)
}

/**
 * The tests nearest to a mutant: those that pass it, and many others of its file, and little else.
 */
export function nearestTo(mutants: readonly Mutant[], all: readonly Reached[]) {
  const fileOf = new Map(mutants.map(({ id, file }) => [id, file]))
  const tests = all.map(({ file, ids }) => {
    const passed = new Set(ids ?? [])
    const inFile = Map.groupBy(passed, (id) => fileOf.get(id))
    const nearness = (of: string) => (inFile.get(of)?.length ?? 0) ** 2 / passed.size
    return { file, passed, nearness }
  })
  return ({ id, file }: Mutant): string[] =>
    tests
      .filter(({ passed }) => passed.has(id))
      .sort((a, b) => b.nearness(file) - a.nearness(file))
      .slice(0, NEAREST)
      .map((test) => test.file)
}
