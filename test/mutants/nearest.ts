import { basename } from 'node:path'
import { ROOT } from '../support/child.ts'
import { testFiles } from '../support/needs.ts'
import { sourceFiles } from '../tidy/syntax.ts'
import type { Mutant } from './instrument.ts'

/** Whoever does not notice a mutant among the tests nearest to it will hardly do so elsewhere. */
const NEAREST = 5
/** As many of the nearest test files of a source are tried for which of its mutants they pass. */
const TRIED = 12
/** They read the sources, and the copy has others. */
const READERS = 'test/tidy'

/** The mutants that a test file passes; null if it fails without any. */
type Reached = { readonly file: string; readonly ids: readonly string[] | null }

/**
 * The test files without a database or a process that are nearest to each of the sources, by the
 * imports between them; of those that are as near, first those of its name.
 */
export async function testsOf(paths: readonly string[]): Promise<string[]> {
  const sources = await sourceFiles(ROOT, ['src', 'test'])
  const users = new Map<string, string[]>()
  for (const { path, imports } of sources)
    for (const { from, isType } of imports)
      if (!isType) users.set(from, [...(users.get(from) ?? []), path])
  const needs = await testFiles()
  const isTried = (path: string) => needs[path] === 'nothing' && !path.startsWith(READERS)
  return [
    ...new Set(paths.flatMap((path) => reaching(path, users).filter(isTried).slice(0, TRIED))),
  ]
}

/** The files that import a source, those that do it by fewer others first. */
function reaching(path: string, users: ReadonlyMap<string, readonly string[]>): string[] {
  const name = basename(path).replace(/\.tsx?$/, '')
  const isNamesake = (one: string) => basename(one).startsWith(`${name}.test.`)
  const reached = new Set([path])
  for (let step = [path]; step.length > 0; ) {
    const next = new Set(
      step.flatMap((one) => users.get(one) ?? []).filter((one) => !reached.has(one)),
    )
    step = [...next].sort((a, b) => Number(isNamesake(b)) - Number(isNamesake(a)))
    for (const one of step) reached.add(one)
  }
  return [...reached]
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
