import { mkdir, readFile, rm } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import { scratchFolder } from '../support/scratch.ts'
import { endProcesses } from './process.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs work in a temporary folder, which is deleted afterwards after stopping the servers in it,
 * also when the process was interrupted or killed. A given folder stays.
 */
export async function inScratch<T>(work: (dir: string) => Promise<T>, kept?: string): Promise<T> {
  if (kept) await mkdir(kept, { recursive: true })
  const dir = kept ?? (await scratchFolder())
  try {
    return await work(dir)
  } finally {
    await endProcesses()
    if (!kept) await rm(dir, { recursive: true, force: true })
  }
}

/**
 * Ends everything that the process has started, whichever signal ends it, and the servers in a
 * given folder, which would stay otherwise.
 */
export function endTogether(kept?: string): void {
  for (const signal of SIGNALS)
    process.once(signal, async () => {
      await endProcesses()
      if (kept)
        for await (const file of new Bun.Glob('**/postmaster.pid').scan(kept))
          await endServer(join(kept, file))
      process.exit(128 + constants.signals[signal])
    })
}

async function endServer(pidFile: string): Promise<void> {
  const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10)
  try {
    if (pid > 0) process.kill(pid, 'SIGINT')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
