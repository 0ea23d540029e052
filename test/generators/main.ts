import { bunTest } from '../support/bun-test.ts'
import { preferMemory } from '../support/scratch.ts'
import { TOOLBOX_VARIABLE, toolbox } from './toolbox.ts'

/** Files that hold tests; the slowest first. */
const FILES = ['samples', 'clients', 'document', 'collection']

/** `bun run generators`: installs the tools, then runs the files, two at a time. */
async function main(): Promise<number> {
  const installed = await toolbox()
  await preferMemory()
  return bunTest({
    args: ['--parallel=2', ...FILES.map((name) => `./test/generators/${name}.ts`)],
    env: { [TOOLBOX_VARIABLE]: installed },
    timings: 'generator-timings.json',
    guessedMs: Object.fromEntries(
      FILES.map((name, i) => [`test/generators/${name}.ts`, 1000 * (FILES.length - i)]),
    ),
  })
}

process.exit(await main())
