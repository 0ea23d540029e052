import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type InputFile, withInput } from '~/command/file.ts'
import { interruptible } from '~/command/interruption.ts'
import { withProgress } from '~/command/progress.ts'
import { signals } from '~/command/signals.ts'
import { CommandFailure, closing, printResult, type Terminal } from '~/command/terminal.ts'
import { type Database, openDatabase } from '~/store/database.ts'
import { migrate } from '~/store/migrate.ts'
import { restoreBackup, writeBackup } from '~/store/transfer/backup.ts'
import { differencesOf, Tally } from '~/store/transfer/tally.ts'
import { backupLines, restoreReason } from './lines.ts'

/** Adds the drill below `backup`, whose options are read with its own. */
export function addVerify(backup: Command, terminal: Terminal): void {
  backup
    .command('verify')
    .description('read a backup into a database of its own, and compare counts and sums')
    .argument('<file>', 'a file written by corridor backup; - is standard input')
    .option('--json', 'print one JSON document')
    .action(async (path: string, _: object, command: Command) => {
      const { json = false } = command.optsWithGlobals<{ json?: boolean }>()
      const { held, faults } = await withInput(path, (input) => drill(input, terminal))
      const tables = [...held.tables].map(([name, { rows }]) => ({ name, rows }))
      const result = { ok: faults.length === 0, rows: held.rows, tables, faults }
      const lines = [`${held.rows} rows of ${tables.length} tables can be restored from ${path}`]
      if (faults.length === 0) printResult(terminal, { isJson: json, result, lines })
      else {
        if (json) terminal.print(JSON.stringify(result))
        throw new CommandFailure(`${path} does not restore to what it holds: ${faults.join('; ')}`)
      }
    })
}

/** The file restored into a database that is gone afterwards, and what differs then. */
async function drill(input: InputFile, terminal: Terminal) {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-verify-'))
  // The database may run as another user.
  await chmod(folder, 0o755)
  try {
    return await withOwnDatabase(folder, terminal, async (database) => {
      await migrate(database)
      const held = new Tally()
      try {
        await restoreBackup(database, counted(withProgress(input, terminal), held))
      } catch (error) {
        throw restoreReason(error, input.name)
      }
      const made = await tallyOf(database, held)
      return { held, faults: differencesOf(held, made) }
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function withOwnDatabase<T>(
  dataDir: string,
  { say }: Terminal,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const { ended } = signals
  const options = { databaseUrl: null, dataDir, use: 'command', durable: false, ended } as const
  const opening = openDatabase({ ...options, say })
  return interruptible(async () => work(await opening), closing(opening))
}

async function* counted(bytes: AsyncIterable<Uint8Array>, held: Tally): AsyncGenerator<string> {
  for await (const line of backupLines(bytes)) {
    held.take(line)
    yield line
  }
}

async function tallyOf(database: Database, like: Tally): Promise<Tally> {
  const tally = new Tally(like)
  const decoder = new TextDecoder()
  let rest = ''
  await writeBackup(database, async (part) => {
    const text = typeof part === 'string' ? part : decoder.decode(part, { stream: true })
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) tally.take(line)
  })
  return tally
}
