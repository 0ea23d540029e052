import { join } from 'node:path'
import { Instrumenter } from '@stryker-mutator/instrumenter'

/** A small change of a source that a test should notice. */
export type Mutant = {
  /** Id by which a process activates it. */
  readonly id: string
  readonly file: string
  readonly line: number
  /** The first line of the original text. */
  readonly text: string
  /** The replacement of that text. */
  readonly replacement: string
}

/** Mutators that mostly alter words, or values without an observable effect. */
const UNTRIED = new Set(['StringLiteral', 'ObjectLiteral', 'ArrayDeclaration', 'Regex'])

const off = () => false
const silent = () => {}
const LOG = {
  ...{ isDebugEnabled: off, isTraceEnabled: off, isInfoEnabled: off },
  ...{ isWarnEnabled: off, isErrorEnabled: off, isFatalEnabled: off },
  ...{ debug: silent, trace: silent, info: silent, warn: silent, error: silent, fatal: silent },
}

/** Writes every mutant into the sources of a copy, behind a switch that is off, and lists them. */
export async function instrument(root: string, paths: readonly string[]): Promise<Mutant[]> {
  const files = await Promise.all(
    paths.map(async (path) => ({
      name: path,
      mutate: true,
      content: await Bun.file(join(root, path)).text(),
    })),
  )
  const contents = new Map(files.map(({ name, content }) => [name, content]))
  const options = { plugins: null, ignorers: [], excludedMutations: [...UNTRIED] }
  const made = await new Instrumenter(LOG).instrument(files, options)
  for (const { name, content } of made.files) await Bun.write(join(root, name), content)
  return made.mutants
    .filter(({ mutatorName }) => !UNTRIED.has(mutatorName))
    .map(({ id, fileName, location: { start, end }, replacement }) => {
      const line = contents.get(fileName)!.split('\n')[start.line]!
      const text = line.slice(start.column, end.line === start.line ? end.column : undefined)
      return { id, file: fileName, line: start.line + 1, text, replacement }
    })
}
