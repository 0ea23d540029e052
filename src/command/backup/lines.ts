import { CommandFailure } from '~/command/terminal.ts'
import { RestoreFault } from '~/store/transfer/backup.ts'
import { linesOf } from '~/store/transfer/compressed.ts'

/** The SQLSTATE of a privilege that the user lacks. */
const FORBIDDEN = '42501'

/** Codes of gzip about bytes that are none, and SQLSTATEs of values that no backup has. */
const DAMAGED = /^(Z_|22...$)/

export const backupLines = (bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> =>
  linesOf(bytes, () => new RestoreFault('the file is damaged: it has no lines'))

/** Returns the error of a failed restore as the person at the terminal should see it. */
export function restoreReason(error: unknown, name: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (error instanceof RestoreFault) return new CommandFailure(`${name}: ${message}`)
  if (code === FORBIDDEN)
    return new CommandFailure(
      `${message}: restore as the user that owns the tables; nothing was restored`,
    )
  if (code && DAMAGED.test(code))
    return new CommandFailure(
      `${name}: the file is not a backup, or is damaged or cut off; nothing was restored`,
    )
  return error
}
