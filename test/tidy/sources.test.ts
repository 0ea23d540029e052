import { describe, expect, test } from 'bun:test'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { circles, deadExports, folderSizes } from './house.ts'
import { sourceFiles } from './syntax.ts'

const ROOT = join(import.meta.dir, '../..')
const FUNCTION_LINES_MAX = 50
const FOLDER_FILES_MAX = 30
const FILE_BYTES_MAX = 400_000
const LOCK_FILE = 'bun.lock'

const sources = await sourceFiles(ROOT, ['src', 'tools'])
const tests = await sourceFiles(ROOT, ['test'])

/** Existing exceptions to a rule. The lists may only shrink. */
const EXCEPTIONS = {
  functions: [],
  circles: [],
}

/**
 * Exports for tools: drizzle-kit reads tables to create migrations, and the client's generated
 * methods use the types of operations.
 */
const READ_BY_TOOLS = /^src\/(store\/([a-z]+\/)?schema|client\/operation)\.ts$/

/** Openers that hide what a comment is about, since an editor shows it without its neighbours. */
const VAGUE_OPENER = /^(?:\/\*\*?|\/\/)[\s*]*(?:The same|Who|Of|So many)\b/

describe('the sources', () => {
  test(`no function has more than ${FUNCTION_LINES_MAX} lines, nested ones and JSX too`, () => {
    const long = sources.flatMap(({ path, functions }) =>
      functions
        .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
        .map(({ name }) => `${path} ${name}`),
    )
    expect(long).toEqual(EXCEPTIONS.functions)
  })

  test(`no folder has more than ${FOLDER_FILES_MAX} files`, () => {
    const full = folderSizes(sources).filter(([, files]) => files > FOLDER_FILES_MAX)
    expect(full).toEqual([])
  })

  test('nothing is exported that is not imported', () => {
    const dead = deadExports(sources, [...sources, ...tests]).filter(
      ({ path }) => !READ_BY_TOOLS.test(path),
    )
    expect(dead.map(({ path, name }) => `${path} ${name}`)).toEqual([])
  })

  test('no files import each other in a circle', () => {
    expect(circles(sources)).toEqual(EXCEPTIONS.circles)
  })

  test('every comment names what it is about', () => {
    const vague = [...sources, ...tests].flatMap(({ path, comments }) =>
      comments.filter(({ text }) => VAGUE_OPENER.test(text)).map(({ line }) => `${path}:${line}`),
    )
    expect(vague).toEqual([])
  })
})

describe('the checkout', () => {
  const listed = Bun.spawnSync(['git', 'ls-files', '-z'], { cwd: ROOT }).stdout.toString()
  const paths = listed.split('\0').filter((path) => path !== '' && path !== LOCK_FILE)

  test('has no settings of a machine, which Bun would read', () => {
    expect(paths.filter((path) => /(^|\/)\.env/.test(path))).toEqual([])
  })

  test(`no file except the lock file has more than ${FILE_BYTES_MAX / 1000} kB`, async () => {
    expect(paths.length).toBeGreaterThan(sources.length)
    const sizes = await Promise.all(
      paths.map(async (path) => [path, (await stat(join(ROOT, path))).size] as const),
    )
    expect(sizes.filter(([, bytes]) => bytes > FILE_BYTES_MAX)).toEqual([])
  })
})
