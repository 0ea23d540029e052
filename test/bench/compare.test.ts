import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptOutput } from '../support/child.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-compare-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const compare = (...files: string[]) => scriptOutput(['test/bench/main.ts', 'compare', ...files])

async function kept(name: string, content: unknown): Promise<string> {
  const file = join(folder, name)
  await Bun.write(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

describe('bun run bench compare', () => {
  test('prints the ratios between two reports', async () => {
    const figures = (value: number) => ({
      results: [],
      figures: [{ what: 'x', unit: 'ms', value }],
    })
    const [old, fresh] = [await kept('old.json', figures(4)), await kept('new.json', figures(6))]
    const { status, stdout } = await compare(old, fresh)
    expect([status, stdout]).toEqual([0, expect.stringContaining('| x, ms | 1.50 |')])
  })

  test('names in one line a missing file', async () => {
    const old = await kept('old.json', { results: [], figures: [] })
    const missing = join(folder, 'missing.json')
    const line = `there is no report at ${missing}: bun run bench http makes one (--out FILE)\n`
    expect(await compare(old, missing)).toEqual({ status: 1, stdout: '', stderr: line })
  })

  test.each(['{', '[]', '{"results":[]}'])(
    'says in one line that a file which holds %p is not a report',
    async (content) => {
      const file = await kept('other.json', content)
      const line = `${file} is no report of bun run bench http\n`
      expect(await compare(file, file)).toEqual({ status: 1, stdout: '', stderr: line })
    },
  )

  test('says its usage in one line when a file is left out', async () => {
    const line = 'bun run bench compare OLD NEW: it takes two files of bun run bench http\n'
    for (const files of [[], ['a'], ['a', 'b', 'c']])
      expect(await compare(...files)).toEqual({ status: 2, stdout: '', stderr: line })
  })
})
