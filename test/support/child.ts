import { join } from 'node:path'

export const ROOT = join(import.meta.dir, '../..')

/**
 * Environment of tested processes: no setting, and bun's transpiler cache, which saves a sixth of
 * each start.
 */
export const BARE_ENV = {
  PATH: process.env.PATH,
  BUN_RUNTIME_TRANSPILER_CACHE_PATH: join(ROOT, 'node_modules/.cache/corridor/transpiled'),
}

/** The output of a script of this repository or of its packages, run by this bun. */
export async function scriptOutput(
  [script, ...args]: readonly [script: string, ...args: string[]],
  env: Readonly<Record<string, string>> = {},
): Promise<{ status: number; stdout: string; stderr: string }> {
  const child = Bun.spawn([process.execPath, join(ROOT, script), ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { status, stdout, stderr }
}
