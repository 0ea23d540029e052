import { join } from 'node:path'
import { bunTest } from '../support/bun-test.ts'
import { preferMemory, removeScratch } from '../support/scratch.ts'
import { CHROMIUM_VARIABLE, chromiumServer } from './chromium.ts'
import { DEMO_VARIABLE, preparedDemo } from './demo-server.ts'

const WORKERS = 3
/**
 * Limit of a test: Bun kills the children of a test that reaches it, including the demonstration of
 * its file.
 */
const HANG_MS = 900_000
/** Files that take longest, in order. */
const SLOWEST = ['languages', 'mount', 'docs', 'account', 'alerts', 'send', 'board', 'profile']

/**
 * `bun run test:browser`: the pages in one Chromium, several files at a time, each with a copy of
 * one prepared demonstration. Arguments, such as paths of a few files, go to `bun test`.
 */
async function main(args: readonly string[]): Promise<number> {
  const given = args.map((arg) => (/^test\/.*\.ts$/.test(arg) ? `./${arg}` : arg))
  const hasPaths = given.some((arg) => arg.endsWith('.ts'))
  await preferMemory()
  const [chromium, prepared] = await Promise.all([chromiumServer(), preparedDemo()])
  const status = await bunTest({
    args: [`--parallel=${WORKERS}`, ...given, ...(hasPaths ? [] : await testFiles())],
    env: { [CHROMIUM_VARIABLE]: chromium.wsEndpoint(), [DEMO_VARIABLE]: prepared },
    hangMs: HANG_MS,
    timings: 'browser-timings.json',
    guessedMs: Object.fromEntries(
      SLOWEST.map((name, i) => [`test/browser/${name}.ts`, 1000 * (SLOWEST.length - i)]),
    ),
  })
  await chromium.close()
  await removeScratch()
  return status
}

async function testFiles(): Promise<string[]> {
  const paths = [...new Bun.Glob('*.ts').scanSync(import.meta.dir)].sort()
  const texts = await Promise.all(paths.map((path) => Bun.file(join(import.meta.dir, path)).text()))
  return paths
    .filter((_, i) => /^import .* from 'bun:test'$/m.test(texts[i]!))
    .map((path) => `./test/browser/${path}`)
}

process.exit(await main(process.argv.slice(2)))
