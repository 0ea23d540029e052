import { resolve } from 'node:path'
import type { Command } from 'commander'
import { systemClock } from '~/clock.ts'
import { type InputFile, STDIN, withInput } from '~/command/file.ts'
import { outputAt, STDOUT } from '~/command/output.ts'
import { withBar, withProgress } from '~/command/progress.ts'
import {
  CommandFailure,
  printResult,
  type Terminal,
  withDatabase,
  withExisting,
} from '~/command/terminal.ts'
import type { Database } from '~/store/database.ts'
import { reasonOf } from '~/store/reason.ts'
import { createStorageStore } from '~/store/storage/storage-store.ts'
import { restoreBackup, writeBackup } from '~/store/transfer/backup.ts'
import { compressedInto } from '~/store/transfer/compressed.ts'
import { backupLines, restoreReason } from './lines.ts'
import { addVerify } from './verify.ts'

type Options = { json?: boolean }

export function addBackup(program: Command, terminal: Terminal): void {
  const backup = program
    .command('backup')
    .description('write everything in the database to a file, while the service runs')
    .argument(
      '<file>',
      'a new file, compressed; keep it as safe as the database; - is standard output',
    )
    .option('--json', 'print one JSON document')
    .action(async (path: string, { json = false }: Options) => {
      const { tables } = await withExisting(terminal, async (database) => {
        const made = await withBar(terminal, 'rows', (reach) =>
          compressedInto(outputAt(path), (write) => writeBackup(database, write, reach)),
        )
        await noted(database, { path, rows: made.rows }, terminal)
        return made
      })
      const [output, name] =
        path === STDOUT ? [onStderr(terminal), 'standard output'] : [terminal, path]
      const lines = [`${tables} tables written to ${name}`]
      printResult(output, { isJson: json, result: { file: path, tables }, lines })
    })
  addVerify(backup, terminal)
  program
    .command('restore')
    .description('read a backup into an empty database: all of it or nothing')
    .argument('<file>', 'a file written by corridor backup; - is standard input')
    .option('--json', 'print one JSON document')
    .action(async (path: string, { json = false }: Options) => {
      if (path === STDIN && process.stdin.isTTY)
        throw new CommandFailure(
          'standard input is a terminal: name a file, or pass a backup with <',
        )
      const restored = (input: InputFile) =>
        withDatabase(terminal, async (database) => {
          try {
            return await restoreBackup(database, backupLines(withProgress(input, terminal)))
          } catch (error) {
            throw restoreReason(error, input.name)
          }
        })
      const rows = await withInput(path, restored)
      printResult(terminal, { isJson: json, result: { rows }, lines: [`${rows} rows restored`] })
    })
}

/** Records a complete backup, for the alarm; if that fails, the backup is good anyway. */
async function noted(
  database: Database,
  { path, rows }: { path: string; rows: number },
  { say }: Terminal,
): Promise<void> {
  const place = path === STDOUT ? path : resolve(path)
  try {
    await createStorageStore(database).noteBackup({ atMs: systemClock.now(), place, rows })
  } catch (error) {
    say(`the backup is complete, but the service does not know of it: ${reasonOf(error)}`)
  }
}

/** A terminal whose standard output is in use, so that results go to stderr. */
const onStderr = (terminal: Terminal): Terminal => ({ ...terminal, print: terminal.say })
