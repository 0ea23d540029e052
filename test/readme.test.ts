import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Command, Help } from 'commander'
import type { Terminal } from '~/command/terminal.ts'
import { loadConfig } from '~/config.ts'
import { dependencies, devDependencies, scripts } from '../package.json'
import { type Page, pageAt, pages } from './support/pages.ts'

const ROOT = join(import.meta.dir, '..')
const README_BYTES_MAX = 12_000

const matchesIn = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, found]) => found!)),
]

const found = (pattern: RegExp): string[] =>
  matchesIn(pages.map(({ text }) => text).join(), pattern)

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')

const proseOf = ({ text }: Page): string => text.replace(/^```[\s\S]*?^```$/gm, '')

const anchorsOf = (page: Page): string[] =>
  matchesIn(proseOf(page), /^#{1,4} (.+)$/gm).map(anchorOf)

/** The rows of a page's tables with that first heading, cell by cell. */
function tableRows({ text }: Page, heading: string): string[][] {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} |`))
  const rows = lines.slice(start + 2)
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) => line.slice(1, -1).split(/(?<!\\)\|/))
    .map((cells) => cells.map((cell) => cell.trim()))
}

describe('README and docs', () => {
  test('name files that there are', () => {
    const files = found(/`((?:test|src|ops|drizzle|patches|docs)\/[\w./-]+\.\w+)`/g)
    expect(files.length).toBeGreaterThan(20)
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
  })

  test('name scripts that there are', () => {
    const names = found(/\bbun run ([a-z:]+)/g)
    expect(names.length).toBeGreaterThan(5)
    expect(names.filter((name) => !(name in scripts))).toEqual([])
  })

  test('link to files and headings that there are', () => {
    const links = pages.flatMap((page) =>
      matchesIn(proseOf(page), /\]\((?!https?:|mailto:)([^)\s]+)\)/g).map((target) => ({
        page,
        target,
      })),
    )
    expect(links.length).toBeGreaterThan(20)
    const dead = links.filter(({ page, target }) => {
      const [file = '', anchor] = target.split('#')
      const path = file === '' ? page.path : relative(ROOT, join(ROOT, dirname(page.path), file))
      if (!existsSync(join(ROOT, path))) return true
      return anchor !== undefined && !anchorsOf(pageAt(path)).includes(anchor)
    })
    expect(dead.map(({ page, target }) => `${page.path} -> ${target}`)).toEqual([])
  })

  test('have no page that README leaves out', () => {
    const { text } = pageAt('README.md')
    const others = pages.map(({ path }) => path).filter((path) => path !== 'README.md')
    expect(others.length).toBeGreaterThan(10)
    expect(others.filter((path) => !text.includes(`](${path}`))).toEqual([])
  })
})

describe('README', () => {
  test(`is read in a few minutes: at most ${README_BYTES_MAX} bytes`, () => {
    expect(Buffer.byteLength(pageAt('README.md').text)).toBeLessThanOrEqual(README_BYTES_MAX)
  })
})

describe('docs/settings.md', () => {
  const rows = tableRows(pageAt('docs/settings.md'), 'name')
  const namesOf = (cell: string): string[] => matchesIn(cell, /`(\w+)`/g)

  test('names every setting that is read, and no other', () => {
    const read = new Set<string>()
    loadConfig(new Proxy({}, { get: (_, name) => void read.add(String(name)) }))
    expect(rows.flatMap(([names]) => namesOf(names!)).sort()).toEqual([...read].sort())
  })

  test('names the defaults: set so, nothing changes', () => {
    const stated = rows.flatMap(([names, defaults]) => {
      const values = defaults!
        .replace(/\(.*\)/, '')
        .split(', ')
        .map((value) => value.trim().replaceAll(/^`|`$/g, ''))
      const known = namesOf(names!)
      return known.length === values.length ? known.map((name, i) => [name, values[i]!]) : []
    })
    const prose = /^(none|per feed|from the request|made once|WORKERS)/
    const values = stated.filter(([, value]) => !prose.test(value!))
    expect(values.length).toBeGreaterThan(20)
    expect(loadConfig(Object.fromEntries(values))).toEqual(loadConfig({}))
  })
})

describe('docs/operate.md', () => {
  test('names every command with its options, and no other', async () => {
    const usages = tableRows(pageAt('docs/operate.md'), 'command').flatMap(([cell]) =>
      matchesIn(cell!, /`([^`]+)`/g),
    )
    const told = usages.map((usage) => {
      const [name = ''] = usage.split(/ (?=[A-Z[-])/)
      return [name, ...matchesIn(usage, /(--[a-z-]+)/g).sort()].join(' ')
    })
    expect(told.sort()).toEqual(commandsBelow(await wholeProgram(), []).sort())
  })
})

describe('docs/dependencies.md', () => {
  test('gives the reason of every dependency, and of no other', () => {
    const rows = tableRows(pageAt('docs/dependencies.md'), 'package')
    const names = rows.map(([name]) => name!.replaceAll('`', ''))
    expect(names.sort()).toEqual(Object.keys({ ...dependencies, ...devDependencies }).sort())
    expect(rows.filter(([, why]) => !why)).toEqual([])
  })
})

type Add = (program: Command, terminal: Terminal) => void

/** Everything that src/main.ts adds to the command line. */
async function wholeProgram(): Promise<Command> {
  const program = new Command('corridor')
  const terminal: Terminal = { env: {}, isTerminal: false, print: () => {}, say: () => {} }
  const main = await Bun.file(join(ROOT, 'src/main.ts')).text()
  for (const [, name, path] of main.matchAll(/import \{ (add\w+) \} from '\.\/(\S+)'/g)) {
    const file: Record<string, Add> = await import(join(ROOT, 'src', path!))
    file[name!]!(program, terminal)
  }
  return program
}

/** Each command that a person can run: its name, then its options by name. */
function commandsBelow(command: Command, group: readonly string[]): string[] {
  const help = new Help()
  const below = help.visibleCommands(command).filter((one) => one.name() !== 'help')
  if (below.length > 0) return below.flatMap((one) => commandsBelow(one, [...group, one.name()]))
  const options = help.visibleOptions(command).map(({ long }) => long!)
  return [[...group, ...options.filter((long) => !/^--(help|json)$/.test(long)).sort()].join(' ')]
}
