import { mkdir, rm } from 'node:fs/promises'
import { constants } from 'node:os'
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

/** Ends with the process what it has started, whichever signal ends it. */
export function endTogether(): void {
  for (const signal of SIGNALS)
    process.once(signal, async () => {
      await endProcesses()
      process.exit(128 + constants.signals[signal])
    })
}
