import { join } from 'node:path'
import { BARE_ENV, ROOT } from './child.ts'

const started: Bun.Subprocess[] = []

/** Starts `corridor serve` as a process of its own; resolves once it says where it answers. */
export async function serve(settings: Readonly<Record<string, string>>) {
  const child = Bun.spawn([process.execPath, join(ROOT, 'src/main.ts'), 'serve'], {
    env: {
      ...BARE_ENV,
      PORT: '0',
      REFERENCE_FEED: 'none',
      LOG_LEVEL: 'silent',
      ...settings,
    },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  started.push(child)
  const { value } = await child.stdout.getReader().read()
  const said = new TextDecoder().decode(value)
  const url = /^corridor answers at (\S+)\n$/.exec(said)?.[1]
  if (!url) throw new Error(`corridor serve said: ${said}`)
  return { child, url, pid: child.pid }
}

/** Ends every process that `serve` started. */
export async function endServed(): Promise<void> {
  for (const child of started.splice(0)) {
    child.kill('SIGKILL')
    await child.exited
  }
}
