import { availableParallelism } from 'node:os'

const CORES = availableParallelism()
const TASKSET = CORES > 1 ? Bun.which('taskset') : null

/** A command that runs on the load's core: the last one, if the machine can keep servers off it. */
export const onLoadCore = (command: string[]): string[] =>
  TASKSET ? [TASKSET, '-c', String(CORES - 1), ...command] : command

/** Keeps a running process with all its threads off the core of the load. */
export async function pinToServers(pid: number): Promise<void> {
  if (!TASKSET) return
  const cores = CORES === 2 ? '0' : `0-${CORES - 2}`
  const child = Bun.spawn([TASKSET, '-a', '-c', '-p', cores, String(pid)], { stdout: 'ignore' })
  if ((await child.exited) !== 0) throw new Error(`process ${pid} cannot be kept on one core`)
}
