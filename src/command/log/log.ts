import { type Command, InvalidArgumentError } from 'commander'
import {
  CommandFailure,
  configOf,
  printResult,
  type Terminal,
  withExisting,
} from '~/command/terminal.ts'
import { isSignedBy, noteKeyOf } from '~/evidence/note.ts'
import { noteOf } from '~/evidence/note-text.ts'
import type { Database } from '~/store/database.ts'
import { createLogStore } from '~/store/evidence/log-store.ts'
import { logOf } from './keys.ts'
import { addVerify } from './verify.ts'

type Json = { json?: boolean }
type KeyOptions = Json & { rotate?: boolean; retire?: boolean }

export function addLog(program: Command, terminal: Terminal): void {
  const log = program.command('log').description('the verifiable log of everything recorded')
  log
    .command('key')
    .description('print the key by which others verify the log')
    .option('--rotate', 'add a key first; both sign from then on')
    .option('--retire', 'retire every key but the newest first')
    .option('--json', 'print one JSON document')
    .action((options: KeyOptions) => key(terminal, options))
  addVerify(log, terminal)
  log
    .command('init')
    .description('name the log; its next checkpoint is signed under that name')
    .requiredOption('--origin <origin>', 'such as rates.example.com/log', asOrigin)
    .option('--json', 'print one JSON document')
    .action((options: Json & { origin: string }) => init(terminal, options))
}

async function key(terminal: Terminal, { rotate, retire, json = false }: KeyOptions) {
  const config = configOf(terminal)
  if ((rotate || retire) && config.logKeys)
    throw new CommandFailure('the keys of the log are in LOG_KEY: change that setting instead')
  const vkeys = await withExisting(terminal, async (database) => {
    const { keys, origin } = await logOf(database, config)
    if (rotate && retire) await keys.replace()
    else if (rotate) await keys.rotate()
    else if (retire) {
      await assertSigned(database, (await keys.verifierKeys(origin)).at(-1)!)
      await keys.retire()
    }
    return keys.verifierKeys(origin)
  })
  const result = { vkey: vkeys.at(-1), ...(vkeys.length > 1 && { older: vkeys.slice(0, -1) }) }
  printResult(terminal, { isJson: json, result, lines: vkeys })
}

/** Throws if the newest checkpoint, which is not signed again, lacks the signature of a key. */
async function assertSigned(database: Database, vkey: string) {
  const head = await createLogStore(database).head()
  const note = head && noteOf(head.note)
  if (!note || isSignedBy(note, noteKeyOf(vkey)!) === true) return
  throw new CommandFailure(
    'the newest checkpoint is not signed by the newest key yet: wait until something is ' +
      'recorded and sealed, then retire the older keys',
  )
}

async function init(terminal: Terminal, { origin, json = false }: Json & { origin: string }) {
  await withExisting(terminal, (database) => createLogStore(database).rename(origin))
  const lines = [`the log is signed as ${origin} from the next seal on`]
  printResult(terminal, { isJson: json, result: { origin }, lines })
}

const ORIGIN_LENGTH_MAX = 200

function asOrigin(text: string): string {
  const isName = /^[^\s+\p{Cc}]+$/u.test(text) && text.length <= ORIGIN_LENGTH_MAX
  if (isName && !/\/\d+$/.test(text)) return text
  throw new InvalidArgumentError(
    'It must be a name without spaces and +, such as rates.example.com/log, and must not end ' +
      'with a number, which distinguishes successive origins.',
  )
}
