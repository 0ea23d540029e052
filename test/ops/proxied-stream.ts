import { setTimeout as delay } from 'node:timers/promises'

/** Interval at which the read bytes are checked. */
const LOOK_MS = 20

/** A stream as curl reads it, line by line as each arrives. */
export class ProxiedStream {
  readonly #child: Bun.Subprocess<'ignore', 'pipe', 'ignore'>
  #text = ''
  /** Says whether the stream has ended, in order or not. */
  isOver = false

  constructor(line: readonly string[]) {
    this.#child = Bun.spawn([...line], { stdio: ['ignore', 'pipe', 'ignore'] })
    void this.#read()
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder()
    for await (const bytes of this.#child.stdout)
      this.#text += decoder.decode(bytes, { stream: true })
    this.isOver = true
  }

  /** The number of comments that have arrived. */
  get comments(): number {
    return this.#text.match(/^:/gm)?.length ?? 0
  }

  has(text: string): boolean {
    return this.#text.includes(text)
  }

  /** Disconnects, like a reader that closes its page. */
  async close(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#child.exited
  }
}

/** Reports whether something comes true within this time. */
export async function comesTrue(
  msMax: number,
  check: () => boolean | Promise<boolean>,
): Promise<boolean> {
  const endMs = performance.now() + msMax
  while (!(await check())) {
    if (performance.now() > endMs) return false
    await delay(LOOK_MS)
  }
  return true
}
