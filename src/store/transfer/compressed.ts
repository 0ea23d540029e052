import { once } from 'node:events'
import { Readable, type Writable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'

/** The longest line of a backup; a file with longer ones is none. */
const LINE_LENGTH_MAX = 64 * 1_048_576

/** The target of something large; it is ended by `keep` or `drop`. */
export type Output = {
  readonly stream: Writable
  /** The error that the person sees when the stream fails. */
  faultOf(error: NodeJS.ErrnoException): Error
  /** Completes the output once everything is written. */
  keep(): Promise<void>
  /** Discards output that will never be complete. */
  drop(): Promise<void>
}

type Write = (text: string | Uint8Array) => Promise<void>

/** Compresses the output of `work` into a file, removed again if incomplete. */
export async function compressedInto<T>(
  output: Output,
  work: (write: Write) => Promise<T>,
): Promise<T> {
  const gzip = createGzip()
  let fault: Error | null = null
  const failed = new Promise<never>((_, reject) => {
    output.stream.on('error', (error) => {
      fault = output.faultOf(error)
      reject(fault)
    })
  })
  failed.catch(() => {})
  gzip.pipe(output.stream)
  const write: Write = (text) =>
    Promise.race([
      failed,
      new Promise<void>((resolve, reject) => {
        gzip.write(text, (error) => (error ? reject(error) : resolve()))
      }),
    ])
  try {
    const result = await work(write)
    const closed = once(output.stream, 'close')
    gzip.end()
    await Promise.race([closed, failed])
    await output.keep()
    return result
  } catch (error) {
    gzip.destroy()
    output.stream.destroy()
    await output.drop()
    throw fault ?? error
  }
}

/** The lines of compressed text; `onTooLong` creates the error for text without lines. */
export async function* linesOf(
  bytes: AsyncIterable<Uint8Array>,
  onTooLong: () => Error,
): AsyncGenerator<string> {
  const file = Readable.from(bytes)
  const text = createGunzip()
  file.on('error', (error) => text.destroy(error))
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of file.pipe(text)) {
    const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > LINE_LENGTH_MAX) throw onTooLong()
    yield* lines
  }
}
