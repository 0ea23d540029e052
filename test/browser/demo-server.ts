import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '~/store/embedded/run.ts'
import { BARE_ENV, ROOT } from '../support/child.ts'
import { scratchFolder } from '../support/scratch.ts'
import { until } from '../support/until.ts'

const LAST_LINE = '/status'
const LOG = 'log'

/** Variable by which `bun run test:browser` gives its workers the data directory that they copy. */
export const DEMO_VARIABLE = 'CORRIDOR_TEST_DEMO'

/** `corridor demo` on a data directory of its own, as a person starts it. */
export class DemoServer {
  private constructor(
    readonly origin: string,
    /** The key of each plan. */
    readonly keys: Readonly<Record<string, string>>,
    /** Stops it, and keeps its data. */
    readonly end: () => Promise<void>,
    readonly dataDir: string,
  ) {}

  static async start(env: Readonly<Record<string, string>> = {}): Promise<DemoServer> {
    const dataDir = await scratchFolder()
    const prepared = process.env[DEMO_VARIABLE]
    if (prepared) await run('/bin/cp', ['-a', `${prepared}/.`, dataDir], null)
    const child = Bun.spawn([process.execPath, join(ROOT, 'src/main.ts'), 'demo'], {
      env: { ...BARE_ENV, DATA_DIR: dataDir, PORT: '0', ...env },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: Bun.file(join(dataDir, LOG)),
    })
    const end = async () => {
      child.kill('SIGTERM')
      await child.exited
    }
    const text = await introduction(child.stdout)
    const [, origin] = /corridor answers at (\S+)\/api\/v1/.exec(text) ?? []
    const keys = [...text.matchAll(/^ {2}(\w+) .*(crd_\w+)$/gm)].map(([, plan, key]) => [plan, key])
    if (origin) return new DemoServer(origin, Object.fromEntries(keys), end, dataDir)
    await end()
    throw new Error(`the demonstration did not start: ${text}`)
  }

  /** Stops it, prints the failures in its log, and removes its data. */
  async stop(): Promise<void> {
    await this.end()
    for (const line of (await Bun.file(join(this.dataDir, LOG)).text()).split('\n'))
      if (line.includes('"err":')) console.log(line)
    await rm(this.dataDir, { recursive: true, force: true })
  }

  /** The newest link in its log for an address; waits for the first. */
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
      env: { ...BARE_ENV, DATA_DIR: join(this.dataDir, 'demo') },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text())
  }
}

/** The data directory of a stopped demonstration; others start sooner on a copy of it. */
export async function preparedDemo(): Promise<string> {
  const demo = await DemoServer.start()
  await demo.end()
  return demo.dataDir
}

const linkIn = (line: string): string => JSON.parse(line).link

/** Returns its introduction once it is printed. */
async function introduction(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const bytes of stdout) {
    text += decoder.decode(bytes, { stream: true })
    if (text.trimEnd().endsWith(`${LAST_LINE}'`)) break
  }
  return text
}
