import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../support/child.ts'
import { until } from '../support/until.ts'

const LAST_LINE = '/status'
const LOG = 'log'

/** `corridor demo` on data of its own, as a person starts it. */
export class DemoServer {
  private constructor(
    readonly origin: string,
    /** The key of each plan. */
    readonly keys: Readonly<Record<string, string>>,
    readonly stop: () => Promise<void>,
    private readonly dataDir: string,
  ) {}

  static async start(env: Readonly<Record<string, string>> = {}): Promise<DemoServer> {
    const dataDir = await mkdtemp(join(tmpdir(), 'corridor-browser-'))
    const child = Bun.spawn([process.execPath, join(ROOT, 'src/main.ts'), 'demo'], {
      env: { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: '0', ...env },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: Bun.file(join(dataDir, LOG)),
    })
    const stop = async () => {
      child.kill('SIGTERM')
      await child.exited
      await rm(dataDir, { recursive: true, force: true })
    }
    const text = await introduction(child.stdout)
    const [, origin] = /corridor answers at (\S+)\/api\/v1/.exec(text) ?? []
    const keys = [...text.matchAll(/^ {2}(\w+) .*(crd_\w+)$/gm)].map(([, plan, key]) => [plan, key])
    if (origin) return new DemoServer(origin, Object.fromEntries(keys), stop, dataDir)
    await stop()
    throw new Error(`the demonstration did not start: ${text}`)
  }

  /** The newest link that its log holds for an address; waits for the first. */
  async linkTo(email: string): Promise<string> {
    let link: string | undefined
    await until(`a link to ${email}`, async () => {
      const lines = (await Bun.file(join(this.dataDir, LOG)).text()).split('\n')
      link = lines
        .flatMap((line) => (line.includes(`"to":"${email}"`) ? [linkIn(line)] : []))
        .at(-1)
      return link !== undefined
    })
    return link!
  }

  /** Runs `corridor` on the demonstration's data, as its operator does. */
  async command(...args: string[]): Promise<void> {
    const child = Bun.spawn([process.execPath, join(ROOT, 'src/main.ts'), ...args], {
      env: { PATH: process.env.PATH, DATA_DIR: join(this.dataDir, 'demo') },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text())
  }
}

const linkIn = (line: string): string => JSON.parse(line).link

/** Returns what it prints until it has printed all of it. */
async function introduction(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const bytes of stdout) {
    text += decoder.decode(bytes, { stream: true })
    if (text.trimEnd().endsWith(`${LAST_LINE}'`)) break
  }
  return text
}
