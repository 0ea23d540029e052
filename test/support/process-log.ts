/** Maximum number of last lines that are shown of a process. */
const LINES_MAX = 60

const shown = new Set<ProcessLog>()

/** The last lines of a process, which a failing test shows. */
export class ProcessLog {
  readonly #lines: string[] = []

  constructor(
    private readonly name: string,
    stream: ReadableStream<Uint8Array>,
  ) {
    shown.add(this)
    this.#read(stream).catch(() => {})
  }

  get text(): string {
    return [`the last lines of ${this.name}:`, ...this.#lines].join('\n')
  }

  /** Stops showing it in failures. */
  end(): void {
    shown.delete(this)
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    let rest = ''
    const decoder = new TextDecoder()
    for await (const bytes of stream) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      this.#lines.push(...lines)
      this.#lines.splice(0, this.#lines.length - LINES_MAX)
    }
  }
}

/** The logs of all processes that a test runs; empty without any. */
export const processLogs = (): string => [...shown].map(({ text }) => `\n${text}`).join('')
