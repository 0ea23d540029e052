import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Command, Help } from 'commander'
import { addersFor } from '~/command/commands.ts'
import type { Terminal } from '~/command/terminal.ts'
import { loadConfig } from '~/config.ts'
import { ALERT_FIELDS } from '~/domain/alert/field.ts'
import { FEED_NAMES } from '~/feed/feeds.ts'
import type { Bank } from '~/source/bank.ts'
import { BANKS } from '~/source/banks.ts'
import { ERROR_STATUS } from '~/wire/errors.ts'
import { dependencies, devDependencies, scripts } from '../package.json'
import { type Block, blocksOf, isOfCommands, stepsOf } from './support/blocks.ts'
import { matchesIn, type Page, pageAt, pages, tableRows } from './support/pages.ts'

const ROOT = join(import.meta.dir, '..')
const README_BYTES_MAX = 12_000
/** `bun run docs` on the demonstration, and in a checkout without data; .ci/run itself. */
const RUNNERS = ['demo', 'own', 'ci']
/** Requirements that no job of ours has: these blocks are for a person to run. */
const NEEDS = [
  'needs-docker',
  'needs-root',
  'needs-libreoffice',
  'needs-cluster',
  'needs-cron',
  'needs-network',
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

describe('README and docs', () => {
  test('name files that exist', () => {
    const files = found(/`((?:test|src|ops|drizzle|patches|docs)\/[\w./-]+\.\w+)`/g)
    expect(files.length).toBeGreaterThan(20)
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
  })

  test('name scripts that exist', () => {
    const names = found(/\bbun run ([a-z:]+)/g)
    expect(names.length).toBeGreaterThan(5)
    expect(names.filter((name) => !(name in scripts))).toEqual([])
  })

  test('link to files and headings that exist', () => {
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

  test('have no page that README does not link', () => {
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

describe('a block of README and docs', () => {
  const blocks = pages.flatMap(blocksOf)
  const commands = blocks.filter(isOfCommands)
  const where = ({ path, line }: Block) => `${path}:${line}`

  test('names its language, and has commands only if the language says so', () => {
    expect(blocks.filter(({ language }) => language === '').map(where)).toEqual([])
    const others = blocks.filter((block) => !isOfCommands(block))
    expect(others.filter(({ text }) => /^\$ /m.test(text)).map(where)).toEqual([])
  })

  test('says what runs its commands, or what they would need', () => {
    expect(commands.length).toBeGreaterThan(10)
    const silent = commands.filter(({ mark }) => !RUNNERS.includes(mark) && !NEEDS.includes(mark))
    expect(silent.map(where)).toEqual([])
    for (const mark of ['demo', 'own'])
      expect(commands.filter((block) => block.mark === mark).flatMap(stepsOf)).not.toEqual([])
  })

  test('is run by .ci/run if README has it with npm, and ends like the one with bun', async () => {
    const own = commands.filter(({ mark }) => mark === 'ci')
    const lines = Object.fromEntries(own.map(({ text }) => text.trimEnd().split('\n')))
    const names = ['# run, with bun', '# run, with npm', '# test, with bun', '# test, with npm']
    expect(Object.keys(lines).sort()).toEqual(names)
    for (const name of ['# run', '# test'])
      expect(lines[`${name}, with npm`]).toEndWith(` && ${lines[`${name}, with bun`]}`)
    const ci = await Bun.file(join(ROOT, '.ci/run')).text()
    for (const taken of ["readme_command 'test, with npm'", 'bun run docs --with npm'])
      expect(ci).toContain(taken)
  })

  test('is at least readable by a shell if it needs another machine', () => {
    const unread = commands
      .filter(({ mark }) => NEEDS.includes(mark))
      .filter(({ text }) => Bun.spawnSync(['bash', '-n', '-c', text]).exitCode !== 0)
    expect(unread.map(where)).toEqual([])
  })
})

describe('docs/settings.md', () => {
  const rows = tableRows(pageAt('docs/settings.md'), 'name')
  const namesOf = (cell: string): string[] => matchesIn(cell, /`(\w+)`/g)

  test('names every setting, and no other', () => {
    const read = new Set<string>()
    loadConfig(new Proxy({}, { get: (_, name) => void read.add(String(name)) }))
    expect(rows.flatMap(([names]) => namesOf(names!)).sort()).toEqual([...read].sort())
  })

  test('names the defaults, which change nothing when they are set', () => {
    const stated = rows.flatMap(([names, defaults]) => {
      const values = defaults!
        .replace(/\(.*\)/, '')
        .split(', ')
        .map((value) => value.trim().replaceAll(/^`|`$/g, ''))
      const known = namesOf(names!)
      return known.length === values.length ? known.map((name, i) => [name, values[i]!]) : []
    })
    const prose = /^(none|per feed|per bank|from the request|made once|WORKERS)/
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
    const documented = usages.map((usage) => {
      const [name = ''] = usage.split(/ (?=[A-Z[-])/)
      return [name, ...matchesIn(usage, /(--[a-z-]+)/g).sort()].join(' ')
    })
    expect(documented.sort()).toEqual(commandsBelow(await wholeProgram(), []).sort())
  })
})

describe('docs/data.md', () => {
  test('says what every feed publishes and requires, and names no other feed', () => {
    const names = tableRows(pageAt('docs/data.md'), 'name').map(([name]) => name!)
    expect(names.sort()).toEqual(FEED_NAMES.map((name) => `\`${name}\``).sort())
  })

  test('says of every central bank in which currency and when it publishes, and what it asks', () => {
    const documented = tableRows(pageAt('docs/data.md'), 'source').map(
      ([name, , currency, , , when, terms]) => ({ name, currency, when, terms }),
    )
    expect(documented.map(({ name }) => name)).toEqual(
      Object.keys(BANKS).map((name) => `\`${name}\``),
    )
    for (const [index, bank] of Object.values<Bank>(BANKS).entries()) {
      const { currency, when, terms } = documented[index]!
      expect([currency, when!.slice(0, 5)]).toEqual([bank.currency, bank.publishes.at])
      const [address] = /https:[^:\s]+/.exec(bank.terms) ?? []
      expect(terms).toContain(address ?? 'none stated')
    }
  })

  test('compares every recorded bank with the mids', () => {
    for (const [name, , , , , , , distance] of tableRows(pageAt('docs/data.md'), 'source'))
      expect([name, distance]).toEqual([name, expect.stringMatching(/^20\d\d-\d\d-\d\d: \d+$/)])
  })
})

describe('docs/api.md', () => {
  test('names everything that an alert can watch, and nothing else', () => {
    const names = tableRows(pageAt('docs/api.md'), '`when.field`').map(([name]) => name!)
    expect(names.sort()).toEqual(ALERT_FIELDS.map((name) => `\`${name}\``).sort())
  })

  test('names every code of an error, with its status', () => {
    const { text } = pageAt('docs/api.md')
    const [, list] = /An error is JSON([\s\S]*?)\n\n/.exec(text)!
    const documented = list!.split(/\((\d{3})\)/)
    const codes = documented.flatMap((part, i) =>
      i % 2 === 0
        ? matchesIn(part, /`([a-z]+(?:_[a-z]+)+|forbidden|overloaded)`/g).map((code) => [
            code,
            Number(documented[i + 1]),
          ])
        : [],
    )
    const known = codes.filter(([code]) => code !== 'supported_currencies')
    expect(Object.fromEntries(known)).toEqual(ERROR_STATUS)
  })
})

describe('docs/architecture.md', () => {
  test('says what every folder contains', () => {
    const rows = tableRows(pageAt('docs/architecture.md'), 'folder').flatMap(([cells]) =>
      matchesIn(cells!, /`([^`]+)`/g),
    )
    const folders = [...new Bun.Glob('*/').scanSync({ cwd: join(ROOT, 'src'), onlyFiles: false })]
    expect(folders.length).toBeGreaterThan(10)
    expect(folders.map((name) => `src/${name}`).filter((path) => !rows.includes(path))).toEqual([])
    expect(rows.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })
})

describe('docs/dependencies.md', () => {
  test('gives the reason for every dependency, and for no other', () => {
    const rows = tableRows(pageAt('docs/dependencies.md'), 'package')
    const names = rows.map(([name]) => name!.replaceAll('`', ''))
    expect(names.sort()).toEqual(Object.keys({ ...dependencies, ...devDependencies }).sort())
    expect(rows.filter(([, why]) => !why)).toEqual([])
  })
})

/** Everything that src/main.ts adds to the command line. */
async function wholeProgram(): Promise<Command> {
  const program = new Command('corridor')
  const terminal: Terminal = { env: {}, isTerminal: false, print: () => {}, say: () => {} }
  for (const add of await addersFor(undefined)) add(program, terminal)
  return program
}

/** Each command that a person can run: its name, then its options by name. */
function commandsBelow(command: Command, group: readonly string[]): string[] {
  const help = new Help()
  const below = help.visibleCommands(command).filter((one) => one.name() !== 'help')
  const others = below.flatMap((one) => commandsBelow(one, [...group, one.name()]))
  if (below.length > 0 && command.registeredArguments.length === 0) return others
  const options = help.visibleOptions(command).map(({ long }) => long!)
  const named = options.filter((long) => !/^--(help|json)$/.test(long)).sort()
  return [[...group, ...named].join(' '), ...others]
}
