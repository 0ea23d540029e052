import { Writable } from 'node:stream'
import type { Output } from '~/store/transfer/compressed.ts'
import { newFile } from '~/store/transfer/new-file.ts'
import { CommandFailure } from './terminal.ts'

export const STDOUT = '-'

/** A new file or standard output. Throws for an existing file, or a terminal. */
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
