import { basename } from 'node:path'
import { ROOT } from '../support/child.ts'
import { testFiles } from '../support/needs.ts'
import { sourceFiles } from '../tidy/syntax.ts'

/** The number of nearest test files: what these miss, others will hardly notice. */
const NEAREST = 12
/** Tests that read the sources, of which the copy has others. */
const READERS = 'test/tidy'

/**
 * The test files without a database or a process that reach a source by their imports: first the
 * ones of its name, then those that share the most words with it and reach the fewest other files.
 */
export async function nearestTests(): Promise<(path: string) => string[]> {
  const sources = await sourceFiles(ROOT, ['src', 'test'])
  const imports = new Map(
    sources.map(({ path, imports }) => [
      path,
      imports.filter(({ isType }) => !isType).map(({ from }) => from),
    ]),
  )
  const words = new Map(sources.map(({ path, text }) => [path, wordsIn(text)]))
  const needs = await testFiles()
  const tests = Object.keys(needs)
    .filter((path) => needs[path] === 'nothing' && !path.startsWith(READERS))
    .map((path) => ({ path, words: words.get(path)!, reached: reachedFrom(path, imports) }))
  const weightOf = (word: string) =>
    Math.log(tests.length / tests.filter((test) => test.words.has(word)).length)
  return (path) => {
    const start = `${basename(path).replace(/\.tsx?$/, '')}.test.`
    const weights = [...words.get(path)!].map((word) => [word, weightOf(word)] as const)
    const nearness = (test: (typeof tests)[number]) => {
      if (basename(test.path).startsWith(start)) return Number.POSITIVE_INFINITY
      const shared = weights.reduce(
        (sum, [word, weight]) => sum + (test.words.has(word) ? weight : 0),
        0,
      )
      return shared / Math.sqrt(test.words.size * test.reached.size)
    }
    return tests
      .filter(({ reached }) => reached.has(path))
      .map((test) => ({ path: test.path, nearness: nearness(test) }))
      .sort((a, b) => b.nearness - a.nearness || 0)
      .map((test) => test.path)
      .slice(0, NEAREST)
  }
}

/** The words in the names and strings of a source, in lower case. */
const wordsIn = (text: string) =>
  new Set(text.split(/\W+|(?=[A-Z][a-z])/).map((word) => word.toLowerCase()))

function reachedFrom(path: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set([path])
  for (const each of reached) for (const one of imports.get(each) ?? []) reached.add(one)
  return reached
}
