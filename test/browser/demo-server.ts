import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '~/store/embedded/run.ts'
import { SHORT_LIVED } from '../support/bun-test.ts'
import { BARE_ENV, ROOT } from '../support/child.ts'
import { scratchFolder } from '../support/scratch.ts'
import { until } from '../support/until.ts'

const LAST_LINE = '/status'
const LOG = 'log'
const UNLIMITED = { BOARD_REQUESTS_PER_MINUTE: '100000' }

/** Variables by which `bun run test:browser` gives its workers a data directory to copy ... */
const PREPARED_VARIABLE = 'CORRIDOR_TEST_DEMO'
/** ... and a demonstration to share. */
const SHARED_VARIABLE = 'CORRIDOR_TEST_SHARED_DEMO'

/** `corridor demo` on a data directory of its own, as a person starts it. */
export class DemoServer {
  private constructor(
    readonly origin: string,
    /** The key of each plan. */
    readonly keys: Readonly<Record<string, string>>,
    readonly dataDir: string,
    /** Stops it, and keeps its data; null for one that another process stops. */
    private readonly end: (() => Promise<void>) | null,
  ) {}

  /** The one that files share if each changes only accounts of its own; a new one for a single file. */
  static async shared(): Promise<DemoServer> {
    const shared = process.env[SHARED_VARIABLE]
    if (!shared) return DemoServer.start()
    const { origin, keys, dataDir } = JSON.parse(shared) as DemoServer
    return new DemoServer(origin, keys, dataDir, null)
  }

  /** Prepares data that later ones start sooner on, here and in child processes. */
  static async prepare(): Promise<void> {
    const demo = await DemoServer.start()
    await demo.end?.()
    process.env[PREPARED_VARIABLE] = demo.dataDir
  }

  /** Starts the one that files in child processes share. */
  static async share(): Promise<DemoServer> {
    const demo = await DemoServer.start()
    process.env[SHARED_VARIABLE] = JSON.stringify(demo)
    return demo
  }

  static async start(env: Readonly<Record<string, string>> = {}): Promise<DemoServer> {
    const dataDir = await scratchFolder()
    const prepared = process.env[PREPARED_VARIABLE]
    if (prepared) await run('/bin/cp', ['-a', `${prepared}/.`, dataDir], null)
    const child = Bun.spawn([process.execPath, join(ROOT, 'src/main.ts'), 'demo'], {
      env: { ...BARE_ENV, ...SHORT_LIVED, DATA_DIR: dataDir, PORT: '0', ...UNLIMITED, ...env },
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
    if (origin) return new DemoServer(origin, Object.fromEntries(keys), dataDir, end)
    await end()
    throw new Error(`the demonstration did not start: ${text}`)
  }

  /** Stops it, prints the failures in its log, and removes its data; leaves a shared one alone. */
  async stop(): Promise<void> {
    if (!this.end) return
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
      env: { ...BARE_ENV, ...SHORT_LIVED, DATA_DIR: join(this.dataDir, 'demo') },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text())
  }
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
