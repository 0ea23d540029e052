import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'

const ROOT = join(import.meta.dir, '../..')
const ROW = /^\| (\d+) \|(.*)$/gm
const FILE = /`(src\/[^`]+)`/g
const MARK = /Cache (\d+) of a read, see docs\/architecture\.md/g

const page = await Bun.file(join(ROOT, 'docs/architecture.md')).text()

/** The caches as the page lists them: number and file, in order. */
const listed = [...page.matchAll(ROW)].flatMap(([, number, row]) =>
  [...row!.matchAll(FILE)].map(([, path]) => `${number} ${path}`),
)

/** The caches as the code names them. */
async function named(): Promise<string[]> {
  const marks: string[] = []
  for (const path of new Glob('src/**/*.{ts,tsx}').scanSync(ROOT))
    for (const [, number] of (await Bun.file(join(ROOT, path)).text()).matchAll(MARK))
      marks.push(`${number} ${path}`)
  return marks
}

describe('the caches of a read', () => {
  test('have the same number in the code as on the page', async () => {
    expect(listed.length).toBeGreaterThan(9)
    expect((await named()).sort()).toEqual(listed.sort())
  })
})
