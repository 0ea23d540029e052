import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { matchesIn, pageAt, tableRows } from '../support/pages.ts'

const ROOT = join(import.meta.dir, '../..')

/** The requirements of levels 1 and 2 of ASVS 5.0.0, by section. */
const REQUIREMENTS: Readonly<Record<string, string>> = {
  '1.1': '1 2',
  '1.2': '1 2 3 4 5 6 7 8 9',
  '1.3': '1 2 3 4 5 6 7 8 9 10 11',
  '1.4': '1 2 3',
  '1.5': '1 2',
  '2.1': '1 2 3',
  '2.2': '1 2 3',
  '2.3': '1 2 3 4',
  '2.4': '1',
  '3.2': '1 2',
  '3.3': '1 2 3 4',
  '3.4': '1 2 3 4 5 6',
  '3.5': '1 2 3 4 5',
  '3.7': '1 2',
  '4.1': '1 2 3',
  '4.2': '1',
  '4.3': '1 2',
  '4.4': '1 2 3 4',
  '5.1': '1',
  '5.2': '1 2 3',
  '5.3': '1 2',
  '5.4': '1 2 3',
  '6.1': '1 2 3',
  '6.2': '1 2 3 4 5 6 7 8 9 10 11 12',
  '6.3': '1 2 3 4',
  '6.4': '1 2 3 4',
  '6.5': '1 2 3 4 5',
  '6.6': '1 2 3',
  '6.8': '1 2 3 4',
  '7.1': '1 2 3',
  '7.2': '1 2 3 4',
  '7.3': '1 2',
  '7.4': '1 2 3 4 5',
  '7.5': '1 2',
  '7.6': '1 2',
  '8.1': '1 2',
  '8.2': '1 2 3',
  '8.3': '1',
  '8.4': '1',
  '9.1': '1 2 3',
  '9.2': '1 2 3 4',
  '10.1': '1 2',
  '10.2': '1 2',
  '10.3': '1 2 3 4',
  '10.4': '1 2 3 4 5 6 7 8 9 10 11',
  '10.5': '1 2 3 4 5',
  '10.6': '1 2',
  '10.7': '1 2 3',
  '11.1': '1 2',
  '11.2': '1 2 3',
  '11.3': '1 2 3',
  '11.4': '1 2 3 4',
  '11.5': '1',
  '11.6': '1',
  '12.1': '1 2 3',
  '12.2': '1 2',
  '12.3': '1 2 3 4',
  '13.1': '1',
  '13.2': '1 2 3 4 5',
  '13.3': '1 2',
  '13.4': '1 2 3 4 5',
  '14.1': '1 2',
  '14.2': '1 2 3 4',
  '14.3': '1 2 3',
  '15.1': '1 2 3',
  '15.2': '1 2 3',
  '15.3': '1 2 3 4 5 6 7',
  '16.1': '1',
  '16.2': '1 2 3 4 5',
  '16.3': '1 2 3 4',
  '16.4': '1 2 3',
  '16.5': '1 2 3',
  '17.1': '1',
  '17.2': '1 2 3 4',
  '17.3': '1 2',
}

const required = Object.entries(REQUIREMENTS).flatMap(([section, numbers]) =>
  numbers.split(' ').map((number) => `${section}.${number}`),
)

const page = pageAt('docs/security.md')
const rows = tableRows(page, 'requirement')
/** The requirements that a cell names: `4.4.1-4` are four. */
const requirementsOf = (ids: string): string[] =>
  ids.split(', ').flatMap((id) => {
    const [, section, first, last] = /^(\d+\.\d+)\.(\d+)(?:-(\d+))?$/.exec(id)!
    const count = Number(last ?? first) - Number(first) + 1
    return Array.from({ length: count }, (_, i) => `${section}.${Number(first) + i}`)
  })
const named = (cells: readonly string[][]) => cells.flatMap(([ids]) => requirementsOf(ids!))
const attacks = tableRows(page, 'attack')
const testsOf = (cells: readonly string[]) => matchesIn(cells.at(-1)!, /`([^`\s]+)`/g)
/** The file of a test as the page writes it: below test/, with .test.ts by default. */
const fileOf = (name: string) => `test/${name}${/\.tsx?$/.test(name) ? '' : '.test.ts'}`
const REASONED = /\*\*(Not met|Yours)\*\*: \S/

describe('docs/security.md', () => {
  test('has each requirement of ASVS 5.0, level 2, once', () => {
    const listed = [...named(rows), ...named(tableRows(page, 'does not apply'))]
    expect(listed.sort()).toEqual(required.sort())
  })

  test('says for each how it is met and by which test, or why there is none', () => {
    const unproven = rows.filter(
      (cells) => testsOf(cells).length === 0 && !REASONED.test(cells[1]!),
    )
    expect(rows.length).toBeGreaterThan(100)
    expect(unproven).toEqual([])
  })

  test('names test files that exist, and tests', async () => {
    expect(attacks.filter((cells) => testsOf(cells).length === 0)).toEqual([])
    const paths = [...new Set([...rows, ...attacks].flatMap(testsOf))].map(fileOf)
    const texts = await Promise.all(
      paths.map((path) =>
        Bun.file(join(ROOT, path))
          .text()
          .catch(() => null),
      ),
    )
    const empty = paths.filter((path, i) => path.includes('.test.') && !texts[i]?.includes('test'))
    expect(paths.filter((_, i) => texts[i] === null)).toEqual([])
    expect(empty).toEqual([])
    expect(paths.length).toBeGreaterThan(80)
  })
})
