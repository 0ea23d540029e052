import { randomUUID } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { link, rename, rm } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { CommandFailure } from './terminal.ts'

/** The name that stands for standard output. */
export const STDOUT = '-'

/** The mode of a file that only its owner may read. */
const MODE = 0o600

/** The target of something large; has to be ended by `keep` or `drop`. */
type Output = {
  readonly stream: Writable
  /** The failure that a fault of the stream becomes for the person who called. */
  faultOf(error: NodeJS.ErrnoException): CommandFailure
  /** Completes the output once everything is written. */
  keep(): Promise<void>
  /** Discards output that will never be complete. */
  drop(): Promise<void>
}

/** A new file or standard output. Throws CommandFailure for an existing file, or a terminal. */
export const outputAt = (path: string): Output =>
  path === STDOUT ? standardOutput() : newFile(path)

function standardOutput(): Output {
  if (process.stdout.isTTY)
    throw new CommandFailure(
      'standard output is a terminal: name a file, or redirect the backup with | or >',
    )
  return {
    stream: new Writable({ write: (bytes, _, done) => void process.stdout.write(bytes, done) }),
    faultOf: ({ code, message }) =>
      new CommandFailure(
        'standard output cannot be written: ' +
          `${code === 'EPIPE' ? 'its reader is gone' : message}; the backup is incomplete`,
      ),
    keep: async () => {},
    drop: async () => {},
  }
}

/** A file that gets its name once it is complete; an existing one of that name stays. */
function newFile(path: string): Output {
  if (path === '') throw new CommandFailure('name a file to write to')
  if (existsSync(path)) throw thereAlready(path)
  const part = `${path}.${randomUUID()}.part`
  const stream = createWriteStream(part, { flags: 'wx', mode: MODE })
  return {
    stream,
    faultOf: ({ message }) => new CommandFailure(`${path} cannot be written: ${message}`),
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

const thereAlready = (path: string) => new CommandFailure(`${path} exists already: name a new file`)
