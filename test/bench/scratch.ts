import { mkdir, readFile, rm } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import { scratchFolder } from '../support/scratch.ts'
import { endProcesses } from './process.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Does work in a folder of its own, which is gone afterwards with the servers that run in it, also
 * when the process was ended or killed. A folder that is given is kept.
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
 * Ends with the process what it has started, whichever signal ends it; and the servers in a folder
 * that is kept, since nobody else would.
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
