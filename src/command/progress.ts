import { Presets, SingleBar } from 'cli-progress'
import type { InputFile } from './file.ts'
import type { Terminal } from './terminal.ts'

const MIB = 1_048_576

/** The bytes of `input` as they are read, with a bar until then if the size is known. */
export async function* withProgress(
  { bytes, sizeBytes }: InputFile,
  terminal: Terminal,
): AsyncGenerator<Uint8Array> {
  if (!sizeBytes) return yield* bytes
  const bar = new Bar(terminal, `${(sizeBytes / MIB).toFixed(1)} MiB`)
  let done = 0
  try {
    bar.reach(done, sizeBytes)
    for await (const chunk of bytes) {
      done += chunk.length
      bar.reach(done, sizeBytes)
      yield chunk
    }
  } finally {
    bar.stop()
  }
}

/** Called with the progress of the work. */
export type Reach = (done: number, total: number) => void

/** The result of `work`, with a bar that counts what it has done in units of `unit`. */
export async function withBar<T>(
  terminal: Terminal,
  unit: string,
  work: (reach: Reach) => Promise<T>,
): Promise<T> {
  const bar = new Bar(terminal, `{total} ${unit}`)
  try {
    return await work((done, total) => bar.reach(done, total))
  } finally {
    bar.stop()
  }
}

/** A bar on stderr, only if a person is watching. */
class Bar {
  readonly #bar: SingleBar | null
  #isBegun = false

  constructor({ isTerminal }: Terminal, whole: string) {
    const format = `{bar} {percentage}% of ${whole}, {eta_formatted} to go`
    const look = { format, clearOnComplete: true, hideCursor: true }
    this.#bar = isTerminal ? new SingleBar(look, Presets.shades_classic) : null
  }

  reach(done: number, total: number): void {
    if (!this.#isBegun) this.#bar?.start(total, done)
    this.#isBegun = true
    this.#bar?.setTotal(total)
    this.#bar?.update(done)
  }

  stop(): void {
    this.#bar?.stop()
  }
}
