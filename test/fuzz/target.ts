import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathOf } from '../portal/people-world.ts'
import { Visitor } from '../portal/visitor.ts'
import type { Actors } from './requests.ts'

export type Memory = {
  readonly rss: number
  readonly heapSize: number
  readonly objectCount: number
}

const SECRETS = {
  METRICS_TOKEN: 'metrics-token-of-the-fuzzer',
  AUTH_SECRET: 'auth-secret-of-the-fuzzer-0123456789',
}
const LIMITS = { QUOTA_FREE: '1000000000', QUOTA_PRO: '1000000000', QUOTA_ENTERPRISE: '1000000000' }
const RATES = { BOARD_REQUESTS_PER_MINUTE: '1000000', AUTH_FAILURES_PER_MINUTE: '1000000' }
/** Webhooks go to a port of this machine without a listener. */
const WEBHOOKS = { WEBHOOK_ALLOW: '127.0.0.1' }
const ALERTS_EACH = 15
const ALERT = {
  corridor: 'USD/KES',
  when: { field: 'best', op: 'above', value: 500 },
  to: { webhook: 'http://127.0.0.1:9/' },
}
const PASSWORD = 'pass-word-of-the-fuzzer'
const START_MS_MAX = 60_000

/** The service in a process of its own, on a temporary embedded database. */
export class Target {
  origin = ''
  /** Strings that must not appear in any response or log line. */
  readonly secrets: string[] = [...Object.values(SECRETS), PASSWORD]
  keys: string[] = []
  /** The first lines of the log that held a secret, without it. */
  readonly leaks: string[] = []
  /** Lines of the log at error or above. */
  readonly errors: string[] = []
  lines = 0
  readonly #child
  readonly #links: string[] = []
  #heard: (value: Record<string, unknown>) => void = () => {}

  private constructor(private readonly dataDir: string) {
    this.#child = Bun.spawn([process.execPath, join(import.meta.dir, 'service.ts')], {
      env: {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '/tmp',
        PORT: '0',
        DATA_DIR: dataDir,
        REFERENCE_FEED: 'none',
        LOG_LEVEL: 'debug',
        TRUST_PROXY: '1',
        SHUTDOWN_DELAY: 'off',
        ...SECRETS,
        ...LIMITS,
        ...RATES,
        ...WEBHOOKS,
      },
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    void this.#follow(this.#child.stdout)
    void this.#follow(this.#child.stderr)
  }

  static async start(): Promise<Target> {
    const target = new Target(await mkdtemp(join(tmpdir(), 'corridor-fuzz-')))
    const ready = await target.#next()
    target.origin = String(ready.origin)
    target.keys = Object.values(ready.keys as Record<string, string>)
    target.secrets.push(...target.keys, ...(ready.secrets as string[]).filter(Boolean))
    return target
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Returns the memory of the service after a garbage collection. */
  async measure(): Promise<Memory> {
    const measured = this.#next()
    this.#child.stdin.write('measure\n')
    this.#child.stdin.flush()
    return (await measured) as Memory
  }

  /** Two people who have signed in, one of them an operator. */
  async people(): Promise<Actors['people']> {
    const people = []
    for (const email of ['person@example.com', 'admin@example.com']) {
      const visitor = new Visitor(this.origin)
      await visitor.submit('/sign-up', { email, password: PASSWORD })
      const link = await this.#link(email)
      await visitor.submit(pathOf(link), { password: PASSWORD })
      const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      this.secrets.push(...visitor.cookies.values())
      people.push({ cookie, token: await visitor.token('/developer') })
    }
    return people
  }

  /** Ids of alerts of each account: enough that most survive the fuzzing. */
  async alerts(): Promise<string[]> {
    const ids: string[] = []
    for (const key of this.keys)
      for (let i = 0; i < ALERTS_EACH; i++) {
        const answer = await fetch(`${this.origin}/api/v1/alerts`, {
          method: 'POST',
          headers: { 'x-api-key': key, 'content-type': 'application/json' },
          body: JSON.stringify(ALERT),
        })
        const { id, secret, error } = await answer.json()
        if (!answer.ok) throw new Error(`no alert can be made: ${error}`)
        this.secrets.push(secret)
        ids.push(id)
      }
    return ids
  }

  /** Ends the service; returns its outcome. */
  async stop(): Promise<number> {
    this.#child.stdin.end()
    const status = await this.#child.exited
    await rm(this.dataDir, { recursive: true, force: true })
    return status
  }

  #next(): Promise<Record<string, unknown>> {
    const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>()
    const timer = setTimeout(() => reject(new Error('the service prints nothing')), START_MS_MAX)
    this.#heard = (value) => {
      clearTimeout(timer)
      resolve(value)
    }
    return promise
  }

  async #link(email: string): Promise<string> {
    for (;;) {
      const line = this.#links.find((text) => text.includes(email))
      const link = line && JSON.parse(line).link
      if (link) return link
      await Bun.sleep(20)
    }
  }

  async #follow(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of stream) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.#note(line)
    }
  }

  #note(line: string): void {
    if (/^\{"(origin|rss)":/.test(line)) this.#heard(JSON.parse(line))
    else this.#check(line)
  }

  #check(line: string): void {
    this.lines++
    if (line.includes('"link":')) this.#links.push(line)
    const secret = this.secrets.find((text) => line.includes(text))
    if (secret && this.leaks.length < 5)
      this.leaks.push(line.replaceAll(secret, '(secret)').slice(0, 300))
    if (/"level":"error"/.test(line) && this.errors.length < 20)
      this.errors.push(line.slice(0, 1500))
  }
}
