import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { madeOnce } from '~/domain/made-once.ts'
import { ROOT } from '../support/child.ts'

/** Outside the sources, and cached between runs. */
const FOLDER = join(ROOT, 'node_modules/.cache/corridor/generators')

/** Limit of a test that runs other programs: only a hanging one takes as long. */
export const HANG_MS = 20 * 60_000

/** Variable by which `bun run generators` says that the tools are installed. */
export const TOOLBOX_VARIABLE = 'CORRIDOR_TEST_TOOLBOX'

/**
 * The folder with the tools in `package.json` next to this file: hundreds of megabytes that work on
 * the product alone does not need.
 */
export const toolbox = madeOnce(async () => {
  if (process.env[TOOLBOX_VARIABLE]) return FOLDER
  await mkdir(FOLDER, { recursive: true })
  for (const file of ['package.json', 'bun.lock'])
    await copyFile(join(import.meta.dir, file), join(FOLDER, file))
  const { status, errors } = await ran([process.execPath, 'install', '--frozen-lockfile'], FOLDER)
  if (status !== 0) throw new Error(`the tools could not be installed: ${errors}`)
  return FOLDER
})

/** Returns a tool's output in a folder, and its exit status. Its telemetry is off. */
export async function ran(
  command: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ status: number; output: string; errors: string }> {
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: { ...process.env, ...QUIET, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { status, output, errors }
}

type Beginning = {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** Pattern to wait for. */
  readonly end: RegExp
}

/** Returns the output of an endless program up to `end`, and stops it there. */
export async function firstOf(
  command: readonly string[],
  { folder, env, end }: Beginning,
): Promise<string> {
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  const decoder = new TextDecoder()
  let said = ''
  for await (const chunk of child.stdout) {
    said += decoder.decode(chunk, { stream: true })
    if (end.test(said)) break
  }
  if (child.exitCode === null) process.kill(-child.pid)
  await child.exited
  return said
}

const QUIET = {
  DO_NOT_TRACK: '1',
  NO_COLOR: '1',
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
}
