import { join } from 'node:path'
import { bunTest } from '../support/bun-test.ts'
import { preferMemory, removeScratch } from '../support/scratch.ts'
import { DemoServer } from './demo-server.ts'

const WORKERS = 3
/**
 * Limit of a test: Bun kills the children of a test that reaches it, including the demonstration of
 * its file.
 */
const HANG_MS = 900_000
/** Files that take longest, in order. */
const SLOWEST = ['languages', 'mount', 'docs', 'account', 'alerts', 'send', 'board', 'profile']

/**
 * `bun run test:browser`: the pages in Chromium, several files at a time. Those that change no more
 * than accounts of their own share a demonstration; each other has its own, on a copy of a prepared
 * one. Arguments, such as paths of a few files, go to `bun test`.
 */
async function main(args: readonly string[]): Promise<number> {
  const given = args.map((arg) => (/^test\/.*\.ts$/.test(arg) ? `./${arg}` : arg))
  const paths = given.filter((arg) => arg.endsWith('.ts'))
  await preferMemory()
  await DemoServer.prepare()
  const shared = paths.length === 1 ? null : await DemoServer.share()
  const status = await bunTest({
    args: [`--parallel=${WORKERS}`, ...given, ...(paths.length > 0 ? [] : await testFiles())],
    hangMs: HANG_MS,
    timings: 'browser-timings.json',
    guessedMs: Object.fromEntries(
      SLOWEST.map((name, i) => [`test/browser/${name}.ts`, 1000 * (SLOWEST.length - i)]),
    ),
  })
  await shared?.stop()
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
