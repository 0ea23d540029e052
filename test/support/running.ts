import { readFile } from 'node:fs/promises'

/** Reports whether a process runs; a zombie, which was not reaped yet, does not. */
export const isRunning = async (pid: number): Promise<boolean> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z')
  return !stat.includes(') Z')
}
