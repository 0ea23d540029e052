import { type SpawnOptions, spawn } from 'node:child_process'
import type { SystemUser } from './user.ts'

/** Settings of every program of the database; secrets of our environment are left out. */
export function spawnOptions(user: SystemUser | null): SpawnOptions {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', TZ: 'UTC', LC_ALL: 'C' }
  return { cwd: '/', env, ...(user && { uid: user.uid, gid: user.gid }) }
}

/**
 * Runs one program to its end as `user` (null: ourselves); `output` is stdout and stderr. Signals
 * of a terminal do not reach the program: we receive them and decide.
 */
export async function run(
  command: string,
  args: string[],
  user: SystemUser | null,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(command, args, {
    ...spawnOptions(user),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const collect = (chunk: Buffer) => {
    output += chunk.toString()
  }
  child.stdout?.on('data', collect)
  child.stderr?.on('data', collect)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}
