import { basename } from 'node:path'
import { ROOT } from '../support/child.ts'
import { testFiles } from '../support/needs.ts'
import { sourceFiles } from '../tidy/syntax.ts'

/** Whatever is not noticed by the test files nearest to a source will hardly be noticed elsewhere. */
const NEAREST = 10
/** They read the sources, and the copy has others. */
const READERS = 'test/tidy'

/**
 * The test files without a database or a process that reach a source by their imports: first the
 * ones of its name, then those that reach the fewest other files.
 */
export async function nearestTests(): Promise<(path: string) => string[]> {
  const sources = await sourceFiles(ROOT, ['src', 'test'])
  const imports = new Map(
    sources.map(({ path, imports }) => [
      path,
      imports.filter(({ isType }) => !isType).map(({ from }) => from),
    ]),
  )
  const needs = await testFiles()
  const tests = Object.keys(needs)
    .filter((path) => needs[path] === 'nothing' && !path.startsWith(READERS))
    .map((path) => ({ path, reached: reachedFrom(path, imports) }))
    .sort((a, b) => a.reached.size - b.reached.size)
  return (path) => {
    const start = `${basename(path).replace(/\.tsx?$/, '')}.test.`
    const isNamesake = (test: string) => Number(basename(test).startsWith(start))
    return tests
      .filter(({ reached }) => reached.has(path))
      .map((test) => test.path)
      .sort((a, b) => isNamesake(b) - isNamesake(a))
      .slice(0, NEAREST)
  }
}

function reachedFrom(path: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set([path])
  for (const each of reached) for (const one of imports.get(each) ?? []) reached.add(one)
  return reached
}
