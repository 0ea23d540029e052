import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A file of a folder: its name, when it was last written, and its size. */
type Found = { readonly name: string; readonly atMs: number; readonly bytes: number }

/** A folder of files, wherever it is. Its methods throw a FeedError. */
export type Folder = {
  /** The files whose names match, at most `max` and one more. */
  list(pattern: Bun.Glob, max: number): Promise<Found[]>
  read(name: string): Promise<Uint8Array>
  close(): Promise<void>
}

/** A folder of this machine; one that is not there has no files. */
export const localFolder = (path: string): Folder => ({
  async list(pattern, max) {
    const found: Found[] = []
    for await (const name of pattern.scan({ cwd: path, onlyFiles: true })) {
      const { mtimeMs, size } = await stat(join(path, name))
      found.push({ name, atMs: Math.floor(mtimeMs), bytes: size })
      if (found.length > max) break
    }
    return found
  },
  read: (name) => readFile(join(path, name)),
  close: async () => {},
})
