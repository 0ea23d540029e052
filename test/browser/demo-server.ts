import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../support/child.ts'

const LAST_LINE = '/status'

/** `corridor demo` on data of its own, as a person starts it. */
export class DemoServer {
  private constructor(
    readonly origin: string,
    /** The key of each plan. */
    readonly keys: Readonly<Record<string, string>>,
    readonly stop: () => Promise<void>,
  ) {}

  static async start(env: Readonly<Record<string, string>> = {}): Promise<DemoServer> {
    const dataDir = await mkdtemp(join(tmpdir(), 'corridor-browser-'))
    const child = Bun.spawn([process.execPath, join(ROOT, 'src/main.ts'), 'demo'], {
      env: { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: '0', ...env },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'ignore',
    })
    const stop = async () => {
      child.kill('SIGTERM')
      await child.exited
      await rm(dataDir, { recursive: true, force: true })
    }
    const text = await introduction(child.stdout)
    const [, origin] = /corridor answers at (\S+)\/api\/v1/.exec(text) ?? []
    const keys = [...text.matchAll(/^ {2}(\w+) .*(crd_\w+)$/gm)].map(([, plan, key]) => [plan, key])
    if (origin) return new DemoServer(origin, Object.fromEntries(keys), stop)
    await stop()
    throw new Error(`the demonstration did not start: ${text}`)
  }
}

/** What it prints until it has printed all of it. */
async function introduction(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const bytes of stdout) {
    text += decoder.decode(bytes, { stream: true })
    if (text.trimEnd().endsWith(`${LAST_LINE}'`)) break
  }
  return text
}
