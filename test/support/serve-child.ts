import { join } from 'node:path'
import { BARE_ENV, ROOT } from './child.ts'
import { ProcessLog } from './process-log.ts'

const started = new Map<Bun.Subprocess, ProcessLog>()

/**
 * Starts `corridor serve` as a process of its own; resolves with its address once it is ready. If
 * it ends by itself, its log is printed.
 */
export function serve(settings: Readonly<Record<string, string>>) {
  return launchServe(settings).answering
}

/** A service as `serve` runs it, from its start. */
export function launchServe(settings: Readonly<Record<string, string>>) {
  const child = Bun.spawn([process.execPath, join(ROOT, 'src/main.ts'), 'serve'], {
    env: {
      ...BARE_ENV,
      PORT: '0',
      REFERENCE_FEED: 'none',
      LOG_FORMAT: 'json',
      ...settings,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const { pid } = child
  const log = new ProcessLog(`corridor serve, process ${pid}`, child.stderr)
  started.set(child, log)
  void child.exited.then((status) => {
    if (started.has(child) && child.signalCode === null && status > 0)
      console.error(`status ${status}; ${log.text}`)
  })
  const answering = async () => {
    const { value } = await child.stdout.getReader().read()
    const said = new TextDecoder().decode(value)
    const url = /^corridor answers at (\S+)\n$/.exec(said)?.[1]
    if (!url) throw new Error(`corridor serve printed: ${said}\n${log.text}`)
    return { child, url, pid, log }
  }
  return { log, answering: answering() }
}

/** Ends every process that `serve` started. */
export async function endServed(): Promise<void> {
  for (const [child, log] of started) {
    started.delete(child)
    log.end()
    child.kill('SIGKILL')
    await child.exited
  }
}
