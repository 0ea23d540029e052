import { type FileHandle, open } from 'node:fs/promises'
import { FileFault } from '~/file/csv.ts'
import { CommandFailure } from './terminal.ts'

export const STDIN = '-'

const CHUNK_BYTES = 262_144

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'it may not be read by this user',
  EPERM: 'it may not be read by this user',
}

export type InputFile = {
  readonly name: string
  /** The size; null if it is unknown: standard input, a pipe. */
  readonly sizeBytes: number | null
  readonly bytes: AsyncIterable<Uint8Array>
}

/**
 * Opens a file for `work`, which may read it once from its start, and closes it in any case. Throws
 * CommandFailure when it cannot be read, or when `work` finds a FileFault.
 */
export async function withInput<T>(
  path: string,
  work: (input: InputFile) => Promise<T>,
): Promise<T> {
  if (path === STDIN) {
    const bytes = readable(Bun.stdin.stream(), path)
    try {
      return await read({ name: 'standard input', sizeBytes: null, bytes }, work)
    } finally {
      // Not awaited: a read in progress ends with the next byte, which may never come.
      bytes.return().catch(() => {})
    }
  }
  const { handle, sizeBytes } = await opened(path)
  try {
    return await read({ name: path, sizeBytes, bytes: readable(chunksOf(handle), path) }, work)
  } finally {
    await handle.close()
  }
}

async function read<T>(input: InputFile, work: (input: InputFile) => Promise<T>): Promise<T> {
  try {
    return await work(input)
  } catch (error) {
    if (error instanceof FileFault) throw new CommandFailure(`${input.name}: ${error.message}`)
    throw error
  }
}

/** The whole of a small file. Throws CommandFailure when it cannot be read or is too large. */
export async function readText(path: string, bytesMax: number): Promise<string> {
  const content = await withInput(path, ({ bytes }) => contentOf(bytes, { path, bytesMax }))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    throw new CommandFailure(`${path} is not UTF-8 text`)
  }
}

async function opened(path: string) {
  try {
    const handle = await open(path, 'r')
    const stats = await handle.stat()
    if (!stats.isDirectory()) return { handle, sizeBytes: stats.isFile() ? stats.size : null }
    await handle.close()
  } catch (error) {
    throw unreadable(path, error)
  }
  throw new CommandFailure(`cannot read ${path}: it is a directory`)
}

async function contentOf(
  bytes: AsyncIterable<Uint8Array>,
  { path, bytesMax }: { path: string; bytesMax: number },
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > bytesMax)
      throw new CommandFailure(`${path} is larger than ${bytesMax} bytes; split it`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function* chunksOf(handle: FileHandle): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES))
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

async function* readable(source: AsyncIterable<Uint8Array>, path: string) {
  try {
    yield* source
  } catch (error) {
    throw unreadable(path, error)
  }
}

function unreadable(path: string, error: unknown): CommandFailure {
  const { code, message } = error as NodeJS.ErrnoException
  return new CommandFailure(`cannot read ${path}: ${REASONS[code ?? ''] ?? message}`)
}
