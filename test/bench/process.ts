import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const MAIN = join(import.meta.dir, '../../src/main.ts')

export type Running = {
  /** The address that `serve` printed, with the base path. */
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

const environment = (settings: Record<string, string>): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '/tmp',
  PORT: '0',
  REFERENCE_FEED: 'none',
  QUOTE_SUSPECT_PCT: 'off',
  QUOTE_IMPLAUSIBLE_TIMES: 'off',
  LOG_LEVEL: 'warn',
  ...settings,
})

const running = new Set<Bun.Subprocess>()

function started(args: readonly string[], settings: Record<string, string>) {
  const child = Bun.spawn(['bun', MAIN, ...args], {
    env: environment(settings),
    stdout: 'pipe',
    stderr: 'inherit',
  })
  running.add(child)
  void child.exited.then(() => running.delete(child))
  return child
}

/** Ends every process that was started here and still runs. */
export async function endProcesses(): Promise<void> {
  for (const child of running) child.kill('SIGKILL')
  await Promise.all(Array.from(running, (child) => child.exited))
}

/** Starts `corridor serve` as an operator would; resolves when its log says that it is ready. */
export async function serve(settings: Record<string, string>): Promise<Running> {
  const child = started(['serve'], settings)
  let said = ''
  for await (const chunk of child.stdout) {
    said += new TextDecoder().decode(chunk)
    const url = /corridor answers at (\S+)/.exec(said)?.[1]
    if (url) return { url, pid: child.pid, stop: () => ended(child) }
  }
  throw new Error(`corridor serve ended before it was ready: ${said}`)
}

async function ended(child: Bun.Subprocess): Promise<void> {
  child.kill('SIGTERM')
  const status = await child.exited
  if (status !== 0) throw new Error(`corridor serve ended with status ${status}`)
}

/** Runs one command to its end and returns what it printed. */
export async function command(args: string[], settings: Record<string, string>): Promise<string> {
  const child = started(args, settings)
  const printed = await new Response(child.stdout).text()
  const status = await child.exited
  if (status !== 0) throw new Error(`corridor ${args.join(' ')} ended with status ${status}`)
  return printed
}

/** Resident memory of a process now, and at its highest, in MB. */
export async function residentMb(pid: number): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const kb = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1])
  return { now: kb('VmRSS') / 1024, peak: kb('VmHWM') / 1024 }
}
