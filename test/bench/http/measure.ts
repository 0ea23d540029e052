import { readFile } from 'node:fs/promises'
import { residentMb } from '../process.ts'
import { median } from '../table.ts'
import { GENERATORS, type GeneratorName, type Load, type Seen } from './load.ts'

/** One round, or the medians of several. */
export type Measured = Omit<Seen, 'requests'> & {
  /** User and system time of the server's process. */
  readonly cpuMicros: number
  readonly residentMb: number
}

export type Driving = Load & { readonly generator: GeneratorName }

/** Drives a server and measures the cost to its process. */
export async function measured({ generator, ...load }: Driving, pid: number): Promise<Measured> {
  const before = await cpuMs(pid)
  const { requests, ...seen } = await GENERATORS[generator](load)
  const spentMs = (await cpuMs(pid)) - before
  const { now } = await residentMb(pid)
  return { ...seen, cpuMicros: (spentMs * 1000) / requests, residentMb: now }
}

export function medians(rounds: readonly Measured[]): Measured {
  const of = (name: keyof Measured) => median(rounds.map((round) => round[name]))
  return {
    perSecond: of('perSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    p999Ms: of('p999Ms'),
    bytes: of('bytes'),
    cpuMicros: of('cpuMicros'),
    residentMb: of('residentMb'),
  }
}

/** Ratios of one server's rounds to another's, each to the same round. */
export type Ratios = Pick<Measured, 'perSecond' | 'p99Ms' | 'cpuMicros'>

/**
 * The medians over the rounds of one server's ratio to another.
 *
 * A temporary slowdown of the machine affects both servers of a round, so these vary less from run
 * to run than ratios of medians.
 */
export function ratios(rounds: readonly Measured[], others: readonly Measured[]): Ratios {
  const of = (name: keyof Ratios) =>
    median(rounds.map((round, i) => round[name] / others[i]![name]))
  return { perSecond: of('perSecond'), p99Ms: of('p99Ms'), cpuMicros: of('cpuMicros') }
}

/** Linux counts in hundredths of a second, whatever the kernel's own tick. */
const TICK_MS = 10

/** User and system time that a process has used so far. */
export async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}
