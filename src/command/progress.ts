import { Presets, SingleBar } from 'cli-progress'
import type { InputFile } from './file.ts'
import type { Terminal } from './terminal.ts'

const MIB = 1_048_576

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
