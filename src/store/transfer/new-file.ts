import { randomUUID } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { link, rename, rm } from 'node:fs/promises'
import type { Output } from './compressed.ts'

/** The mode of a file that only its owner may read. */
const MODE = 0o600

/** A file that gets its name once it is complete; throws if there is one of that name. */
export function newFile(path: string): Output {
  if (path === '') throw new Error('name a file to write to')
  if (existsSync(path)) throw thereAlready(path)
  const part = `${path}.${randomUUID()}.part`
  const stream = createWriteStream(part, { flags: 'wx', mode: MODE })
  return {
    stream,
    faultOf: ({ message }) => new Error(`${path} cannot be written: ${message}`),
    keep: () => named(part, path),
    drop: () => rm(part, { force: true }),
  }
}

/** Gives the finished part its name; unlike renaming, this never replaces another file. */
async function named(part: string, path: string): Promise<void> {
  try {
    await link(part, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw thereAlready(path)
    await rename(part, path)
    return
  }
  await rm(part)
}

const thereAlready = (path: string) => new Error(`${path} exists already: name a new file`)
