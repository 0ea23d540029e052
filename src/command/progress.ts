import { Presets, SingleBar } from 'cli-progress'
import { monotonicMs, msSince } from '~/clock.ts'
import type { InputFile } from './file.ts'
import type { Terminal } from './terminal.ts'

const MIB = 1_048_576

/** Between two lines about work that goes on. */
const STILL_MS = 5_000

type Waiting = { readonly what: string; say(line: string): void; readonly everyMs?: number }

/** What `work` comes to; while that takes long, lines say that it goes on. */
export async function stillAtIt<T>(
  { what, say, everyMs = STILL_MS }: Waiting,
  work: () => Promise<T>,
): Promise<T> {
  const startMs = monotonicMs()
  const tell = () => say(`still ${what}, for ${Math.round(msSince(startMs) / 1000)} s now`)
  const timer = setInterval(tell, everyMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}

/**
 * The bytes of `input` as they are read, with a bar on stderr of how far it is.
 *
 * The bar shows only where a person is watching and the size is known; it goes when reading ends,
 * however it ends.
 */
export async function* withProgress(
  { bytes, sizeBytes }: InputFile,
  terminal: Terminal,
): AsyncGenerator<Uint8Array> {
  if (!terminal.isTerminal || !sizeBytes) return yield* bytes
  const bar = new SingleBar(
    {
      format: '{bar} {percentage}% of {mib} MiB, {eta_formatted} to go',
      clearOnComplete: true,
      hideCursor: true,
    },
    Presets.shades_classic,
  )
  bar.start(sizeBytes, 0, { mib: (sizeBytes / MIB).toFixed(1) })
  try {
    for await (const chunk of bytes) {
      bar.increment(chunk.length)
      yield chunk
    }
  } finally {
    bar.stop()
  }
}
