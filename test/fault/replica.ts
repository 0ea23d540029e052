import { join } from 'node:path'

const ENTRY = join(import.meta.dir, 'service.ts')
const START_MS_MAX = 30_000

/** One service process on a port of its own, which can be killed, stopped and restarted. */
export class Replica {
  readonly origin: string
  /** Number of starts: responses of one run do not concern another. */
  life = 0
  #child: Bun.Subprocess<'pipe', 'pipe', Bun.BunFile> | null = null

  constructor(
    readonly name: string,
    private readonly port: number,
    private readonly settings: Readonly<Record<string, string>>,
    readonly logPath: string,
  ) {
    this.origin = `http://127.0.0.1:${port}`
  }

  get pid(): number {
    return this.#child!.pid
  }

  /** Resolves when its log says that it is ready. */
  async start(): Promise<void> {
    this.life += 1
    const child = Bun.spawn([process.execPath, ENTRY], {
      env: { PATH: process.env.PATH ?? '', PORT: String(this.port), ...this.settings },
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: Bun.file(this.logPath),
    })
    this.#child = child
    const timer = setTimeout(() => child.kill('SIGKILL'), START_MS_MAX)
    let said = ''
    for await (const chunk of child.stdout) {
      said += new TextDecoder().decode(chunk)
      if (said.includes('corridor answers at')) break
    }
    clearTimeout(timer)
    if (!said.includes('corridor answers at'))
      throw new Error(`replica ${this.name} did not start: ${await Bun.file(this.logPath).text()}`)
  }

  /** The last errors that it logged. */
  async errors(count: number): Promise<string[]> {
    const lines = (await Bun.file(this.logPath).text()).split('\n')
    return lines.filter((line) => line.includes('"level":"error"')).slice(-count)
  }

  /** `kill -9`; resolves when it is gone. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL')
    await this.#child?.exited
  }

  /** SIGTERM; resolves to its exit status. */
  async stop(): Promise<number> {
    this.#child!.kill('SIGTERM')
    return this.#child!.exited
  }
}
