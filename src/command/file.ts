import { type FileHandle, open } from 'node:fs/promises'
import { CommandFailure } from './terminal.ts'

/** Stands for standard input in place of a file's name. */
export const STDIN = '-'

const CHUNK_BYTES = 262_144

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'it may not be read by this user',
  EPERM: 'it may not be read by this user',
  EISDIR: 'it is a directory',
}

export type InputFile = {
  /** What it is called in a sentence. */
  readonly name: string
  /** Null where that is unknown: standard input, a pipe. */
  readonly sizeBytes: number | null
  readonly bytes: AsyncIterable<Uint8Array>
}

/** A file to read once from its start. Throws CommandFailure when it cannot be read. */
export async function openInput(path: string): Promise<InputFile> {
  if (path === STDIN)
    return { name: 'standard input', sizeBytes: null, bytes: readable(Bun.stdin.stream(), path) }
  try {
    const handle = await open(path, 'r')
    const stats = await handle.stat()
    if (stats.isDirectory()) {
      await handle.close()
      throw Object.assign(new Error('directory'), { code: 'EISDIR' })
    }
    const sizeBytes = stats.isFile() ? stats.size : null
    return { name: path, sizeBytes, bytes: readable(chunksOf(handle), path) }
  } catch (error) {
    throw unreadable(path, error)
  }
}

/** The whole of a small file. Throws CommandFailure when it cannot be read or is too large. */
export async function readText(path: string, bytesMax: number): Promise<string> {
  const { bytes } = await openInput(path)
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > bytesMax)
      throw new CommandFailure(`${path} is larger than ${bytesMax} bytes; split it`)
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw new CommandFailure(`${path} is not UTF-8 text`)
  }
}

async function* chunksOf(handle: FileHandle): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES))
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
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
