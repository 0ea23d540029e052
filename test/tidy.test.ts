import { describe, expect, test } from 'bun:test'
import { join, relative } from 'node:path'
import { packageManager } from '../package.json'
import { pages } from './support/pages.ts'

const ROOT = join(import.meta.dir, '..')
const LINE_COLUMNS_MAX = 100
const FILE_LINES_MAX = 300

type Source = { path: string; text: string; lines: string[] }

const sources = await filesOf('src/**/*.{ts,tsx}')
const tests = await filesOf('test/**/*.{ts,tsx}')
const all = [...sources, ...tests, ...(await filesOf('tools/**/*.ts'))]

/**
 * Imports that each folder of src may have from the others; a file in src itself is named by its
 * name.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  domain: [],
  memory: ['domain'],
  evidence: [],
  store: ['domain', 'evidence', 'outbound'],
  outbound: [],
  feed: ['domain', 'outbound'],
  source: ['domain', 'feed', 'file', 'outbound'],
  connector: ['domain', 'feed', 'file', 'jobs', 'outbound', 'wire'],
  webhook: ['domain', 'feed', 'outbound'],
  telemetry: ['domain', 'memory', 'clock', 'log'],
  service: ['domain', 'evidence', 'memory'],
  jobs: ['domain', 'evidence', 'memory', 'log'],
  wire: ['domain', 'service', 'memory'],
  file: ['domain', 'memory', 'wire'],
  http: ['domain', 'evidence', 'memory', 'service', 'wire', 'file', 'clock', 'log', 'telemetry'],
  mcp: ['domain', 'memory', 'service', 'wire', 'clock', 'log', 'telemetry'],
  portal: ['domain', 'evidence', 'memory', 'service', 'wire', 'file', 'http', 'clock', 'log'],
  runtime: [
    ...['domain', 'memory', 'store', 'feed', 'source', 'telemetry', 'service', 'jobs', 'wire'],
    ...[
      'connector',
      'evidence',
      'file',
      'outbound',
      'webhook',
      'http',
      'mcp',
      'portal',
      'sample',
      'app',
      'config',
      'clock',
      'log',
    ],
  ],
  sample: ['domain', 'source'],
  client: [],
  app: ['domain', 'http', 'mcp', 'portal', 'wire', 'log', 'telemetry'],
  config: ['domain', 'evidence', 'feed', 'source', 'jobs', 'log', 'setting'],
  setting: ['domain', 'evidence', 'feed', 'outbound', 'source', 'jobs'],
  clock: [],
  log: [],
}

/** Homes of each technology. */
const HOMES: [what: string, pattern: RegExp, homes: RegExp][] = [
  ['process.env', /\bprocess\.env\b/, /^src\/(main|wire\/openapi\/code-samples)\.ts$/],
  [
    'the type of a store',
    /^(export )?(type|interface) \w+Store\b/m,
    /^src\/(jobs|runtime|service)\//,
  ],
  ['the clock', /\bDate\.now\(|\bnew Date\(\)/, /^src\/clock\.ts$/],
  ['the stopwatch', /\bperformance\.now\(/, /^src\/(clock\.ts|store\/)/],
  ['console', /\bconsole\./, /^(tools\/|src\/wire\/openapi\/code-samples\.ts$)/],
  ['drizzle', /from 'drizzle-orm/, /^src\/store\//],
  ['the postgres driver', /from 'postgres'/, /^src\/store\//],
  ['croner', /from 'croner'/, /^src\/jobs\/schedule\.ts$/],
  ['elysia', /from '(@elysiajs\/|elysia)/, /^src\/(app\.ts|http\/|mcp\/|portal\/)/],
  ['pino', /from '(pino|sonic-boom)/, /^src\/log(\.ts|\/)/],
  ['OpenTelemetry', /'@opentelemetry\//, /^src\/telemetry\/spans\.ts$/],
  ['code from text', /\beval\(|\bnew Function\(/, /^$/],
  ['patterns made in a function', /^[ \t]+.*\bnew RegExp\(/m, /^src\/log\.ts$/],
  ['commander', /from 'commander'/, /^src\/(main\.ts|command\/)/],
]

describe('the house', () => {
  test('imports follow the table: data flows one way', () => {
    const wrong = sources.flatMap(({ path, text }) => {
      const room = roomOf(path)
      const allowed = MAY_IMPORT[room]
      if (!allowed) return []
      return importsOf(path, text)
        .map(roomOf)
        .filter((target) => target !== room && !allowed.includes(target))
        .map((target) => `${path} imports ${target}`)
    })
    expect(wrong).toEqual([])
  })

  test('every folder of src is in the table, or is command', () => {
    const rooms = new Set(sources.map(({ path }) => roomOf(path)))
    const known = new Set([...Object.keys(MAY_IMPORT), 'command', 'main'])
    expect([...rooms].filter((room) => !known.has(room))).toEqual([])
  })

  test('only main imports command', () => {
    const wrong = sources.filter(
      ({ path, text }) =>
        !/^src\/(main\.ts|command\/)/.test(path) && /from '[^']*\/command\//.test(text),
    )
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  for (const [what, pattern, homes] of HOMES)
    test(`${what} appears only in its home`, () => {
      const strays = sources.filter(({ path, text }) => pattern.test(text) && !homes.test(path))
      expect(strays.map(({ path }) => path)).toEqual([])
    })

  test('no room has a vague name', () => {
    const vague = all.filter(({ path }) =>
      /(^|\/)(utils?|helpers?|common|types|misc|index)(\.tsx?|\/)/.test(path),
    )
    expect(vague.map(({ path }) => path)).toEqual([])
  })

  test.each(['development', 'production'])(
    'pages find their JSX from any folder in %s',
    (NODE_ENV) => {
      const page = join(ROOT, 'src/portal/moment.tsx')
      const { stderr } = Bun.spawnSync([process.execPath, page], {
        cwd: '/',
        env: { ...process.env, NODE_ENV },
      })
      expect(stderr.toString()).toBe('')
    },
  )

  test('file names are kebab-case nouns', () => {
    const odd = all.filter(
      ({ path }) => !/^[a-z0-9-]+(\.test)?\.tsx?$/.test(path.split('/').at(-1)!),
    )
    expect(odd.map(({ path }) => path)).toEqual([])
  })
})

describe('sizes', () => {
  test(`no line of src is longer than ${LINE_COLUMNS_MAX} columns`, () => {
    const long = sources.flatMap(({ path, lines }) =>
      lines.flatMap((line, i) => ([...line].length > LINE_COLUMNS_MAX ? [`${path}:${i + 1}`] : [])),
    )
    expect(long).toEqual([])
  })

  test(`no file of src is longer than ${FILE_LINES_MAX} lines`, () => {
    const long = sources.filter(({ lines }) => lines.length > FILE_LINES_MAX + 1)
    expect(long.map(({ path, lines }) => `${path} ${lines.length}`)).toEqual([])
  })
})

describe('the tests', () => {
  test('none is skipped, focused or left for later', () => {
    const word = ['skip', 'only', 'todo', 'if', 'skipIf', 'todoIf'].join('|')
    const pattern = new RegExp(`\\b(test|it|describe)\\.(${word})\\(`)
    expect(tests.filter(({ text }) => pattern.test(text)).map(({ path }) => path)).toEqual([])
  })
})

describe('versions', () => {
  test('bun is pinned in package.json and nowhere else', async () => {
    const [, version] = packageManager.split('@')
    const files = [...pages.map(({ path }) => path), 'Dockerfile', 'compose.yaml', '.ci/run']
    const texts = await Promise.all(files.map((file) => Bun.file(join(ROOT, file)).text()))
    expect(files.filter((_, i) => texts[i]!.includes(version!))).toEqual([])
  })

  test('every dependency is pinned exactly', async () => {
    const { dependencies, devDependencies } = await Bun.file(join(ROOT, 'package.json')).json()
    const all = Object.entries<string>({ ...dependencies, ...devDependencies })
    expect(all.filter(([, version]) => !/^(npm:[\w@/-]+@)?\d/.test(version))).toEqual([])
  })
})

async function filesOf(pattern: string): Promise<Source[]> {
  const paths = [...new Bun.Glob(pattern).scanSync(ROOT)].sort()
  return Promise.all(
    paths.map(async (path) => {
      const text = await Bun.file(join(ROOT, path)).text()
      return { path, text, lines: text.split('\n') }
    }),
  )
}

/** The folder directly below src, or the name of a file in src itself. */
function roomOf(path: string): string {
  const [, room] = path.split('/')
  return room!.replace(/\.tsx?$/, '')
}

/** Imports of a file from src, as paths from the root. */
function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(/(?:from|import) '((?:~|\.{1,2})\/[^']+)'/g)]
    .map(([, target]) => target!)
    .map((target) =>
      target.startsWith('~/')
        ? `src/${target.slice(2)}`
        : relative(ROOT, join(ROOT, path, '..', target)),
    )
    .filter((target) => target.startsWith('src/'))
}
