import { readFile, readlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ifThere } from './if-there.ts'
import { run } from './run.ts'

/** A running database server, as its own `postmaster.pid` describes it. */
type Postmaster = {
  pid: number
  /** The port; null until the server listens. */
  port: number | null
  status: 'starting' | 'ready' | 'stopping'
}

/**
 * The server that runs on `data`, or null.
 *
 * The pid file alone proves nothing: after a crash or in a new container its pid may be unused or
 * belong to another program. A process counts only when it is a postgres working on `data`.
 */
export async function runningPostmaster(data: string): Promise<Postmaster | null> {
  const text = await readPidFile(data)
  if (text === null) return null
  const lines = text.split('\n')
  const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10))
  if (!pid || !(await isPostmasterOf(pid, data))) return null
  const word = lines[7]?.trim()
  const status = word === 'ready' || word === 'stopping' ? word : 'starting'
  return { pid, port: Number.parseInt(lines[3] ?? '', 10) || null, status }
}

export const readPidFile = (data: string): Promise<string | null> =>
  ifThere(readFile(join(data, 'postmaster.pid'), 'utf8'))

async function isPostmasterOf(pid: number, data: string): Promise<boolean> {
  if (process.platform !== 'linux') {
    const { output } = await run('/bin/ps', ['-ww', '-o', 'command=', '-p', String(pid)], null)
    return output.includes('postgres') && `${output.trim()} `.includes(` -D ${data} `)
  }
  try {
    const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')
    if (basename(args[0] ?? '') !== 'postgres') return false
    return args.includes(data) || (await readlink(`/proc/${pid}/cwd`)) === data
  } catch {
    return false
  }
}
