/**
 * Replaces `bun:test` in the tests of a copy: it collects tests, to run each as often as needed.
 */
export { expect, jest, mock, setSystemTime, spyOn } from 'bun:test'

type Work = (...args: never[]) => unknown
type Block = {
  readonly above: Block | null
  readonly name: string
  readonly hooks: Record<'beforeAll' | 'beforeEach' | 'afterEach' | 'afterAll', (() => unknown)[]>
}

/** A test that runs alone, with the hooks around it. */
export type Test = {
  readonly file: string
  readonly name: string
  readonly run: () => Promise<void>
}

const blockIn = (above: Block | null, name: string): Block => ({
  ...{ above, name, hooks: { beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] } },
})

const tests: Test[] = []
let block = blockIn(null, '')

/** Imports a test file, and returns its tests in their order. */
export async function testsIn(root: string, file: string): Promise<Test[]> {
  block = blockIn(null, file)
  const from = tests.length
  await import(`${root}/${file}`)
  return tests.slice(from)
}

function add(name: string, work: () => unknown): void {
  const blocks: Block[] = []
  for (let each: Block | null = block; each; each = each.above) blocks.unshift(each)
  const before = (['beforeAll', 'beforeEach'] as const).flatMap((of) =>
    blocks.map((b) => b.hooks[of]),
  )
  const after = (['afterEach', 'afterAll'] as const).flatMap((of) =>
    blocks.toReversed().map((b) => b.hooks[of]),
  )
  const run = async () => {
    try {
      for (const hooks of before) for (const hook of hooks) await hook()
      await work()
    } finally {
      for (const hooks of after) for (const hook of hooks) await hook()
    }
  }
  const names = [...blocks.slice(1).map((each) => each.name), name]
  tests.push({ file: blocks[0]!.name, name: names.join(' > '), run })
}

function open(name: string, work: () => unknown): void {
  block = blockIn(block, name)
  work()
  block = block.above!
}

type Register = (name: string, work: () => unknown) => void

/** `each` of `test` and `describe`: a row that is an array is its arguments. */
const eachOf = (register: Register) => (rows: readonly unknown[]) => (name: string, work: Work) => {
  for (const row of rows)
    register(name, () =>
      (work as (...args: unknown[]) => unknown)(...(Array.isArray(row) ? row : [row])),
    )
}

export const test = Object.assign((name: string, work: () => unknown) => add(name, work), {
  each: eachOf(add),
})
export const describe = Object.assign((name: string, work: () => unknown) => open(name, work), {
  ...{ each: eachOf(open), concurrent: open },
})

const hookOf = (name: keyof Block['hooks']) => (work: () => unknown) => {
  block.hooks[name].push(work)
}
export const beforeAll = hookOf('beforeAll')
export const beforeEach = hookOf('beforeEach')
export const afterEach = hookOf('afterEach')
export const afterAll = hookOf('afterAll')
export const setDefaultTimeout = () => {}
