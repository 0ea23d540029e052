import { type Command, InvalidArgumentError } from 'commander'
import {
  CommandFailure,
  configOf,
  printResult,
  type Terminal,
  withExisting,
} from '~/command/terminal.ts'
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
    else if (retire) await keys.retire()
    return keys.verifierKeys(origin)
  })
  const result = { vkey: vkeys.at(-1), ...(vkeys.length > 1 && { older: vkeys.slice(0, -1) }) }
  printResult(terminal, { isJson: json, result, lines: vkeys })
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
