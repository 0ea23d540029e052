import { expect, test } from 'bun:test'
import { testFiles } from './needs.ts'

test('the needs of a test file follow from its imports, direct or not', async () => {
  const needs = await testFiles()
  expect(needs['test/domain/mid.test.ts']).toBe('nothing')
  expect(needs['test/http/rates.test.ts']).toBe('nothing')
  expect(needs['test/store/quote-store.test.ts']).toBe('database')
  expect(needs['test/portal/member/entrance.test.ts']).toBe('database')
  expect(needs['test/store/embedded/users.test.ts']).toBe('process')
  expect(needs['test/command/signals.test.ts']).toBe('process')
  const files = new Bun.Glob('**/*.test.ts').scanSync(`${import.meta.dir}/..`)
  expect(Object.keys(needs)).toHaveLength([...files].length)
})
