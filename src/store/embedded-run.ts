import { type SpawnOptions, spawn } from 'node:child_process'
import type { Account } from '~/store/embedded-account.ts'

/** The settings every program of the database runs with: our environment's secrets stay ours. */
export function spawnOptions(account: Account | null): SpawnOptions {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', TZ: 'UTC', LC_ALL: 'C' }
  return { cwd: '/', env, ...(account && { uid: account.uid, gid: account.gid }) }
}

/** Runs one program to its end as `account` (null: ourselves); `output` is stdout and stderr. */
export async function run(
  command: string,
  args: string[],
  account: Account | null,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(command, args, {
    ...spawnOptions(account),
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
