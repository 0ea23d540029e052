import { chmod, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort } from '~/runtime/listener.ts'
import { type Block, blocksOf, isOfCommands, stepsOf } from '../support/blocks.ts'
import { ROOT } from '../support/child.ts'
import { pageAt, pages } from '../support/pages.ts'
import { preferMemory } from '../support/scratch.ts'
import { isAlike } from './alike.ts'
import { typed } from './shell.ts'

/**
 * The commands of README and docs, run as written and compared with the output that the pages show:
 * those marked `demo` on the demonstration, those marked `own` in a checkout of its own without
 * data.
 */
/** Names in pages of the keys that the demonstration prints, by plan. */
const KEYS = { free: 'FREE', pro: 'PRO', enterprise: 'ENTERPRISE' }

const { values } = parseArgs({
  options: {
    /** The README command that starts the demonstration. */
    with: { type: 'string', default: 'bun' },
    /** Print each command's output, for authors of pages. */
    show: { type: 'boolean', default: false },
  },
})

let passed = 0
let failed = 0
await preferMemory()
const home = await mkdtemp(join(tmpdir(), 'corridor-docs-'))
await chmod(home, 0o755)
try {
  await onDemo()
  for (const { path } of pages) await onOwn(path)
} finally {
  await rm(home, { recursive: true, force: true })
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

/** Starts the demonstration by README's own command, and goes through the pages. */
async function onDemo(): Promise<void> {
  const block = blocksOf(pageAt('README.md')).find(({ text }) =>
    text.startsWith(`# run, with ${values.with}\n`),
  )
  const line = block!.text.trimEnd().split('\n')[1]!
  const child = Bun.spawn(['bash', '-c', `exec 2>&1; ${line}`], {
    cwd: ROOT,
    env: { ...plainEnv(), PORT: '0', DATA_DIR: join(home, 'demo') },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  try {
    const said = await saidUntil(child.stdout, '/api/v1/status')
    report('README.md', `$ ${line}`, said.includes('corridor answers at'))
    const { origin } = new URL(/corridor answers at (\S+)/.exec(said)![1]!)
    const keys = Object.entries(KEYS).map(([plan, name]) => [name, keyOf(said, plan)])
    const env = Object.fromEntries(keys) as Record<string, string>
    for (const { path } of pages) await tried(path, 'demo', { folder: home, origin, env })
  } finally {
    process.kill(-child.pid, 'SIGINT')
    await child.exited
    const left = [...new Bun.Glob('**/postmaster.pid').scanSync(join(home, 'demo'))]
    report('README.md', 'Ctrl-C ends the demonstration and its database', left.length === 0)
  }
}

/** A checkout of its own for a page: everything of this one except data. */
async function onOwn(path: string): Promise<void> {
  if (!blocksOf(pageAt(path)).some(({ mark }) => mark === 'own')) return
  const folder = await mkdtemp(join(home, 'own-'))
  await chmod(folder, 0o755)
  for (const name of await readdir(ROOT))
    if (!name.startsWith('.')) await symlink(join(ROOT, name), join(folder, name))
  const port = freePort('127.0.0.1')
  const env = { PORT: String(port), DATA_DIR: join(folder, '.data') }
  await tried(path, 'own', { folder, origin: `http://127.0.0.1:${port}`, env })
}

type Place = { folder: string; origin: string; env: Record<string, string> }

async function tried(path: string, mark: string, place: Place): Promise<void> {
  const blocks = blocksOf(pageAt(path))
  await Promise.all(blocks.map((block) => written(block, place.folder)))
  const steps = blocks.filter((one) => isOfCommands(one) && one.mark === mark).flatMap(stepsOf)
  if (steps.length === 0) return
  const defaults = { URL: `${place.origin}/api/v1`, KEY: place.env.ENTERPRISE ?? '' }
  const outcomes = await typed(
    steps.map(({ command }) => command),
    { ...place, env: { ...defaults, ...place.env } },
  )
  for (const [i, { line, command, printed }] of steps.entries()) {
    const outcome = outcomes[i]!
    const isRight = outcome.status === 0 && isAlike(printed, outcome.printed)
    report(`${path}:${line}`, `$ ${command}`, isRight)
    if (!isRight || values.show)
      console.log(`status ${outcome.status}, printed:\n${outcome.printed}`)
  }
}

/** Writes a block that is named like a file into that file. */
async function written({ mark, text }: Block, folder: string): Promise<void> {
  const [, name] = /^file=([\w.-]+)$/.exec(mark) ?? []
  if (name) await writeFile(join(folder, name), text)
}

function report(where: string, what: string, isRight: boolean): void {
  if (isRight) passed++
  else failed++
  console.log(`${isRight ? 'right' : 'WRONG'}: ${where} ${what}`)
}

async function saidUntil(stream: ReadableStream<Uint8Array>, end: string): Promise<string> {
  let said = ''
  for await (const chunk of stream) {
    said += new TextDecoder().decode(chunk)
    if (said.includes(`${end}'\n`)) return said
  }
  throw new Error(`the demonstration did not start: ${said}`)
}

function keyOf(said: string, plan: string): string {
  return new RegExp(`^ +${plan} .*(crd_\\w+)$`, 'm').exec(said)![1]!
}

function plainEnv(): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? home }
}
