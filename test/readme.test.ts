import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scripts } from '../package.json'

const ROOT = join(import.meta.dir, '..')
const readme = await readFile(join(ROOT, 'README.md'), 'utf8')

const found = (pattern: RegExp): string[] => [
  ...new Set([...readme.matchAll(pattern)].map(([, name]) => name!)),
]

describe('the README', () => {
  test('names files that there are', () => {
    const files = found(/`((?:test|src|ops|drizzle|patches)\/[\w./-]+\.\w+)`/g)
    expect(files.length).toBeGreaterThan(20)
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
  })

  test('names scripts that there are', () => {
    const names = found(/\bbun run ([a-z:]+)/g)
    expect(names.length).toBeGreaterThan(5)
    expect(names.filter((name) => !(name in scripts))).toEqual([])
  })

  test('links to headings that there are', () => {
    const anchorOf = (heading: string) =>
      heading
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .replaceAll(' ', '-')
    const anchors = found(/^#{2,4} (.+)$/gm).map(anchorOf)
    expect(found(/\]\(#([\w-]+)\)/g).filter((anchor) => !anchors.includes(anchor))).toEqual([])
  })
})
