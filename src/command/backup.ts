import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, existsSync } from 'node:fs'
import { link, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import type { Command } from 'commander'
import { RestoreFault, restoreBackup, writeBackup } from '~/store/backup.ts'
import { type InputFile, withInput } from './file.ts'
import { CommandFailure, printResult, type Terminal, withDatabase } from './terminal.ts'

/** Only for its owner: it holds the hashes of keys and passwords. */
const MODE = 0o600
const LINE_LENGTH_MAX = 64 * 1_048_576

type Options = { json?: boolean }

export function addBackup(program: Command, terminal: Terminal): void {
  program
    .command('backup')
    .description('write everything in the database to a file, beside a running service')
    .argument('<file>', 'a new file, compressed; keep it as safe as the database')
    .option('--json', 'print one JSON document')
    .action(async (path: string, { json = false }: Options) => {
      const tables = await withDatabase(terminal, (database) =>
        written(path, (write) => writeBackup(database, write)),
      )
      const lines = [`${tables} tables written to ${path}`]
      printResult(terminal, { isJson: json, result: { file: path, tables }, lines })
    })
  program
    .command('restore')
    .description('read a backup into an empty database: all of it or nothing')
    .argument('<file>', 'what corridor backup has written')
    .option('--json', 'print one JSON document')
    .action(async (path: string, { json = false }: Options) => {
      const restored = ({ name, bytes }: InputFile) =>
        withDatabase(terminal, async (database) => {
          try {
            return await restoreBackup(database, linesOf(bytes))
          } catch (error) {
            throw reasonOf(error, name)
          }
        })
      const rows = await withInput(path, restored)
      printResult(terminal, { isJson: json, result: { rows }, lines: [`${rows} rows restored`] })
    })
}

type Write = (text: string | Uint8Array) => Promise<void>

/** Writes a file that is whole or not there; another one of that name stays. */
async function written<T>(path: string, work: (write: Write) => Promise<T>): Promise<T> {
  if (path === '') throw new CommandFailure('name a file to write to')
  if (existsSync(path)) throw thereAlready(path)
  const part = `${path}.${randomUUID()}.part`
  const file = createWriteStream(part, { flags: 'wx', mode: MODE })
  const gzip = createGzip()
  let fault: CommandFailure | null = null
  const failed = new Promise<never>((_, reject) => {
    file.on('error', ({ message }) => {
      fault = new CommandFailure(`${path} cannot be written: ${message}`)
      reject(fault)
    })
  })
  failed.catch(() => {})
  gzip.pipe(file)
  const write: Write = (text) =>
    Promise.race([
      failed,
      new Promise<void>((resolve, reject) => {
        gzip.write(text, (error) => (error ? reject(error) : resolve()))
      }),
    ])
  try {
    const result = await work(write)
    const closed = once(file, 'close')
    gzip.end()
    await Promise.race([closed, failed])
    await named(part, path)
    return result
  } catch (error) {
    gzip.destroy()
    file.destroy()
    await rm(part, { force: true })
    throw fault ?? error
  }
}

/** Gives the part its name; unlike renaming, this never takes the name from another file. */
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

const thereAlready = (path: string) =>
  new CommandFailure(`${path} is there already: name a new file`)

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

function reasonOf(error: unknown, name: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (error instanceof RestoreFault) return new CommandFailure(`${name}: ${message}`)
  if (code?.startsWith('Z_'))
    return new CommandFailure(
      `${name}: the file is no backup, or damaged or cut off; nothing was restored`,
    )
  return error
}
