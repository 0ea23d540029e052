import { opendir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { FeedError } from '~/domain/feed/feed.ts'

/** A file of a folder. */
export type Found = {
  readonly name: string
  /** The time when it was last written. */
  readonly atMs: number
  readonly bytes: number
  /** Whether it appears only as a whole, as an email and an object of a bucket do. */
  readonly isWhole: boolean
  read(): Promise<Uint8Array>
}

/** A folder of files, wherever it is. Its methods, and those of its files, throw a FeedError. */
export type Folder = {
  /** The files whose names match, and links to such files, at most `max` and one more. */
  list(pattern: Bun.Glob, max: number): Promise<Found[]>
  close(): Promise<void>
}

export const localFolder = (path: string): Folder => ({
  list: (pattern, max) => filesIn(path, pattern, max).catch(unreadable),
  close: async () => {},
})

async function filesIn(path: string, pattern: Bun.Glob, max: number): Promise<Found[]> {
  const found: Found[] = []
  for await (const { name } of await opendir(path)) {
    if (name.startsWith('.') || !pattern.match(name)) continue
    const file = join(path, name)
    const stats = await stat(file).catch(missing)
    if (!stats?.isFile()) continue
    const { mtimeMs, size } = stats
    const read = () => readFile(file).catch(unreadable)
    found.push({ name, atMs: Math.floor(mtimeMs), bytes: size, isWhole: false, read })
    if (found.length > max) break
  }
  return found
}

/** Null for a file that has just been removed, and for a link to one. */
function missing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

function unreadable({ message }: Error): never {
  throw new FeedError('unreachable', `cannot be read: ${message}`)
}
