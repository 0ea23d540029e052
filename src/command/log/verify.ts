import { type Command, InvalidArgumentError } from 'commander'
import { withBar } from '~/command/progress.ts'
import {
  CommandFailure,
  configOf,
  printResult,
  type Terminal,
  withExisting,
} from '~/command/terminal.ts'
import { dateMsOf, instantOf } from '~/domain/instant.ts'
import { isSignedBy, type NoteKey, noteKeyOf } from '~/evidence/note.ts'
import { noteOf } from '~/evidence/note-text.ts'
import { verifyLog } from '~/store/evidence/verify.ts'
import { logOf } from './keys.ts'
import { verifyRemote } from './remote.ts'

const FAULTS_MAX = 100

type Options = { json?: boolean; since?: number; url?: URL; key?: NoteKey; checkpoint?: string }

export function addVerify(log: Command, terminal: Terminal): void {
  log
    .command('verify')
    .description('compare every row with the log, and the log with its signature')
    .option('--since <time>', 'only what was recorded from then on', asTime)
    .option('--url <url>', 'verify the log of another service, by its public files', asUrl)
    .option('--key <vkey>', 'with --url: the key of that log, from a source that you trust', asKey)
    .option(
      '--checkpoint <file>',
      'with --url: the checkpoint of last time, replaced if all is well',
    )
    .option('--json', 'print one JSON document')
    .action((options: Options, command: Command) => {
      const { url, key, since, checkpoint } = options
      if (url && !key) command.error('error: --url needs --key')
      if (!url && (key || checkpoint)) command.error('error: --key and --checkpoint need --url')
      if (url && since !== undefined) command.error('error: give either --since or --url')
      return verify(terminal, options)
    })
}

async function verify(terminal: Terminal, options: Options) {
  const faults = new Faults()
  const said = await (options.url
    ? verifyRemote({ ...options, url: options.url, key: options.key! }, faults.add)
    : verifyOwn(terminal, options, faults.add))
  const ok = faults.count === 0
  const result = { leaves: said.leaves, ok, faults: faults.listed }
  if (ok) return printResult(terminal, { isJson: options.json ?? false, result, lines: said.lines })
  if (options.json) terminal.print(JSON.stringify(result))
  else for (const fault of faults.listed) terminal.print(fault)
  throw new CommandFailure(
    `the log does not match its rows: ${faults.count} errors in ${said.leaves} leaves`,
  )
}

/** Collects errors: the first ones, and their number. */
class Faults {
  count = 0
  readonly listed: string[] = []

  readonly add = (fault: string): void => {
    this.count++
    if (this.listed.length < FAULTS_MAX) this.listed.push(fault)
  }
}

async function verifyOwn(
  terminal: Terminal,
  { since = null }: { since?: number | null },
  onFault: (fault: string) => void,
) {
  const config = configOf(terminal)
  const { leaves, pruned, waiting } = await withExisting(terminal, (database) =>
    withBar(terminal, 'bundles of 256 leaves', async (reach) => {
      const { keys, origin } = await logOf(database, config)
      const isSigned = async (text: string) => {
        const note = noteOf(text)
        const known = (await keys.verifierKeys(origin)).map((vkey) => noteKeyOf(vkey)!)
        return note !== null && known.some((key) => isSignedBy(note, key) === true)
      }
      return verifyLog(database, { sinceMs: since, isSigned, onFault, reach })
    }),
  )
  const lines = [
    `${leaves} leaves agree with their rows, with the tiles and with the signed checkpoint`,
    ...(pruned > 0 ? [`${pruned} of them are of rows that were pruned`] : []),
    ...(waiting > 0 ? [`${waiting} rows are still to be sealed`] : []),
  ]
  return { leaves, lines }
}

function asTime(text: string): number {
  const ms = instantOf(text) ?? dateMsOf(text)
  if (ms !== null) return ms
  throw new InvalidArgumentError('It must be a date or a date-time: 2026-03-05T14:00:00Z.')
}

function asUrl(text: string): URL {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return new URL(text)
  throw new InvalidArgumentError('It must be the address of a service: https://rates.example.com.')
}

function asKey(text: string): NoteKey {
  const key = noteKeyOf(text)
  if (key) return key
  throw new InvalidArgumentError('It must be what `corridor log key` prints.')
}
