import { once } from 'node:events'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import type { Command } from 'commander'
import { systemClock } from '~/clock.ts'
import type { Database } from '~/store/database.ts'
import { reasonOf } from '~/store/reason.ts'
import { createStorageStore } from '~/store/storage/storage-store.ts'
import { RestoreFault, restoreBackup, writeBackup } from '~/store/transfer/backup.ts'
import { type InputFile, STDIN, withInput } from './file.ts'
import { outputAt, STDOUT } from './output.ts'
import { withBar, withProgress } from './progress.ts'
import {
  CommandFailure,
  printResult,
  type Terminal,
  withDatabase,
  withExisting,
} from './terminal.ts'

const LINE_LENGTH_MAX = 64 * 1_048_576

/** The SQLSTATE of a right that the user lacks. */
const FORBIDDEN = '42501'

type Options = { json?: boolean }

export function addBackup(program: Command, terminal: Terminal): void {
  program
    .command('backup')
    .description('write everything in the database to a file, beside a running service')
    .argument(
      '<file>',
      'a new file, compressed; keep it as safe as the database; - is standard output',
    )
    .option('--json', 'print one JSON document')
    .action(async (path: string, { json = false }: Options) => {
      const { tables } = await withExisting(terminal, async (database) => {
        const made = await withBar(terminal, 'rows', (reach) =>
          written(path, (write) => writeBackup(database, write, reach)),
        )
        await noted(database, { path, rows: made.rows }, terminal)
        return made
      })
      const [told, name] =
        path === STDOUT ? [beside(terminal), 'standard output'] : [terminal, path]
      const lines = [`${tables} tables written to ${name}`]
      printResult(told, { isJson: json, result: { file: path, tables }, lines })
    })
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
            return await restoreBackup(database, linesOf(withProgress(input, terminal)))
          } catch (error) {
            throw restoreReason(error, input.name)
          }
        })
      const rows = await withInput(path, restored)
      printResult(terminal, { isJson: json, result: { rows }, lines: [`${rows} rows restored`] })
    })
}

/** Notes a backup that is complete, for the alarm; where that fails, the backup is good anyway. */
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
const beside = (terminal: Terminal): Terminal => ({ ...terminal, print: terminal.say })

type Write = (text: string | Uint8Array) => Promise<void>

/** Compresses what `work` writes into an output that is kept once it is complete. */
async function written<T>(path: string, work: (write: Write) => Promise<T>): Promise<T> {
  const output = outputAt(path)
  const gzip = createGzip()
  let fault: CommandFailure | null = null
  const failed = new Promise<never>((_, reject) => {
    output.stream.on('error', (error) => {
      fault = output.faultOf(error)
      reject(fault)
    })
  })
  failed.catch(() => {})
  gzip.pipe(output.stream)
  const write: Write = (text) =>
    Promise.race([
      failed,
      new Promise<void>((resolve, reject) => {
        gzip.write(text, (error) => (error ? reject(error) : resolve()))
      }),
    ])
  try {
    const result = await work(write)
    const closed = once(output.stream, 'close')
    gzip.end()
    await Promise.race([closed, failed])
    await output.keep()
    return result
  } catch (error) {
    gzip.destroy()
    output.stream.destroy()
    await output.drop()
    throw fault ?? error
  }
}

async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const file = Readable.from(bytes)
  const text = createGunzip()
  file.on('error', (error) => text.destroy(error))
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of file.pipe(text)) {
    const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > LINE_LENGTH_MAX)
      throw new RestoreFault('the file is damaged: it has no lines')
    yield* lines
  }
}

function restoreReason(error: unknown, name: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (error instanceof RestoreFault) return new CommandFailure(`${name}: ${message}`)
  if (code === FORBIDDEN)
    return new CommandFailure(
      `${message}: restore as the user that owns the tables; nothing was restored`,
    )
  if (code?.startsWith('Z_'))
    return new CommandFailure(
      `${name}: the file is not a backup, or is damaged or cut off; nothing was restored`,
    )
  return error
}
