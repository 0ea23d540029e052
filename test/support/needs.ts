import { join, normalize } from 'node:path'
import { ROOT } from './child.ts'

/** Requirement of a test file other than the process that runs it. */
export type Need = 'nothing' | 'database' | 'process'

const DATABASE = 'test/support/postgres.ts'
/** They start processes, but only for the database or its files. */
const NO_PROCESS = [DATABASE, 'test/support/scratch.ts']
const STARTS = /\bBun\.(spawn|\$)|\bnew (Worker|Stdio\w+)\(|child_process|\bopenEmbedded\b/

type Source = { readonly imports: readonly string[]; readonly isStarting: boolean }

/** Every test file, as a path in the repository, and what it needs, by what it imports in test/. */
export async function testFiles(): Promise<Record<string, Need>> {
  const sources = new Map<string, Source>()
  for await (const path of new Bun.Glob('test/**/*.{ts,tsx}').scan(ROOT))
    sources.set(path, sourceOf(path, await Bun.file(join(ROOT, path)).text()))
  const paths = [...sources.keys()].filter((path) => path.endsWith('.test.ts')).sort()
  return Object.fromEntries(paths.map((path) => [path, needOf(sources, path)]))
}

function needOf(sources: ReadonlyMap<string, Source>, path: string): Need {
  const reached = new Set([path])
  for (const each of reached)
    for (const imported of sources.get(each)?.imports ?? []) reached.add(imported)
  const starting = [...reached].some(
    (each) => sources.get(each)?.isStarting && !NO_PROCESS.includes(each),
  )
  if (starting) return 'process'
  return reached.has(DATABASE) ? 'database' : 'nothing'
}

/** Imports of a source from test/, types left out, and whether it starts processes itself. */
function sourceOf(path: string, text: string): Source {
  const loader = path.endsWith('.tsx') ? 'tsx' : 'ts'
  const imports = new Bun.Transpiler({ loader })
    .scanImports(text)
    .filter((each) => each.path.startsWith('.'))
    .map((each) => normalize(join(path, '..', each.path)))
  return { imports, isStarting: STARTS.test(text) }
}
